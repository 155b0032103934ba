// Credentials: what a server with TLS shows, whom it believes, and who asks.
//
// Sources: apiserver pkg/authentication/request/{x509,bearertoken,union}, pkg/endpoints/filters
// {authentication,impersonation}.go; kubeadm phases/certs/certlist.go, phases/kubeconfig.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ksim/apiserver/doors/http/message.h"
#include "ksim/serve/certificates.h"
#include "ksim/serve/kubeconfig.h"
#include "ksim/serve/tls.h"

namespace ksim::serve {

// In PEM, from files that the user names; what is empty the server makes for itself.
struct GivenCredentials {
  GivenCredentials() = default;
  KeyPair shown;                 // --tls-cert-file, --tls-private-key-file
  std::string client_authority;  // --client-ca-file
};

struct ServerCredentials {
  ServerCredentials() = default;
  KeyPair shown;
  std::string client_authority;  // has signed the certificates of clients
  std::string token;             // of kubernetes-admin, who is in system:masters
  Access access;                 // that user's, but for the URL
};

// For a server that listens on `host`, an address.
absl::StatusOr<ServerCredentials> MakeServerCredentials(const std::string& host,
                                                        const GivenCredentials& given);

// The sender of a request.
enum class Asker : std::uint8_t {
  kNobody,   // shows no credentials
  kUnknown,  // shows a token that nobody was given
  kUser,
  kAdmin  // is in system:masters
};
// Puts the user whom the request's credentials name in the place of these, so that no token stands
// in a trace; a user whom the request asks to be stays. `certificate`: by that of the connection,
// null without one. `token`: ServerCredentials', "" for a server without.
Asker TakeCredentials(const Identity* certificate, std::string_view token,
                      apiserver::http::HttpRequest* request);

// Whether the path may be asked for by anybody (RBAC's system:public-info-viewer).
bool IsPublicPath(std::string_view path);

}  // namespace ksim::serve
