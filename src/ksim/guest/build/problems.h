// Problems: why a program cannot be a guest, told by package, place and remedy.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/base/diagnostic.h"
#include "ksim/guest/build/packages.h"

namespace ksim::guest {

// An error without a place.
Diagnostic Problem(std::string file, std::string message, std::string hint = "");

// The packages that cannot be built for wasip1: those that need C, and those that have no file.
std::vector<Diagnostic> PackageProblems(const GoPackages& packages);

// The lines that `go build` writes to stderr, as problems. `packages` tells who wants a package,
// `directory` is where go runs.
std::vector<Diagnostic> CompileProblems(const std::vector<std::string>& lines,
                                        const GoPackages& packages, const std::string& directory);

}  // namespace ksim::guest
