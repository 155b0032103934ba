// ResponseWriter: the half of a connection that takes responses. What answers requests needs no
// more of it.
#pragma once
#include <cstdint>
#include <string_view>

#include "ksim/apiserver/doors/http/message.h"

namespace ksim::apiserver::http {

// A request within its connection: 1, 2, ... for HTTP/1, the stream's number for HTTP/2.
using StreamId = std::uint32_t;

class ResponseWriter {
 public:
  virtual ~ResponseWriter() = default;

  // A whole response. A stream that is gone or answered is ignored, here and below.
  virtual void Respond(StreamId stream, HttpResponse response) = 0;
  // The head of a response whose body follows piece by piece.
  virtual void Begin(StreamId stream, HttpResponse head) = 0;
  virtual void Write(StreamId stream, std::string_view piece) = 0;
  virtual void End(StreamId stream) = 0;
  // Breaks a response off: its client sees an error and no end.
  virtual void Reset(StreamId stream) = 0;
};

}  // namespace ksim::apiserver::http
