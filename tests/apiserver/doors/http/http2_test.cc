#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/apiserver/doors/http/connection.h"

namespace ksim::apiserver::http {
namespace {

// A client on nghttp2, which nobody here wrote. Responses are kept by stream as "200 body", with
// "|end" after a body that ended and "|reset" after one that was broken off.
class Client {
 public:
  explicit Client(std::int32_t window = 65535) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, OnHeader);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, OnData);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, OnClose);
    nghttp2_session_client_new(&session_, callbacks, this);
    nghttp2_session_callbacks_del(callbacks);
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, static_cast<std::uint32_t>(window)}};
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, 1);
  }
  ~Client() { nghttp2_session_del(session_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  StreamId Ask(std::string method, std::string path, std::string body = "") {
    std::vector<std::pair<std::string, std::string>> fields = {{":method", std::move(method)},
                                                               {":scheme", "http"},
                                                               {":authority", "h"},
                                                               {":path", std::move(path)},
                                                               {"accept", "application/json"}};
    std::vector<nghttp2_nv> pairs;
    for (auto& [name, value] : fields) {
      pairs.push_back({reinterpret_cast<std::uint8_t*>(name.data()),
                       reinterpret_cast<std::uint8_t*>(value.data()), name.size(), value.size(),
                       NGHTTP2_NV_FLAG_NONE});
    }
    nghttp2_data_provider provider = {};
    provider.read_callback = ReadBody;
    const std::int32_t id = nghttp2_submit_request(session_, nullptr, pairs.data(), pairs.size(),
                                                   body.empty() ? nullptr : &provider, nullptr);
    bodies_[id] = std::move(body);
    return static_cast<StreamId>(id);
  }
  void Cancel(StreamId id) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, static_cast<std::int32_t>(id),
                              NGHTTP2_CANCEL);
  }

  // Moves bytes both ways until neither side has any, `piece` bytes at a time.
  void Exchange(Connection& server, std::size_t piece = 1 << 20) {
    for (bool moved = true; moved;) {
      moved = false;
      const std::uint8_t* bytes = nullptr;
      for (ssize_t size = 0; (size = nghttp2_session_mem_send(session_, &bytes)) > 0;) {
        const std::string_view text(reinterpret_cast<const char*>(bytes),
                                    static_cast<std::size_t>(size));
        for (std::size_t i = 0; i < text.size(); i += piece) server.Receive(text.substr(i, piece));
        moved = true;
      }
      const std::string output = server.TakeOutput();
      if (!output.empty()) {
        nghttp2_session_mem_recv(session_, reinterpret_cast<const std::uint8_t*>(output.data()),
                                 output.size());
        moved = true;
      }
    }
  }

  std::map<StreamId, std::string> responses;

 private:
  static Client& Self(void* user) { return *static_cast<Client*>(user); }
  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                      std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                      std::uint8_t, void* user) {
    const std::string_view field(reinterpret_cast<const char*>(name), name_size);
    if (field == ":status") {
      Self(user).responses[static_cast<StreamId>(frame->hd.stream_id)] =
          std::string(reinterpret_cast<const char*>(value), value_size) + " ";
    }
    return 0;
  }
  static int OnData(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* bytes,
                    std::size_t size, void* user) {
    Self(user).responses[static_cast<StreamId>(id)] +=
        std::string_view(reinterpret_cast<const char*>(bytes), size);
    return 0;
  }
  static int OnClose(nghttp2_session*, std::int32_t id, std::uint32_t error, void* user) {
    Self(user).responses[static_cast<StreamId>(id)] +=
        error == NGHTTP2_NO_ERROR ? "|end" : "|reset";
    return 0;
  }
  static ssize_t ReadBody(nghttp2_session*, std::int32_t id, std::uint8_t* buffer, std::size_t size,
                          std::uint32_t* flags, nghttp2_data_source*, void* user) {
    std::string& body = Self(user).bodies_[id];
    const std::size_t count = body.copy(reinterpret_cast<char*>(buffer), size);
    body.erase(0, count);
    if (body.empty()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(count);
  }

  nghttp2_session* session_ = nullptr;
  std::map<std::int32_t, std::string> bodies_;
};

class StreamRecorder final : public RequestSink {
 public:
  void OnRequest(StreamId stream, HttpRequest request) override {
    log.push_back(std::to_string(stream) + " " + request.method + " " + request.target + " " +
                  std::string(request.headers.Get("Host")) + " " +
                  std::to_string(request.body.size()) + (request.body_too_large ? " (cut)" : ""));
  }
  void OnGone(StreamId stream) override { log.push_back("gone " + std::to_string(stream)); }
  std::vector<std::string> log;
};

