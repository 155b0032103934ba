// Kubeconfig: the file by which kubectl and client libraries find a served cluster.
#pragma once
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace ksim::serve {

// One cluster, user and context, all called `ksim`.
std::string KubeconfigFor(std::string_view server_url);

// The URL of the server that the current context of a kubeconfig names. InvalidArgument says what
// is missing.
absl::StatusOr<std::string> ServerOfKubeconfig(std::string_view text);

}  // namespace ksim::serve
