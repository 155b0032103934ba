#include "ksim/controllers/podgc/podgc_controller.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "ksim/api/conditions.h"
#include "ksim/api/node.h"
#include "ksim/api/pod.h"
#include "ksim/controllers/common/cache_sync.h"
#include "ksim/controllers/common/manager_client.h"
#include "ksim/controllers/common/node_writes.h"
#include "ksim/controllers/common/pod_status_patch.h"

namespace ksim::controllers {

using value::Value;

namespace {

constexpr Duration kPeriod = Seconds(20);
constexpr Duration kQuarantine = Seconds(40);
constexpr std::string_view kOutOfService = "node.kubernetes.io/out-of-service";

// Any phase but Pending, Running and Unknown, so that a pod without one counts.
bool IsTerminated(const api::Object& pod) {
  const std::string_view phase = api::PodView(pod).phase();
  return phase != "Pending" && phase != "Running" && phase != "Unknown";
}

bool IsEvicted(const api::Object& pod) {
  const api::PodView view(pod);
  return view.phase() == "Failed" && view.reason() == "Evicted";
}

// It was deleted without grace before, and only finalizers keep it: another pass changes nothing.
bool IsHeldByFinalizers(const api::Object& pod) {
  const api::PodView view(pod);
  return pod.deleting() && view.deletion_grace_period_seconds().value_or(1) == 0 &&
         view.terminal() && !pod.finalizers().empty();
}

}  // namespace

void SortForCollection(std::vector<api::Object>& pods, const Profile& profile) {
  const auto key = [&profile](const api::Object& pod) {
    const bool first = profile.collects_evicted_first && IsEvicted(pod);
    return std::tuple(!first, pod.creation_time(), pod.name());
  };
  std::sort(pods.begin(), pods.end(),
            [&key](const api::Object& a, const api::Object& b) { return key(a) < key(b); });
}

PodGcController::PodGcController(ControllerContext context)
    : context_(std::move(context)),
      profile_(controllers::ProfileOf(context_.env().compat)),
      pod_resource_(context_.Resource("", "pods")),
      node_resource_(context_.Resource("", "nodes")),
      client_(context_.connection, context_.actor(),
              ManagerClient(context_, "pod-garbage-collector")),
      pods_(context_.informers.For(pod_resource_)),
      nodes_(context_.informers.For(node_resource_)) {}

PodGcController::~PodGcController() = default;

void PodGcController::Start() { context_.process.Spawn(Run(), context_.name); }

sim::Task<void> PodGcController::Run() {
  sim::Simulation& sim = context_.process.simulation();
  const std::vector<client::SharedInformer*> informers = {&pods_, &nodes_};
  co_await WaitForNamedSync(context_, informers);
  for (;;) {
    co_await Collect();
    co_await sim.Sleep(kPeriod, sim::TimerKind::kPeriodic, "pod garbage collection");
  }
}

bool PodGcController::HasWorkAhead(const Heartbeats&) const {
  const Pods pods = pods_.lister().List("");
  if (!Terminated(pods).empty()) return true;
  return std::any_of(pods.begin(), pods.end(), [this](const api::Object& pod) {
    if (IsHeldByFinalizers(pod)) return false;
    return IsOrphan(pod) || IsOutOfService(pod) || (pod.deleting() && pod.node_name().empty());
  });
}

// --- one pass ----------------------------------------------------------------------------------

sim::Task<void> PodGcController::Collect() {
  const Pods pods = pods_.lister().List("");

  // 1. Those above the threshold.
  co_await DeleteAll(Terminated(pods));

  // 2. Those that terminate on nodes out of service.
  Pods stuck;
  std::copy_if(pods.begin(), pods.end(), std::back_inserter(stuck),
               [this](const api::Object& pod) { return IsOutOfService(pod); });
  SortForCollection(stuck, profile_);
  co_await DeleteAll(std::move(stuck));

  // 3. Those of nodes that are gone.
  co_await CollectOrphans(pods);

  // 4. Those that terminate and never got a node.
  for (const api::Object& pod : pods) {
    const bool left = pod.deleting() && pod.node_name().empty();
    if (left) co_await MarkAndDelete(pod, Value());
  }
}

PodGcController::Pods PodGcController::Terminated(const Pods& pods) const {
  const std::int64_t count = std::count_if(pods.begin(), pods.end(), IsTerminated);
  const std::int64_t threshold = context_.terminated_pod_threshold;
  if (threshold <= 0 || count <= threshold) return {};
  Pods terminated;
  std::copy_if(pods.begin(), pods.end(), std::back_inserter(terminated), IsTerminated);
  SortForCollection(terminated, profile_);
  terminated.resize(static_cast<std::size_t>(count - threshold));
  return terminated;
}

bool PodGcController::IsOutOfService(const api::Object& pod) const {
  if (!profile_.collects_out_of_service || !pod.deleting()) return false;
  const api::NodeView node(nodes_.lister().Get("", pod.node_name()));
  return !node.object().empty() && !node.ready() && TaintKeyExists(node.taints(), kOutOfService);
}

bool PodGcController::IsOrphan(const api::Object& pod) const {
  return !pod.node_name().empty() && nodes_.lister().Get("", pod.node_name()).empty();
}

sim::Task<void> PodGcController::CollectOrphans(Pods pods) {
  const VirtualTime now = context_.process.SteadyNow();
  // Nodes that are due leave the quarantine before this pass adds to it: one whose pods stay begins
  // anew at once.
  std::vector<std::string> due = TakeDue(now);
  for (const api::Object& pod : pods)
    if (IsOrphan(pod)) quarantine_.try_emplace(std::string(pod.node_name()), now + kQuarantine);
  const std::set<std::string, std::less<>> deleted = co_await FindDeletedNodes(std::move(due));
  if (deleted.empty()) co_return;
  for (const api::Object& pod : pods) {
    if (deleted.find(pod.node_name()) == deleted.end()) continue;
    const Value condition =
        DisruptionTarget(pod, "DeletionByPodGC", "PodGC: node no longer exists", profile_);
    co_await MarkAndDelete(pod, condition);
  }
}

std::vector<std::string> PodGcController::TakeDue(VirtualTime now) {
  std::vector<std::string> due;
  for (const auto& [name, ends] : quarantine_)
    if (ends <= now) due.push_back(name);
  for (const std::string& name : due) quarantine_.erase(name);
  return due;
}

sim::Task<std::set<std::string, std::less<>>> PodGcController::FindDeletedNodes(
    std::vector<std::string> due) {
  std::set<std::string, std::less<>> deleted;
  for (const std::string& name : due) {
    if (!nodes_.lister().Get("", name).empty()) continue;
    client::Client::ObjectResult live = co_await client_.Get(node_resource_, "", name);
    // After another error the node comes again when its next wait is over.
    if (!live.ok() && api::IsNotFound(live.status())) deleted.insert(name);
  }
  co_return deleted;
}

// --- deletions ---------------------------------------------------------------------------------

struct PodGcController::Batch {
  explicit Batch(sim::Simulation& sim) : finished(sim) {}
  std::size_t running = 0;
  sim::Signal finished;
};

sim::Task<void> PodGcController::DeleteAll(Pods pods) {
  if (pods.empty()) co_return;
  Batch batch(context_.process.simulation());
  batch.running = pods.size();
  for (const api::Object& pod : pods)
    context_.process.Spawn(DeleteInBatch(&batch, pod), context_.name);
  while (batch.running > 0) co_await batch.finished.Wait();
}

sim::Task<void> PodGcController::DeleteInBatch(Batch* batch, api::Object pod) {
  co_await MarkAndDelete(pod, Value());
  if (--batch->running == 0) batch->finished.Notify();
}

// markFailedAndDeletePodWithCondition. A failure ends it: the next pass tries again.
sim::Task<void> PodGcController::MarkAndDelete(api::Object pod, Value condition) {
  if (profile_.disruption_conditions && !api::PodView(pod).terminal()) {
    Value status = pod.status().Set("phase", Value::Of("Failed"));
    if (profile_.pod_observed_generation)
      status = status.Set("observedGeneration", Value::Int(pod.generation()));
    if (!condition.is_null()) {
      const Value conditions =
          api::UpdateCondition(status.Get("conditions"), condition, context_.process.Now());
      status = status.Set("conditions", conditions);
    }
    const std::optional<api::Status> failed = co_await PatchPodStatus(client_, pod, status);
    if (failed) co_return;
  }
  api::DeleteOptions now;
  now.grace_period_seconds = 0;
  co_await client_.Delete(pod_resource_, SharedText(pod.ns()), SharedText(pod.name()), now);
}

}  // namespace ksim::controllers
