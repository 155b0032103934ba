#include "ksim/fault/stream_verbs.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <memory>

#include "ksim/fault/repeated_strikes.h"
#include "ksim/trace/actors.h"

namespace ksim::fault {
namespace {

// The event that client-go makes of a stream whose connection is gone (apimachinery
// pkg/watch/streamwatcher.go receive, pkg/api/errors NewClientErrorReporter). A stream that ends in
// the midst of an event, on the other hand, just ends.
api::Status Undecodable() {
  constexpr std::string_view kWhy =
      "unable to decode an event from the watch stream: http2: client connection lost";
  api::Status status = api::Unmapped(
      500, fmt::format("an error on the server (\"{}\") has prevented the request from succeeding",
                       kWhy));
  status.reason = "InternalError";
  status.details->causes.emplace_back("UnexpectedServerResponse", std::string(kWhy), "");
  status.details->causes.emplace_back("ClientWatchDecoding", std::string(kWhy), "");
  return status;
}

// The ERRORs that a server puts into a watch which it has been serving. kube-apiserver makes them
// of what etcd says to a watch that no cache stands before (etcd3/watcher.go transformErrorToEvent,
// errors.go interpretWatchError); 429 comes of servers behind the aggregator and of proxies, and
// Gone of servers before 1.18. client-go tells all of them apart (reflector.go watch).
api::Status ErrorOf(std::string_view reason) {
  constexpr std::string_view kTooOld = "The resourceVersion for the provided watch is too old.";
  if (reason == "Expired") return api::Expired(kTooOld);
  if (reason == "TooManyRequests") return api::TooManyRequests("storage is (re)initializing", 1);
  if (reason != "Gone") return api::InternalError("etcdserver: no leader");
  api::Status gone = api::Expired(kTooOld);
  gone.reason = "Gone";
  return gone;
}

bool ReadsAll(const api::Request& r) {
  return r.verb == api::Verb::kList || r.verb == api::Verb::kWatch;
}

bool HasCache(const apiserver::Server& server, const api::ResourceInfo* r) {
  return r != nullptr && server.cache_revision(*r) != 0;
}

FaultEffect NoCache(FaultCall& call, const apiserver::Server& server) {
  return Skipped(fmt::format("{} has no watch cache of {}", server.name(), call.Text("resource")));
}

// An API server's watch on etcd.
FaultEffect DropStoreWatch(FaultCall& call, apiserver::Server& server) {
  const api::ResourceInfo* r = call.Resource();
  if (!HasCache(server, r)) return NoCache(call, server);
  call.Begin();
  server.faults().watch_cache(*r).BreakStorageWatch();
  return AtOnce();
}

// Survives no restart of the server, as its watches do not.
FaultEffect HoldStoreWatch(FaultCall& call, apiserver::Server& server) {
  const api::ResourceInfo* r = call.Resource();
  if (!HasCache(server, r)) return NoCache(call, server);
  call.Begin();
  server.faults().watch_cache(*r).HoldStorageWatch();
  FaultEffect effect;
  effect.undo = [&server, r, life = server.process().incarnation()] {
    if (server.process().incarnation() == life)
      server.faults().watch_cache(*r).ReleaseStorageWatch();
  };
  effect.lasts = call.Time("for");
  return effect;
}

Duration Longest(const client::StreamFaults& streams) {
  return streams.delays.empty() ? Duration() : *streams.delays.rbegin();
}

FaultEffect DelayStoreWatch(FaultCall& call, apiserver::Server& server) {
  const api::ResourceInfo* r = call.Resource();
  if (!HasCache(server, r)) return NoCache(call, server);
  call.Begin();
  client::StreamFaults& streams = call.cluster().fault_hooks().StreamsOf(server.name(), r);
  const Duration by = call.Time("by").value_or(Duration());
  streams.delays.insert(by);
  server.faults().watch_cache(*r).SetLag(Longest(streams));
  FaultEffect effect;
  effect.undo = [&server, r, &streams, by, life = server.process().incarnation()] {
    streams.delays.erase(streams.delays.find(by));
    if (server.process().incarnation() == life)
      server.faults().watch_cache(*r).SetLag(Longest(streams));
  };
  effect.lasts = call.Time("for");
  return effect;
}

}  // namespace

// Events on the wire are lost; the client opens the watch again from the last version it took in.
FaultEffect DropWatch(FaultCall& call) {
  if (apiserver::Server* server = call.Server("client")) return DropStoreWatch(call, *server);
  const std::string client = call.Text("client");
  const api::ResourceInfo* r = call.Resource();
  client::FaultHooks& hooks = call.cluster().fault_hooks();
  if (r == nullptr || !hooks.HasOpenStream(client, r))
    return Skipped(fmt::format("{} has no open watch of {}", client, call.Text("resource")));
  call.Begin();
  FaultEffect effect = AtOnce();
  if (const std::optional<Duration> redial = call.Time("redialAfter")) {
    const int judge = hooks.AddJudge([client, r](const api::Request& request) {
      client::Mishap mishap;
      if (request.client == client && request.resource == r && ReadsAll(request))
        mishap.kind = client::Mishap::Kind::kRefused;
      return mishap;
    });
    effect.undo = [&hooks, judge] { hooks.RemoveJudge(judge); };
    effect.lasts = *redial;
  }
  hooks.CutStreams(client, r, call.Text("how") == "error" ? Undecodable() : api::Status());
  return effect;
}

// Events that were sent arrive; the ERROR comes behind them, and is the last.
FaultEffect WatchError(FaultCall& call) {
  const std::string client = call.Text("client");
  const api::ResourceInfo* r = call.Resource();
  if (r == nullptr || !call.cluster().fault_hooks().HasOpenStream(client, r))
    return Skipped(fmt::format("{} has no open watch of {}", client, call.Text("resource")));
  call.Begin();
  const api::Status error = ErrorOf(call.Text("reason"));
  for (apiserver::Server* server : call.cluster().servers())
    server->faults().FailWatches(client, *r, error);
  return AtOnce();
}

// A client must not count on bookmarks: a server may send none.
FaultEffect DropBookmark(FaultCall& call) {
  const api::ResourceInfo* r = call.Resource();
  if (r == nullptr || call.Process("client") == nullptr)
    return Skipped(fmt::format("there is no {}", TargetOf(call.spec())));
  call.Begin();
  return StrikeRepeatedly(call, 1, [&call, r](const std::shared_ptr<Repetition>& repetition) {
    return call.DropBookmarks([repetition, r, sim = &call.sim(), client = call.Text("client")](
                                  std::string_view of, const api::ResourceInfo& resource) {
      if (of != client || &resource != r || repetition->over()) return false;
      repetition->Struck(sim->context().cause);
      return true;
    });
  });
}

FaultEffect DelayStream(FaultCall& call) {
  if (apiserver::Server* server = call.Server("client")) return DelayStoreWatch(call, *server);
  const api::ResourceInfo* r = call.Resource();
  if (r == nullptr || call.Process("client") == nullptr)
    return Skipped(fmt::format("there is no {}", TargetOf(call.spec())));
  call.Begin();
  client::StreamFaults& streams = call.cluster().fault_hooks().StreamsOf(call.Text("client"), r);
  const Duration by = call.Time("by").value_or(Duration());
  streams.delays.insert(by);
  FaultEffect effect;
  effect.undo = [&streams, by] { streams.delays.erase(streams.delays.find(by)); };
  effect.lasts = call.Time("for");
  return effect;
}

FaultEffect HoldStream(FaultCall& call) {
  if (apiserver::Server* server = call.Server("client")) return HoldStoreWatch(call, *server);
  const std::string client = call.Text("client");
  const api::ResourceInfo* r = call.Resource();
  client::FaultHooks& hooks = call.cluster().fault_hooks();
  if (r == nullptr || call.Process("client") == nullptr)
    return Skipped(fmt::format("there is no {}", TargetOf(call.spec())));
  const std::int64_t window =
      call.Has("window") ? call.Int("window") : client::StreamFaults::kWindow;
  call.Begin();
  hooks.Hold(client, r, window);
  FaultEffect effect;
  effect.undo = [&hooks, client, r] { hooks.Release(client, r); };
  effect.lasts = call.Time("for");
  return effect;
}

FaultEffect StallHandler(FaultCall& call) {
  const api::ResourceInfo* r = call.Resource();
  client::FaultHooks& hooks = call.cluster().fault_hooks();
  if (r == nullptr || !hooks.HasHandler(call.Text("actor"), r))
    return Skipped(
        fmt::format("{} has no handler of {}", call.Text("actor"), call.Text("resource")));
  call.Begin();
  client::Gate& gate = hooks.HandlerGate(call.Text("actor"), r);
  gate.Close();
  FaultEffect effect;
  effect.undo = [&gate] { gate.Open(); };
  effect.lasts = call.Time("for");
  return effect;
}

// Each call takes so long; that of several in force is the longest.
FaultEffect SlowHandler(FaultCall& call) {
  const api::ResourceInfo* r = call.Resource();
  client::FaultHooks& hooks = call.cluster().fault_hooks();
  const std::string actor = call.Text("actor");
  if (r == nullptr || !hooks.HasHandler(actor, r) || !hooks.HandlersOf(actor, r).listens)
    return Skipped(fmt::format("{} has no handler of {}", actor, call.Text("resource")));
  call.Begin();
  client::HandlerFaults& handlers = hooks.HandlersOf(actor, r);
  const Duration takes = call.Time("takes").value_or(Duration());
  handlers.slow.insert(takes);
  FaultEffect effect;
  effect.undo = [&handlers, takes] { handlers.slow.erase(handlers.slow.find(takes)); };
  effect.lasts = call.Time("for");
  return effect;
}

// The next watch that goes on from a version is told that it is too old. That is never the newest
// version of all: then there is nothing that a cache could have forgotten.
FaultEffect Expire(FaultCall& call) {
  const std::string client = call.Text("client");
  const api::ResourceInfo* r = call.Resource();
  if (r == nullptr || call.Process("client") == nullptr)
    return Skipped(fmt::format("there is no {}", TargetOf(call.spec())));
  call.Begin();
  FaultEffect effect;
  effect.strikes = AtOnce;
  const auto newest = std::make_shared<bool>(false);
  effect.passed_over = [newest] {
    return std::string(*newest
                           ? "no API server answers 410 to the watch that came: it goes on from "
                             "the newest version of the store"
                           : "");
  };
  effect.undo = call.ExpireWatches([client, r, newest, store = &call.cluster().etcd().store(),
                                    struck = call.Struck()](const api::Request& q) {
    if (q.client != client || q.resource != r) return false;
    const std::string_view version = q.list.resource_version;
    std::int64_t revision = 0;
    std::from_chars(version.data(), version.data() + version.size(), revision);
    *newest = revision >= store->revision();
    if (revision == 0 || *newest) return false;
    struck(q.event);
    return true;
  });
  return effect;
}

// --- draws ---

// Answers: eof; error; eof, and no redial for kNoRedial.
void DrawDropWatch(DrawnQuestion& question) {
  constexpr Duration kNoRedial = Seconds(12);
  const std::uint32_t how = question.AskAboutStream(4);
  if (how == 0) return;
  value::Value args = StreamOf(question.client(), question.resource());
  if (how == 2) args = args.Set("how", Text("error"));
  if (how == 3) args = args.Set("redialAfter", Text(FormatDuration(kNoRedial)));
  question.Fire("dropWatch", std::move(args));
}

// Answers: what a reflector meets with another watch, with a list, with a list at its version.
void DrawWatchError(DrawnQuestion& question) {
  constexpr std::string_view kReasons[] = {"TooManyRequests", "InternalError", "Expired"};
  const std::uint32_t n = question.AskAboutStream(std::size(kReasons) + 1);
  if (n == 0) return;
  question.Fire(
      "watchError",
      StreamOf(question.client(), question.resource()).Set("reason", Text(kReasons[n - 1])));
}

// One bookmark a minute comes to each watch: six minutes beat the five after which etcd forgets.
void DrawDropBookmark(DrawnQuestion& question) {
  if (question.AskAboutStream(2) == 0) return;
  question.Fire("dropBookmark", StreamOf(question.client(), question.resource())
                                    .Set("for", Text(FormatDuration(Minutes(6)))));
}

void DrawDropStoreWatch(DrawnQuestion& question) {
  const std::string subject = fmt::format("{}/{}", question.server(), question.resource());
  if (question.Ask(subject, 2) == 0) return;
  question.Fire("dropWatch", StreamOf(question.server(), question.resource()));
}

// The watch ends too: only a watch that begins again can expire.
void DrawExpire(DrawnQuestion& question) {
  if (question.AskAboutStream(2) == 0) return;
  const value::Value args = StreamOf(question.client(), question.resource());
  question.Fire("expire", args);
  question.Fire("dropWatch", args);
}

void DrawHoldStream(DrawnQuestion& question) {
  const std::uint32_t n = question.AskAboutStream(kSizes);
  if (n == 0) return;
  question.Fire("holdStream",
                StreamOf(question.client(), question.resource()).Set("for", LengthOf(n)));
}

void DrawDelayStream(DrawnQuestion& question) {
  const std::uint32_t n = question.AskAboutStream(kSizes);
  if (n == 0) return;
  question.Fire("delayStream",
                StreamOf(question.client(), question.resource()).Set("by", LengthOf(n)));
}

// Stalls the listener alone, or, by the larger answers, the queue in front of its process' cache.
void DrawStallHandler(DrawnQuestion& question) {
  const std::string_view actor = question.client();
  const std::string subject = fmt::format("{}/{}", actor, question.resource());
  const std::uint32_t n = question.Ask(subject, 2 * kSizes - 1);
  if (n == 0) return;
  const bool cache = n >= kSizes;
  question.Fire("stallHandler",
                value::Obj({{"actor", Text(cache ? trace::ProcessOf(actor) : actor)},
                            {"resource", Text(question.resource())},
                            {"for", LengthOf(cache ? n - kSizes + 1 : n)}}));
}

// Answers: each call takes 100 ms, 2 s, 11 s, for a minute and a half: a queue that grows while
// the cache is up to date.
void DrawSlowHandler(DrawnQuestion& question) {
  constexpr Duration kTakes[] = {Milliseconds(100), Seconds(2), Seconds(11)};
  const std::string subject = fmt::format("{}/{}", question.client(), question.resource());
  const std::uint32_t n = question.Ask(subject, std::size(kTakes) + 1);
  if (n == 0) return;
  question.Fire("slowHandler", value::Obj({{"actor", Text(question.client())},
                                           {"resource", Text(question.resource())},
                                           {"takes", Text(FormatDuration(kTakes[n - 1]))},
                                           {"for", Text(FormatDuration(Seconds(90)))}}));
}

}  // namespace ksim::fault
