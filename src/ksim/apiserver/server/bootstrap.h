// Bootstrap: the namespaces that every cluster has, created by the API server through its own
// pipeline as system:apiserver.
//
// Source: pkg/controlplane/controller/systemnamespaces/system_namespaces_controller.go.
#pragma once
#include <array>
#include <string_view>

namespace ksim::apiserver {

inline constexpr std::array<std::string_view, 4> kSystemNamespaces = {"kube-system", "kube-public",
                                                                      "kube-node-lease", "default"};
inline constexpr std::string_view kApiServerUser = "system:apiserver";

}  // namespace ksim::apiserver
