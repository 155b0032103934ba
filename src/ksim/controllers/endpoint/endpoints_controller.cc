#include "ksim/controllers/endpoint/endpoints_controller.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "ksim/base/status.h"
#include "ksim/controllers/common/cache_sync.h"
#include "ksim/controllers/common/manager_client.h"
#include "ksim/controllers/common/retries.h"
#include "ksim/controllers/endpoint/endpoints_content.h"
#include "ksim/controllers/endpointutil/service_pods.h"
#include "ksim/sim/probe.h"

namespace ksim::controllers {

using value::Value;

namespace {

constexpr int kEndpointsMaxRetries = 15;
constexpr std::string_view kLeaderAnnotation = "control-plane.alpha.kubernetes.io/leader";

// Upstream's new Endpoints have no namespace until the API server gives them one, so that an Event
// about them is in the namespace default.
api::Object WithoutNamespace(const api::Object& endpoints) {
  static const value::Path kNamespace{"metadata", "namespace"};
  return api::Object::FromTree(endpoints.tree().Erase(kNamespace), endpoints.resource_version());
}

}  // namespace

EndpointsController::EndpointsController(ControllerContext context)
    : context_(std::move(context)),
      profile_(controllers::ProfileOf(context_.env().compat)),
      client_(context_.connection, context_.actor(),
              ManagerClient(context_, "endpoint-controller")),
      recorder_(context_.connection, context_.actor(), "endpoint-controller", "",
                client::EventRecorder::Api::kCore, client_.options()),
      pods_(context_.informers.For(context_.Resource("", "pods"))),
      services_(context_.informers.For(context_.Resource("", "services"))),
      endpoints_(context_.informers.For(context_.Resource("", "endpoints"))),
      queue_(context_.process, client::DefaultControllerRateLimiter(context_.process)),
      service_watch_(services_, pods_, queue_) {}

EndpointsController::~EndpointsController() = default;

void EndpointsController::Start() {
  RegisterHandlers();
  loop_ =
      std::make_unique<client::ReconcileLoop>(context_.connection, context_.name, queue_, *this);
  loop_->Start(kEndpointWorkers, {&pods_, &services_, &endpoints_});
  context_.process.Spawn(CheckLeftover(), context_.name);
}

void EndpointsController::RegisterHandlers() {
  endpoints_handlers_.del = [this](const client::Deleted& d) { queue_.Add(d.object.key()); };

  service_watch_.Begin(context_.actor());
  endpoints_.AddHandler(context_.actor(), &endpoints_handlers_);
}

sim::Task<void> EndpointsController::CheckLeftover() {
  const std::vector<client::SharedInformer*> wait_for = {&pods_, &services_, &endpoints_};
  co_await WaitForSync(context_.process.simulation(), wait_for);
  static const value::Path kAnnotations{"metadata", "annotations"};
  for (const api::Object& endpoints : endpoints_.lister().List(""))
    if (!endpoints.Get(kAnnotations).Has(kLeaderAnnotation)) queue_.Add(endpoints.key());
}

sim::Task<client::ReconcileResult> EndpointsController::Reconcile(std::string key) {
  std::string error = co_await Sync(key);
  if (error.empty()) co_return client::ReconcileResult::Done();
  co_return ErrorUpTo(kEndpointsMaxRetries, queue_, key, std::move(error));
}

sim::Task<std::string> EndpointsController::Sync(std::string key) {
  // 1. The Service, if it has endpoints of this controller at all.
  const absl::StatusOr<client::ObjectKey> id = client::SplitKey(key);
  if (!id.ok()) co_return std::string(Message(id.status()));
  const api::Object service = services_.lister().Get(id->ns, id->name);
  if (service.empty()) co_return co_await DeleteEndpoints(key, *id);
  if (profile_.no_endpoints_of_external_names && IsExternalName(service)) co_return "";
  if (!HasSelector(service)) co_return "";

  // 2. What its pods make of it.
  const std::vector<api::Object> pods = PodsOf(service, pods_.lister());
  const std::optional<VirtualTime> trigger = trigger_times_.Compute(service, pods);
  const Value subsets = SubsetsOf(service, pods, profile_);

  // 3. The write, if something changes.
  const api::Object current = endpoints_.lister().Get(id->ns, id->name);
  const auto stale = stale_.find(key);
  if (!current.empty() && stale != stale_.end() && stale->second == current.resource_version())
    co_return fmt::format(
        "endpoints informer cache is out of date, resource version {} already processed for "
        "endpoints {}",
        current.resource_version(), key);
  if (!current.empty() && EndpointsAreRight(current, service, subsets, profile_)) co_return "";
  api::Object wanted = NewEndpoints(current, service, subsets, trigger, profile_);
  co_return co_await Write(service, current, std::move(wanted));
}

sim::Task<std::string> EndpointsController::DeleteEndpoints(std::string key, client::ObjectKey id) {
  const client::Client::ObjectResult gone =
      co_await client_.Delete(endpoints_.resource(), id.ns, id.name, api::DeleteOptions());
  if (!gone.ok() && !api::IsNotFound(gone.status())) co_return gone.status().message.str();
  trigger_times_.DeleteService(key);
  stale_.erase(key);
  co_return "";
}

sim::Task<std::string> EndpointsController::Write(api::Object service, api::Object current,
                                                  api::Object wanted) {
  if (current.empty()) {
    const client::Client::ObjectResult created =
        co_await client_.Create(endpoints_.resource(), wanted);
    if (created.ok()) co_return "";
    // In a namespace that goes creates will fail for ever.
    if (api::IsForbidden(created.status()) &&
        api::HasCause(created.status(), "NamespaceTerminating"))
      co_return "";
    recorder_.Event(WithoutNamespace(wanted), "Warning", "FailedToCreateEndpoint",
                    fmt::format("Failed to create endpoint for service {}: {}", service.key(),
                                created.status().message));
    co_return created.status().message.str();
  }
  const client::Client::ObjectResult updated =
      co_await client_.Update(endpoints_.resource(), wanted);
  if (!updated.ok()) {
    recorder_.Event(
        wanted, "Warning", "FailedToUpdateEndpoint",
        fmt::format("Failed to update endpoint {}: {}", service.key(), updated.status().message));
    co_return updated.status().message.str();
  }
  // An update that changed nothing has the old version, which will not go from the cache.
  const bool changed = updated->resource_version() != current.resource_version();
  const bool keeps = context_.env().variants.endpoint_noop_write == api::Variants::NoopWrite::kKeep;
  if (!changed && keeps) KSIM_PROBE("variant/endpoint.noopWrite");
  if (profile_.tracks_stale_endpoints && (changed || keeps))
    stale_[service.key()] = current.resource_version();
  co_return "";
}

}  // namespace ksim::controllers
