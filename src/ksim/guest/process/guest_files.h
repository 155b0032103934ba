// The files that every guest finds: what a container of a Pod has in /etc and of its service
// account, a kubeconfig for those that are given one, and a certificate where controller-runtime's
// webhook server looks for it.
#pragma once
#include <string>

#include "ksim/guest/wasi/file_system.h"

namespace ksim::guest {

// The address at which guests find the API server; the name is in /etc/hosts.
inline constexpr char kApiAddress[] = "10.96.0.1:8080";
inline constexpr char kKubeconfigPath[] = "/etc/kubernetes/kubeconfig";

FileSystem CommonFiles(const std::string& host, const std::string& ns, const std::string& user);

}  // namespace ksim::guest
