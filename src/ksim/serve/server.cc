#include "ksim/serve/server.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ksim/apiserver/doors/http/answers.h"
#include "ksim/apiserver/doors/http/component_statuses.h"
#include "ksim/apiserver/doors/http/request_info.h"
#include "ksim/apiserver/doors/http/request_reader.h"
#include "ksim/base/os.h"
#include "ksim/base/status.h"

namespace ksim::serve {
namespace {

namespace http = apiserver::http;
using Stop = sim::Simulation::Stop;

// The longest that the loop lets pass without asking whether it shall stop.
constexpr Duration kLongestWait = Milliseconds(50);
// The longest that the simulation runs without a look at the sockets, and how far it goes at a
// time.
constexpr Duration kLongestSlice = Milliseconds(10);
constexpr Duration kSlice = Milliseconds(20);
// The time that clients have to read what was said last.
constexpr Duration kLastWords = Milliseconds(500);
// A client that leaves so much unread is no longer told anything, until it has read half of it
// (http2 transportDefaultStreamFlow).
constexpr std::size_t kMostUnread = std::size_t{4} << 20;

// The host of HOST, HOST:PORT or [HOST]:PORT.
std::string_view HostOf(std::string_view authority) {
  if (authority.starts_with('[')) return authority.substr(0, authority.find(']') + 1);
  return authority.substr(0, authority.rfind(':'));
}

bool IsLoopback(std::string_view host) {
  return host == "localhost" || host == "[::1]" || host.starts_with("127.");
}

// A page that a browser has open elsewhere may reach the loopback, too: with its own origin, or by
// a name of its own that leads here.
bool IsFromAPage(const http::HttpRequest& request) {
  constexpr std::string_view kScheme = "://";
  const std::string_view origin = request.headers.Get("Origin");
  const std::size_t scheme = origin.find(kScheme);
  const bool foreign =
      !origin.empty() && (scheme == origin.npos || !IsLoopback(HostOf(origin.substr(scheme + 3))));
  return foreign || !IsLoopback(HostOf(request.headers.Get("Host")));
}

}  // namespace

Server::Server(ServedCluster& cluster, const scenario::Scenario& scenario, ServerOptions options)
    : cluster_(cluster),
      options_(std::move(options)),
      paths_(cluster.runner().world().kinds(), scenario.compat),
      reviews_(&cluster.runner().world().servers().front()->access(), scenario.compat),
      control_(*this, scenario),
      pace_(options_.speed, cluster.now(), os::MonotonicNow()) {}

Server::~Server() = default;

absl::StatusOr<std::unique_ptr<Server>> Server::Listen(ServedCluster& cluster,
                                                       const scenario::Scenario& scenario,
                                                       ServerOptions options) {
  options.limits.http.body_bytes = http::kMaxRequestBodyBytes;
  std::unique_ptr<Server> server(new Server(cluster, scenario, std::move(options)));
  if (const auto& credentials = server->options_.credentials) {
    ASSIGN_OR_RETURN(server->tls_,
                     MakeTlsServer(credentials->shown, credentials->client_authority));
  }
  auto sockets = Sockets::Listen(server->options_.host, server->options_.port, *server,
                                 server->options_.limits, server->tls_.get());
  if (!sockets.ok()) return sockets.status();
  server->sockets_ = *std::move(sockets);
  return server;
}

Stop Server::Run() {
  pace_ = Pace(options_.speed, cluster_.now(), os::MonotonicNow());
  while (stop_ == Stop::kTimeReached && !(options_.stop && options_.stop())) {
    sockets_->Poll(TimeToWait());
    if (stop_ == Stop::kTimeReached) stop_ = Advance();
    if (stop_ == Stop::kTimeReached && (!inputs_.empty() || MustAnswer())) {
      TakeInputs();
      stop_ = AnswerRequests();
    }
    sockets_->Flush();
    PauseAndResume();
    if (options_.on_idle) options_.on_idle();
  }
  // After the last input the clock is past its time, as in a replay.
  if (stop_ == Stop::kTimeReached) stop_ = cluster_.AdvanceTo(cluster_.now());
  sockets_->Close(kLastWords);
  inputs_.clear();
  return stop_;
}

Duration Server::TimeToWait() {
  if (!inputs_.empty() || pace_.speed().kind == Speed::Kind::kMax || MustAnswer())
    return Duration();
  Duration wait;
  if (!pace_.MayReach(cluster_.NextDue(), os::MonotonicNow(), &wait)) return kLongestWait;
  return std::min(wait, kLongestWait);
}

// As far as the pace allows, but not longer than a slice of real time.
Stop Server::Advance() {
  const Duration begun = os::MonotonicNow();
  const VirtualTime allowed = pace_.Allowed(begun);
  Stop stop = Stop::kTimeReached;
  while (stop == Stop::kTimeReached && cluster_.now() < allowed) {
    const VirtualTime next = std::max(cluster_.NextDue(), cluster_.now() + kSlice);
    stop = cluster_.AdvanceTo(std::min(allowed, next));
    if (os::MonotonicNow() - begun > kLongestSlice) break;
  }
  return stop;
}

bool Server::MustAnswer() {
  return pace_.speed().kind == Speed::Kind::kStep && cluster_.unanswered() > 0 &&
         cluster_.NextDue() < VirtualTime::Max();
}

// A clock that stands still goes as far as the answers need.
Stop Server::AnswerRequests() {
  Stop stop = cluster_.AdvanceTo(cluster_.now());
  const Duration begun = os::MonotonicNow();
  while (stop == Stop::kTimeReached && MustAnswer() && os::MonotonicNow() - begun < kLongestSlice) {
    stop = cluster_.AdvanceTo(cluster_.NextDue());
  }
  pace_.NotBefore(cluster_.now());
  return stop;
}

void Server::TakeInputs() {
  for (Input& input : std::exchange(inputs_, {})) cluster_.Take(std::move(input));
}

// The bytes that wait for a client that does not read are bounded: its watch pauses.
void Server::PauseAndResume() {
  for (const ServedWatch& watch : cluster_.watches()) {
    const std::size_t unread = sockets_->unread(watch.connection, watch.stream);
    if (watch.paused ? unread > kMostUnread / 2 : unread < kMostUnread) continue;
    Input input;
    input.what = watch.paused ? Input::What::kResume : Input::What::kPause;
    input.connection = watch.connection;
    input.stream = watch.stream;
    inputs_.push_back(std::move(input));
  }
}

std::string Server::Inject(Input input) {
  inputs_.push_back(std::move(input));
  TakeInputs();
  if (stop_ == Stop::kTimeReached) stop_ = cluster_.AdvanceTo(cluster_.now());
  return cluster_.skipped();
}

void Server::SetSpeed(Speed speed) { pace_.Change(speed, os::MonotonicNow()); }

void Server::Step(Duration by) {
  pace_.NotBefore(cluster_.now());
  pace_.Step(by);
}

void Server::OnOpen(std::int64_t connection, http::ResponseWriter& writer) {
  writers_[connection] = &writer;
  cluster_.Attach(connection, writer);
}

std::optional<http::HttpResponse> Server::Refusal(std::int64_t connection, const http::Url& url,
                                                  http::HttpRequest* request) {
  const bool secure = tls_ != nullptr;
  if (!secure && IsFromAPage(*request))
    return http::PlainText(403, "this cluster is for the loopback alone\n");
  if (!request->headers.Has("Impersonate-User") && request->headers.Has("Impersonate-Group"))
    return http::StatusResponse(api::InternalError("requested groups without impersonating a user"),
                                nullptr);
  const Asker asker =
      TakeCredentials(sockets_->identity(connection),
                      secure ? std::string_view(options_.credentials->token) : "", request);
  const bool steers = Control::IsControlPath(url);
  const bool nobody = asker == Asker::kNobody && secure && !IsPublicPath(url.path);
  if (nobody || (asker == Asker::kUnknown && (secure || !steers)))
    return http::StatusResponse(api::Unauthorized(), nullptr);
  if (secure && steers && asker != Asker::kAdmin)
    return http::PlainText(403, "/ksim/ is for members of system:masters\n");
  return std::nullopt;
}

void Server::OnRequest(std::int64_t connection, http::StreamId stream, http::HttpRequest request) {
  http::ResponseWriter& writer = *writers_.at(connection);
  const std::optional<http::Url> url = http::ParseTarget(request.target);
  if (!url) return writer.Respond(stream, http::PlainText(400, "400 Bad Request"));
  if (auto refusal = Refusal(connection, *url, &request))
    return writer.Respond(stream, *std::move(refusal));
  if (Control::IsControlPath(*url)) return writer.Respond(stream, control_.Serve(request, *url));
  // A server that is down answers nothing at all.
  if (!cluster_.accepting(request)) return writer.Reset(stream);
  if (auto answer = OwnAnswer(request, *url)) return writer.Respond(stream, *std::move(answer));
  Input input;
  input.what = Input::What::kRequest;
  input.connection = connection;
  input.stream = stream;
  input.request = WithKeptHeaders(std::move(request));
  inputs_.push_back(std::move(input));
}

std::optional<http::HttpResponse> Server::OwnAnswer(const http::HttpRequest& request,
                                                    const http::Url& url) {
  const http::RequestInfo info = http::ReadRequestInfo(request.method, url);
  if (info.is_resource_request) {
    if (auto status = apiserver::http::ServeComponentStatus(request, url, info)) return status;
    return reviews_.Serve(request, url, info);
  }
  if (auto refusal = reviews_.RefusePath(request, url, info)) return refusal;
  if (url.path == "/metrics") return cluster_.metrics().Page();
  return paths_.Serve(request, url);
}

void Server::OnGone(std::int64_t connection, http::StreamId stream) {
  Input input;
  input.what = Input::What::kGone;
  input.connection = connection;
  input.stream = stream;
  inputs_.push_back(std::move(input));
}

void Server::OnClose(std::int64_t connection) {
  writers_.erase(connection);
  cluster_.Detach(connection);
}

}  // namespace ksim::serve
