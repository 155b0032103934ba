// Stage: one step in the life of a pod, as a document `kind: Stage` of KWOK says it: which pods it
// is for and in which state, how likely and after how long it comes, and what it writes.
//
// Source: kwok pkg/apis/v1alpha1/stage_types.go; pkg/utils/lifecycle; pkg/utils/expression
// selector.go. KUBELET-STAGE-01, 04, 05.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/api/request.h"
#include "ksim/base/time.h"
#include "ksim/kubelet/stages/jq.h"
#include "ksim/kubelet/stages/template.h"
#include "ksim/value/value.h"

namespace ksim::kubelet {

// The outputs of an expression must be in `values`, or not, or be there, or not.
struct StageRequirement {
  enum class Operator : std::uint8_t { kIn, kNotIn, kExists, kDoesNotExist };
  bool Matches(const value::Value& object) const;
  Jq key;
  Operator op = Operator::kExists;
  std::vector<std::string> values;
};

// A delay: so long, unless an expression finds a duration or a time in the object.
struct StageDuration {
  std::optional<Duration> value;
  std::optional<Jq> from;
  // nullopt: there is none.
  std::optional<Duration> Get(const value::Value& object, VirtualTime now) const;
};

struct StageEvent {
  std::string type, reason, message;
};

struct StageFinalizers {
  std::vector<std::string> add, remove;
  bool empty = false;
};

struct StagePatch {
  StagePatch() = default;
  api::PatchType type = api::PatchType::kStrategic;
  std::string subresource;
  std::string root;  // the field that the template makes the value of; "": the whole object
  Template body;
};

struct StageStep {
  std::optional<StageEvent> event;
  std::optional<StageFinalizers> finalizers;
  bool remove = false;  // delete: true
  std::optional<StagePatch> patch;
};

struct Stage {
  Stage() = default;
  bool Matches(const api::Object& pod, const value::Value& tree) const;
  // Whether the pod may ever match: all that a pod never changes is as the selector wants it.
  bool MayMatch(const api::Object& pod, const value::Value& tree) const;
  // nullopt: the expression found no number.
  std::optional<std::int64_t> WeightOf(const value::Value& tree) const;
  // The delay is drawn from [min, max), or is min if they are equal.
  struct Range {
    Duration min, max;
  };
  Range DelayOf(const value::Value& tree, VirtualTime now) const;

  std::string name;
  bool selects = false;  // there is a selector; without one it matches no pod
  value::Value labels, annotations;
  std::vector<StageRequirement> requirements;
  std::int64_t weight = 0;
  std::optional<Jq> weight_from;
  StageDuration delay, jitter;
  std::vector<StageStep> steps;
  bool immediate = false;  // immediateNextStage
};

// The JSON patch of Stage finalizers on an object that has `present`; empty: nothing to do.
value::Value FinalizersPatch(const std::vector<std::string>& present,
                             const StageFinalizers& wanted);

// The Stages of one cluster.
class StageSet {
 public:
  explicit StageSet(std::vector<Stage> stages) : stages_(std::move(stages)) {}
  bool empty() const { return stages_.empty(); }
  // Whether the pod is theirs and not the container runtime's: one of them may ever match it.
  bool Selects(const api::Object& pod) const;
  // The stages that the pod may enter next, and with which weights (Lifecycle.Match). Empty: none.
  struct Candidates {
    std::vector<const Stage*> stages;
    std::vector<std::uint64_t> weights;  // not all 0
  };
  Candidates Match(const api::Object& pod, const value::Value& tree) const;

 private:
  std::vector<Stage> stages_;
};

}  // namespace ksim::kubelet