using Log = std::vector<std::string>;

HttpResponse Hello() {
  HttpResponse response;
  response.body = "hello";
  return response;
}

class Http2Test : public testing::Test {
 protected:
  StreamRecorder recorder;
  ConnectionLimits limits{.header_bytes = 10000, .body_bytes = 100000, .streams = 3};
  std::unique_ptr<Connection> server = MakeConnection(recorder, limits);
  Client client;
};

TEST_F(Http2Test, ServesStreamsSideBySide) {
  const StreamId a = client.Ask("GET", "/a");
  const StreamId b = client.Ask("POST", "/b", "body");
  client.Exchange(*server, 1);
  EXPECT_EQ(recorder.log, (Log{"1 GET /a h 0", "3 POST /b h 4"}));
  server->Respond(b, Hello());
  client.Exchange(*server);
  EXPECT_EQ(client.responses, (std::map<StreamId, std::string>{{b, "200 hello|end"}}));
  server->Respond(a, Hello());
  client.Exchange(*server, 3);
  EXPECT_EQ(client.responses[a], "200 hello|end");
  EXPECT_EQ(recorder.log.size(), 2u);
}

TEST_F(Http2Test, StreamsPieces) {
  const StreamId a = client.Ask("GET", "/a");
  client.Exchange(*server);
  server->Begin(a, {});
  client.Exchange(*server);
  EXPECT_EQ(client.responses[a], "200 ");
  server->Write(a, "one");
  client.Exchange(*server);
  server->Write(a, "two");
  client.Exchange(*server);
  EXPECT_EQ(client.responses[a], "200 onetwo");
  server->End(a);
  client.Exchange(*server);
  EXPECT_EQ(client.responses[a], "200 onetwo|end");
}

TEST_F(Http2Test, HoldsWhatAClientDoesNotRead) {
  Client slow(10);
  const StreamId a = slow.Ask("GET", "/a");
  slow.Exchange(*server);
  server->Begin(a, {});
  server->Write(a, std::string(100, 'x'));
  EXPECT_EQ(server->held(a), 100u);
  server->TakeOutput();  // thrown away: the client never opens its window again
  EXPECT_EQ(server->held(a), 90u);
}

TEST_F(Http2Test, TellsOfACancelledStream) {
  const StreamId a = client.Ask("GET", "/a");
  const StreamId b = client.Ask("GET", "/b");
  client.Exchange(*server);
  server->Begin(a, {});
  client.Cancel(a);
  client.Exchange(*server);
  EXPECT_EQ(recorder.log.back(), "gone 1");
  server->Write(a, "x");
  server->Respond(b, Hello());
  client.Exchange(*server);
  EXPECT_EQ(client.responses[b], "200 hello|end");
}

TEST_F(Http2Test, ABrokenConnectionEndsAllItsStreams) {
  client.Ask("GET", "/a");
  client.Ask("GET", "/b");
  client.Exchange(*server);
  server->Close();
  EXPECT_EQ(recorder.log, (Log{"1 GET /a h 0", "3 GET /b h 0", "gone 1", "gone 3"}));
}

TEST_F(Http2Test, BreaksAResponseOff) {
  const StreamId a = client.Ask("GET", "/a");
  client.Exchange(*server);
  server->Begin(a, {});
  client.Exchange(*server);
  server->Reset(a);
  client.Exchange(*server);
  EXPECT_EQ(client.responses[a], "200 |reset");
  EXPECT_EQ(recorder.log, (Log{"1 GET /a h 0"}));
}

TEST_F(Http2Test, GivesHeadNoBody) {
  const StreamId a = client.Ask("HEAD", "/a");
  client.Exchange(*server);
  server->Respond(a, Hello());
  client.Exchange(*server);
  EXPECT_EQ(client.responses[a], "200 |end");
}

TEST_F(Http2Test, CutsABodyThatIsTooLarge) {
  const StreamId a = client.Ask("POST", "/a", std::string(100001, 'x'));
  client.Exchange(*server);
  EXPECT_EQ(recorder.log, (Log{"1 POST /a h 100000 (cut)"}));
  HttpResponse response;
  response.code = 413;
  server->Respond(a, response);
  client.Exchange(*server);
  EXPECT_EQ(client.responses[a].substr(0, 4), "413 ");
}

TEST_F(Http2Test, EndsWithAClientThatBreaksTheProtocol) {
  server->Receive("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\ngarbage that is no frame at all");
  server->TakeOutput();
  EXPECT_TRUE(server->closed());
}

}  // namespace
}  // namespace ksim::apiserver::http
