#include "ksim/apiserver/doors/http/connection.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace ksim::apiserver::http {
namespace {

// Keeps what a connection reads; answers at once with the request's own target if told to.
class Recorder final : public RequestSink {
 public:
  void OnRequest(StreamId stream, HttpRequest request) override {
    log.push_back(std::to_string(stream) + " " + request.method + " " + request.target +
                  (request.body.empty() ? "" : " " + request.body) +
                  (request.body_too_large ? " (cut)" : ""));
    if (echo != nullptr) {
      HttpResponse response;
      response.body = request.target;
      echo->Respond(stream, std::move(response));
    }
  }
  void OnGone(StreamId stream) override { log.push_back("gone " + std::to_string(stream)); }

  std::vector<std::string> log;
  Connection* echo = nullptr;
};

using Log = std::vector<std::string>;

constexpr std::string_view kGet = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n";

class Http1Test : public testing::Test {
 protected:
  Recorder recorder;
  ConnectionLimits limits{.header_bytes = 1000, .body_bytes = 100};
  std::unique_ptr<Connection> connection = MakeConnection(recorder, limits);
};

TEST_F(Http1Test, AnswersOneRequestAfterTheOther) {
  connection->Receive(std::string(kGet) + "GET /b HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(recorder.log, (Log{"1 GET /a"}));
  HttpResponse response;
  response.headers.Add("Content-Type", "text/plain");
  response.body = "hello";
  connection->Respond(1, response);
  EXPECT_EQ(connection->TakeOutput(),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_EQ(recorder.log, (Log{"1 GET /a", "2 GET /b"}));
  EXPECT_FALSE(connection->closed());
}

TEST_F(Http1Test, ReadsAnyPieces) {
  const std::string text =
      "POST /a?b=c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n"
      "0\r\n\r\n";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    Recorder read;
    const auto pieces = MakeConnection(read, limits);
    for (std::size_t i = 0; i < text.size(); i += size) pieces->Receive(text.substr(i, size));
    EXPECT_EQ(read.log, (Log{"1 POST /a?b=c abcde"})) << size;
  }
}

TEST_F(Http1Test, AnswersAThousandRequestsInOnePiece) {
  recorder.echo = connection.get();
  std::string all;
  for (int i = 0; i < 1000; ++i) all += kGet;
  connection->Receive(all);
  EXPECT_EQ(recorder.log.size(), 1000u);
}

TEST_F(Http1Test, StreamsInChunks) {
  connection->Receive(kGet);
  connection->Begin(1, {});
  connection->Write(1, "0123456789abcdef");
  connection->Write(1, "x");
  EXPECT_EQ(connection->TakeOutput(),
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n0123456789abcdef\r\n"
            "1\r\nx\r\n");
  connection->End(1);
  EXPECT_EQ(connection->TakeOutput(), "0\r\n\r\n");
  EXPECT_FALSE(connection->closed());
}

TEST_F(Http1Test, StreamsToHttp10UntilTheEnd) {
  connection->Receive("GET /a HTTP/1.0\r\n\r\n");
  connection->Begin(1, {});
  connection->Write(1, "x");
  connection->End(1);
  EXPECT_EQ(connection->TakeOutput(), "HTTP/1.0 200 OK\r\nConnection: close\r\n\r\nx");
  EXPECT_TRUE(connection->closed());
}

TEST_F(Http1Test, GivesHeadNoBody) {
  connection->Receive("HEAD /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  HttpResponse response;
  response.body = "hello";
  connection->Respond(1, response);
  EXPECT_EQ(connection->TakeOutput(),
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(connection->closed());
}

TEST_F(Http1Test, AsksToContinue) {
  connection->Receive(
      "POST /a HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(connection->TakeOutput(), "HTTP/1.1 100 Continue\r\n\r\n");
  connection->Receive("ab");
  EXPECT_EQ(recorder.log, (Log{"1 POST /a ab"}));
  EXPECT_EQ(connection->TakeOutput(), "");
}

TEST_F(Http1Test, TellsOfAClientThatWent) {
  connection->Receive(kGet);
  connection->Begin(1, {});
  connection->Close();
  EXPECT_EQ(recorder.log, (Log{"1 GET /a", "gone 1"}));
  connection->Write(1, "x");
  connection->End(1);
  EXPECT_TRUE(connection->closed());
}

TEST_F(Http1Test, BreaksAResponseOff) {
  connection->Receive(kGet);
  connection->Begin(1, {});
  connection->Reset(1);
  EXPECT_TRUE(connection->closed());
  EXPECT_EQ(recorder.log, (Log{"1 GET /a"}));
}

struct Refusal {
  std::string input;
  std::string_view answer;
};

TEST_F(Http1Test, RefusesWhatIsNoHttp) {
  for (const Refusal& row : std::vector<Refusal>{
           {"\x16\x03\x01garbage\r\n\r\n", "400 Bad Request"},
           {"GET /a\r\n\r\n", "400 Bad Request"},
           {"GET /a HTTP/1.1\r\nbad header\r\n\r\n", "400 Bad Request"},
           {"GET /a HTTP/1.1\r\n\r\n", "400 Bad Request: missing required Host header"},
           {"POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: x\r\n\r\n", "400 Bad Request"},
           {"GET /a HTTP/1.1\r\nHost: h\r\nX: " + std::string(2000, 'x') + "\r\n\r\n",
            "431 Request Header Fields Too Large"},
       }) {
    Recorder read;
    const auto refusing = MakeConnection(read, limits);
    refusing->Receive(row.input);
    const std::string output = refusing->TakeOutput();
    EXPECT_EQ(output.substr(output.find("\r\n\r\n") + 4), row.answer) << row.input;
    EXPECT_TRUE(refusing->closed()) << row.input;
    EXPECT_EQ(read.log, Log{}) << row.input;
  }
}

TEST_F(Http1Test, CutsABodyThatIsTooLarge) {
  connection->Receive("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 101\r\n\r\n");
  EXPECT_EQ(recorder.log, (Log{"1 POST /a (cut)"}));
  HttpResponse response;
  response.code = 413;
  connection->Respond(1, response);
  EXPECT_TRUE(connection->closed());
}

}  // namespace
}  // namespace ksim::apiserver::http
