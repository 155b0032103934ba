#include "ksim/guest/network/api_stream.h"

#include <utility>

#include "ksim/api/status.h"
#include "ksim/apiserver/doors/http/component_statuses.h"
#include "ksim/apiserver/doors/http/request_info.h"
#include "ksim/apiserver/doors/http/url.h"
#include "ksim/guest/network/broken_reads.h"
#include "ksim/guest/network/metrics_answers.h"
#include "ksim/guest/wasi/errno.h"

namespace ksim::guest {

namespace http = apiserver::http;

// Passes answers to the codec, and what the codec makes of them to the guest at once.
class ApiStream::Writer final : public http::ResponseWriter {
 public:
  explicit Writer(ApiStream& stream) : stream_(stream) {}
  void Respond(http::StreamId stream, http::HttpResponse response) override {
    stream_.Answered(stream, response.code);
    stream_.codec_->Respond(stream, stream_.Finished(stream, std::move(response)));
    stream_.Flush();
  }
  void Begin(http::StreamId stream, http::HttpResponse head) override {
    const auto asked = stream_.asked_.find(stream);
    if (asked != stream_.asked_.end()) stream_.watching_[stream] = asked->second.reads;
    stream_.Answered(stream, head.code);
    stream_.codec_->Begin(stream, std::move(head));
    stream_.Flush();
  }
  void Write(http::StreamId stream, std::string_view piece) override {
    if (stream_.relay_.passes_error()) stream_.Broke(stream);
    stream_.codec_->Write(stream, piece);
    stream_.Flush();
  }
  void End(http::StreamId stream) override {
    stream_.watching_.erase(stream);
    stream_.codec_->End(stream);
    stream_.Flush();
  }
  void Reset(http::StreamId stream) override {
    stream_.Answered(stream, 0);
    stream_.Broke(stream);
    const bool refused = api::IsConnectionRefused(stream_.relay_.failure());
    stream_.error_ = refused ? kEconnrefused : kEconnreset;
    stream_.codec_->Reset(stream);
    stream_.Flush();
  }

 private:
  ApiStream& stream_;
};

ApiStream::ApiStream(sim::Simulation& sim, const api::Kinds& kinds, const ApiSide& side,
                     Relay& relay, Came came)
    : sim_(sim),
      relay_(relay),
      user_(side.user),
      metrics_(side.metrics),
      came_(std::move(came)),
      codec_(http::MakeConnection(*this, http::ConnectionLimits())),
      writer_(std::make_unique<Writer>(*this)),
      session_(std::make_unique<http::HttpSession>(sim, kinds, writer_.get(), side.compat)),
      paths_(kinds, side.compat),
      reviews_(side.access, side.compat) {}

ApiStream::~ApiStream() {
  ended_ = true;
  // Whoever still answers finds nobody; watches that are open are closed on the server.
  session_->SetWriter(nullptr);
  if (relay_.accepting() && !sim_.closed()) codec_->Close();
}

void ApiStream::Send(std::string_view bytes) {
  if (ended_) return;
  codec_->Receive(bytes);
  Flush();
}

void ApiStream::OnRequest(http::StreamId stream, http::HttpRequest request) {
  // A guest needs no credentials: the server knows who it is.
  if (!request.headers.Has("Impersonate-User")) request.headers.Set("Impersonate-User", user_);
  came_.request(request);
  Asked& asked = asked_[stream];
  asked.method = request.method;
  asked.path = request.target.substr(0, request.target.find('?'));
  asked.reads = BrokenReads::KeyOf(request);
  asked.background = sim_.context().background;
  if (metrics_ != nullptr) {
    if (std::optional<PodMetricsRequest> measured = AsPodList(request, *metrics_)) {
      measured_[stream] = std::move(measured->selector);
      return session_->Serve(relay_, stream, measured->pods);
    }
  }
  std::optional<http::HttpResponse> answer = OwnAnswer(request);
  if (!answer) return session_->Serve(relay_, stream, request);
  relay_.Ask([this, alive = std::weak_ptr<const bool>(alive_), stream,
              answer = *std::move(answer)](bool accepted) {
    if (alive.expired() || ended_) return;
    if (accepted) return writer_->Respond(stream, answer);
    Answered(stream, 0);
    error_ = kEconnrefused;
    codec_->Reset(stream);
    Flush();
  });
}

http::HttpResponse ApiStream::Finished(http::StreamId stream, http::HttpResponse response) {
  const auto found = measured_.find(stream);
  if (found == measured_.end()) return response;
  const std::string selector = std::move(found->second);
  measured_.erase(found);
  return PodMetricsOf(response, selector, *metrics_, sim_.now());
}

void ApiStream::Answered(http::StreamId stream, int status) {
  const auto found = asked_.find(stream);
  if (found == asked_.end()) return;  // a watch that breaks off was answered when it opened
  const Asked asked = std::move(found->second);
  asked_.erase(found);
  came_.answer(asked, status);
}

std::optional<http::HttpResponse> ApiStream::OwnAnswer(const http::HttpRequest& request) const {
  const std::optional<http::Url> url = http::ParseTarget(request.target);
  if (!url) return http::PlainText(400, "400 Bad Request");
  const http::RequestInfo info = http::ReadRequestInfo(request.method, *url);
  if (!info.is_resource_request) {
    if (auto refusal = reviews_.RefusePath(request, *url, info)) return refusal;
    return paths_.Serve(request, *url);
  }
  if (auto metrics = ServeMetrics(request, metrics_, sim_.now())) return metrics;
  if (auto status = http::ServeComponentStatus(request, *url, info)) return status;
  return reviews_.Serve(request, *url, info);
}

void ApiStream::Broke(http::StreamId stream) {
  const auto found = watching_.find(stream);
  if (found == watching_.end()) return;
  const std::string reads = std::move(found->second);
  watching_.erase(found);
  came_.broke(reads);
}

void ApiStream::OnGone(http::StreamId stream) {
  asked_.erase(stream);
  watching_.erase(stream);
  measured_.erase(stream);
  session_->Gone(stream);
}

void ApiStream::Flush() {
  if (ended_) return;
  const std::string out = codec_->TakeOutput();
  if (!out.empty()) came_.bytes(out);
  if (!codec_->closed()) return;
  ended_ = true;
  came_.end(error_);
}

}  // namespace ksim::guest
