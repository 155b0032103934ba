// MakeHttp1Connection of connection.h: HTTP/1.1 with keep-alive and chunked bodies, on
// Boost.Beast's parser. Requests that a client sends before their turn wait: a connection serves
// one at a time, as Go's net/http does (server.go, conn.serve).
#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/status.hpp>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "ksim/apiserver/doors/http/chunked_body.h"
#include "ksim/apiserver/doors/http/connection.h"
#include "ksim/apiserver/doors/http/text.h"

namespace ksim::apiserver::http {
namespace {

namespace beast = boost::beast;
using Parser = beast::http::request_parser<beast::http::empty_body>;

std::string ToText(boost::beast::string_view text) { return {text.data(), text.size()}; }

// Statuses of which net/http says that they have no body.
bool HasNoBody(int code) { return code < 200 || code == 204 || code == 304; }

class Http1Connection final : public Connection {
 public:
  Http1Connection(RequestSink& sink, const ConnectionLimits& limits)
      : sink_(sink), limits_(limits) {}

  void Receive(std::string_view bytes) override {
    if (closed_) return;
    input_ += bytes;
    ReadRequests();
  }

  void Close() override {
    if (std::exchange(closed_, true)) return;
    input_.clear();
    if (state_ != State::kReading) sink_.OnGone(stream_);
    state_ = State::kReading;
  }

  void Respond(StreamId stream, HttpResponse response) override {
    if (!Serves(stream, State::kServing)) return;
    if (!HasNoBody(response.code)) {
      response.headers.Set("Content-Length", fmt::format("{}", response.body.size()));
    }
    WriteHead(response);
    if (!head_only_ && !HasNoBody(response.code)) output_ += response.body;
    Finish();
  }

  void Begin(StreamId stream, HttpResponse head) override {
    if (!Serves(stream, State::kServing)) return;
    chunked_ = minor_ >= 1;
    if (chunked_) {
      head.headers.Set("Transfer-Encoding", "chunked");
    } else {
      keep_alive_ = false;  // HTTP/1.0: the end of the connection ends the body
    }
    WriteHead(head);
    state_ = State::kStreaming;
  }

  void Write(StreamId stream, std::string_view piece) override {
    if (!Serves(stream, State::kStreaming) || piece.empty() || head_only_) return;
    if (chunked_) output_ += fmt::format("{:x}\r\n", piece.size());
    output_ += piece;
    if (chunked_) output_ += "\r\n";
  }

  void End(StreamId stream) override {
    if (!Serves(stream, State::kStreaming)) return;
    if (chunked_ && !head_only_) output_ += "0\r\n\r\n";
    Finish();
  }

  void Reset(StreamId stream) override {
    if (closed_ || state_ == State::kReading || stream != stream_) return;
    state_ = State::kReading;
    closed_ = true;
  }

  std::string TakeOutput() override { return std::exchange(output_, {}); }
  std::size_t held(StreamId) const override { return 0; }
  bool full() const override { return input_.size() > limits_.body_bytes; }
  bool closed() const override { return closed_; }

 private:
  enum class State { kReading, kServing, kStreaming };

  bool Serves(StreamId stream, State state) const {
    return !closed_ && stream == stream_ && state_ == state;
  }

  // Reads as many requests as there are and may be served. A sink that answers at once gets back
  // here, and the loop that called it goes on.
  void ReadRequests() {
    if (reading_) return;
    reading_ = true;
    ReadWhatThereIs();
    reading_ = false;
  }

  void ReadWhatThereIs() {
    while (!closed_ && state_ == State::kReading && !input_.empty()) {
      if (!parser_.has_value()) BeginRequest();
      if (!parser_->is_header_done()) {
        if (!ReadHeader()) return;
      } else if (!ReadBody()) {
        return;
      }
    }
  }

  void BeginRequest() {
    // net/http skips no empty lines before a request, Beast does neither.
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(limits_.header_bytes));
    parser_->body_limit(std::numeric_limits<std::uint64_t>::max());
    body_.clear();
    chunks_ = ChunkedBody();
  }

  // False: more has to come.
  bool ReadHeader() {
    beast::error_code error;
    const std::size_t used = parser_->put(boost::asio::buffer(input_.data(), input_.size()), error);
    input_.erase(0, used);
    if (error && error != beast::http::error::need_more) {
      Refuse(error);
      return true;
    }
    if (!parser_->is_header_done()) return error != beast::http::error::need_more && used > 0;
    if (HasNoMore()) {
      Deliver(false);
    } else if (parser_->content_length().value_or(0) > limits_.body_bytes) {
      Deliver(true);
    } else {
      AskToContinue();
    }
    return true;
  }

