// Sockets: listens, and moves bytes between clients outside and the codecs of their connections.
// One thread; nothing here waits but Poll.
//
// Bounds, for no client may cost the others anything: connections at a time; the size of headers
// and bodies and the number of streams (the codec's); the time that TLS's handshake may take, that
// a connection may be idle without a request, and that one may leave unread what is sent to it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "ksim/apiserver/doors/http/connection.h"
#include "ksim/base/time.h"
#include "ksim/serve/tls.h"

namespace ksim::serve {

struct SocketLimits {
  SocketLimits() = default;
  // A client that has not done TLS's handshake by then is ended.
  Duration handshake = Seconds(10);
  std::size_t connections = 2000;
  // http.Server.IdleTimeout and ReadHeaderTimeout of a kube-apiserver: 90s and 32s; one bound
  // stands for both, and for a body that does not come.
  Duration idle = Seconds(90);
  // A client that reads nothing for so long is ended.
  Duration unread = Seconds(60);
  // Nor may so many bytes wait for it: a watch is told to pause much sooner.
  std::size_t unread_bytes = std::size_t{64} << 20;
  apiserver::http::ConnectionLimits http;
};

// Takes what comes in. A connection has a number from 1 on.
class SocketUser {
 public:
  virtual ~SocketUser() = default;
  virtual void OnOpen(std::int64_t connection, apiserver::http::ResponseWriter& writer) = 0;
  virtual void OnRequest(std::int64_t connection, apiserver::http::StreamId stream,
                         apiserver::http::HttpRequest request) = 0;
  virtual void OnGone(std::int64_t connection, apiserver::http::StreamId stream) = 0;
  // The writer is gone when this returns; all open streams have been told to OnGone.
  virtual void OnClose(std::int64_t connection) = 0;
};

class Sockets {
 public:
  // Port 0: any that is free. `tls`: null for plain HTTP. `user` and `tls` outlive it.
  static absl::StatusOr<std::unique_ptr<Sockets>> Listen(const std::string& host,
                                                         std::uint16_t port, SocketUser& user,
                                                         const SocketLimits& limits,
                                                         const Tls* tls);
  virtual ~Sockets() = default;
  virtual std::uint16_t port() const = 0;
  // Waits at most so long for something to come in, and takes in all that is there.
  virtual void Poll(Duration wait) = 0;
  // Sends what connections have to say, as far as their clients read.
  virtual void Flush() = 0;
  // Bytes that wait because the client does not read: of the whole connection and of the stream.
  virtual std::size_t unread(std::int64_t connection, apiserver::http::StreamId stream) const = 0;
  // By the certificate that the connection's client has shown; null without a good one.
  virtual const Identity* identity(std::int64_t connection) const = 0;
  // Sends what is left for at most so long, then closes everything.
  virtual void Close(Duration wait) = 0;
};

}  // namespace ksim::serve
