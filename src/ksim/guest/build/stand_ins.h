// Stand-ins: files that ksim adds to packages which have none for wasip1.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/guest/build/packages.h"

namespace ksim::guest {

struct StandIn {
  std::string module, package;  // that the file is added to
  std::string file;             // its name
  std::string contents;
};

// Those that the packages need. An error if a file that a stand-in is made from cannot be read.
absl::StatusOr<std::vector<StandIn>> NeededStandIns(const GoPackages& packages);

}  // namespace ksim::guest
