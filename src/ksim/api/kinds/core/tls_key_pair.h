// The texts with which Go refuses a certificate and its key before it looks into them: where they
// are no PEM of the right kind. What the PEM holds is not looked at.
//
// Source: Go crypto/tls/tls.go X509KeyPair; encoding/pem/pem.go Decode.
#pragma once
#include <string>
#include <string_view>

namespace ksim::api {

// Empty if there is nothing to say.
std::string KeyPairProblem(std::string_view certificate, std::string_view key);

}  // namespace ksim::api
