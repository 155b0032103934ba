#include "ksim/controllers/nodelifecycle/node_lifecycle_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/api/node.h"
#include "ksim/api/views/zone.h"
#include "ksim/controllers/common/cache_sync.h"
#include "ksim/controllers/common/manager_client.h"

namespace ksim::controllers {

using value::Value;

namespace {

constexpr Duration kMonitorPeriod = Seconds(5);
constexpr Duration kTaintPeriod = Milliseconds(100);
constexpr Duration kRetrySleep = Milliseconds(20);
constexpr int kHealthUpdateTries = 5;
constexpr std::size_t kNodeWorkers = 8;
constexpr int kPodWorkers = 4;
constexpr const char* kLeaseNamespace = "kube-node-lease";
constexpr const char* kNotDisrupted = "node.kubernetes.io/exclude-disruption";

}  // namespace

NodeLifecycleController::NodeLifecycleController(ControllerContext context)
    : context_(std::move(context)),
      profile_(controllers::ProfileOf(context_.env().compat)),
      pod_resource_(context_.Resource("", "pods")),
      node_resource_(context_.Resource("", "nodes")),
      client_(context_.connection, context_.actor(), ManagerClient(context_, "node-controller")),
      recorder_(context_.connection, context_.actor(), "node-controller", "",
                client::EventRecorder::Api::kCore, client_.options()),
      writes_(client_),
      leases_(context_.informers.For(context_.Resource("coordination.k8s.io", "leases"))),
      pods_(context_.informers.For(pod_resource_)),
      nodes_(context_.informers.For(node_resource_)),
      daemon_sets_(context_.informers.For(context_.Resource("apps", "daemonsets"))),
      node_queue_(context_.process, client::DefaultControllerRateLimiter(context_.process)),
      pod_queue_(context_.process, client::DefaultControllerRateLimiter(context_.process)),
      health_(profile_.node_monitor_grace_period,
              context_.env().variants.nodelifecycle_probe_clock ==
                  api::Variants::ProbeClock::kHeartbeat),
      zones_(context_.env().variants.nodelifecycle_full_disruption ==
             api::Variants::FullDisruption::kOn),
      taint_ticks_(kTaintPeriod),
      taint_asked_(context_.process.simulation()) {
  AddPodNodeIndex(pods_);
  if (!profile_.separate_taint_eviction)
    eviction_ = std::make_unique<TaintEviction>(context_, client_.options());
}

NodeLifecycleController::~NodeLifecycleController() = default;

void NodeLifecycleController::Start() {
  RegisterHandlers();
  context_.process.Spawn(Run(), context_.name);
}

void NodeLifecycleController::RegisterHandlers() {
  using api::Object;
  const auto pod_came = [this](const Object& before, const Object& after) {
    const bool came = before.empty() || before.node_name() != after.node_name();
    if (!after.node_name().empty() && came) pod_queue_.Add(after.key());
    if (eviction_) eviction_->PodUpdated(before, after);
  };
  const auto node_changed = [this](const Object& before, const Object& after) {
    node_queue_.Add(std::string(after.name()));
    if (eviction_) eviction_->NodeUpdated(before, after);
  };
  pod_handlers_.add = [pod_came](const Object& pod, bool) { pod_came({}, pod); };
  pod_handlers_.update = pod_came;
  pod_handlers_.del = [this](const client::Deleted& d) {
    if (eviction_) eviction_->PodUpdated(d.object, {});
  };
  node_handlers_.add = [node_changed](const Object& node, bool) { node_changed({}, node); };
  node_handlers_.update = node_changed;
  node_handlers_.del = [this](const client::Deleted& d) {
    nodes_to_retry_.erase(std::string(d.object.name()));
    if (eviction_) eviction_->NodeUpdated(d.object, {});
  };
  pods_.AddHandler(context_.actor(), &pod_handlers_);
  nodes_.AddHandler(context_.actor(), &node_handlers_);
}

sim::Task<void> NodeLifecycleController::Run() {
  sim::Simulation& sim = context_.process.simulation();
  const std::vector<client::SharedInformer*> informers = {&leases_, &nodes_, &pods_, &daemon_sets_};
  co_await WaitForNamedSync(context_, informers);
  if (eviction_) eviction_->StartWorkers();
  for (std::size_t i = 0; i < kNodeWorkers; ++i)
    context_.process.Spawn(NodeWorker(), context_.name);
  for (int i = 0; i < kPodWorkers; ++i) context_.process.Spawn(PodWorker(), context_.name);
  context_.process.Spawn(TaintLoop(), context_.name);
  for (;;) {
    co_await MonitorNodeHealth();
    co_await sim.Sleep(kMonitorPeriod, sim::TimerKind::kPeriodic, "node health");
  }
}

// A pass will find a node silent, a node without a taint that it is to have, or one with a taint
// that it is to lose; or a kubelet is about to say that its node is well, or to report what leads
// to taints that could not be written before.
bool NodeLifecycleController::HasWorkAhead(const Heartbeats& heartbeats) const {
  if (!nodes_to_retry_.empty()) return true;
  const Objects nodes = nodes_.lister().List("");
  return std::any_of(nodes.begin(), nodes.end(), [&](const api::Object& node) {
    const std::string_view ready = api::NodeView(node).ready_status();
    const bool unknown = ready == "Unknown";
    if (heartbeats.silent.contains(node.name()) && !unknown) return true;
    if (heartbeats.heard.contains(node.name()) && (unknown || !FindTaintChanges(node).empty()))
      return true;
    const TaintQueue* const queue = zones_.FindQueue(api::ZoneKey(node));
    const bool stopped = queue == nullptr || queue->rate() == EvictionRate::kNone;
    return NeedsTaintWrites(node, ready) ||
           (!stopped && !ready.empty() && ready != "True" &&
            !TaintExists(node.spec().Get("taints"), NoExecuteTaintOf(ready)));
  });
}

// --- the pass ----------------------------------------------------------------------------------

// The state of one pass: the nodes whose writes are still to be done, and what is counted.
struct NodeLifecycleController::Pass {
  explicit Pass(sim::Simulation& sim) : finished(sim) {}
  struct ToWrite {
    api::Object node;
    HealthVerdict verdict;
  };
  Objects nodes;
  std::vector<ToWrite> to_write;
  std::size_t next = 0;
  std::size_t workers = 0;
  sim::Signal finished;
  Zones::Counts counts;

