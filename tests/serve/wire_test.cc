// A served cluster and a connection's codec together: the bytes that a client reads.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "ksim/apiserver/doors/http/connection.h"
#include "tests/serve/world.h"

namespace ksim::serve {
namespace {

namespace http = apiserver::http;

// Gives each request of a connection to the cluster as an input.
class Wire final : public http::RequestSink {
 public:
  explicit Wire(Served& served)
      : served_(served), connection_(http::MakeConnection(*this, http::ConnectionLimits())) {
    served_.cluster.Attach(2, *connection_);
  }
  void OnRequest(http::StreamId stream, http::HttpRequest request) override {
    Input input;
    input.connection = 2;
    input.stream = stream;
    input.request = WithKeptHeaders(std::move(request));
    served_.Give(std::move(input));
  }
  void OnGone(http::StreamId) override {}
  // The bytes that come within a second after these were sent.
  std::string Say(std::string_view bytes) {
    connection_->Receive(bytes);
    served_.Advance(Seconds(1));
    return connection_->TakeOutput();
  }

 private:
  Served& served_;
  std::unique_ptr<http::Connection> connection_;
};

// WATCH-01
TEST(Wire, AnEventOfAWatchIsALineOfJsonInAChunk) {
  Served served;
  Wire wire(served);
  EXPECT_EQ(wire.Say("GET /api/v1/namespaces?watch=1&resourceVersion=0"
                     "&fieldSelector=metadata.name%3Da HTTP/1.1\r\nHost: h\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nCache-Control: no-cache, private\r\n"
            "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
  served.Ask("POST", "/api/v1/namespaces",
             R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a"}})");
  const std::string chunk = wire.Say("");
  const std::size_t size = std::stoul(chunk, nullptr, 16);
  const std::size_t begin = chunk.find("\r\n") + 2;
  const std::string line = chunk.substr(begin, size);
  EXPECT_EQ(chunk.substr(begin + size), "\r\n");
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const value::Value event = Json(line);
  EXPECT_EQ(event.Get("type").AsString(), "ADDED");
  EXPECT_EQ(event.Get("object").Get("metadata").Get("name").AsString(), "a");
  EXPECT_EQ(event.Erase("object").Erase("type"), value::Value::EmptyObject());
}

TEST(Wire, AWholeAnswerHasItsLength) {
  Served served;
  Wire wire(served);
  const std::string answer = wire.Say("GET /api/v1/namespaces/nowhere HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 404 Not Found\r\n")) << answer;
  const std::string body = answer.substr(answer.find("\r\n\r\n") + 4);
  EXPECT_NE(answer.find("Content-Length: " + std::to_string(body.size()) + "\r\n"),
            std::string::npos);
  EXPECT_EQ(Json(body).Get("reason").AsString(), "NotFound");
}

}  // namespace
}  // namespace ksim::serve
