// Server: one kube-apiserver. A process `kube-apiserver-N` that takes requests at its endpoint,
// runs them through authentication, authorization, decoding and defaulting, admission, validation
// and storage, and serves watches from a watch cache per resource. It keeps all its state in etcd:
// after a restart its caches are empty.
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
#include "ksim/apiserver/fault_hooks.h"
#include "ksim/apiserver/policy.h"
#include "ksim/apiserver/webhooks.h"
#include "ksim/sim/network.h"
#include "ksim/sim/process.h"
#include "ksim/sim/task.h"

namespace ksim::store {
class Etcd;
}

namespace ksim::apiserver {

class ServiceAllocations;   // apiserver/registry/service_allocations.h
struct DefinitionsInStore;  // apiserver/core/definition_listener.h
class AccessJudge;          // core/access.h

// The parts that all API servers of a cluster share. The cluster owns them; they outlive every
// process.
struct Shared {
  Shared(sim::Simulation& s, sim::Network& n, api::Kinds& k, api::Identities& i, api::Compat c)
      : sim(s), network(n), kinds(k), identities(i), compat(c), variants(api::DefaultVariants(c)) {}
  sim::Simulation& sim;
  sim::Network& network;
  api::Kinds& kinds;
  api::Identities& identities;
  api::Compat compat;
  api::Variants variants;
  // A fault hook, called for each watch that begins at a version which a server may have forgotten:
  // true makes this server forget it, so that the watch is told 410. May be empty.
  std::function<bool(const api::Request&)> expire_watch;
  // A fault hook, called for each write to etcd. May be empty.
  std::function<CommitFault(const api::Request&)> commit_fault;
  // A fault hook, called for each call of a webhook that has an answer, by the webhook's name, with
  // the seq of the call's event. May be empty.
  std::function<WebhookFault(std::string_view, std::uint64_t)> webhook_fault;
  // A fault hook, called for each bookmark that a server is about to send, but those that end the
  // initial state: true keeps it back. May be empty.
  std::function<bool(std::string_view client, const api::ResourceInfo&)> drop_bookmark;
  // Finds those who serve admission webhooks. Null: nobody listens anywhere, and calls are refused.
  WebhookDirectory* webhooks = nullptr;
  // A webhook configuration has been stored: a server whose caches are not ready yet waits for them
  // before it admits anything. Set by the servers.
  bool webhooks_stored = false;
  bool policies_stored = false;  // the same of a ValidatingAdmissionPolicy or its binding
  // The same of ResourceQuotas and LimitRanges: a server looks for some once there has been one.
  bool quotas_stored = false;
  bool limit_ranges_stored = false;
  // A namespace has, or had, labels that PodSecurity reads.
  bool pod_security_stored = false;
  // A controller of the cluster makes the service account `default` of each namespace: a pod whose
  // account does not exist is refused.
  bool service_accounts_made = false;
  // Kubelets taint their own nodes, for no controller does: NodeRestriction lets them.
  bool kubelets_taint = false;
  // --service-cluster-ip-range, of IPv4; kubeadm's. Before the first server is made.
  std::string service_cidr = "10.96.0.0/12";
  // The addresses and ports that Services hold. Set by the first server.
  std::shared_ptr<ServiceAllocations> services;
  // The CustomResourceDefinitions that are stored. Set by the first server.
  std::shared_ptr<DefinitionsInStore> definitions;
};

// An object of the resource is in the store: some plugins begin to look for others of its kind.
void NoteStored(Shared& shared, const api::ResourceInfo& resource);

// The admission plugins that are enabled by default, in upstream's order.
std::vector<std::string> DefaultAdmissionPlugins(api::Compat compat);
// All admission plugins, in the order in which they run.
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
  // --advertise-address. With one the server makes the Service default/kubernetes, unless it is
  // there, and adds itself to its endpoints.
  std::string address;
  // The requests that are forbidden and how many are served at a time; none, and all, unless set.
  RequestPolicy policy;
  // --audit-log-path; null = off. Outlives the server.
  AuditLog* audit = nullptr;
};

class Server {
 public:
  // Makes the process `options.name`, not yet started. `etcd` outlives the server.
  Server(Shared& shared, store::Etcd& etcd, ServerOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  sim::Process& process();
  void Start();  // process().Start()
  // True once every watch cache has its first list and the system namespaces exist; false again
  // after a restart. The server serves requests before it is ready, as upstream does.
  bool ready() const;
  // Returns once the server is ready. Tasks of any process may await it.
  sim::Task<void> WaitReady();

  const std::string& name() const;
  bool accepting() const;  // the process is alive and not down (ServerFaults::SetDown)
  // Takes the requests of clients in the same process. Lives as long as the server.
  api::Endpoint& endpoint();

  // Says what users may do. Lives as long as the server.
  const AccessJudge& access() const;

  // For faults and tests.
  ServerFaults& faults();

  // --- for tests and reports ---
  std::size_t open_watches() const;
  std::int64_t cache_revision(const api::ResourceInfo& r) const;  // 0 if there is no cache

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ksim::apiserver
