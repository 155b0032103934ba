// MakeHttp2Connection of connection.h: HTTP/2 on nghttp2. Streams are served side by side; a broken
// connection ends them all. A response's bytes wait per stream until the client's windows have
// room.
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "ksim/apiserver/doors/http/connection.h"
#include "ksim/apiserver/doors/http/text.h"
#include "ksim/base/check.h"

namespace ksim::apiserver::http {
namespace {

std::string ToText(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

// Fields that belong to a connection of HTTP/1 and are errors in HTTP/2 (RFC 9113 8.2.2).
bool IsConnectionField(std::string_view name) {
  for (const std::string_view field :
       {"connection", "transfer-encoding", "keep-alive", "upgrade"}) {
    if (EqualsIgnoreCase(name, field)) return true;
  }
  return false;
}

class Http2Connection final : public Connection {
 public:
  Http2Connection(RequestSink& sink, const ConnectionLimits& limits)
      : sink_(sink), limits_(limits) {
    nghttp2_session_callbacks* callbacks = nullptr;
    KSIM_CHECK(nghttp2_session_callbacks_new(&callbacks) == 0);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, OnBeginHeaders);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, OnHeader);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, OnData);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, OnFrame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, OnStreamClose);
    const int made = nghttp2_session_server_new(&session_, callbacks, this);
    nghttp2_session_callbacks_del(callbacks);
    KSIM_CHECK(made == 0);
    // The windows and sizes of apiserver pkg/server/secure_serving.go.
    constexpr std::uint32_t kStreamWindow = 256 << 10;
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.streams},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<std::uint32_t>(limits.header_bytes)},
    };
    KSIM_CHECK(
        nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, std::size(settings)) == 0);
    nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0,
                                          static_cast<std::int32_t>(kStreamWindow * 16));
  }
  ~Http2Connection() override { nghttp2_session_del(session_); }
  Http2Connection(const Http2Connection&) = delete;
  Http2Connection& operator=(const Http2Connection&) = delete;

  void Receive(std::string_view bytes) override {
    if (closed_) return;
    const auto used = nghttp2_session_mem_recv(
        session_, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    // A fatal error, as a wrong preface: nghttp2 has queued a GOAWAY where it could.
    if (used < 0) broken_ = true;
  }

  void Close() override {
    if (std::exchange(closed_, true)) return;
    std::map<StreamId, Stream> streams = std::exchange(streams_, {});
    for (const auto& [id, stream] : streams) {
      if (stream.delivered) sink_.OnGone(id);
    }
  }

  void Respond(StreamId id, HttpResponse response) override {
    Stream* stream = Find(id);
    if (stream == nullptr || stream->begun) return;
    response.headers.Set("Content-Length", fmt::format("{}", response.body.size()));
    if (!stream->head_only) stream->output = std::move(response.body);
    stream->ended = true;
    Submit(id, *stream, response);
  }

  void Begin(StreamId id, HttpResponse head) override {
    Stream* stream = Find(id);
    if (stream == nullptr || stream->begun) return;
    if (stream->head_only) stream->ended = true;
    Submit(id, *stream, head);
  }

  void Write(StreamId id, std::string_view piece) override {
    Stream* stream = Find(id);
    if (stream == nullptr || !stream->begun || stream->ended) return;
    stream->output += piece;
    nghttp2_session_resume_data(session_, static_cast<std::int32_t>(id));
  }

  void End(StreamId id) override {
    Stream* stream = Find(id);
    if (stream == nullptr || !stream->begun) return;
    stream->ended = true;
    nghttp2_session_resume_data(session_, static_cast<std::int32_t>(id));
  }

  void Reset(StreamId id) override {
    if (Find(id) == nullptr) return;
    streams_.erase(id);
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, static_cast<std::int32_t>(id),
                              NGHTTP2_INTERNAL_ERROR);
  }

  std::string TakeOutput() override {
    std::string output;
    for (;;) {
      const std::uint8_t* bytes = nullptr;
      const auto size = nghttp2_session_mem_send(session_, &bytes);
      if (size <= 0) {
        if (size < 0) broken_ = true;
        break;
      }
      output += ToText(bytes, static_cast<std::size_t>(size));
    }
    if (broken_ ||
        (nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0)) {
      Close();
    }
    return output;
  }

  std::size_t held(StreamId id) const override {
    const auto found = streams_.find(id);
    return found == streams_.end() ? 0 : found->second.output.size() - found->second.sent;
  }
  bool full() const override { return false; }
  bool closed() const override { return closed_; }

 private:
  struct Stream {
    HttpRequest request;           // until it is delivered
    std::size_t header_bytes = 0;  // read so far
    bool delivered = false;
    bool head_only = false;
    bool begun = false;  // the response's head is submitted
    bool ended = false;  // nothing follows in the output
    std::string output;  // of the body
    std::size_t sent = 0;
  };

  Stream* Find(StreamId id) {
    if (closed_) return nullptr;
    const auto found = streams_.find(id);
    return found == streams_.end() ? nullptr : &found->second;
  }

  void Submit(StreamId id, Stream& stream, const HttpResponse& response) {
    stream.begun = true;
    // Field names are lower case in HTTP/2.
    std::vector<std::pair<std::string, std::string>> fields;
    fields.emplace_back(":status", fmt::format("{}", response.code));
    for (const Headers::Field& field : response.headers.fields()) {
      if (!IsConnectionField(field.name)) fields.emplace_back(Lower(field.name), field.value);
    }
    std::vector<nghttp2_nv> pairs;
    for (auto& [name, value] : fields) {
      pairs.push_back({reinterpret_cast<std::uint8_t*>(name.data()),
                       reinterpret_cast<std::uint8_t*>(value.data()), name.size(), value.size(),
                       NGHTTP2_NV_FLAG_NONE});
    }
    nghttp2_data_provider body = {};
    body.read_callback = ReadBody;
    const bool empty = stream.ended && stream.output.empty();
    nghttp2_submit_response(session_, static_cast<std::int32_t>(id), pairs.data(), pairs.size(),
                            empty ? nullptr : &body);
  }

  // The request is whole.
  void Deliver(StreamId id, Stream& stream) {
    if (std::exchange(stream.delivered, true)) return;
    stream.head_only = stream.request.method == "HEAD";
    sink_.OnRequest(id, std::move(stream.request));
  }

  static Http2Connection& Self(void* user) { return *static_cast<Http2Connection*>(user); }

  static int OnBeginHeaders(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
      Self(user).streams_[static_cast<StreamId>(frame->hd.stream_id)];
    }
    return 0;
  }

  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                      std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                      std::uint8_t, void* user) {
    Http2Connection& self = Self(user);
    Stream* stream = self.Find(static_cast<StreamId>(frame->hd.stream_id));
    if (stream == nullptr || stream->delivered) return 0;
    stream->header_bytes += name_size + value_size;
    if (stream->header_bytes > self.limits_.header_bytes) {
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    const std::string field = ToText(name, name_size);
    std::string text = ToText(value, value_size);
    if (field == ":method") {
      stream->request.method = std::move(text);
    } else if (field == ":path") {
      stream->request.target = std::move(text);
    } else if (field == ":authority") {
      stream->request.headers.Add("Host", text);
    } else if (!field.starts_with(':')) {
      stream->request.headers.Add(field, text);
    }
    return 0;
  }

  static int OnData(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* bytes,
                    std::size_t size, void* user) {
    Http2Connection& self = Self(user);
    Stream* stream = self.Find(static_cast<StreamId>(id));
    if (stream == nullptr || stream->delivered) return 0;
    const std::size_t room = self.limits_.body_bytes - stream->request.body.size();
    stream->request.body += ToText(bytes, std::min(size, room));
    if (size > room) {
      stream->request.body_too_large = true;
      self.Deliver(static_cast<StreamId>(id), *stream);
    }
    return 0;
  }

  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    Http2Connection& self = Self(user);
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
    if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return 0;
    const auto id = static_cast<StreamId>(frame->hd.stream_id);
    if (Stream* stream = self.Find(id)) self.Deliver(id, *stream);
    return 0;
  }

  static int OnStreamClose(nghttp2_session*, std::int32_t number, std::uint32_t, void* user) {
    Http2Connection& self = Self(user);
    const auto id = static_cast<StreamId>(number);
    const auto found = self.streams_.find(id);
    if (found == self.streams_.end()) return 0;
    const bool unanswered = found->second.delivered && !(found->second.ended && self.held(id) == 0);
    self.streams_.erase(found);
    if (unanswered) self.sink_.OnGone(id);
    return 0;
  }

  static ssize_t ReadBody(nghttp2_session*, std::int32_t number, std::uint8_t* buffer,
                          std::size_t size, std::uint32_t* flags, nghttp2_data_source*,
                          void* user) {
    Stream* stream = Self(user).Find(static_cast<StreamId>(number));
    if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    const std::size_t count = std::min(size, stream->output.size() - stream->sent);
    if (count == 0 && !stream->ended) return NGHTTP2_ERR_DEFERRED;
    std::memcpy(buffer, stream->output.data() + stream->sent, count);
    stream->sent += count;
    if (stream->sent == stream->output.size()) {
      stream->output.clear();
      stream->sent = 0;
      if (stream->ended) *flags |= NGHTTP2_DATA_FLAG_EOF;
    }
    return static_cast<ssize_t>(count);
  }

  RequestSink& sink_;
  const ConnectionLimits limits_;
  nghttp2_session* session_ = nullptr;
  std::map<StreamId, Stream> streams_;
  bool broken_ = false;  // close once the output is taken
  bool closed_ = false;
};

}  // namespace

std::unique_ptr<Connection> MakeHttp2Connection(RequestSink& sink, const ConnectionLimits& limits) {
  return std::make_unique<Http2Connection>(sink, limits);
}

}  // namespace ksim::apiserver::http
