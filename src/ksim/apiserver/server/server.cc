#include "ksim/apiserver/server.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "ksim/apiserver/conversion/webhook_converter.h"
#include "ksim/apiserver/doors/in_process_door.h"
#include "ksim/apiserver/etcd3/compactor.h"
#include "ksim/apiserver/handlers/handler.h"
#include "ksim/apiserver/registry/service_allocations.h"
#include "ksim/apiserver/server/bootstrap.h"
#include "ksim/apiserver/server/definitions.h"
#include "ksim/apiserver/server/kubernetes_service.h"
#include "ksim/apiserver/server/loopback.h"
#include "ksim/apiserver/server/open_requests.h"
#include "ksim/apiserver/server/open_watches.h"
#include "ksim/apiserver/server/watch_handler.h"
#include "ksim/sim/mailbox.h"
#include "ksim/store/etcd_client.h"

namespace ksim::apiserver {

namespace {

// The state that the process loses when it dies.
struct Incarnation {
  Incarnation(sim::Process& process, Shared& shared, store::Etcd& etcd,
              const ServerOptions& options, sim::SiteId lifetime_site)
      : client(shared.network, process.name(), etcd),
        resources(process, client, apiserver::ProfileOf(shared.compat), shared.variants),
        converter(process, resources, shared),
        authorizer(options.policy, shared.kinds, resources, apiserver::ProfileOf(shared.compat)),
        admission(options.admission_plugins, PluginContext(process, resources, shared, authorizer)),
        registry(shared.sim, shared.kinds, shared.identities, shared.compat, admission,
                 options.event_ttl),
        handler(registry, resources, authorizer, options.policy, options.audit),
        compactor(shared.sim, client, process.actor(), options.compaction_interval,
                  [this](store::Revision r) { resources.CompactSnapshots(r); }),
        watches(process, resources, options.audit),
        watch_handler(process, shared, handler, resources, watches, lifetime_site, options.audit),
        requests(process, options.audit),
        loopback(process, handler, options.audit),
        bootstrap(shared.kinds, resources, loopback, apiserver::ProfileOf(shared.compat)),
        definitions(process, shared.kinds, resources, loopback, *shared.definitions) {
    resources.UseConverter(converter, shared.kinds);
    registry.loopback = &loopback;
    watches.drop_bookmark = &shared.drop_bookmark;
    registry.definitions = &definitions;
    registry.services = shared.services.get();
  }
  store::EtcdClient client;
  Resources resources;
  WebhookConverter converter;
  Authorizer authorizer;
  AdmissionChain admission;
  RegistryContext registry;
  Handler handler;
  Compactor compactor;
  OpenWatches watches;
  WatchHandler watch_handler;
  OpenRequests requests;
  Loopback loopback;
  Bootstrap bootstrap;
  Definitions definitions;
};

}  // namespace

struct Server::Impl final : Pipeline, ServerFaults, AccessJudge {
  Impl(Shared& s, store::Etcd& e, ServerOptions o);
  void OnStart();
  void OnStop();
  sim::Task<void> Prepare();
  sim::Task<void> ServeOne(std::unique_ptr<RequestContext> rc, OpenRequests::Place place);
  Cacher* FindCacher(const api::ResourceInfo& r) const {
    return now == nullptr ? nullptr : now->resources.FindCacher(r);
  }

  // --- Pipeline ---
  const std::string& name() const override { return process.name(); }
  bool accepting() const override { return process.alive() && down == 0; }
  void Serve(api::Request&& request, Reply&& reply) override;
  void ServeWatch(api::Request&& request, Reply&& reply,
                  std::shared_ptr<api::WatchSink> sink) override;
  void CloseWatch(std::uint64_t stream) override;
  void ResumeWatch(std::uint64_t stream) override;

  // --- AccessJudge: a dead server is asked nothing that anybody sees ---
  Decision Authorize(const User& user, const Access& access) const override {
    return now == nullptr ? Decision() : now->authorizer.Authorize(user, access);
  }
  KnownRules RulesFor(const User& user, std::string_view ns) const override {
    return now == nullptr ? KnownRules() : now->authorizer.RulesFor(user, ns);
  }
  User UserOf(const api::Request& request) const override { return groups.Authenticate(request); }
  bool JudgesPaths() const override { return options.policy.rbac; }

  // --- ServerFaults ---
  void SetDown(bool is_down) override;
  void FailWatches(std::string_view client, const api::ResourceInfo& r,
                   const api::Status& error) override;
  WatchCacheFaults& watch_cache(const api::ResourceInfo& r) override;

