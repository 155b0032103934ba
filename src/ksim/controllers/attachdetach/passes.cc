// The passes of the attach-detach controller: reconciler.reconcile and what it calls.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "ksim/api/node.h"
#include "ksim/api/patch_schema.h"
#include "ksim/controllers/attachdetach/attach_detach_controller.h"
#include "ksim/controllers/common/cache_sync.h"
#include "ksim/controllers/common/node_writes.h"
#include "ksim/value/patch.h"

namespace ksim::controllers {

using value::Path;
using value::Value;

namespace {

constexpr Duration kPassPeriod = Milliseconds(100);  // ReconcilerLoopPeriod
constexpr Duration kLongestUnmount = Minutes(6);     // ReconcilerMaxWaitForUnmountDuration
constexpr Duration kLookPeriod = Minutes(1);         // DesiredStateOfWorldPopulatorLoopSleepPeriod
constexpr Duration kInstant = Nanoseconds(1);        // it must be longer, not as long
// A run is quiet although a driver waits longer than this to be asked again.
constexpr Duration kAwaitedBackOff = Seconds(40);
constexpr std::string_view kOutOfServiceTaint = "node.kubernetes.io/out-of-service";

// The first moment of a grid, which begins at `start`, that is after `time`.
VirtualTime NextPassTime(VirtualTime start, Duration period, VirtualTime time) {
  const std::int64_t age = (time - start).ns();
  return time + Duration(period.ns() - age % period.ns());
}

}  // namespace

void AttachDetachController::Touch() {
  touched_ = true;
  news_.Notify();
}

sim::Task<void> AttachDetachController::Run() {
  sim::Simulation& sim = context_.process.simulation();
  const std::vector<client::SharedInformer*> informers = {pods_,    nodes_,   claims_,
                                                          volumes_, drivers_, attachments_};
  co_await WaitForNamedSync(context_, informers);
  begun_ = context_.process.SteadyNow();
  last_looked_ = begun_;
  last_added_ = begun_;
  Populate();
  for (;;) {
    touched_ = false;
    co_await Pass();
    last_pass_ = context_.process.SteadyNow();
    while (!touched_) {
      const Alarm alarm = NextAlarm();
      if (!alarm.at) {
        co_await news_.Wait();
        continue;
      }
      const Duration left = *alarm.at - context_.process.SteadyNow();
      const sim::TimerKind kind = alarm.awaited ? sim::TimerKind::kWork : sim::TimerKind::kPeriodic;
      const bool woken = co_await news_.WaitFor(left, kind);
      if (!woken) break;
    }
    sim.context().background = false;  // heartbeats bring news that are work
    const VirtualTime now = context_.process.SteadyNow();
    const VirtualTime next = NextPassTime(last_pass_, kPassPeriod, now);
    co_await sim.Sleep(next - now, sim::TimerKind::kWork, "attach-detach pass");
  }
}

sim::Task<void> AttachDetachController::Pass() {
  // 1. What went unnoticed, once a minute.
  const VirtualTime now = context_.process.SteadyNow();
  if (NextPassTime(begun_, kLookPeriod, last_looked_) <= now) LookAnew();

  // 2. Detach first, so that a pod that moves finds its volume free.
  std::vector<Place> attached;
  for (const auto& [name, volume] : actual_.volumes()) {
    for (const auto& [node, on] : volume.nodes) {
      if (desired_.Has(name, node)) continue;
      Place& place = attached.emplace_back();
      place.volume = name;
      place.node = node;
      place.spec = volume.spec;
    }
  }
  for (const Place& place : attached) co_await DetachIfDue(place);

  // 3. Attach.
  for (const auto& [node, volumes] : desired_.nodes()) {
    for (const auto& [name, volume] : volumes) {
      Place place;
      place.volume = name;
      place.node = node;
      place.spec = volume.spec;
      AttachIfPossible(place, volume);
    }
  }

  // 4. Tell the nodes.
  for (const std::string& node : actual_.NodesToUpdate()) {
    const bool updated = co_await UpdateNode(node);
    if (!updated) Touch();
  }
}

bool AttachDetachController::IsReady(std::string_view node) const {
  return api::NodeView(nodes_->lister().Get("", node)).ready();
}

bool AttachDetachController::IsOutOfService(std::string_view node) const {
  if (!profile_.collects_out_of_service) return false;
  const api::Object cached = nodes_->lister().Get("", node);
  return !cached.empty() && TaintKeyExists(api::NodeView(cached).taints(), kOutOfServiceTaint);
}

// It is told first that the volume is not safe to mount any more.
sim::Task<void> AttachDetachController::DetachIfDue(Place place) {
  if (!MayStart(place, kDetachOperation)) co_return;
  ActualState::OnNode* on = actual_.Find(place.volume, place.node);
  if (on == nullptr) co_return;
  const VirtualTime now = context_.process.SteadyNow();
  if (!on->detach_requested) on->detach_requested = now;
  const bool expired = now - *on->detach_requested > kLongestUnmount;
  const bool forced = expired && !IsReady(place.node);
  const bool out_of_service = IsOutOfService(place.node);
  if (actual_.IsInUse(place.volume, place.node) && !forced && !out_of_service) co_return;
  actual_.Unreport(place.volume, place.node);
  const bool told = co_await UpdateNode(place.node);
  if (!told) {
    actual_.Report(place.volume, place.node);
    Touch();
    co_return;
  }
  StartDetach(place, !expired && !out_of_service);
}

// attachDesiredVolumes
void AttachDetachController::AttachIfPossible(const Place& place,
                                              const DesiredState::Volume& wanted) {
  if (Runs(place)) return;
  ActualState::OnNode* on = actual_.Find(place.volume, place.node);
  if (on != nullptr && on->confirmed) {
    on->detach_requested.reset();
    return;
  }
  if (!api::MayAttachToSeveral(place.spec)) {
    const std::vector<std::string> nodes = actual_.NodesOf(place.volume);
    if (!nodes.empty()) {
      if (!wanted.reported) ReportMultiAttach(place, wanted, nodes);
      desired_.SetReported(place.volume, place.node);
      return;
    }
  }
  StartAttach(place, wanted);
}

// A pod is told of no pods of other namespaces, but of how many there are.
void AttachDetachController::ReportMultiAttach(const Place& place,
                                               const DesiredState::Volume& wanted,
                                               const std::vector<std::string>& nodes) {
  std::vector<api::Object> users;
  for (const std::string& node : nodes) {
    const auto on = desired_.nodes().find(node);
    if (node == place.node || on == desired_.nodes().end()) continue;
    const auto volume = on->second.find(place.volume);
    if (volume == on->second.end()) continue;
    for (const auto& [uid, pod] : volume->second.pods) users.push_back(pod);
  }
  for (const auto& [uid, pod] : wanted.pods) {
    std::vector<std::string> names;
    std::size_t others = 0;
    for (const api::Object& user : users) {
      if (user.ns() == pod.ns())
        names.emplace_back(user.name());
      else
        ++others;
    }
    std::sort(names.begin(), names.end());
    std::string why =
        "Volume is already exclusively attached to one node and can't be attached to another";
    if (!names.empty())
      why = fmt::format("Volume is already used by pod(s) {}", fmt::join(names, ", "));
    if (!names.empty() && others > 0)
      why += fmt::format(" and {} pod(s) in different namespaces", others);
    if (names.empty() && others > 0)
      why = fmt::format("Volume is already used by {} pod(s) in different namespaces", others);
    recorder_.Event(pod, "Warning", "FailedAttachVolume",
                    fmt::format("Multi-Attach error for volume \"{}\" {}", place.spec.name(), why));
  }
}

// updateNodeStatus. Of a node that is not there nothing is to be told.
sim::Task<bool> AttachDetachController::UpdateNode(std::string node) {
  const std::optional<std::vector<std::string>> attached = actual_.TakeUpdate(node);
  if (!attached) co_return true;
  const api::Object cached = nodes_->lister().Get("", node);
  if (cached.empty()) co_return true;
  std::vector<Value> list;
  for (const std::string& volume : *attached)
    list.push_back(value::Obj({{"devicePath", Value::Of("")}, {"name", Value::String(volume)}}));
  static const Path kStatus{"status"};
  const Value status = list.empty()
                           ? cached.status().Erase("volumesAttached")
                           : cached.status().Set("volumesAttached", Value::Array(std::move(list)));
  const auto diff = value::CreateTwoWayMergePatch(cached.tree(), cached.tree().Set(kStatus, status),
                                                  api::FindPatchSchema("v1", "Node"));
  if (!diff.ok()) co_return true;
  const Value patch = *diff;
  const client::PatchOptions options(api::PatchType::kStrategic, "status");
  client::Client::ObjectResult patched =
      co_await client_.Patch(node_kind_, "", node, patch, options);
  if (patched.ok() || api::IsNotFound(patched.status())) co_return true;
  actual_.SetUpdateNeeded(node);
  co_return false;
}

// --- when to look again ------------------------------------------------------------------------

void AttachDetachController::Alarm::Add(VirtualTime time, bool is_awaited) {
  at = at ? std::min(*at, time) : time;
  awaited = awaited || is_awaited;
}

AttachDetachController::Alarm AttachDetachController::NextAlarm() const {
  const VirtualTime now = context_.process.SteadyNow();
  Alarm alarm;
  const auto add = [&](VirtualTime time, bool awaited) {
    if (time > now) alarm.Add(time, awaited);
  };
  // 1. Nodes that do not say that they have unmounted a volume.
  for (const auto& [name, volume] : actual_.volumes())
    for (const auto& [node, on] : volume.nodes)
      if (on.detach_requested && !desired_.Has(name, node) && !IsReady(node))
        add(*on.detach_requested + kLongestUnmount + kInstant, true);
  // 2. Operations that have failed.
  for (const auto& [key, operation] : operations_)
    if (!operation.running)
      add(operation.failed + operation.backoff + kInstant, operation.backoff <= kAwaitedBackOff);
  // 3. What went unnoticed.
  if (HasLostPods() || !LostAttachments().empty())
    add(NextPassTime(begun_, kLookPeriod, now), true);
  if (missed_) add(NextPassTime(begun_, kLookPeriod, last_added_ + kLookPeriod * 2), FindsMore());
  return alarm;
}

}  // namespace ksim::controllers
