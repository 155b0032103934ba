// The pods of a DaemonSet: what their template becomes, which node each is for, and on which nodes
// one should be. All are pure functions.
//
// Source: pkg/controller/daemon/util/daemonset_util.go; pkg/controller/daemon/daemon_controller.go
// NodeShouldRunDaemonPod, predicates, NewPod, podByCreationTimestampAndPhase;
// pkg/apis/core/v1/helper/helpers.go AddOrUpdateTolerationInPodSpec.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/btree_map.h"
#include "ksim/api/object.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

// DefaultDaemonSetUniqueLabelKey: the hash of the template that a pod, and a revision, is of.
inline constexpr std::string_view kDaemonHashLabel = "controller-revision-hash";
// DaemonSetTemplateGenerationKey: the generation of the template, which is how it was told before
// there were hashes.
inline constexpr std::string_view kDaemonGenerationLabel = "pod-template-generation";

// The pods of a DaemonSet by the nodes that they are for.
using PodsByNode = absl::btree_map<std::string, std::vector<api::Object>, std::less<>>;

// A pod's spec with the tolerations that every daemon pod has.
value::Value WithDaemonTolerations(const value::Value& pod_spec);
// The number in the DaemonSet's deprecated annotation; nullopt if there is none.
std::optional<std::int64_t> TemplateGenerationOf(const api::Object& daemon_set);
// CreatePodTemplate: the template with these tolerations, and labels that say what it is of. An
// empty hash gives no label.
value::Value DaemonPodTemplate(const api::Object& daemon_set, std::string_view hash);
// The template for a pod that the scheduler can put on no other node. All other required terms of
// its node affinity go; they were asked when the node was chosen.
value::Value PinnedTo(const value::Value& pod_template, std::string_view node);

// The node that a pod is on, or the one that it was made for; "" if it does not say.
std::string TargetNodeOf(const api::Object& pod);
// Whether a pod is of the template of that hash, or of that generation.
bool IsUpdatedDaemonPod(const api::Object& pod, std::string_view hash,
                        std::optional<std::int64_t> generation);
// Pods with a node first, then the older ones, then by name.
void SortDaemonPods(std::vector<api::Object>* pods);

// Whether a pod should be made on a node, and whether one that is there may stay.
struct RunsOnNode {
  bool should_run = false;
  bool should_continue = false;
  friend bool operator==(const RunsOnNode&, const RunsOnNode&) = default;
};

// Answers that for one DaemonSet and any node.
class DaemonPlacement {
 public:
  explicit DaemonPlacement(const api::Object& daemon_set);
  RunsOnNode On(const api::Object& node) const;

 private:
  std::string node_name_;  // that of the template; "" = none
  api::Object pod_;        // a pod as it would be made, as far as nodes are asked
};

}  // namespace ksim::controllers
