// Kubeconfig: the file by which kubectl and client libraries find a served cluster.
#pragma once
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ksim/serve/certificates.h"

namespace ksim::serve {

// How a client reaches a server, and what it shows.
struct Access {
  Access() = default;
  std::string server;     // URL
  std::string authority;  // by which it knows the server, in PEM; "" for http
  KeyPair client;         // empty: shows no certificate
  std::string token;      // "": shows none
};

// One cluster, user and context, all called `ksim`.
std::string KubeconfigFor(const Access& access);

// The access of the current context of a kubeconfig. InvalidArgument says what is missing.
absl::StatusOr<Access> AccessOfKubeconfig(std::string_view text);

}  // namespace ksim::serve
