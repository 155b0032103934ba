// Faults of a client's watches and of what hangs on them.
#include <fmt/format.h>

#include "ksim/fault/fault_call.h"

namespace ksim::fault {
namespace {

// client-go rest/watch: what the decoder of a broken stream says (NewClientErrorReporter).
api::Status Undecodable() {
  return api::InternalError(
      "unable to decode an event from the watch stream: unexpected end of input");
}

bool ReadsAll(const api::Request& r) {
  return r.verb == api::Verb::kList || r.verb == api::Verb::kWatch;
}

bool HasCache(const apiserver::Server& server, const api::ResourceInfo* r) {
  return r != nullptr && server.cache_revision(*r) != 0;
}

Effect NoCache(Call& call, const apiserver::Server& server) {
  return Skipped(fmt::format("{} has no watch cache of {}", server.name(), call.Text("resource")));
}

// An API server's watch on etcd.
Effect DropStoreWatch(Call& call, apiserver::Server& server) {
  const api::ResourceInfo* r = call.Resource();
  if (!HasCache(server, r)) return NoCache(call, server);
  call.Begin();
  server.faults().watch_cache(*r).BreakStorageWatch();
  return AtOnce();
}

// Survives no restart of the server, as its watches do not.
Effect HoldStoreWatch(Call& call, apiserver::Server& server) {
  const api::ResourceInfo* r = call.Resource();
  if (!HasCache(server, r)) return NoCache(call, server);
  call.Begin();
  server.faults().watch_cache(*r).HoldStorageWatch();
  Effect effect;
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

Effect DelayStoreWatch(Call& call, apiserver::Server& server) {
  const api::ResourceInfo* r = call.Resource();
  if (!HasCache(server, r)) return NoCache(call, server);
  call.Begin();
  client::StreamFaults& streams = call.cluster().fault_hooks().StreamsOf(server.name(), r);
  const Duration by = call.Time("by").value_or(Duration());
  streams.delays.insert(by);
  server.faults().watch_cache(*r).SetLag(Longest(streams));
  Effect effect;
  effect.undo = [&server, r, &streams, by, life = server.process().incarnation()] {
    streams.delays.erase(streams.delays.find(by));
    if (server.process().incarnation() == life)
      server.faults().watch_cache(*r).SetLag(Longest(streams));
  };
  effect.lasts = call.Time("for");
  return effect;
}

}  // namespace

// What is on the wire is lost; the client opens the watch again from the last version it took in.
Effect DropWatch(Call& call) {
  if (apiserver::Server* server = call.Server("client")) return DropStoreWatch(call, *server);
  const std::string client = call.Text("client");
  const api::ResourceInfo* r = call.Resource();
  client::FaultHooks& hooks = call.cluster().fault_hooks();
  if (r == nullptr || !hooks.HasOpenStream(client, r))
    return Skipped(fmt::format("{} has no open watch of {}", client, call.Text("resource")));
  call.Begin();
  Effect effect = AtOnce();
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

Effect DelayStream(Call& call) {
  if (apiserver::Server* server = call.Server("client")) return DelayStoreWatch(call, *server);
  const api::ResourceInfo* r = call.Resource();
  if (r == nullptr || call.Process("client") == nullptr)
    return Skipped(fmt::format("there is no {}", TargetOf(call.spec())));
  call.Begin();
  client::StreamFaults& streams = call.cluster().fault_hooks().StreamsOf(call.Text("client"), r);
  const Duration by = call.Time("by").value_or(Duration());
  streams.delays.insert(by);
  Effect effect;
  effect.undo = [&streams, by] { streams.delays.erase(streams.delays.find(by)); };
  effect.lasts = call.Time("for");
  return effect;
}

Effect HoldStream(Call& call) {
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
  Effect effect;
  effect.undo = [&hooks, client, r] { hooks.Release(client, r); };
  effect.lasts = call.Time("for");
  return effect;
}

Effect ReleaseStream(Call& call) {
  if (!call.InForce("holdStream") && !call.InForce("delayStream"))
    return Skipped(fmt::format("{} is not held", TargetOf(call.spec())));
  call.Begin();
  call.EndOf("holdStream");
  call.EndOf("delayStream");
  return AtOnce();
}

Effect StallHandler(Call& call) {
  const api::ResourceInfo* r = call.Resource();
  client::FaultHooks& hooks = call.cluster().fault_hooks();
  if (r == nullptr || !hooks.HasHandler(call.Text("actor"), r))
    return Skipped(
        fmt::format("{} has no handler of {}", call.Text("actor"), call.Text("resource")));
  call.Begin();
  client::Gate& gate = hooks.HandlerGate(call.Text("actor"), r);
  gate.Close();
  Effect effect;
  effect.undo = [&gate] { gate.Open(); };
  effect.lasts = call.Time("for");
  return effect;
}

// The next watch that goes on from a version is told that it is too old.
Effect Expire(Call& call) {
  const std::string client = call.Text("client");
  const api::ResourceInfo* r = call.Resource();
  if (r == nullptr || call.Process("client") == nullptr)
    return Skipped(fmt::format("there is no {}", TargetOf(call.spec())));
  call.Begin();
  Effect effect;
  effect.strikes = AtOnce;
  effect.undo = call.ExpireWatches([client, r, struck = call.Struck()](const api::Request& q) {
    if (q.client != client || q.resource != r) return false;
    if (q.list.resource_version.empty() || q.list.resource_version == "0") return false;
    struck(q.event);
    return true;
  });
  return effect;
}

}  // namespace ksim::fault