  void Count(const api::Object& node, const HealthVerdict& verdict) {
    if (node.labels().Has(kNotDisrupted)) return;
    ZoneCount& zone = counts[api::ZoneKey(node)];
    ++(verdict.current == "True" ? zone.ready : zone.not_ready);
  }
};

sim::Task<void> NodeLifecycleController::MonitorNodeHealth() {
  Pass pass(context_.process.simulation());
  pass.nodes = nodes_.lister().List("");
  co_await TakeInNodes(pass.nodes);
  co_await MonitorNodes(&pass);
  co_await HandleDisruption(&pass);
}

// classifyNodes, and what is done about nodes that came and went.
sim::Task<void> NodeLifecycleController::TakeInNodes(const Objects& nodes) {
  const VirtualTime now = context_.process.SteadyNow();
  Objects added;
  std::set<std::string_view> names;
  for (const api::Object& node : nodes) {
    names.insert(node.name());
    if (!known_nodes_.contains(node.name()))
      added.push_back(node);
    else
      zones_.AddIfNew(api::ZoneKey(node), now);
  }
  for (const api::Object& node : added) {
    // It has told of those that were there before the simulation.
    const bool told = context_.takes_over && node.creation_time() <= VirtualTime();
    if (!told)
      RecordNodeEvent(
          node, "RegisteredNode",
          fmt::format("Node {0} event: Registered Node {0} in Controller", node.name()));
    known_nodes_[std::string(node.name())] = node;
    zones_.AddIfNew(api::ZoneKey(node), now);
    co_await MarkReachable(node);
  }
  Objects gone;
  for (const auto& [name, node] : known_nodes_)
    if (!names.contains(name)) gone.push_back(node);
  for (const api::Object& node : gone) {
    RecordNodeEvent(node, "RemovingNode",
                    fmt::format("Node {0} event: Removing Node {0} from Controller", node.name()));
    known_nodes_.erase(node.name());
  }
}

// Most nodes need no write, and are done with at once; the others are written by eight workers (in
// 1.25 one after the other).
sim::Task<void> NodeLifecycleController::MonitorNodes(Pass* pass) {
  for (const api::Object& node : pass->nodes) {
    HealthVerdict verdict = Assess(node);
    const std::string& ready =
        profile_.taints_by_current_condition ? verdict.current : verdict.observed;
    const std::string name(node.name());
    const bool became_bad = verdict.current != "True" && verdict.observed == "True";
    if (verdict.update || became_bad || nodes_to_retry_.contains(name) ||
        (verdict.has_condition() && NeedsTaintWrites(node, ready))) {
      pass->to_write.push_back({node, std::move(verdict)});
      continue;
    }
    pass->Count(node, verdict);
    if (!verdict.has_condition()) continue;
    if (ready == "True")
      zones_.QueueOf(api::ZoneKey(node)).Remove(name);
    else
      AskForTaint(node, NoExecuteTaintOf(ready));
  }
  const std::size_t at_once = profile_.parallel_node_health ? kNodeWorkers : 1;
  pass->workers = std::min(at_once, pass->to_write.size());
  for (std::size_t i = 0, n = pass->workers; i < n; ++i)
    context_.process.Spawn(MonitorWorker(pass), context_.name);
  while (pass->workers > 0) co_await pass->finished.Wait();
}

sim::Task<void> NodeLifecycleController::MonitorWorker(Pass* pass) {
  while (pass->next < pass->to_write.size()) {
    const Pass::ToWrite item = pass->to_write[pass->next++];
    co_await MonitorNode(pass, item.node, item.verdict);
  }
  if (--pass->workers == 0) pass->finished.Notify();
}

sim::Task<void> NodeLifecycleController::MonitorNode(Pass* pass, api::Object node,
                                                     HealthVerdict verdict) {
  const bool written = co_await WriteHealth(&node, &verdict);
  if (!written) co_return;
  const std::string name(node.name());
  pass->Count(node, verdict);
  if (!verdict.has_condition()) {
    nodes_to_retry_.erase(name);
    co_return;
  }
  const Objects pods = PodsOn(node);
  const std::string ready =
      profile_.taints_by_current_condition ? verdict.current : verdict.observed;
  co_await ProcessTaints(node, ready);

  const bool became_bad = verdict.current != "True" && verdict.observed == "True";
  const bool again = nodes_to_retry_.contains(name) && verdict.observed != "True";
  if (became_bad) {
    RecordNodeEvent(node, "NodeNotReady", fmt::format("Node {} status is now: NodeNotReady", name));
  }
  if (became_bad || again) {
    const bool marked = co_await MarkPodsNotReady(pods, name);
    if (!marked) {
      nodes_to_retry_.insert(name);
      co_return;
    }
  }
  nodes_to_retry_.erase(name);
}

sim::Task<bool> NodeLifecycleController::WriteHealth(api::Object* node, HealthVerdict* verdict) {
  sim::Simulation& sim = context_.process.simulation();
  const std::string name(node->name());
  for (int tries = 0; verdict->update; ++tries) {
    if (tries > kHealthUpdateTries) co_return false;
    if (tries > 0) co_await sim.Sleep(kRetrySleep, sim::TimerKind::kWork, "node health");
    const api::Object lease = LeaseOf(*node);
    client::Client::ObjectResult put =
        co_await client_.UpdateStatus(node_resource_, *verdict->update);
    if (put.ok()) {
      *node = *verdict->update;
      health_.Written(*node, lease);
      co_return true;
    }
    client::Client::ObjectResult live = co_await client_.Get(node_resource_, "", name);
    if (!live.ok()) co_return false;
    *node = *live;
    *verdict = Assess(*node);
  }
  co_return true;
}

HealthVerdict NodeLifecycleController::Assess(const api::Object& node) {
  return health_.Assess(node, LeaseOf(node), Now());
}

sim::Task<void> NodeLifecycleController::HandleDisruption(Pass* pass) {
  const ClockReading now = Now();
  const std::optional<VirtualTime> look = NextTaintLook();
  const Zones::Change change = zones_.TakeIn(pass->counts, now.steady);
  if (change == Zones::Change::kAllDown) {
    for (const api::Object& node : pass->nodes) co_await MarkReachable(node);
    zones_.StopAll(context_.process.SteadyNow());
  }
  if (change == Zones::Change::kBackFromAllDown)
    for (const api::Object& node : pass->nodes) health_.Restart(std::string(node.name()), now);
  // A zone may be slower now, or faster, or at rest. Where nothing is queued nobody is woken: this
  // goes on every five seconds, and a cluster at rest has no work.
  if (NextTaintLook() != look) taint_asked_.Notify();
}

// --- small things ------------------------------------------------------------------------------

ClockReading NodeLifecycleController::Now() const {
  return ClockReading(context_.process.Now(), context_.process.SteadyNow());
}

api::Object NodeLifecycleController::Cached(const std::string& node) const {
  return nodes_.lister().Get("", node);
}

api::Object NodeLifecycleController::LeaseOf(const api::Object& node) const {
  return leases_.lister().Get(kLeaseNamespace, node.name());
}

NodeLifecycleController::Objects NodeLifecycleController::PodsOn(const api::Object& node) const {
  return pods_.lister().ByIndex(kPodNodeIndex, node.name());
}

// The Event refers to the node by name and uid alone.
void NodeLifecycleController::RecordNodeEvent(const api::Object& node, const char* reason,
                                              const std::string& text) {
  const Value reference = value::Obj(
      {{"apiVersion", Value::Of("v1")},
       {"kind", Value::Of("Node")},
       {"metadata",
        value::Obj({{"name", Value::String(node.name())}, {"uid", Value::String(node.uid())}})}});
  recorder_.Event(api::Object::FromTree(reference), "Normal", reason, text);
}

}  // namespace ksim::controllers
