// The program ksim: the command line of ksim/main.h, with nothing of its own.
#include "ksim/main.h"

int main(int argc, char** argv) { return ksim::Main(argc, argv, ksim::Registry()); }