  bool HasNoMore() {
    return !parser_->chunked() && parser_->content_length().value_or(0) == body_.size();
  }

  // The same.
  bool ReadBody() {
    if (parser_->chunked()) {
      input_.erase(0, chunks_.Take(input_, limits_.body_bytes, &body_));
      if (chunks_.bad()) {
        RefuseWith(400, "");
      } else if (body_.size() > limits_.body_bytes) {
        Deliver(true);
      } else if (chunks_.done()) {
        Deliver(false);
      } else {
        return false;
      }
      return true;
    }
    const std::size_t size = std::min(
        input_.size(), static_cast<std::size_t>(*parser_->content_length()) - body_.size());
    body_.append(input_, 0, size);
    input_.erase(0, size);
    if (!HasNoMore()) return false;
    Deliver(false);
    return true;
  }

  // Expect: 100-continue
  void AskToContinue() {
    if (EqualsIgnoreCase(ToText(parser_->get()[beast::http::field::expect]), "100-continue")) {
      output_ += "HTTP/1.1 100 Continue\r\n\r\n";
    }
  }

  void Deliver(bool too_large) {
    auto message = parser_->release();
    parser_.reset();
    minor_ = message.version() % 10;
    keep_alive_ = message.keep_alive() && !too_large;
    head_only_ = message.method() == beast::http::verb::head;
    HttpRequest request;
    request.method = ToText(message.method_string());
    request.target = ToText(message.target());
    for (const auto& field : message) {
      request.headers.Add(ToText(field.name_string()), ToText(field.value()));
    }
    request.body = std::exchange(body_, {});
    request.body_too_large = too_large;
    if (minor_ >= 1 && !request.headers.Has("Host")) {
      RefuseWith(400, ": missing required Host header");
      return;
    }
    ++stream_;
    state_ = State::kServing;
    sink_.OnRequest(stream_, std::move(request));
  }

  void Refuse(const beast::error_code& error) {
    const bool too_long =
        error == beast::http::error::header_limit || error == beast::http::error::buffer_overflow;
    RefuseWith(too_long ? 431 : 400, "");
  }

  // The answer that net/http writes by itself before it closes a connection.
  void RefuseWith(int code, std::string_view why) {
    const auto reason =
        ToText(beast::http::obsolete_reason(static_cast<beast::http::status>(code)));
    output_ += fmt::format(
        "HTTP/1.1 {0} {1}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"
        "{0} {1}{2}",
        code, reason, why);
    parser_.reset();
    input_.clear();
    closed_ = true;
  }

  void WriteHead(const HttpResponse& response) {
    const auto reason =
        ToText(beast::http::obsolete_reason(static_cast<beast::http::status>(response.code)));
    output_ += fmt::format("HTTP/1.{} {} {}\r\n", minor_ >= 1 ? 1 : 0, response.code, reason);
    for (const Headers::Field& field : response.headers.fields()) {
      output_ += fmt::format("{}: {}\r\n", field.name, field.value);
    }
    if (!keep_alive_) {
      output_ += "Connection: close\r\n";
    } else if (minor_ == 0) {
      output_ += "Connection: keep-alive\r\n";
    }
    output_ += "\r\n";
  }

  // The response is written; the next request's turn.
  void Finish() {
    state_ = State::kReading;
    closed_ = !keep_alive_;
    ReadRequests();
  }

  RequestSink& sink_;
  const ConnectionLimits limits_;
  std::string input_;  // not yet parsed
  std::string output_;
  std::optional<Parser> parser_;  // of the request that is being read
  std::string body_;              // its body, as far as it has come
  ChunkedBody chunks_;
  bool reading_ = false;
  bool closed_ = false;
  State state_ = State::kReading;
  StreamId stream_ = 0;  // the request being served, or the last one
  // That request's own:
  unsigned minor_ = 1;  // HTTP/1.minor
  bool keep_alive_ = true;
  bool head_only_ = false;
  bool chunked_ = false;
};

}  // namespace

std::unique_ptr<Connection> MakeHttp1Connection(RequestSink& sink, const ConnectionLimits& limits) {
  return std::make_unique<Http1Connection>(sink, limits);
}

}  // namespace ksim::apiserver::http
