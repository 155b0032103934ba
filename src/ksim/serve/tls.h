// TLS: one end of a connection as a codec that knows no socket. Bytes of the other side go in and
// plain text comes out; plain text goes in and bytes come out. Nothing here waits.
//
// Sources: apiserver pkg/server/secure_serving.go (TLS 1.2 or later, ALPN h2 and http/1.1, client
// certificates asked for and verified later), crypto/tls handshake_server.go negotiateALPN.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/serve/certificates.h"

namespace ksim::serve {

// A client by its certificate, which the authority has signed for clients.
struct Identity {
  Identity() = default;
  std::string user;                 // CN; not empty
  std::vector<std::string> groups;  // O
};

class TlsSession {
 public:
  virtual ~TlsSession() = default;
  // Bytes of the other side, and the plain text that they complete.
  virtual std::string Receive(std::string_view bytes) = 0;
  // Plain text for the other side; once established() only.
  virtual void Send(std::string_view plain) = 0;
  // Nothing follows.
  virtual void End() = 0;
  // Bytes for the other side, in order.
  virtual std::string TakeOutput() = 0;

  virtual bool established() const = 0;
  // The other side has said its last word, or nothing that can be understood.
  virtual bool ended() const = 0;
  // The reason, where it was an error; "" else.
  virtual std::string_view error() const = 0;
  // The client that has shown a good certificate; else null.
  virtual const Identity* identity() const = 0;
};

// Makes the sessions of one server, or to one server.
class Tls {
 public:
  virtual ~Tls() = default;
  virtual std::unique_ptr<TlsSession> Begin() const = 0;
};

// Shows `shown`, and knows clients by certificates that `client_authority` (PEM; "": none) has
// signed. InvalidArgument for what is no certificate or key, or a key of another certificate;
// Unimplemented where ksim was built without OpenSSL.
absl::StatusOr<std::unique_ptr<Tls>> MakeTlsServer(const KeyPair& shown,
                                                   const std::string& client_authority);
// Accepts a server of the name or address `host` that `authority` has signed, and shows it `shown`
// unless that is empty.
absl::StatusOr<std::unique_ptr<Tls>> MakeTlsClient(const std::string& authority,
                                                   const std::string& host, const KeyPair& shown);

}  // namespace ksim::serve
