#include "ksim/apiserver/doors/http/http_door.h"

#include <optional>
#include <utility>

#include "ksim/apiserver/core/endpoints.h"
#include "ksim/apiserver/doors/http/answers.h"
#include "ksim/apiserver/doors/http/bodies.h"
#include "ksim/apiserver/doors/http/gzip.h"
#include "ksim/apiserver/doors/http/request_info.h"
#include "ksim/apiserver/doors/http/reviews.h"
#include "ksim/apiserver/doors/http/routes.h"

namespace ksim::apiserver::http {

// The session's open streams. Answers that come after the session has gone find no writer.
struct HttpSession::Streams {
  struct ServedWatch {
    Pipeline* pipeline = nullptr;
    std::uint64_t number = 0;
    bool paused = false;
  };
  ResponseWriter* writer = nullptr;
  std::set<StreamId> unanswered;
  std::set<StreamId> given_up;  // before they were answered
  std::map<StreamId, ServedWatch> watches;
  std::map<StreamId, std::shared_ptr<NodeLogs::Follower>> logs;  // that are followed
};

// The answer to one request. Destroyed without an answer, it breaks the response off: that is what
// a client sees of a server that died.
class HttpSession::Answer {
 public:
  Answer(std::shared_ptr<Streams> streams, StreamId stream)
      : streams_(std::move(streams)), stream_(stream) {
    streams_->unanswered.insert(stream_);
  }
  Answer(Answer&&) = default;
  Answer& operator=(Answer&&) = delete;
  ~Answer() {
    if (streams_ == nullptr) return;
    if (ResponseWriter* const writer = Take().writer) writer->Reset(stream_);
  }
  StreamId stream() const { return stream_; }
  struct Taken {
    ResponseWriter* writer = nullptr;  // to answer to; null: nobody is there, or waits any more
    bool given_up = false;
  };
  // Once.
  Taken Take() {
    const std::shared_ptr<Streams> streams = std::move(streams_);
    streams->unanswered.erase(stream_);
    Taken taken;
    taken.given_up = streams->given_up.erase(stream_) > 0;
    if (!taken.given_up) taken.writer = streams->writer;
    return taken;
  }

 private:
  std::shared_ptr<Streams> streams_;  // null: answered
  StreamId stream_;
};

// One watch: events become pieces of the response.
class HttpSession::Watch final : public api::WatchSink {
 public:
  Watch(std::shared_ptr<Streams> streams, StreamId stream, AnswerForm form, sim::Simulation& sim)
      : streams_(std::move(streams)), stream_(stream), form_(std::move(form)), sim_(sim) {}

  bool Send(api::WatchEvent event) override {
    if (streams_->writer != nullptr) Write(event);
    const auto open = streams_->watches.find(stream_);
    return open == streams_->watches.end() || !open->second.paused;
  }
  void Close(api::StreamEnd how) override {
    streams_->watches.erase(stream_);
    if (streams_->writer == nullptr) return;
    if (how == api::StreamEnd::kReset) {
      streams_->writer->Reset(stream_);
    } else {
      streams_->writer->End(stream_);
    }
  }

 private:
  void Write(const api::WatchEvent& event) {
    const auto tree =
        TransformedEvent(*form_.resource, event, form_.type, form_.table, form_.compat, sim_.now());
    if (!tree.ok()) return;
    form_.table.no_headers = true;  // only the first event's table has its columns
    streams_->writer->Write(stream_, EncodeEvent(*tree, form_.type.media->encoding));
  }

  std::shared_ptr<Streams> streams_;
  const StreamId stream_;
  AnswerForm form_;
  sim::Simulation& sim_;
};

// One log that is followed: lines become pieces of the response.
class HttpSession::FollowedLog final : public NodeLogs::Follower {
 public:
  FollowedLog(std::weak_ptr<Streams> streams, StreamId stream, const LogReading& reading)
      : streams_(std::move(streams)), stream_(stream), writer_(reading) {}

  void Take(const LogLine& line) override {
    const std::shared_ptr<Streams> streams = streams_.lock();
    if (streams == nullptr) return;
    std::string text;
    writer_.Write(line, &text);
    if (!text.empty() && streams->writer != nullptr) streams->writer->Write(stream_, text);
    if (writer_.full()) End();
  }
  // The session forgets it, which may end it.
  void End() override {
    const std::shared_ptr<Streams> streams = streams_.lock();
    if (streams == nullptr) return;
    if (streams->writer != nullptr) streams->writer->End(stream_);
    streams->logs.erase(stream_);
  }
  bool full() const { return writer_.full(); }

