#include "ksim/apiserver/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/apiserver/core/audit_event.h"
#include "ksim/apiserver/core/served_watch.h"
#include "ksim/apiserver/etcd3/compactor.h"
#include "ksim/apiserver/etcd3/storage_watch.h"
#include "ksim/apiserver/handlers/handler.h"
#include "ksim/apiserver/handlers/list_options.h"
#include "ksim/apiserver/server/bootstrap.h"
#include "ksim/apiserver/server/open_requests.h"
#include "ksim/apiserver/server/open_watches.h"
#include "ksim/base/check.h"
#include "ksim/sim/mailbox.h"
#include "ksim/store/etcd_client.h"

namespace ksim::apiserver {

namespace {

using Reply = absl::AnyInvocable<void(api::Response)>;

// handlers/get.go: a watch without a timeout lives between one and two of these.
constexpr std::int64_t kMinRequestTimeout = 1800;  // seconds

// What the process loses when it dies.
struct Incarnation {
  Incarnation(sim::Process& process, Shared& shared, store::Etcd& etcd,
              const ServerOptions& options)
      : client(shared.network, process.name(), etcd),
        resources(process, client, shared.compat, shared.variants),
        admission(options.admission_plugins,
                  PluginContext(shared.sim, resources, shared.kinds, shared.compat)),
        registry(shared.sim, shared.kinds, shared.identities, shared.compat, admission,
                 options.event_ttl),
        handler(registry, resources, options.policy, options.audit),
        compactor(shared.sim, client, process.actor(), options.compaction_interval,
                  [this](store::Revision r) { resources.CompactSnapshots(r); }),
        watches(process, resources, options.audit),
        requests(process, options.audit) {}
  store::EtcdClient client;
  Resources resources;
  AdmissionChain admission;
  RegistryContext registry;
  Handler handler;
  Compactor compactor;
  OpenWatches watches;
  OpenRequests requests;
};

// A request for a watch, until it is answered.
struct WatchCall {
  WatchCall(std::unique_ptr<RequestContext> c, Reply r, std::shared_ptr<api::WatchSink> s)
      : rc(std::move(c)), reply(std::move(r)), sink(std::move(s)) {}
  std::unique_ptr<RequestContext> rc;
  Reply reply;
  std::shared_ptr<api::WatchSink> sink;
};

// A watch that was not refused, or nothing.
struct OpenedWatch {
  OpenedWatch() = default;
  std::shared_ptr<ServedWatch> stream;
  Duration lifetime;
  sim::Process::TaskId follower;  // of a watch from storage
};

}  // namespace

struct Server::Impl {
  Impl(Shared& s, store::Etcd& e, ServerOptions o);
  void OnStart();
  void OnStop();
  sim::Task<void> Prepare();
  sim::Task<void> CreateNamespace(std::string ns);
  sim::Task<void> Serve(std::unique_ptr<RequestContext> rc, OpenRequests::Place place);
  sim::Task<OpenedWatch> OpenWatch(WatchCall& call);
  sim::Task<void> ServeWatch(std::unique_ptr<WatchCall> call);
  Reply Audited(Reply reply, const RequestContext& rc);
  Duration WatchLifetime(const api::Request& request);

