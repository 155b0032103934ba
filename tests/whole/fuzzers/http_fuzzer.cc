// The HTTP codec survives any bytes, and reads the same requests in whatever pieces they come; of
// HTTP/2, where an error ends the connection once its GOAWAY is sent, only the first ones. The
// first byte says how long the pieces are.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "ksim/apiserver/doors/http/connection.h"

namespace {

namespace http = ksim::apiserver::http;

// Answers each request at once, in a way that its target says.
class Answerer final : public http::RequestSink {
 public:
  void OnRequest(http::StreamId stream, http::HttpRequest request) override {
    log += std::to_string(stream) + " " + request.method + " " + request.target + " " +
           request.body + (request.body_too_large ? " cut\n" : "\n");
    http::HttpResponse response;
    response.headers.Add("Content-Type", "text/plain");
    switch (request.target.size() % 5) {
      case 0:
        return connection->Reset(stream);
      case 1:
        connection->Begin(stream, response);
        connection->Write(stream, request.body);
        connection->Write(stream, "");
        return connection->End(stream);
      case 2:
        response.code = 304;
        break;
      default:
        response.body = request.target;
    }
    connection->Respond(stream, response);
    connection->Respond(stream, response);  // is ignored
  }
  void OnGone(http::StreamId) override {}

  std::string log;
  http::Connection* connection = nullptr;
};

// The requests that are read, and all that is answered.
std::pair<std::string, std::string> Talk(std::string_view text, std::size_t piece) {
  Answerer answerer;
  http::ConnectionLimits limits;
  limits.header_bytes = 4096;
  limits.body_bytes = 256;
  limits.streams = 8;
  const std::unique_ptr<http::Connection> connection = http::MakeConnection(answerer, limits);
  answerer.connection = connection.get();
  std::string output;
  while (!text.empty() && !connection->closed()) {
    connection->Receive(text.substr(0, piece));
    text.remove_prefix(std::min(piece, text.size()));
    output += connection->TakeOutput();
  }
  connection->Close();
  output += connection->TakeOutput();
  return {answerer.log, output};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto whole = Talk(text, std::max<std::size_t>(1, text.size()));
  const auto pieces = Talk(text, 1 + data[0] % 16);
  const bool same = text.starts_with("PRI ") ? whole.first.starts_with(pieces.first)
                                             : whole.first == pieces.first;
  if (!same) std::abort();
  return 0;
}