 private:
  std::weak_ptr<Streams> streams_;
  const StreamId stream_;
  LogWriter writer_;
};

HttpSession::HttpSession(sim::Simulation& sim, const api::Kinds& kinds, ResponseWriter* writer,
                         api::Compat compat)
    : sim_(sim), kinds_(kinds), compat_(compat), streams_(std::make_shared<Streams>()) {
  streams_->writer = writer;
}

HttpSession::~HttpSession() {
  streams_->writer = nullptr;
  streams_->logs.clear();
  while (!streams_->watches.empty()) Gone(streams_->watches.begin()->first);
}

void HttpSession::SetWriter(ResponseWriter* writer) { streams_->writer = writer; }

std::size_t HttpSession::unanswered() const { return streams_->unanswered.size(); }

std::vector<OpenWatch> HttpSession::watches() const {
  std::vector<OpenWatch> open;
  for (const auto& [stream, watch] : streams_->watches) {
    OpenWatch one;
    one.stream = stream;
    one.paused = watch.paused;
    open.push_back(one);
  }
  return open;
}

bool HttpSession::IsIdle() const {
  return streams_->unanswered.empty() && streams_->watches.empty() && streams_->logs.empty();
}

void HttpSession::Gone(StreamId stream) {
  if (streams_->logs.erase(stream) > 0) return;
  const auto found = streams_->watches.find(stream);
  if (found == streams_->watches.end()) {
    if (streams_->unanswered.contains(stream)) streams_->given_up.insert(stream);
    return;
  }
  const Streams::ServedWatch watch = found->second;
  streams_->watches.erase(found);
  watch.pipeline->CloseWatch(watch.number);
}

void HttpSession::Pause(StreamId stream) {
  const auto found = streams_->watches.find(stream);
  if (found != streams_->watches.end()) found->second.paused = true;
}

void HttpSession::Resume(StreamId stream) {
  const auto found = streams_->watches.find(stream);
  if (found == streams_->watches.end() || !found->second.paused) return;
  found->second.paused = false;
  found->second.pipeline->ResumeWatch(found->second.number);
}

void HttpSession::Serve(Pipeline& pipeline, StreamId stream, const HttpRequest& http) {
  Answer answer(streams_, stream);
  const auto refuse = [&answer, stream](const api::Status& status, const OutputType* type) {
    ResponseWriter* const writer = answer.Take().writer;
    if (writer != nullptr) writer->Respond(stream, StatusResponse(status, type));
  };

  // The request that the pipeline understands, or why there is none.
  const std::optional<Url> url = ParseTarget(http.target);
  if (!url.has_value()) return refuse(api::BadRequest("invalid URI"), nullptr);
  api::Request request;
  AnswerForm form;
  const RequestInfo info = ReadRequestInfo(http.method, *url);
  api::Status route = CheckTimeout(info, url->query);
  if (route.ok()) route = FindRoute(kinds_, info, &request);
  // HEAD has no routes; the handler of custom resources takes it for a GET.
  if (route.ok() && http.method == "HEAD" && !request.resource->custom) route = MethodNotAllowed();
  if (route.ok()) route = CheckRepresentation(http, info, request);
  if (!route.ok()) {
    const auto type =
        NegotiateOutput(http, url->query, BuiltinMediaTypes(), Transforms::kNone, false);
    return refuse(route, type.ok() ? &*type : nullptr);
  }
  const DerivedAnswer derived = DerivedAnswerOf(info);
  const bool of_log = IsPodLog(info);
  if (derived != nullptr || of_log) {
    request.verb = api::Verb::kGet;
    request.subresource = SharedText();
  }
  form.resource = request.resource;
  form.verb = request.verb;
  form.gzip = AcceptsGzip(http.headers.Get("Accept-Encoding"));
  form.compat = compat_;
  if (derived == nullptr && !of_log) {
    const api::Status s = ReadRequest(http, *url, &form, &request);
    if (!s.ok()) return refuse(s, &form.type);
  }
  if (IsLegacyBinding(info)) {
    request.name = SharedText(request.body.Get("metadata").Get("name").AsString());
    if (request.name.empty())
      return refuse(api::BadRequest("Name parameter required."), &form.type);
  }
  const std::string_view other = http.headers.Get("Impersonate-User");
  request.user = SharedText(other.empty() ? kDefaultUser : other);
  if (!other.empty()) request.groups = SharedText(GroupsOf(http));
  request.user_agent = SharedText(http.headers.Get("User-Agent"));
  request.tracks_fields = true;

  if (!pipeline.accepting()) return;
  if (of_log) return ServeLog(pipeline, std::move(answer), http, *url, std::move(request));
  if (derived != nullptr)
    return ServeDerived(pipeline, std::move(answer), derived, http, *url, std::move(request));
  if (request.verb == api::Verb::kWatch)
    return ServeWatch(pipeline, std::move(answer), std::move(form), std::move(request));
  ServeOne(pipeline, std::move(answer), std::move(form), std::move(request));
}

// The pod is read as any other object; what is wrong with the options counts before a pod that is
// not there.
void HttpSession::ServeLog(Pipeline& pipeline, Answer answer, const HttpRequest& http,
                           const Url& url, api::Request request) {
  PodLogQuery query;
  api::Status options = ReadPodLogOptions(url.query, &query);
  if (options.ok()) options = CheckPodLogQuery(query, request.name.view(), compat_);
  auto type = NegotiateOutput(http, url.query, BuiltinMediaTypes(), Transforms::kNone, false);
  auto answered = [answer = std::move(answer), streams = streams_, logs = logs_, query, options,
                   type = std::move(type), &sim = sim_](api::Response response) mutable {
    const StreamId stream = answer.stream();
    ResponseWriter* const writer = answer.Take().writer;
    const OutputType* const form = type.ok() ? &*type : nullptr;
    const bool judged = response.code < 400 || response.code == 404;
    if (writer == nullptr) return;
    if (!options.ok() && judged) return writer->Respond(stream, StatusResponse(options, form));
    if (response.code >= 400) return writer->Respond(stream, StatusResponse(response.status, form));
    PodLogAnswer log = AnswerPodLog(query, response.object, logs, sim.now());
    const bool follows = query.follow && log.run.has_value() && logs != nullptr;
    if (!follows) {
      log.response.body += WriteLog(log.lines, log.reading);
      return writer->Respond(stream, std::move(log.response));
    }
    // The lines that are there, then those that come.
    writer->Begin(stream, std::move(log.response));
    LogReading before = log.reading;
    std::string text = WriteLog(log.lines, before);
    if (!text.empty()) writer->Write(stream, text);
    if (log.reading.limit) *log.reading.limit -= static_cast<std::int64_t>(text.size());
    auto follower = std::make_shared<FollowedLog>(streams, stream, log.reading);
    streams->logs[stream] = follower;
    if (follower->full() || !logs->Follow(response.object, log.container, *log.run, follower))
      follower->End();
  };
  pipeline.Serve(std::move(request), std::move(answered));
}

void HttpSession::ServeDerived(Pipeline& pipeline, Answer answer, DerivedAnswer derived,
                               const HttpRequest& http, const Url& url, api::Request request) {
  pipeline.Serve(std::move(request), [answer = std::move(answer), derived, http, url,
                                      &sim = sim_](api::Response response) mutable {
    ResponseWriter* const writer = answer.Take().writer;
    if (writer == nullptr) return;
    writer->Respond(answer.stream(), response.code >= 400
                                         ? StatusResponse(response.status, nullptr)
                                         : derived(http, url, response.object, sim.now()));
  });
}

void HttpSession::ServeWatch(Pipeline& pipeline, Answer answer, AnswerForm form,
                             api::Request request) {
  const StreamId stream = answer.stream();
  auto opened = [streams = streams_, answer = std::move(answer), &pipeline, stream, form,
                 &sim = sim_](api::Response response) mutable {
    const Answer::Taken taken = answer.Take();
    if (response.code >= 400) {
      if (taken.writer != nullptr)
        taken.writer->Respond(stream, ObjectResponse(form, response, sim.now()));
      return;
    }
    if (taken.given_up) return pipeline.CloseWatch(response.stream);
    streams->watches[stream] = {&pipeline, response.stream, false};
    if (taken.writer != nullptr) taken.writer->Begin(stream, WatchHead(form, response));
  };
  auto sink = std::make_shared<Watch>(streams_, stream, form, sim_);
  pipeline.ServeWatch(std::move(request), std::move(opened), std::move(sink));
}

void HttpSession::ServeOne(Pipeline& pipeline, Answer answer, AnswerForm form,
                           api::Request request) {
  pipeline.Serve(std::move(request), [answer = std::move(answer), form = std::move(form),
                                      &sim = sim_](api::Response response) mutable {
    ResponseWriter* const writer = answer.Take().writer;
    if (writer != nullptr)
      writer->Respond(answer.stream(), ObjectResponse(form, response, sim.now()));
  });
}

}  // namespace ksim::apiserver::http
