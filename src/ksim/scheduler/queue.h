// SchedulingQueue: pods that wait for a node, in three places: activeQ (ready to be tried, by
// priority, then age), backoffQ (failed, waiting out its back-off), unschedulablePods (rejected,
// waiting for an event that may help). Pods being tried are in flight: what happens meanwhile is
// remembered, so that a rejection does not miss it.
//
// Profiles: 1.25 and 1.30 have no queueing hints (a registered event alone requeues) and remember
// only whether any move was asked for during the attempt; 1.36 has hints, per-event memory, whole
// second windows, and takes from backoffQ when idle.
//
// Source: pkg/scheduler/backend/queue/{scheduling_queue,active_queue,backoff_queue}.go.
// SCHED-02..08.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "ksim/api/object.h"
#include "ksim/scheduler/framework/framework.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/process.h"

namespace ksim::scheduler {

struct QueuedPod {
  QueuedPod() = default;
  api::Object pod;
  VirtualTime timestamp;       // of the last entry into the queue: the tie-break in activeQ
  VirtualTime failed_at;       // back-off counts from here
  int attempts = 0;            // pops
  int rejections = 0;          // 1.36: attempts that ended in a rejection
  int consecutive_errors = 0;  // 1.36: attempts that ended in an error, since a rejection
  absl::btree_set<std::string> rejected_by;
  bool no_nodes = false;  // it failed since there was no node to ask, and none has come yet
  bool gated = false;
  bool preempting = false;  // held back while it asks its victims to go
  sim::Origin origin;       // what made it worth trying

  std::string uid() const { return std::string(pod.uid()); }
  std::int64_t priority() const { return pod.spec().Get("priority").AsInt(); }
};

// Whether an event makes a rejected pod worth another attempt: asks the plugins in `rejected_by`.
using RequeueJudge = std::function<bool(const QueuedPod& pod, const ClusterEvent& event,
                                        const api::Object& before, const api::Object& after)>;

// Whether an event may concern a pod that waits (PreEnqueueCheck).
using PodCheck = std::function<bool(const api::Object& pod)>;

// Whether a pod must wait, since its victims are still being evicted (the PreEnqueue of
// DefaultPreemption).
using PreemptionGate = std::function<bool(const api::Object& pod)>;

class SchedulingQueue {
 public:
  SchedulingQueue(sim::Process& process, const Profile& profile, RequeueJudge judge,
                  PreemptionGate gate = nullptr);

  // The variant scheduler.moveRequest: what happens while a pod is tried is forgotten, and pods
  // that have waited for long are not looked at again. Before Start.
  void IgnoreMovesInFlight() { ignores_moves_ = true; }
  // Spawns the flushers, which count their periods from here.
  void Start();

  void Add(const api::Object& pod);                                  // a new pending pod
  void Update(const api::Object& before, const api::Object& after);  // a pending pod changed
  void Delete(const api::Object& pod);

  // The next pod to try; it is in flight until Done or AddUnschedulable.
  sim::Task<QueuedPod> Pop();
  // The attempt is over, and the pod does not return to the queue.
  void Done(const std::string& uid);
  // The attempt failed: puts the pod back into the queue. `error`: no plugin rejected it, as when
  // there is no node at all.
  void AddUnschedulable(QueuedPod pod, bool error);
  // An event happened in the cluster: moves the pods that it may help, if `check` accepts them.
  void MoveOnEvent(const ClusterEvent& event, const api::Object& before, const api::Object& after,
                   const PodCheck& check = nullptr);
  // Moves the pod to activeQ, wherever it waits.
  void Activate(const std::string& uid);

  std::size_t active() const { return active_.size(); }
  std::size_t backing_off() const { return backoff_.size(); }
  std::size_t unschedulable() const { return unschedulable_.size(); }

  static Duration BackoffOf(int failures);  // 1 s doubling, at most 10 s

 private:
  struct ActiveOrder {
    bool operator()(const QueuedPod& a, const QueuedPod& b) const;
  };
  struct InFlight {
    std::size_t first_event = 0;   // index into events_ of what came after its pop
    std::uint64_t move_cycle = 0;  // moves_ at its pop
  };
  struct PastEvent {
    ClusterEvent event;
    api::Object before, after;
  };

  bool IsGated(const api::Object& pod) const;
  int FailuresOf(const QueuedPod& pod) const;
  VirtualTime BackoffExpiry(const QueuedPod& pod) const;
  bool IsBackingOff(const QueuedPod& pod) const;
  VirtualTime NextFlush(VirtualTime expiry) const;  // the tick that frees it

  void PushActive(QueuedPod pod);
  void PushBackoff(QueuedPod pod);
  void Requeue(QueuedPod pod);  // activeQ or backoffQ
  bool Has(const std::string& uid) const;
  bool IsRequeuedAtOnce(const QueuedPod& pod, const InFlight& flight, bool error) const;
  bool WasMovedInFlight(const QueuedPod& pod, const InFlight& flight) const;
  bool HasHelpfulEvent(const QueuedPod& pod, std::size_t first_event) const;
  std::optional<QueuedPod> TakeNext();
  void DropEventsIfUnused();

  sim::Task<void> FlushBackoffs();
  sim::Task<void> FlushLeftovers();

  sim::Process& process_;
  const Profile& profile_;
  RequeueJudge judge_;
  PreemptionGate gate_;
  std::set<QueuedPod, ActiveOrder> active_;
  absl::btree_map<std::string, QueuedPod> backoff_;        // by uid
  absl::btree_map<std::string, QueuedPod> unschedulable_;  // by uid
  absl::btree_map<std::string, InFlight> in_flight_;
  std::vector<PastEvent> events_;
  std::uint64_t moves_ = 0;
  bool ignores_moves_ = false;
  VirtualTime started_;
  sim::Signal changed_;  // activeQ or backoffQ got a pod
};

}  // namespace ksim::scheduler
