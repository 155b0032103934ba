// Part of node_lifecycle_controller.h: NoExecute taints.
//
// Source: processTaintBaseEviction, markNodeForTainting, markNodeAsReachable,
// doNoExecuteTaintingPass.
#include <algorithm>
#include <utility>

#include "ksim/api/node.h"
#include "ksim/api/views/zone.h"
#include "ksim/controllers/nodelifecycle/node_lifecycle_controller.h"

namespace ksim::controllers {

using value::Value;

namespace {

constexpr Duration kRetryWithoutCondition = Milliseconds(50);

const Value& NotReady() {
  // NOLINTNEXTLINE(ksim-static): a tree that never changes
  thread_local const Value taint = MakeTaint("node.kubernetes.io/not-ready", "NoExecute");
  return taint;
}
const Value& Unreachable() {
  // NOLINTNEXTLINE(ksim-static): a tree that never changes
  thread_local const Value taint = MakeTaint("node.kubernetes.io/unreachable", "NoExecute");
  return taint;
}

}  // namespace

const Value& NoExecuteTaintOf(std::string_view ready) {
  return ready == "False" ? NotReady() : Unreachable();
}

// With the other one of the two taints the node gets this one at once; a ready node loses both.
bool NodeLifecycleController::NeedsTaintWrites(const api::Object& node,
                                               std::string_view ready) const {
  const Value& taints = node.spec().Get("taints");
  if (ready == "False") return TaintExists(taints, Unreachable());
  if (ready == "Unknown") return TaintExists(taints, NotReady());
  return ready == "True" && (TaintExists(taints, Unreachable()) || TaintExists(taints, NotReady()));
}

sim::Task<void> NodeLifecycleController::ProcessTaints(api::Object node, std::string ready) {
  if (ready == "True") {
    co_await MarkReachable(node);
    co_return;
  }
  if (ready != "False" && ready != "Unknown") co_return;
  if (!NeedsTaintWrites(node, ready)) {
    AskForTaint(node, NoExecuteTaintOf(ready));
    co_return;
  }
  Taints to_add = {NoExecuteTaintOf(ready)};
  Taints to_remove = {ready == "False" ? Unreachable() : NotReady()};
  co_await writes_.SwapTaints(std::move(to_add), std::move(to_remove), node);
}

// A node that still lacks its taint is put into the queue anew, behind the others.
void NodeLifecycleController::AskForTaint(const api::Object& node, const Value& taint) {
  TaintQueue& queue = zones_.QueueOf(api::ZoneKey(node));
  const std::string name(node.name());
  if (!TaintExists(node.spec().Get("taints"), taint)) queue.Remove(name);
  if (queue.Add(name, context_.process.SteadyNow())) taint_asked_.Notify();
}

sim::Task<void> NodeLifecycleController::MarkReachable(api::Object node) {
  Taints unreachable = {Unreachable()};
  const bool first = co_await writes_.RemoveTaints(std::move(unreachable), node);
  if (!first) co_return;
  Taints not_ready = {NotReady()};
  const bool second = co_await writes_.RemoveTaints(std::move(not_ready), node);
  if (!second) co_return;
  zones_.QueueOf(api::ZoneKey(node)).Remove(std::string(node.name()));
}

// --- the loop that gives them ------------------------------------------------------------------

std::optional<VirtualTime> NodeLifecycleController::NextTaintLook() const {
  const VirtualTime now = context_.process.SteadyNow();
  std::optional<VirtualTime> next;
  for (const std::string& zone : zones_.WithQueues()) {
    const std::optional<VirtualTime> look = zones_.FindQueue(zone)->NextLook(now);
    if (look && (!next || *look < *next)) next = look;
  }
  return next;
}

sim::Task<void> NodeLifecycleController::TaintLoop() {
  taint_ticks_.Ran(context_.process.SteadyNow());
  for (;;) {
    const std::optional<VirtualTime> look = NextTaintLook();
    if (!look) {
      co_await taint_asked_.Wait();
      continue;
    }
    // Each fiftieth tick falls on a look at the nodes' health. It comes first, and what that look
    // asks for is for the next tick.
    const VirtualTime now = context_.process.SteadyNow();
    const VirtualTime tick = taint_ticks_.NextAt(std::max(*look, now + Nanoseconds(1)));
    co_await taint_asked_.WaitFor(tick - now, sim::TimerKind::kWork);
    if (context_.process.SteadyNow() < tick) continue;  // what was asked for may come first
    for (const std::string& zone : zones_.WithQueues()) co_await TaintZone(zone);
    taint_ticks_.Ran(context_.process.SteadyNow());
  }
}

// RateLimitedTimedQueue.Try, and what doNoExecuteTaintingPass does with each node.
sim::Task<void> NodeLifecycleController::TaintZone(std::string zone) {
  for (;;) {
    TaintQueue* const queue = zones_.FindQueue(zone);
    if (queue == nullptr) co_return;
    const VirtualTime now = context_.process.SteadyNow();
    const std::optional<std::string> name = queue->Take(now);
    if (!name) co_return;
    const api::Object node = Cached(*name);
    if (node.empty()) {
      queue->Finish(*name);
      continue;
    }
    const std::string ready(api::NodeView(node).ready_status());
    if (ready.empty()) {
      queue->Retry(*name, now, kRetryWithoutCondition);
      continue;
    }
    if (ready != "False" && ready != "Unknown") {  // it is ready again
      queue->Finish(*name);
      continue;
    }
    Taints to_add = {NoExecuteTaintOf(ready)};
    Taints to_remove = {ready == "False" ? Unreachable() : NotReady()};
    const bool swapped = co_await writes_.SwapTaints(std::move(to_add), std::move(to_remove), node);
    TaintQueue* const same = zones_.FindQueue(zone);
    if (same != queue) co_return;  // the zone was emptied and came again
    if (swapped)
      queue->Finish(*name);
    else
      queue->Retry(*name, now, Duration());
  }
}

}  // namespace ksim::controllers
