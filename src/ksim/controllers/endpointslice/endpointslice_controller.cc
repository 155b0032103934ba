#include "ksim/controllers/endpointslice/endpointslice_controller.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "ksim/api/node.h"
#include "ksim/base/status.h"
#include "ksim/controllers/common/cache_sync.h"
#include "ksim/controllers/common/label_index.h"
#include "ksim/controllers/common/manager_client.h"
#include "ksim/controllers/common/retries.h"
#include "ksim/controllers/endpointslice/slice_packing.h"
#include "ksim/controllers/endpointutil/service_pods.h"
#include "ksim/controllers/endpointutil/slice_limiter.h"

namespace ksim::controllers {

namespace {

// endpointSliceChangeMinSyncDelay.
constexpr Duration kSliceChangeDelay = Seconds(1);
constexpr int kSliceMaxRetries = 15;
constexpr const char* kTopologyKey = "topologyQueueItemKey";

bool IsManaged(const api::Object& slice) {
  return slice.Label(kSliceManagedByLabel) == kSliceController;
}

}  // namespace

EndpointSliceController::EndpointSliceController(ControllerContext context)
    : context_(std::move(context)),
      profile_(controllers::ProfileOf(context_.env().compat)),
      client_(context_.connection, context_.actor(),
              ManagerClient(context_, "endpointslice-controller")),
      recorder_(context_.connection, context_.actor(), "endpoint-slice-controller", "",
                client::EventRecorder::Api::kCore, client_.options()),
      pods_(context_.informers.For(context_.Resource("", "pods"))),
      services_(context_.informers.For(context_.Resource("", "services"))),
      nodes_(context_.informers.For(context_.Resource("", "nodes"))),
      slices_(context_.informers.For(context_.Resource("discovery.k8s.io", "endpointslices"))),
      queue_(context_.process, SliceLimiter(context_, profile_.slice_sync_max_backoff)),
      topology_queue_(context_.process, client::DefaultControllerRateLimiter(context_.process)),
      service_watch_(services_, pods_, queue_),
      reconciler_(profile_, client_, recorder_, slices_.resource(), nodes_.lister()) {}

EndpointSliceController::~EndpointSliceController() = default;

void EndpointSliceController::Start() {
  RegisterHandlers();
  const std::vector<client::SharedInformer*> wait_for = {&pods_, &services_, &slices_, &nodes_};
  loop_ =
      std::make_unique<client::ReconcileLoop>(context_.connection, context_.name, queue_, *this);
  loop_->Start(kEndpointSliceWorkers, wait_for);
  context_.process.Spawn(TopologyWorker(), context_.name);
}

// --- handlers ----------------------------------------------------------------------------------

void EndpointSliceController::RegisterHandlers() {
  slice_handlers_.add = [this](const api::Object& slice, bool) {
    if (IsManaged(slice) && reconciler_.tracker().ShouldSync(slice)) QueueServiceOf(slice);
  };
  slice_handlers_.update = [this](const api::Object& a, const api::Object& b) {
    UpdateSlice(a, b);
  };
  slice_handlers_.del = [this](const client::Deleted& d) { DeleteSlice(d.object); };

  node_handlers_.add = [this](const api::Object&, bool) { topology_queue_.Add(kTopologyKey); };
  node_handlers_.update = [this](const api::Object& a, const api::Object& b) { UpdateNode(a, b); };
  node_handlers_.del = [this](const client::Deleted&) { topology_queue_.Add(kTopologyKey); };

  service_watch_.Begin(context_.actor());
  AddLabelIndex(slices_);
  slices_.AddHandler(context_.actor(), &slice_handlers_);
  nodes_.AddHandler(context_.actor(), &node_handlers_);
}

// Labels change without a new generation, so that the tracker does not notice.
void EndpointSliceController::UpdateSlice(const api::Object& old_slice,
                                          const api::Object& new_slice) {
  if (old_slice.Label(kServiceNameLabel) != new_slice.Label(kServiceNameLabel)) {
    QueueServiceOf(new_slice);
    QueueServiceOf(old_slice);
    return;
  }
  const bool managed = IsManaged(new_slice);
  if (managed != IsManaged(old_slice) || (managed && reconciler_.tracker().ShouldSync(new_slice)))
    QueueServiceOf(new_slice);
}

void EndpointSliceController::DeleteSlice(const api::Object& slice) {
  SliceTracker& tracker = reconciler_.tracker();
  if (!IsManaged(slice) || !tracker.Has(slice)) return;
  if (!tracker.HandleDeletion(slice)) QueueServiceOf(slice);
}

void EndpointSliceController::QueueServiceOf(const api::Object& slice) {
  if (slice.Label(kServiceNameLabel).empty()) return;
  queue_.AddAfter(ServiceKeyOf(slice), kSliceChangeDelay);
}

void EndpointSliceController::UpdateNode(const api::Object& old_node, const api::Object& new_node) {
  constexpr std::string_view kZone = "topology.kubernetes.io/zone";
  if (api::NodeView(old_node).ready() != api::NodeView(new_node).ready() ||
      old_node.Label(kZone) != new_node.Label(kZone))
    topology_queue_.Add(kTopologyKey);
}

// --- sync --------------------------------------------------------------------------------------

sim::Task<client::ReconcileResult> EndpointSliceController::Reconcile(std::string key) {
  std::string error = co_await Sync(key);
  if (error.empty()) co_return client::ReconcileResult::Done();
  co_return ErrorUpTo(kSliceMaxRetries, queue_, key, std::move(error));
}

sim::Task<std::string> EndpointSliceController::Sync(std::string key) {
  // 1. The Service, if it has endpoints of this controller at all.
  const absl::StatusOr<client::ObjectKey> id = client::SplitKey(key);
  if (!id.ok()) co_return std::string(Message(id.status()));
  const api::Object service = services_.lister().Get(id->ns, id->name);
  if (service.empty()) {
    trigger_times_.DeleteService(key);
    reconciler_.tracker().DeleteService(key);
    co_return "";
  }
  if (profile_.no_endpoints_of_external_names && IsExternalName(service)) co_return "";
  if (!HasSelector(service)) co_return "";

  // 2. Its pods and slices. Slices that are being deleted do not count.
  const std::vector<api::Object> pods = PodsOf(service, pods_.lister());
  std::vector<api::Object> slices = SlicesOf(slices_.lister(), *id, kSliceController);
  std::erase_if(slices, [](const api::Object& slice) { return slice.deleting(); });
  if (reconciler_.tracker().AreStale(key, slices))
    co_return "EndpointSlice informer cache is out of date";

  // 3. The changes.
  const std::optional<VirtualTime> trigger = trigger_times_.Compute(service, pods);
  std::string error = co_await reconciler_.Reconcile(service, pods, slices, trigger);
  if (!error.empty())
    recorder_.Event(service, "Warning", "FailedToUpdateEndpointSlices",
                    fmt::format("Error updating Endpoint Slices for Service {}: {}", key, error));
  co_return error;
}

sim::Task<void> EndpointSliceController::TopologyWorker() {
  const std::vector<client::SharedInformer*> wait_for = {&pods_, &services_, &slices_, &nodes_};
  co_await WaitForSync(context_.process.simulation(), wait_for);
  for (;;) {
    const std::optional<std::string> key = co_await topology_queue_.Get();
    if (!key) co_return;
    TopologyCache& topology = reconciler_.topology();
    topology.SetNodes(nodes_.lister().List(""));
    for (const std::string& service : topology.OverloadedServices()) queue_.Add(service);
    topology_queue_.Done(*key);
  }
}

}  // namespace ksim::controllers
