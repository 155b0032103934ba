// StatefulSetControl: one pass over a set. It finds or makes the revisions of its template,
// creates, mends and deletes its pods (in the order of their ordinals, one after the other, or all
// at once), writes the status and forgets revisions beyond the limit.
//
// Source: pkg/controller/statefulset/stateful_set_control.go.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/client/client.h"
#include "ksim/client/informer.h"
#include "ksim/controllers/common/consistency_store.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/controller.h"
#include "ksim/controllers/history/controller_history.h"
#include "ksim/controllers/statefulset/pod_identity.h"
#include "ksim/controllers/statefulset/set_pod_control.h"
#include "ksim/controllers/statefulset/statefulset_status.h"
#include "ksim/sim/task.h"
#include "ksim/value/selector.h"

namespace ksim::controllers {

// Calls of one batch at most (MaxBatchSize).
inline constexpr std::int64_t kMaxSetBatch = 500;

class StatefulSetControl {
 public:
  StatefulSetControl(const ControllerContext& context, client::Client& client,
                     client::SharedInformer& sets, SetPodControl& pods, ControllerHistory& history,
                     ConsistencyStore& consistency, const Profile& profile);

  struct Outcome {
    Outcome() = default;
    std::optional<StatefulSetStatus> status;  // as computed, also where the write failed
    std::vector<std::string> errors;
  };
  // UpdateStatefulSet. `pods` are those that the set has claimed, `now` is when the sync began.
  sim::Task<Outcome> Update(api::Object set, value::LabelSelector selector,
                            std::vector<api::Object> pods, VirtualTime now);

 private:
  // The revisions of a pass, in their order, and which of them counts.
  struct History {
    History() = default;
    std::vector<api::Object> revisions;  // sorted
    api::Object current, update;         // empty after an error
    std::int64_t collisions = 0;
    std::vector<std::string> errors;
  };
  struct Pass;
  struct Step;
  struct Batch;
  using StepFunction = sim::Task<Step> (StatefulSetControl::*)(Pass*, std::size_t);

  // getStatefulSetRevisions.
  sim::Task<void> FindRevisions(const api::Object& set, History* history);
  bool MatchesLatest(const api::Object& set, const api::Object& proposed,
                     const api::Object& latest) const;
  // ApplyRevision; empty if the revision's data is no patch of a set.
  api::Object WithRevision(const api::Object& set, const api::Object& revision) const;
  // updateStatefulSet, up to the first thing that stops it.
  sim::Task<std::vector<std::string>> UpdatePods(Pass* pass);
  void SortPods(Pass* pass, const std::vector<api::Object>& pods) const;
  void CountPods(Pass* pass) const;
  bool Unhealthy(const Pass& pass, const api::Object& pod) const;
  sim::Task<Step> RunForAll(Pass* pass, std::size_t count, StepFunction step);
  sim::Task<void> RunOne(Batch* batch, Pass* pass, StepFunction step, std::size_t i);
  sim::Task<Step> ProcessReplica(Pass* pass, std::size_t i);
  bool IsOfBrokenRevision(const Pass& pass, const api::Object& pod) const;
  // Up to 1.27: a failed pod is deleted and the next one created at once.
  sim::Task<Step> RecreateFailed(Pass* pass, std::size_t i);
  sim::Task<Step> FixClaims(Pass* pass, std::size_t i);
  sim::Task<Step> ProcessCondemned(Pass* pass, std::size_t i);
  sim::Task<std::vector<std::string>> RollOut(Pass* pass);
  sim::Task<std::optional<api::Status>> WriteStatus(api::Object set, StatefulSetStatus status);
  sim::Task<std::optional<api::Status>> TruncateHistory(api::Object set,
                                                        std::vector<api::Object> pods,
                                                        const History* history);
  // The time by which a pod is available: of the sync, or from moment to moment.
  VirtualTime Now(const Pass& pass) const;

  sim::Process& process_;
  std::string part_;
  client::Client& client_;
  client::SharedInformer& sets_;
  SetPodControl& pods_;
  ControllerHistory& history_;
  ConsistencyStore& consistency_;
  const Profile& profile_;
  bool replaces_broken_;  // the variant sts.brokenRollback
};

}  // namespace ksim::controllers
