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
  std::string file;             // its name; one that the package has is replaced
  std::string contents;
};

// Those that the packages need. An error if a file that a stand-in is made from cannot be read.
absl::StatusOr<std::vector<StandIn>> NeededStandIns(const GoPackages& packages);

inline constexpr std::string_view kRestPackage = "k8s.io/client-go/rest";

// The files by which InClusterConfig of client-go reaches an API server over plain HTTP, where
// $KUBERNETES_SERVICE_PORT_HTTPS is not set. None if the program has no client-go, or one whose
// config.go is not as it is known.
absl::StatusOr<std::vector<StandIn>> PlainInCluster(const GoPackages& packages);

// The file by which github.com/fsnotify/fsnotify watches files, and sees none change, where it
// would refuse: controller-runtime's webhook server watches its certificates. None if the program
// does not watch files, or with a version that is not known.
absl::StatusOr<std::vector<StandIn>> SilentFileWatches(const GoPackages& packages);

}  // namespace ksim::guest
