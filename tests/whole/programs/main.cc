// A program with controllers of its own, for programs_test.py.
#include "ksim/main.h"

#include "receipt_controller.h"

int main(int argc, char** argv) { return ksim::Main(argc, argv, receipts::Program()); }
