// Connection: one client's connection as a codec that knows no socket. Bytes go in and requests
// come out; responses go in and bytes come out. So one code serves a socket, a simulated connection
// and a fuzzer. Nothing here waits: whoever moves the bytes asks after each call what there is to
// send.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "ksim/apiserver/doors/http/message.h"
#include "ksim/apiserver/doors/http/response_writer.h"

namespace ksim::apiserver::http {

// Takes what connections read. Calls come from within Receive and Close.
class RequestSink {
 public:
  virtual ~RequestSink() = default;
  // The request is whole. Exactly one of Respond and Begin answers it, at once or later.
  virtual void OnRequest(StreamId stream, HttpRequest request) = 0;
  // The client has given up a request that is not answered to its end, or its connection broke.
  // The connection drops all that is written to the stream from now on.
  virtual void OnGone(StreamId stream) = 0;
};

struct ConnectionLimits {
  // net/http DefaultMaxHeaderBytes.
  std::size_t header_bytes = std::size_t{1} << 20;
  // A body beyond this is cut, and said so; what it means is the server's affair.
  std::size_t body_bytes = std::size_t{16} << 20;
  // Requests at a time on one HTTP/2 connection.
  std::uint32_t streams = 250;
};

class Connection : public ResponseWriter {
 public:
  // Bytes from the client. What cannot be HTTP is answered by the connection itself, which then
  // closes.
  virtual void Receive(std::string_view bytes) = 0;
  // The client sends no more, or the connection broke: its requests are gone.
  virtual void Close() = 0;

  // Bytes for the client, in order; empty if there are none now.
  virtual std::string TakeOutput() = 0;
  // Bytes of the stream's body that wait because the client does not read (HTTP/2 flow control).
  virtual std::size_t held(StreamId stream) const = 0;
  // More input would only wait: leave it to the transport.
  virtual bool full() const = 0;
  // Nothing follows after the bytes that TakeOutput gives: the transport should be closed.
  virtual bool closed() const = 0;
};

// `sink` must outlive the connection.
std::unique_ptr<Connection> MakeHttp1Connection(RequestSink& sink, const ConnectionLimits& limits);
std::unique_ptr<Connection> MakeHttp2Connection(RequestSink& sink, const ConnectionLimits& limits);
// HTTP/2 if the client begins with its preface, else HTTP/1.
std::unique_ptr<Connection> MakeConnection(RequestSink& sink, const ConnectionLimits& limits);

}  // namespace ksim::apiserver::http