  Shared& shared;
  store::Etcd& etcd;
  ServerOptions options;
  sim::Process& process;
  sim::SiteId timeout_site;
  sim::Signal ready_changed;
  bool ready = false;
  int down = 0;                      // how many have taken it down
  std::unique_ptr<Incarnation> now;  // null while the process is dead
};

Server::Impl::Impl(Shared& s, store::Etcd& e, ServerOptions o)
    : shared(s),
      etcd(e),
      options(std::move(o)),
      process(s.sim.AddProcess(options.name)),
      timeout_site(s.sim.decisions().Site("watchTimeout/" + options.name)),
      ready_changed(s.sim) {
  if (options.admission_plugins.empty())
    options.admission_plugins = DefaultAdmissionPlugins(shared.compat);
}

void Server::Impl::OnStart() {
  now = std::make_unique<Incarnation>(process, shared, etcd, options);
  now->resources.Start(shared.kinds);
  process.Spawn(Prepare());
  process.Spawn(now->compactor.Run(), {}, true);
  if (shared.compat >= api::Compat::k1_36) process.Spawn(now->compactor.Follow(), {}, true);
}

void Server::Impl::OnStop() {
  ready = false;
  now->watches.EndAll("server");
  now.reset();
}

sim::Task<void> Server::Impl::Prepare() {
  co_await now->resources.WaitReady();
  if (options.system_namespaces) {
    for (const std::string_view ns : kSystemNamespaces) co_await CreateNamespace(std::string(ns));
  }
  ready = true;
  ready_changed.Notify();
}

sim::Task<void> Server::Impl::CreateNamespace(std::string ns) {
  const api::ResourceInfo* namespaces = shared.kinds.ByResource("", "namespaces");
  CacheDelegator& storage = now->resources.Of(*namespaces);
  if (!storage.Suggestion("", ns).empty()) co_return;
  api::Request request;
  request.actor = process.actor();
  request.client = process.name();
  request.user = kApiServerUser;
  request.verb = api::Verb::kCreate;
  request.resource = namespaces;
  request.event = shared.sim.context().cause;
  using value::Value;
  request.body = value::Obj({{"apiVersion", Value::Of("v1")},
                             {"kind", Value::Of("Namespace")},
                             {"metadata", value::Obj({{"name", Value::Of(ns)}})}});
  RequestContext rc(process, std::move(request));
  const api::Status admitted = now->handler.Admit(rc);
  if (!admitted.ok()) co_return;
  // Somebody else may have been faster: then it is there.
  const api::Response response = co_await now->handler.Handle(rc);
  Audit(options.audit, AuditStage::kResponseComplete, rc, &response);
}

sim::Task<void> Server::Impl::Serve(std::unique_ptr<RequestContext> rc, OpenRequests::Place place) {
  const api::Status admitted = now->handler.Admit(*rc);
  if (!admitted.ok()) {
    now->requests.Answer(place, *rc, Refused(admitted));
    co_return;
  }
  api::Response response = co_await now->handler.Handle(*rc);
  now->requests.Answer(place, *rc, std::move(response));
}

Duration Server::Impl::WatchLifetime(const api::Request& request) {
  const std::int64_t asked = request.list.timeout_seconds.value_or(0);
  if (asked != 0) return Seconds(std::max<std::int64_t>(asked, 0));
  return shared.sim.decisions().DrawDuration(
      timeout_site, sim::KeyOf(request.client + "/" + request.resource->group_resource()),
      Seconds(kMinRequestTimeout), Seconds(2 * kMinRequestTimeout));
}

// The answer to a watch: it begins with it, or it is all there is.
Reply Server::Impl::Audited(Reply reply, const RequestContext& rc) {
  return [this, &rc, reply = std::move(reply)](api::Response response) mutable {
    const AuditStage stage =
        response.code < 400 ? AuditStage::kResponseStarted : AuditStage::kResponseComplete;
    Audit(options.audit, stage, rc, &response);
    reply(std::move(response));
  };
}

// Refuses the watch, or serves it up to where only waiting is left.
sim::Task<OpenedWatch> Server::Impl::OpenWatch(WatchCall& call) {
  RequestContext& rc = *call.rc;
  const api::Request& request = rc.request();
  OpenedWatch opened;
  api::Status refused = now->handler.Admit(rc);
  api::ListOptions list = request.list;
  DropUnknownListOptions(list, shared.compat);
  DefaultWatchOptions(list, shared.compat);
  if (refused.ok()) refused = ValidateWatchOptions(list, shared.compat);
  api::Result<WatchQuery> query = WatchQuery();
  if (!refused.ok()) query = refused;
  if (refused.ok())
    query = WatchQuery::Make(rc.resource(), request.ns, request.name, list, shared.compat);
  if (!query.ok()) {
    call.reply(Refused(rc.Check(Stage::kValidate, query.status())));
    co_return opened;
  }
  opened.lifetime = WatchLifetime(request);
  query->deadline = shared.sim.now() + opened.lifetime;
  auto stream = std::make_shared<ServedWatch>(now->watches, shared.network.NumberStream(), request,
                                              SelectorText(list), std::move(call.reply),
                                              std::move(call.sink));
  now->watches.Add(stream);
  opened.stream = stream;
  if (shared.expire_watch && shared.expire_watch(request)) {
    stream->Accept(api::Response::From::kCache);
    stream->SendError(api::Expired(
        fmt::format("too old resource version: {} ({})", query->revision, query->revision + 1)));
    stream->Close(api::StreamEnd::kEof, "error");
    co_return opened;
  }
  CacheDelegator& storage = now->resources.Of(rc.resource());
  if (storage.cacher() != nullptr) {
    co_await storage.cacher()->Watch(*std::move(query), stream);
  } else {
    opened.follower = process.Spawn(WatchFromStorage(shared.sim, storage.storage(),
                                                     *std::move(query), stream, shared.variants));
  }
  co_return opened;
}

sim::Task<void> Server::Impl::ServeWatch(std::unique_ptr<WatchCall> call) {
  if (options.audit != nullptr) call->reply = Audited(std::move(call->reply), *call->rc);
  OpenedWatch watch = co_await OpenWatch(*call);
  if (watch.stream == nullptr) co_return;
  OpenWatches::Extras extras;
  extras.follower = watch.follower;
  if (options.audit != nullptr) extras.rc = std::move(call->rc);
  now->watches.Serve(std::move(watch.stream), watch.lifetime, std::move(extras));
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

const std::string& Server::name() const { return impl_->process.name(); }
bool Server::accepting() const { return impl_->process.alive() && impl_->down == 0; }

void Server::Accept(api::Request request, Reply reply, std::shared_ptr<api::WatchSink> sink) {
  if (!accepting()) return;  // the reply dies uncalled: a lost connection
  if (request.resource != nullptr && !request.resource->namespaced) request.ns.clear();
  sim::Context& context = impl_->shared.sim.context();
  const std::uint64_t before = std::exchange(context.cause, request.event);
  const bool watch = request.verb == api::Verb::kWatch;
  auto rc = std::make_unique<RequestContext>(impl_->process, std::move(request));
  if (watch) {
    KSIM_CHECK(sink != nullptr) << "a watch needs a sink";
    auto call = std::make_unique<WatchCall>(std::move(rc), std::move(reply), std::move(sink));
    impl_->process.Spawn(impl_->ServeWatch(std::move(call)));
  } else {
    const OpenRequests::Place place = impl_->now->requests.Add(*rc, std::move(reply));
    impl_->process.Spawn(impl_->Serve(std::move(rc), place));
  }
  context.cause = before;
}

void Server::CloseWatch(std::uint64_t stream) {
  if (impl_->now == nullptr) return;
  if (const std::shared_ptr<ServedWatch> held = impl_->now->watches.Find(stream))
    held->Close(api::StreamEnd::kEof, "client");
}

void Server::ResumeWatch(std::uint64_t stream) {
  if (impl_->now == nullptr) return;
  if (const std::shared_ptr<ServedWatch> held = impl_->now->watches.Find(stream))
    impl_->now->resources.Resume(held->resource(), stream);
}

void Server::SetDown(bool down) {
  impl_->down = std::max(0, impl_->down + (down ? 1 : -1));
  if (!down || impl_->now == nullptr) return;
  impl_->now->watches.EndAll("server");
  impl_->now->requests.DropAll();
}

void Server::FreezeCache(const api::ResourceInfo& r, bool frozen) {
  if (impl_->now == nullptr) return;
  Cacher* cacher = impl_->now->resources.FindCacher(r);
  if (cacher == nullptr) return;
  if (frozen)
    cacher->Freeze();
  else
    cacher->ThawAll();
}

void Server::UndoFreeze(const api::ResourceInfo& r) {
  if (impl_->now == nullptr) return;
  if (Cacher* cacher = impl_->now->resources.FindCacher(r)) cacher->Thaw();
}

void Server::HoldStoreWatch(const api::ResourceInfo& r, bool held) {
  if (impl_->now == nullptr) return;
  Cacher* cacher = impl_->now->resources.FindCacher(r);
  if (cacher == nullptr) return;
  if (held)
    cacher->HoldWatch();
  else
    cacher->ReleaseWatch();
}

void Server::LagCache(const api::ResourceInfo& r, Duration lag) {
  if (impl_->now == nullptr) return;
  if (Cacher* cacher = impl_->now->resources.FindCacher(r)) cacher->set_lag(lag);
}

void Server::ReinitCache(const api::ResourceInfo& r) {
  if (impl_->now == nullptr) return;
  if (Cacher* cacher = impl_->now->resources.FindCacher(r)) cacher->Reinit();
}

void Server::BreakStoreWatch(const api::ResourceInfo& r) {
  if (impl_->now == nullptr) return;
  if (Cacher* cacher = impl_->now->resources.FindCacher(r)) cacher->BreakWatch();
}

void Server::ExpireHistory(const api::ResourceInfo& r) {
  if (impl_->now == nullptr) return;
  if (Cacher* cacher = impl_->now->resources.FindCacher(r)) cacher->cache().ForgetHistory();
}

std::size_t Server::open_watches() const {
  return impl_->now == nullptr ? 0 : impl_->now->watches.size();
}

std::int64_t Server::cache_revision(const api::ResourceInfo& r) const {
  if (impl_->now == nullptr) return 0;
  const Cacher* cacher = impl_->now->resources.FindCacher(r);
  return cacher == nullptr ? 0 : cacher->cache().revision();
}

}  // namespace ksim::apiserver
