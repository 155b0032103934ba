#include "ksim/apiserver/doors/http/connection.h"

#include <algorithm>
#include <utility>

namespace ksim::apiserver::http {
namespace {

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

// A connection whose first bytes decide which version of HTTP its client speaks.
class AnyConnection final : public Connection {
 public:
  AnyConnection(RequestSink& sink, const ConnectionLimits& limits) : sink_(sink), limits_(limits) {}

  void Receive(std::string_view bytes) override {
    if (known_ != nullptr) return known_->Receive(bytes);
    if (closed_) return;
    first_ += bytes;
    const std::size_t common = std::min(first_.size(), kPreface.size());
    const bool may_be_http2 = first_.compare(0, common, kPreface, 0, common) == 0;
    if (may_be_http2 && common < kPreface.size()) return;  // not yet known
    known_ =
        may_be_http2 ? MakeHttp2Connection(sink_, limits_) : MakeHttp1Connection(sink_, limits_);
    known_->Receive(std::exchange(first_, {}));
  }
  void Close() override {
    closed_ = true;
    if (known_ != nullptr) known_->Close();
  }
  void Respond(StreamId stream, HttpResponse response) override {
    if (known_ != nullptr) known_->Respond(stream, std::move(response));
  }
  void Begin(StreamId stream, HttpResponse head) override {
    if (known_ != nullptr) known_->Begin(stream, std::move(head));
  }
  void Write(StreamId stream, std::string_view piece) override {
    if (known_ != nullptr) known_->Write(stream, piece);
  }
  void End(StreamId stream) override {
    if (known_ != nullptr) known_->End(stream);
  }
  void Reset(StreamId stream) override {
    if (known_ != nullptr) known_->Reset(stream);
  }
  std::string TakeOutput() override {
    return known_ == nullptr ? std::string() : known_->TakeOutput();
  }
  std::size_t held(StreamId stream) const override {
    return known_ == nullptr ? 0 : known_->held(stream);
  }
  bool full() const override { return known_ != nullptr && known_->full(); }
  bool closed() const override { return known_ == nullptr ? closed_ : known_->closed(); }

 private:
  RequestSink& sink_;
  const ConnectionLimits limits_;
  std::string first_;  // until the version is known
  std::unique_ptr<Connection> known_;
  bool closed_ = false;
};

}  // namespace

std::unique_ptr<Connection> MakeConnection(RequestSink& sink, const ConnectionLimits& limits) {
  return std::make_unique<AnyConnection>(sink, limits);
}

}  // namespace ksim::apiserver::http
