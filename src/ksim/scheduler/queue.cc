#include "ksim/scheduler/queue.h"

#include <algorithm>

#include "ksim/sim/probe.h"

namespace ksim::scheduler {

namespace {

constexpr Duration kInitialBackoff = Seconds(1);
constexpr Duration kMaxBackoff = Seconds(10);
constexpr Duration kLeftoverAge = Minutes(5);
constexpr Duration kLeftoverPeriod = Seconds(30);

VirtualTime WholeSeconds(VirtualTime t) { return VirtualTime(t.ns() - t.ns() % 1'000'000'000); }

// isPodUpdated, without hints: the pods differ in more than the status and the API server's own
// metadata.
bool Updated(const api::Object& before, const api::Object& after) {
  const auto stripped = [](const api::Object& pod) {
    static const value::Path kKept[] = {{"metadata", "resourceVersion"},
                                        {"metadata", "generation"},
                                        {"metadata", "managedFields"},
                                        {"metadata", "finalizers"},
                                        {"status"}};
    value::Value tree = pod.tree();
    for (const value::Path& path : kKept) tree = std::move(tree).Set(path, value::Value());
    return tree;
  };
  return stripped(before) != stripped(after);
}

// events.go PodSchedulingPropertiesChange: the event of an update of a pending pod.
ClusterEvent UpdateOf(const api::Object& before, const api::Object& after) {
  std::uint32_t bits = 0;
  if (before.labels() != after.labels()) bits |= ClusterEvent::kTargetPodLabel;
  if (before.spec().Get("tolerations").size() != after.spec().Get("tolerations").size())
    bits |= ClusterEvent::kTargetPodToleration;
  return {bits != 0 ? bits : ClusterEvent::kTargetPodUpdate, "UnscheduledPodUpdate"};
}

}  // namespace

bool SchedulingQueue::ActiveOrder::operator()(const QueuedPod& a, const QueuedPod& b) const {
  if (a.priority() != b.priority()) return a.priority() > b.priority();
  if (a.timestamp != b.timestamp) return a.timestamp < b.timestamp;
  return a.pod.key() != b.pod.key() ? a.pod.key() < b.pod.key() : a.pod.uid() < b.pod.uid();
}

SchedulingQueue::SchedulingQueue(sim::Process& process, const Profile& profile, RequeueJudge judge,
                                 PreemptionGate gate)
    : process_(process),
      profile_(profile),
      judge_(std::move(judge)),
      gate_(std::move(gate)),
      started_(process.SteadyNow()),
      changed_(process.simulation()) {}

void SchedulingQueue::Start() {
  started_ = process_.SteadyNow();
  process_.Spawn(FlushBackoffs());
  if (!ignores_moves_) process_.Spawn(FlushLeftovers());
}

Duration SchedulingQueue::BackoffOf(int failures) {
  Duration backoff = kInitialBackoff;
  for (int i = 1; i < failures; ++i) {
    if (backoff > kMaxBackoff - backoff) return kMaxBackoff;
    backoff = backoff * 2;
  }
  return backoff;
}

int SchedulingQueue::FailuresOf(const QueuedPod& pod) const {
  if (!profile_.counts_rejections_and_errors) return pod.attempts;
  return pod.consecutive_errors > 0 ? pod.consecutive_errors : pod.rejections;
}

VirtualTime SchedulingQueue::BackoffExpiry(const QueuedPod& pod) const {
  const int failures = FailuresOf(pod);
  if (failures == 0) return VirtualTime();
  const VirtualTime expiry = pod.failed_at + BackoffOf(failures);
  return profile_.backoff_windows ? WholeSeconds(expiry) : expiry;
}

bool SchedulingQueue::IsBackingOff(const QueuedPod& pod) const {
  const VirtualTime expiry = BackoffExpiry(pod);
  if (expiry == VirtualTime()) return false;
  return profile_.backoff_windows ? expiry >= WholeSeconds(process_.SteadyNow())
                                  : expiry > process_.SteadyNow();
}

VirtualTime SchedulingQueue::NextFlush(VirtualTime expiry) const {
  if (profile_.backoff_windows) return WholeSeconds(expiry) + Seconds(1);
  // Ticks every second from the start of the queue.
  const std::int64_t second = Seconds(1).ns();
  const std::int64_t age = std::max<std::int64_t>(0, (expiry - started_).ns());
  return started_ + Duration((age + second - 1) / second * second);
}

// The PreEnqueue of the plugin SchedulingGates.
bool SchedulingQueue::IsGated(const api::Object& pod) const {
  return profile_.scheduling_gates && !pod.spec().Get("schedulingGates").empty();
}

void SchedulingQueue::Add(const api::Object& pod) {
  QueuedPod queued;
  queued.pod = pod;
  queued.timestamp = process_.SteadyNow();
  queued.origin = process_.simulation().CaptureOrigin();
  queued.gated = IsGated(pod);
  if (queued.gated) {
    unschedulable_[queued.uid()] = std::move(queued);
  } else {
    PushActive(std::move(queued));
  }
}

void SchedulingQueue::Update(const api::Object& before, const api::Object& after) {
  const std::string uid(after.uid());
  for (auto it = active_.begin(); it != active_.end(); ++it) {
    if (it->uid() != uid) continue;
    QueuedPod queued = *it;
    active_.erase(it);
    queued.pod = after;
    active_.insert(std::move(queued));
    return;
  }
  if (const auto it = backoff_.find(uid); it != backoff_.end()) {
    it->second.pod = after;
    return;
  }
  const auto it = unschedulable_.find(uid);
  if (it == unschedulable_.end()) {
    if (profile_.queueing_hints && in_flight_.contains(uid)) {
      events_.push_back({UpdateOf(before, after), before, after});
      return;
    }
    Add(after);
    return;
  }
  it->second.pod = after;
  const bool was_gated = it->second.gated;
  it->second.gated = IsGated(after);
  if (it->second.gated) return;
  const bool worth = profile_.queueing_hints
                         ? judge_(it->second, UpdateOf(before, after), before, after)
                         : Updated(before, after);
  if (!was_gated && !worth) return;
  QueuedPod queued = std::move(it->second);
  unschedulable_.erase(it);
  queued.origin = process_.simulation().CaptureOrigin();
  Requeue(std::move(queued));
}

void SchedulingQueue::Delete(const api::Object& pod) {
  const std::string uid(pod.uid());
  std::erase_if(active_, [&](const QueuedPod& q) { return q.uid() == uid; });
  backoff_.erase(uid);
  unschedulable_.erase(uid);
}

sim::Task<QueuedPod> SchedulingQueue::Pop() {
  while (true) {
    std::optional<QueuedPod> next = TakeNext();
    if (next) {
      ++next->attempts;
      in_flight_[next->uid()] = InFlight{events_.size(), moves_};
      process_.simulation().AdoptOrigin(next->origin);
      co_return *std::move(next);
    }
    co_await changed_.Wait();
  }
}

// With pops_from_backoff_queue an idle scheduler does not wait out the back-off of a rejected pod,
// but always that of an error.
std::optional<QueuedPod> SchedulingQueue::TakeNext() {
  if (!active_.empty()) {
    QueuedPod first = *active_.begin();
    active_.erase(active_.begin());
    return first;
  }
  if (!profile_.pops_from_backoff_queue) return std::nullopt;
  auto best = backoff_.end();
  const ActiveOrder before;
  for (auto it = backoff_.begin(); it != backoff_.end(); ++it) {
    if (it->second.consecutive_errors > 0) continue;
    if (best == backoff_.end()) {
      best = it;
      continue;
    }
    const VirtualTime mine = BackoffExpiry(it->second);
    const VirtualTime least = BackoffExpiry(best->second);
    if (mine < least || (mine == least && before(it->second, best->second))) best = it;
  }
  if (best == backoff_.end()) return std::nullopt;
  QueuedPod taken = std::move(best->second);
  backoff_.erase(best);
  return taken;
}

void SchedulingQueue::Done(const std::string& uid) {
  in_flight_.erase(uid);
  DropEventsIfUnused();
}

void SchedulingQueue::AddUnschedulable(QueuedPod pod, bool error) {
  const std::string uid = pod.uid();
  InFlight flight;
  if (const auto it = in_flight_.find(uid); it != in_flight_.end()) flight = it->second;
  in_flight_.erase(uid);
  if (Has(uid)) return DropEventsIfUnused();  // without hints: changed and queued anew meanwhile
  pod.failed_at = pod.timestamp = process_.SteadyNow();
  if (error) {
    ++pod.consecutive_errors;
    pod.rejected_by.clear();
  } else {
    ++pod.rejections;
    pod.consecutive_errors = 0;
  }
  const bool again = IsRequeuedAtOnce(pod, flight, error);
  DropEventsIfUnused();
  if (again) {
    Requeue(std::move(pod));
  } else {
    unschedulable_[uid] = std::move(pod);
  }
}

bool SchedulingQueue::Has(const std::string& uid) const {
  return backoff_.contains(uid) || unschedulable_.contains(uid) ||
         std::any_of(active_.begin(), active_.end(),
                     [&](const QueuedPod& q) { return q.uid() == uid; });
}

// True: the pod goes back to activeQ or backoffQ. False: it waits for an event.
bool SchedulingQueue::IsRequeuedAtOnce(const QueuedPod& pod, const InFlight& flight,
                                       bool error) const {
  if (error && profile_.errors_requeue_at_once) return true;
  const bool moved = WasMovedInFlight(pod, flight);
  if (!moved || !ignores_moves_) return moved;
  KSIM_PROBE("variant/scheduler.moveRequest");
  return false;
}

bool SchedulingQueue::WasMovedInFlight(const QueuedPod& pod, const InFlight& flight) const {
  return profile_.queueing_hints ? HasHelpfulEvent(pod, flight.first_event)
                                 : moves_ != flight.move_cycle;
}

bool SchedulingQueue::HasHelpfulEvent(const QueuedPod& pod, std::size_t first_event) const {
  for (std::size_t i = first_event; i < events_.size(); ++i) {
    const PastEvent& past = events_[i];
    const bool about_another =
        (past.event.bits & ClusterEvent::kTargetPod) && past.after.uid() != pod.pod.uid();
    if (!about_another && judge_(pod, past.event, past.before, past.after)) return true;
  }
  return false;
}

// The events are remembered for pods in flight only.
void SchedulingQueue::DropEventsIfUnused() {
  if (in_flight_.empty()) events_.clear();
}

void SchedulingQueue::MoveOnEvent(const ClusterEvent& event, const api::Object& before,
                                  const api::Object& after, const PodCheck& check) {
  ++moves_;
  if (profile_.queueing_hints && !in_flight_.empty()) events_.push_back({event, before, after});
  if (event.bits & ClusterEvent::kNodeAdd) {
    for (auto& [uid, pod] : backoff_) pod.no_nodes = false;
    changed_.Notify();
  }
  std::vector<std::string> moved;
  for (const auto& [uid, pod] : unschedulable_) {
    if (pod.gated || (check && !check(pod.pod))) continue;
    if (pod.preempting && !(event.bits & ClusterEvent::kAssignedPodDelete)) continue;
    if (judge_(pod, event, before, after)) moved.push_back(uid);
  }
  for (const std::string& uid : moved) {
    QueuedPod pod = std::move(unschedulable_[uid]);
    unschedulable_.erase(uid);
    pod.origin = process_.simulation().CaptureOrigin();
    Requeue(std::move(pod));
  }
}

void SchedulingQueue::Activate(const std::string& uid) {
  for (auto* place : {&unschedulable_, &backoff_}) {
    const auto it = place->find(uid);
    if (it == place->end()) continue;
    QueuedPod pod = std::move(it->second);
    place->erase(it);
    PushActive(std::move(pod));
    return;
  }
}

void SchedulingQueue::Requeue(QueuedPod pod) {
  pod.preempting = gate_ != nullptr && gate_(pod.pod);
  if (pod.preempting) {
    const std::string uid = pod.uid();
    unschedulable_[uid] = std::move(pod);
    return;
  }
  if (IsBackingOff(pod)) {
    PushBackoff(std::move(pod));
  } else {
    PushActive(std::move(pod));
  }
}

void SchedulingQueue::PushActive(QueuedPod pod) {
  pod.rejected_by.clear();
  active_.insert(std::move(pod));
  changed_.Notify();
}

void SchedulingQueue::PushBackoff(QueuedPod pod) {
  const std::string uid = pod.uid();
  backoff_[uid] = std::move(pod);
  changed_.Notify();
}

// Upstream flushes every second; here the task sleeps until the next second that ends a back-off.
// That is work, since the pod will be tried again, unless there are no nodes.
sim::Task<void> SchedulingQueue::FlushBackoffs() {
  while (true) {
    if (backoff_.empty()) {
      co_await changed_.Wait();
      continue;
    }
    VirtualTime next = VirtualTime::Max();
    sim::TimerKind kind = sim::TimerKind::kPeriodic;
    for (const auto& [uid, pod] : backoff_) {
      next = std::min(next, NextFlush(BackoffExpiry(pod)));
      if (!pod.no_nodes) kind = sim::TimerKind::kWork;
    }
    if (next > process_.SteadyNow()) co_await changed_.WaitFor(next - process_.SteadyNow(), kind);
    std::vector<std::string> free;
    for (const auto& [uid, pod] : backoff_) {
      if (NextFlush(BackoffExpiry(pod)) <= process_.SteadyNow()) free.push_back(uid);
    }
    for (const std::string& uid : free) {
      QueuedPod pod = std::move(backoff_[uid]);
      backoff_.erase(uid);
      PushActive(std::move(pod));
    }
  }
}

// flushUnschedulablePodsLeftover: a monitor loop, so it holds no run open.
sim::Task<void> SchedulingQueue::FlushLeftovers() {
  while (true) {
    co_await process_.simulation().Sleep(kLeftoverPeriod, sim::TimerKind::kPeriodic,
                                         "unschedulable pods leftover");
    std::vector<std::string> old;
    for (const auto& [uid, pod] : unschedulable_) {
      if (pod.gated || pod.preempting) continue;
      if (process_.SteadyNow() - pod.timestamp > kLeftoverAge) old.push_back(uid);
    }
    for (const std::string& uid : old) {
      QueuedPod pod = std::move(unschedulable_[uid]);
      unschedulable_.erase(uid);
      Requeue(std::move(pod));
    }
  }
}

}  // namespace ksim::scheduler
