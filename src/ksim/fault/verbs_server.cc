// Faults of etcd and of the API servers.
#include <fmt/format.h>

#include "ksim/base/status.h"
#include "ksim/fault/fault_call.h"

namespace ksim::fault {
namespace {

std::string NotServed(Call& call) {
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

Effect Compact(Call& call) {
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
Effect FreezeCache(Call& call) {
  apiserver::Server* server = call.Server();
  const api::ResourceInfo* r = call.Resource();
  if (server == nullptr || r == nullptr || server->cache_revision(*r) == 0)
    return Skipped(NotServed(call));
  call.Begin();
  server->faults().watch_cache(*r).Freeze();
  Effect effect;
  effect.undo = Thawing(*server, *r);
  effect.lasts = call.Time("for");
  return effect;
}

Effect ThawCache(Call& call) {
  if (!call.InForce("freezeCache"))
    return Skipped(fmt::format("{} is not frozen", TargetOf(call.spec())));
  call.Begin();
  call.EndOf("freezeCache");
  return AtOnce();
}

Effect ReinitCache(Call& call) {
  apiserver::Server* server = call.Server();
  const api::ResourceInfo* r = call.Resource();
  if (server == nullptr || r == nullptr || server->cache_revision(*r) == 0)
    return Skipped(NotServed(call));
  call.Begin();
  server->faults().watch_cache(*r).Reinit();
  return AtOnce();
}

Effect ServerDown(Call& call) {
  apiserver::Server* server = call.Server();
  if (server == nullptr || !server->process().alive())
    return Skipped(fmt::format("{} is not running", call.Text("server")));
  call.Begin();
  server->faults().SetDown(true);
  Effect effect;
  effect.undo = [server] { server->faults().SetDown(false); };
  effect.lasts = call.Time("for");
  return effect;
}

}  // namespace ksim::fault
