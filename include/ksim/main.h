// Main: the command line of ksim for a program with controllers of its own: run, fuzz, shrink,
// replay, get, explain and all the others, with what the registry brings inside.
//
//   int main(int argc, char** argv) {
//     ksim::Registry registry("website-controller");
//     registry.AddController("website-controller", MakeWebsiteController);
//     return ksim::Main(argc, argv, std::move(registry));
//   }
#pragma once
#include "ksim/registry.h"

namespace ksim {

// Returns the exit code (docs/exit-codes.md); 2, with the reasons on stderr, for a registry with a
// mistake in it. An empty registry makes ksim itself.
int Main(int argc, char** argv, Registry registry);

}  // namespace ksim
