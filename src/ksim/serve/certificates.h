// Certificates: the keys and certificates that a server makes for itself and its clients, as
// kubeadm makes a cluster's. They are random and of this moment, and never come into a run.
//
// Sources: kubeadm util/pkiutil/pki_helpers.go, phases/certs/certlist.go; client-go
// util/cert/cert.go.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace ksim::serve {

// A certificate, with those that stand between it and its authority, and its key; both in PEM.
struct KeyPair {
  KeyPair() = default;
  std::string certificate, key;
  bool empty() const { return certificate.empty(); }
};

// Whose a certificate is: a user and its groups, or a server and its names.
struct Subject {
  Subject() = default;
  std::string name;                               // CN
  std::vector<std::string> organizations;         // O
  std::vector<std::string> dns_names, addresses;  // of a server
  bool is_server() const { return !dns_names.empty() || !addresses.empty(); }
};

// An authority of its own, good for a year. Unimplemented where ksim was built without OpenSSL, as
// all below.
absl::StatusOr<KeyPair> MakeAuthority(std::string_view name);
// A certificate that the authority has signed, good for a year.
absl::StatusOr<KeyPair> MakeCertificate(const KeyPair& authority, const Subject& subject);
// 32 random bytes in a form that a header can have.
absl::StatusOr<std::string> MakeToken();

}  // namespace ksim::serve
