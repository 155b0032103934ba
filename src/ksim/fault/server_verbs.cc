#include "ksim/fault/server_verbs.h"

#include <fmt/format.h>

#include "ksim/base/status.h"

namespace ksim::fault {
namespace {

std::string NotServed(FaultCall& call) {
  return fmt::format("{} has no watch cache of {}", call.Text("server"), call.Text("resource"));
}

// Takes a freeze back. A server that has died since has forgotten it: the cache of its next life is
// not to be thawed for it.
std::function<void()> Thawing(apiserver::Server& server, const api::ResourceInfo& r) {
  return [server = &server, r = &r, life = server.process().incarnation()] {
    if (server->process().incarnation() == life) server->faults().watch_cache(*r).Thaw();
  };
}

}  // namespace

FaultEffect Compact(FaultCall& call) {
  store::Store& store = call.cluster().etcd().store();
  const std::int64_t given = call.Int("revision");
  const store::Revision revision = given > 0 ? given : store.revision();
  if (revision > store.revision())
    return Skipped(fmt::format("there is no revision {} yet", revision));
  if (revision <= store.compact_revision())
    return Skipped(fmt::format("revision {} is compacted already", revision));
  call.Begin();
  // Cannot fail: the revision was looked at.
  (void)store.Compact(
      store::CompactRequest(revision, store::WriteOrigin(sim::ActorId::Of("ksim"), 0)));
  return AtOnce();
}

// Survives no restart of the server: that lists anew.
FaultEffect FreezeCache(FaultCall& call) {
  apiserver::Server* server = call.Server();
  const api::ResourceInfo* r = call.Resource();
  if (server == nullptr || r == nullptr || server->cache_revision(*r) == 0)
    return Skipped(NotServed(call));
  call.Begin();
  server->faults().watch_cache(*r).Freeze();
  FaultEffect effect;
  effect.undo = Thawing(*server, *r);
  effect.lasts = call.Time("for");
  return effect;
}

FaultEffect ReinitCache(FaultCall& call) {
  apiserver::Server* server = call.Server();
  const api::ResourceInfo* r = call.Resource();
  if (server == nullptr || r == nullptr || server->cache_revision(*r) == 0)
    return Skipped(NotServed(call));
  call.Begin();
  server->faults().watch_cache(*r).Reinit();
  return AtOnce();
}

FaultEffect ServerDown(FaultCall& call) {
  apiserver::Server* server = call.Server();
  if (server == nullptr || !server->process().alive())
    return Skipped(fmt::format("{} is not running", call.Text("server")));
  call.Begin();
  server->faults().SetDown(true);
  FaultEffect effect;
  effect.undo = [server] { server->faults().SetDown(false); };
  effect.lasts = call.Time("for");
  return effect;
}

// --- draws ---

void DrawCompact(DrawnQuestion& question) {
  if (question.Ask("etcd", 2) == 0) return;
  question.Fire("compact", value::Obj({{"revision", Text("head")}}));
}

void DrawFreezeCache(DrawnQuestion& question) {
  for (const apiserver::Server* server : question.cluster().servers()) {
    const std::string subject = fmt::format("{}/{}", server->name(), question.resource());
    const std::uint32_t n = question.Ask(subject, kSizes);
    if (n == 0) continue;
    question.Fire("freezeCache", value::Obj({{"server", Text(server->name())},
                                             {"resource", Text(question.resource())},
                                             {"for", LengthOf(n)}}));
  }
}

void DrawReinitCache(DrawnQuestion& question) {
  const std::string subject = fmt::format("{}/{}", question.server(), question.resource());
  if (question.Ask(subject, 2) == 0) return;
  question.Fire("reinitCache", value::Obj({{"server", Text(question.server())},
                                           {"resource", Text(question.resource())}}));
}

void DrawServerDown(DrawnQuestion& question) {
  const std::uint32_t n = question.Ask(question.server(), kSizes);
  if (n == 0) return;
  question.Fire("serverDown",
                value::Obj({{"server", Text(question.server())}, {"for", LengthOf(n)}}));
}

}  // namespace ksim::fault
