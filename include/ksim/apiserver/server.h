// Server: one kube-apiserver. A process `kube-apiserver-N` that takes requests (api::Endpoint),
// runs them through authentication, authorization, decoding and defaulting, admission, validation
// and storage, and serves watches from a watch cache per resource. Everything it knows is in etcd;
// a restart begins with empty caches.
//
// Source: kubernetes/apiserver (pkg/endpoints, pkg/registry, pkg/storage), cmd/kube-apiserver.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/identity.h"
#include "ksim/api/kinds.h"
#include "ksim/api/request.h"
#include "ksim/api/variants.h"
#include "ksim/apiserver/audit.h"
#include "ksim/apiserver/policy.h"
#include "ksim/sim/network.h"
#include "ksim/sim/process.h"
#include "ksim/sim/task.h"

namespace ksim::store {
class Etcd;
}

namespace ksim::apiserver {

// What all API servers of a cluster share. Owned by the cluster; outlives every process.
struct Shared {
  Shared(sim::Simulation& s, sim::Network& n, api::Kinds& k, api::Identities& i, api::Compat c)
      : sim(s), network(n), kinds(k), identities(i), compat(c), variants(api::DefaultVariants(c)) {}
  sim::Simulation& sim;
  sim::Network& network;
  api::Kinds& kinds;
  api::Identities& identities;
  api::Compat compat;
  api::Variants variants;
  // For faults: asked about each watch that is accepted; true lets it end with 410. Empty: never.
  std::function<bool(const api::Request&)> expire_watch;
};

// The admission plugins that are on unless ServerOptions says otherwise, in upstream's order.
std::vector<std::string> DefaultAdmissionPlugins(api::Compat compat);
// All that exist, in the order in which they run.
std::vector<std::string> AllAdmissionPlugins();

struct ServerOptions {
  ServerOptions() = default;
  std::string name = "kube-apiserver-0";
  // --enable-admission-plugins; in any order. Unknown names are a KSIM_CHECK.
  std::vector<std::string> admission_plugins;  // empty: DefaultAdmissionPlugins
  // --etcd-compaction-interval; 0 = off.
  Duration compaction_interval = Minutes(5);
  // --event-ttl.
  Duration event_ttl = Hours(1);
  // Creates default, kube-system, kube-public and kube-node-lease if they are missing.
  bool system_namespaces = true;
  // What is forbidden and how much is served at a time; nothing and everything unless set.
  RequestPolicy policy;
  // --audit-log-path; null = off. Outlives the server.
  AuditLog* audit = nullptr;
};

class Server final : public api::Endpoint {
 public:
  // Makes the process `options.name`, not yet started. `etcd` outlives the server.
  Server(Shared& shared, store::Etcd& etcd, ServerOptions options);
  ~Server() override;
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  sim::Process& process();
  void Start();  // process().Start()
  // True when every watch cache has its first list and the system namespaces are there; false again
  // after a restart until then. Requests are taken earlier, as upstream.
  bool ready() const;
  // Returns when ready(). For tasks of any process.
  sim::Task<void> WaitReady();

  // --- api::Endpoint ---
  const std::string& name() const override;
  bool accepting() const override;  // the process is alive and not SetDown
  void Accept(api::Request request, absl::AnyInvocable<void(api::Response)> reply,
              std::shared_ptr<api::WatchSink> sink) override;
  void CloseWatch(std::uint64_t stream) override;
  void ResumeWatch(std::uint64_t stream) override;

  // --- for faults ---
  // Down: connections are refused and those open are reset; the process lives on. Counts: whoever
  // has taken it down must let it up again.
  void SetDown(bool down);
  // The resource's watch cache takes in nothing while frozen; what etcd sends meanwhile waits.
  // False thaws it however often it was frozen, UndoFreeze takes one freeze back.
  void FreezeCache(const api::ResourceInfo& r, bool frozen);
  void UndoFreeze(const api::ResourceInfo& r);
  // The resource's watch on etcd is held: what etcd sends waits on its way, until it is let go as
  // often as it was held.
  void HoldStoreWatch(const api::ResourceInfo& r, bool held);
  // What etcd sends to the resource's watch cache is taken in this long after it has arrived.
  void LagCache(const api::ResourceInfo& r, Duration lag);
  // Begins the watch cache anew, as after the loss of its storage watch: not ready at once, all its
  // watches end after the pause of 1 s, history is empty.
  void ReinitCache(const api::ResourceInfo& r);
  // The resource's watch on etcd breaks: the watch cache opens it again from where it stands.
  void BreakStoreWatch(const api::ResourceInfo& r);
  // Forgets the watch cache's history: a watch from before now is answered with 410.
  void ExpireHistory(const api::ResourceInfo& r);

  // --- for tests and reports ---
  std::size_t open_watches() const;
  std::int64_t cache_revision(const api::ResourceInfo& r) const;  // 0 if there is no cache

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ksim::apiserver
