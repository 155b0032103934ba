// tls.h and certificates.h where ksim is built without OpenSSL.
#include "absl/status/status.h"
#include "ksim/serve/certificates.h"
#include "ksim/serve/tls.h"

namespace ksim::serve {
namespace {

absl::Status BuiltWithout() {
  return absl::UnimplementedError(
      "this ksim was built without OpenSSL, so it has no TLS: install libssl-dev and build it "
      "again");
}

}  // namespace

absl::StatusOr<KeyPair> MakeAuthority(std::string_view) { return BuiltWithout(); }
absl::StatusOr<KeyPair> MakeCertificate(const KeyPair&, const Subject&) { return BuiltWithout(); }
absl::StatusOr<std::string> MakeToken() { return BuiltWithout(); }
absl::StatusOr<std::unique_ptr<Tls>> MakeTlsServer(const KeyPair&, const std::string&) {
  return BuiltWithout();
}
absl::StatusOr<std::unique_ptr<Tls>> MakeTlsClient(const std::string&, const std::string&,
                                                   const KeyPair&) {
  return BuiltWithout();
}

}  // namespace ksim::serve
