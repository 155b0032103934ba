// The Website controller in a simulated cluster: `run shop`, `fuzz shop`, and all other commands of
// ksim.
#include "ksim/main.h"

#include "website_registry.h"

int main(int argc, char** argv) { return ksim::Main(argc, argv, WebsiteRegistry()); }
