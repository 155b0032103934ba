// UnseenPods: pods that a ReplicaSet controller has made and not been told of. It waits for them:
// one that is gone, or going, before its informer could see it, in a gap between two watches, it
// waits for until its expectations expire, and then until something has it look at the ReplicaSet
// again; an expired expectation by itself queues no key. Expectations die with their process, and
// with the answer of a creation if it is lost or says no: what came of that, and of one that was on
// its way when its sender died, nobody waits for.
//
// A StatefulSet controller expects nothing, and yet goes on only when an event wakes it: of a pod
// that is gone before its informer could see it no event tells. Its next sync, whatever it is for,
// makes the pod again.
//
// Source: kubernetes pkg/controller/statefulset/stateful_set.go, addPod, deletePod;
// pkg/controller/controller_utils.go,
// ControllerExpectations.SatisfiedExpectations, ExpectationsTimeout;
// pkg/controller/replicaset/replica_set.go, syncReplicaSet.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/check/observation.h"
#include "ksim/check/process_clocks.h"

namespace ksim::check {

class UnseenPods {
 public:
  UnseenPods();

  // Requests, answers, commits of pods, handler calls, reconciles, processes that start or stop;
  // others are ignored.
  void On(const ProcessClocks& clocks, const Observation& o);
  // The controller waits for a pod of the ReplicaSet with this uid, and is right to.
  bool AwaitedBy(std::string_view replica_set_uid) const;
  // A pod of the StatefulSet with this uid is gone that its controller has made and was not told
  // of, and no sync has begun since.
  bool MissedBy(std::string_view stateful_set_uid) const;

 private:
  // A pod that a StatefulSet controller has made and not been told of.
  struct SetPod {
    std::string maker;  // process
    std::string owner_uid, owner_key;
    bool gone = false;
  };
  void OnSetPod(const Observation& o);
  struct Pod {
    std::uint64_t request = 0;
    std::string maker;  // process
    std::string owner_uid;
    std::string owner_key;    // NAMESPACE/NAME
    std::int64_t made = 0;    // virtual ns
    std::int64_t marked = 0;  // revision that marked it for deletion; 0: none did
    bool missed = false;      // seen, but too late to count
  };
  // The actor is a controller that waits for the pods it has created.
  bool IsExpecting(std::string_view actor) const;
  void OnCommit(const Observation& o);
  void OnUpdate(const Observation& o);
  void OnResponse(const Observation& o);
  void OnHandler(const Observation& o);
  void OnReconcile(const ProcessClocks& clocks, const Observation& o);
  void OnProcess(std::string_view process);

  std::vector<std::string> suffixes_;  // "/PART" of each controller that waits for its pods
  std::map<std::uint64_t, std::string> asked_;    // creations without an answer: their senders
  std::map<std::string, Pod, std::less<>> pods_;  // by uid
  std::map<std::string, SetPod, std::less<>> set_pods_;  // by uid
};

}  // namespace ksim::check