  Shared& shared;
  store::Etcd& etcd;
  ServerOptions options;
  CredentialGroups groups;
  sim::Process& process;
  sim::SiteId lifetime_site;
  sim::Signal ready_changed;
  InProcessDoor door;
  WatchCacheFaults no_cache;
  bool ready = false;
  int down = 0;                      // how many callers have taken the server down
  std::unique_ptr<Incarnation> now;  // null while the process is dead
};

Server::Impl::Impl(Shared& s, store::Etcd& e, ServerOptions o)
    : shared(s),
      etcd(e),
      options(std::move(o)),
      groups(options.policy, apiserver::ProfileOf(s.compat)),
      process(s.sim.AddProcess(options.name)),
      lifetime_site(s.sim.decisions().Site("watchTimeout/" + options.name)),
      ready_changed(s.sim),
      door(s.sim, *this) {
  if (options.admission_plugins.empty())
    options.admission_plugins = DefaultAdmissionPlugins(shared.compat);
  if (shared.services == nullptr)
    shared.services = std::make_shared<ServiceAllocations>(shared.sim, shared.service_cidr);
  if (shared.definitions == nullptr) shared.definitions = std::make_shared<DefinitionsInStore>();
  ++shared.definitions->server_count;
  etcd.store().SetResourceNamer(
      [&kinds = s.kinds](std::string_view group, std::string_view plural) {
        const api::ResourceInfo* const known = kinds.ByResource(group, plural);
        return known == nullptr ? std::string() : known->known_as();
      });
}

void Server::Impl::OnStart() {
  now = std::make_unique<Incarnation>(process, shared, etcd, options, lifetime_site);
  now->resources.Start(shared.kinds);
  process.Spawn(Prepare());
  process.Spawn(now->compactor.Run(), {}, true);
  if (now->registry.profile.follows_compact_revision)
    process.Spawn(now->compactor.FollowCompactRevision(), {}, true);
}

void Server::Impl::OnStop() {
  ready = false;
  now->watches.EndAll("server");
  now.reset();
}

sim::Task<void> Server::Impl::Prepare() {
  co_await now->resources.WaitReady();
  if (options.system_namespaces) co_await now->bootstrap.CreateSystemNamespaces();
  if (options.policy.rbac) co_await now->bootstrap.CreatePolicy();
  ready = true;
  ready_changed.Notify();
  co_await now->definitions.Resume();
  if (options.address.empty()) co_return;
  KubernetesService service(shared.kinds, now->loopback, shared.services->KubernetesAddress(),
                            options.address);
  co_await service.Make();
}

sim::Task<void> Server::Impl::ServeOne(std::unique_ptr<RequestContext> rc,
                                       OpenRequests::Place place) {
  const api::Status admitted = now->handler.Admit(*rc);
  if (!admitted.ok()) {
    now->requests.Answer(place, *rc, ErrorResponse(admitted));
    co_return;
  }
  api::Response response = co_await now->handler.Handle(*rc);
  now->requests.Answer(place, *rc, std::move(response));
}

void Server::Impl::Serve(api::Request&& request, Reply&& reply) {
  auto rc = std::make_unique<RequestContext>(process, std::move(request));
  rc->commit_fault = &shared.commit_fault;
  const OpenRequests::Place place = now->requests.Add(*rc, std::move(reply));
  process.Spawn(ServeOne(std::move(rc), place));
}

void Server::Impl::ServeWatch(api::Request&& request, Reply&& reply,
                              std::shared_ptr<api::WatchSink> sink) {
  auto rc = std::make_unique<RequestContext>(process, std::move(request));
  auto call = std::make_unique<WatchCall>(std::move(rc), std::move(reply), std::move(sink));
  process.Spawn(now->watch_handler.Serve(std::move(call)));
}

void Server::Impl::CloseWatch(std::uint64_t stream) {
  if (now == nullptr) return;
  if (const std::shared_ptr<ServedWatch> watch = now->watches.Find(stream))
    watch->Close(api::StreamEnd::kEof, "client");
}

void Server::Impl::ResumeWatch(std::uint64_t stream) {
  if (now == nullptr) return;
  if (const std::shared_ptr<ServedWatch> watch = now->watches.Find(stream))
    now->resources.Resume(watch->resource(), stream);
}

void Server::Impl::SetDown(bool is_down) {
  down = std::max(0, down + (is_down ? 1 : -1));
  if (!is_down || now == nullptr) return;
  now->watches.EndAll("server");
  now->requests.DropAll();
}

void Server::Impl::FailWatches(std::string_view client, const api::ResourceInfo& r,
                               const api::Status& error) {
  if (now != nullptr) now->watches.Fail(client, r, error);
}

WatchCacheFaults& Server::Impl::watch_cache(const api::ResourceInfo& r) {
  Cacher* const cacher = FindCacher(r);
  if (cacher == nullptr) return no_cache;
  return cacher->faults();
}

Server::Server(Shared& shared, store::Etcd& etcd, ServerOptions options)
    : impl_(std::make_unique<Impl>(shared, etcd, std::move(options))) {
  impl_->process.OnStart([impl = impl_.get()] { impl->OnStart(); });
  impl_->process.OnStop([impl = impl_.get()] { impl->OnStop(); });
}

Server::~Server() = default;

sim::Process& Server::process() { return impl_->process; }
void Server::Start() { impl_->process.Start(); }
bool Server::ready() const { return impl_->ready; }

sim::Task<void> Server::WaitReady() {
  while (!impl_->ready) co_await impl_->ready_changed.Wait();
}

const std::string& Server::name() const { return impl_->name(); }
bool Server::accepting() const { return impl_->accepting(); }
api::Endpoint& Server::endpoint() { return impl_->door; }
ServerFaults& Server::faults() { return *impl_; }
const AccessJudge& Server::access() const { return *impl_; }

std::size_t Server::open_watches() const {
  return impl_->now == nullptr ? 0 : impl_->now->watches.size();
}

std::int64_t Server::cache_revision(const api::ResourceInfo& r) const {
  const Cacher* cacher = impl_->FindCacher(r);
  return cacher == nullptr ? 0 : cacher->cache().revision();
}

}  // namespace ksim::apiserver
