#include "ksim/controllers/endpointslicemirroring/mirroring_controller.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/base/status.h"
#include "ksim/controllers/common/label_index.h"
#include "ksim/controllers/common/manager_client.h"
#include "ksim/controllers/common/retries.h"
#include "ksim/controllers/endpointutil/service_pods.h"
#include "ksim/controllers/endpointutil/slice_limiter.h"

namespace ksim::controllers {

namespace {

constexpr int kMirroringMaxRetries = 15;
constexpr Duration kMirroringMaxBackoff = Seconds(100);  // maxSyncBackOff
constexpr std::string_view kSkipMirrorLabel = "endpointslice.kubernetes.io/skip-mirror";
constexpr std::string_view kLockAnnotation = "control-plane.alpha.kubernetes.io/leader";

// Locks of leader elections are no endpoints of anything.
bool ShouldMirror(const api::Object& endpoints) {
  static const value::Path kAnnotations{"metadata", "annotations"};
  return endpoints.Label(kSkipMirrorLabel) != "true" &&
         !endpoints.Get(kAnnotations).Has(kLockAnnotation);
}

bool IsMirror(const api::Object& slice) {
  return slice.Label(kSliceManagedByLabel) == kMirroringController;
}

}  // namespace

MirroringController::MirroringController(ControllerContext context)
    : context_(std::move(context)),
      profile_(controllers::ProfileOf(context_.env().compat)),
      client_(context_.connection, context_.actor(),
              ManagerClient(context_, "endpointslicemirroring-controller")),
      recorder_(context_.connection, context_.actor(), "endpoint-slice-mirroring-controller", "",
                client::EventRecorder::Api::kCore, client_.options()),
      endpoints_(context_.informers.For(context_.Resource("", "endpoints"))),
      slices_(context_.informers.For(context_.Resource("discovery.k8s.io", "endpointslices"))),
      services_(context_.informers.For(context_.Resource("", "services"))),
      queue_(context_.process, SliceLimiter(context_, kMirroringMaxBackoff)) {}

MirroringController::~MirroringController() = default;

void MirroringController::Start() {
  RegisterHandlers();
  loop_ =
      std::make_unique<client::ReconcileLoop>(context_.connection, context_.name, queue_, *this);
  loop_->Start(kMirroringWorkers, {&endpoints_, &slices_, &services_});
}

// --- handlers ----------------------------------------------------------------------------------

void MirroringController::RegisterHandlers() {
  endpoints_handlers_.add = [this](const api::Object& endpoints, bool) {
    if (ShouldMirror(endpoints)) queue_.Add(endpoints.key());
  };
  endpoints_handlers_.update = [this](const api::Object& a, const api::Object& b) {
    if (ShouldMirror(a) || ShouldMirror(b)) queue_.Add(b.key());
  };
  endpoints_handlers_.del = [this](const client::Deleted& d) {
    if (ShouldMirror(d.object)) queue_.Add(d.object.key());
  };

  slice_handlers_.add = [this](const api::Object& slice, bool) {
    if (IsMirror(slice) && tracker_.ShouldSync(slice)) QueueEndpointsOf(slice);
  };
  slice_handlers_.update = [this](const api::Object& a, const api::Object& b) {
    UpdateSlice(a, b);
  };
  slice_handlers_.del = [this](const client::Deleted& d) { DeleteSlice(d.object); };

  service_handlers_.add = [this](const api::Object& service, bool) {
    if (!HasSelector(service)) queue_.Add(service.key());
  };
  service_handlers_.update = [this](const api::Object& a, const api::Object& b) {
    if (HasSelector(a) != HasSelector(b)) queue_.Add(b.key());
  };
  service_handlers_.del = [this](const client::Deleted& d) {
    if (!HasSelector(d.object)) queue_.Add(d.object.key());
  };

  endpoints_.AddHandler(context_.actor(), &endpoints_handlers_);
  AddLabelIndex(slices_);
  slices_.AddHandler(context_.actor(), &slice_handlers_);
  services_.AddHandler(context_.actor(), &service_handlers_);
}

void MirroringController::UpdateSlice(const api::Object& old_slice, const api::Object& new_slice) {
  if (old_slice.Label(kServiceNameLabel) != new_slice.Label(kServiceNameLabel)) {
    QueueEndpointsOf(new_slice);
    QueueEndpointsOf(old_slice);
    return;
  }
  const api::Object& looked_at = profile_.mirroring_looks_at_new_slice ? new_slice : old_slice;
  if (IsMirror(old_slice) != IsMirror(new_slice) ||
      (IsMirror(looked_at) && tracker_.ShouldSync(looked_at)))
    QueueEndpointsOf(looked_at);
}

void MirroringController::DeleteSlice(const api::Object& slice) {
  if (!IsMirror(slice) || !tracker_.Has(slice)) return;
  if (!tracker_.HandleDeletion(slice)) QueueEndpointsOf(slice);
}

void MirroringController::QueueEndpointsOf(const api::Object& slice) {
  if (!slice.Label(kServiceNameLabel).empty()) queue_.Add(ServiceKeyOf(slice));
}

// --- sync --------------------------------------------------------------------------------------

std::vector<api::Object> MirroringController::SlicesOf(const client::ObjectKey& id) const {
  return controllers::SlicesOf(slices_.lister(), id, kMirroringController);
}

api::Object MirroringController::EndpointsToMirror(const client::ObjectKey& id) const {
  api::Object endpoints = endpoints_.lister().Get(id.ns, id.name);
  if (endpoints.empty() || !ShouldMirror(endpoints)) return {};
  const api::Object service = services_.lister().Get(id.ns, id.name);
  return service.empty() || HasSelector(service) ? api::Object() : endpoints;
}

sim::Task<client::ReconcileResult> MirroringController::Reconcile(std::string key) {
  std::string error = co_await Sync(key);
  if (error.empty()) co_return client::ReconcileResult::Done();
  co_return ErrorUpTo(kMirroringMaxRetries, queue_, key, std::move(error));
}

sim::Task<std::string> MirroringController::Sync(std::string key) {
  const absl::StatusOr<client::ObjectKey> id = client::SplitKey(key);
  if (!id.ok()) co_return std::string(Message(id.status()));
  const api::Object endpoints = EndpointsToMirror(*id);
  if (endpoints.empty()) co_return co_await DeleteMirrored(key, *id);

  const std::vector<api::Object> slices = SlicesOf(*id);
  if (tracker_.AreStale(key, slices)) co_return "EndpointSlice informer cache is out of date";
  MirrorPlan plan = PlanMirroring(endpoints, slices, profile_);
  TellOfSkipped(endpoints, plan);
  for (const api::Object& slice : plan.right)
    if (profile_.mirrors_for_new_owner && !tracker_.Has(slice)) tracker_.Update(slice);
  co_return co_await Write(endpoints, std::move(plan));
}

void MirroringController::TellOfSkipped(const api::Object& endpoints, const MirrorPlan& plan) {
  if (plan.invalid_addresses > 0)
    recorder_.Event(endpoints, "Warning", "InvalidIPAddress",
                    fmt::format("Skipped {} invalid IP addresses when mirroring to EndpointSlices",
                                plan.invalid_addresses));
  if (plan.skipped_addresses > plan.invalid_addresses)
    recorder_.Event(endpoints, "Warning", "TooManyAddressesToMirror",
                    fmt::format("A max of {} addresses can be mirrored to EndpointSlices per "
                                "Endpoints subset. {} addresses were skipped",
                                kMaxEndpointsPerSubset, plan.skipped_addresses));
}

sim::Task<std::string> MirroringController::DeleteMirrored(std::string key, client::ObjectKey id) {
  tracker_.DeleteService(key);
  const std::vector<api::Object> slices = SlicesOf(id);
  std::vector<std::string> errors;
  for (const api::Object& slice : slices) {
    const client::Client::ObjectResult gone =
        co_await client_.Delete(slices_.resource(), slice.ns(), slice.name(), api::DeleteOptions());
    if (!gone.ok()) errors.push_back(gone.status().message.str());
  }
  if (errors.empty()) co_return "";
  co_return fmt::format("error(s) deleting {}/{} EndpointSlices for {} Endpoints, including: {}",
                        errors.size(), slices.size(), key, errors[0]);
}

sim::Task<std::string> MirroringController::Write(api::Object endpoints, MirrorPlan plan) {
  if (endpoints.deleting()) plan.create.clear();
  for (const SliceDraft& slice : plan.create) {
    const client::Client::ObjectResult created =
        co_await client_.Create(slices_.resource(), slice.ToObject());
    if (!created.ok()) {
      if (api::HasCause(created.status(), "NamespaceTerminating")) co_return "";
      co_return fmt::format("failed to create EndpointSlice for Endpoints {}: {}", endpoints.key(),
                            created.status().message);
    }
    tracker_.Update(*created);
  }
  for (const SliceDraft& slice : plan.update) {
    const client::Client::ObjectResult updated =
        co_await client_.Update(slices_.resource(), slice.ToObject());
    if (!updated.ok())
      co_return fmt::format("failed to update {} EndpointSlice for Endpoints {}: {}", slice.name(),
                            endpoints.key(), updated.status().message);
    tracker_.Update(*updated);
  }
  for (const SliceDraft& slice : plan.erase) {
    const client::Client::ObjectResult gone = co_await client_.Delete(
        slices_.resource(), slice.cached.ns(), slice.cached.name(), api::DeleteOptions());
    if (!gone.ok())
      co_return fmt::format("failed to delete {} EndpointSlice for Endpoints {}: {}", slice.name(),
                            endpoints.key(), gone.status().message);
    tracker_.ExpectDeletion(slice.cached);
  }
  co_return "";
}

}  // namespace ksim::controllers
