#include "ksim/controllers/registry.h"

#include "ksim/controllers/replicaset/replicaset_controller.h"
#include "ksim/controllers/samples/samples.h"

namespace ksim::controllers {
namespace {

// In the order of `ksim explain controllers`.
ControllerRows BuiltInControllers() {
  return {
      {.name = "replicaset",
       .text = "Keeps the number of pods of a ReplicaSet.",
       .upstream = "replicaset-controller",
       .make = &MakeController<ReplicaSetController>,
       .workload = "replicasets",
       .expects_pods = true,
       .variants = {"rs.expectations"}},
      {.name = "deployment",
       .text = "Rolls ReplicaSets of a Deployment.",
       .upstream = "deployment-controller"},
      {.name = "statefulset",
       .text = "Pods with an identity.",
       .upstream = "statefulset-controller"},
      {.name = "daemonset", .text = "A pod on every node.", .upstream = "daemonset-controller"},
      {.name = "job", .text = "Pods that run to completion.", .upstream = "job-controller"},
      {.name = "cronjob", .text = "Jobs on a schedule.", .upstream = "cronjob-controller"},
      {.name = "endpointslice",
       .text = "Endpoints of Services.",
       .upstream = "endpointslice-controller"},
      {.name = "namespace",
       .text = "Empties deleted namespaces.",
       .upstream = "namespace-controller"},
      {.name = "serviceaccount",
       .text = "The default service account of each namespace.",
       .upstream = "serviceaccount-controller"},
      {.name = "garbagecollector",
       .text = "Deletes what has lost its owner.",
       .upstream = "garbage-collector-controller"},
      {.name = "nodelifecycle",
       .text = "Marks and taints nodes that do not report.",
       .upstream = "node-lifecycle-controller"},
      {.name = "tainteviction",
       .text = "Deletes pods that do not tolerate a taint.",
       .upstream = "taint-eviction-controller",
       .in_profile = &Profile::separate_taint_eviction},
      {.name = "podgc",
       .text = "Deletes pods of nodes that are gone.",
       .upstream = "pod-garbage-collector-controller"},
      {.name = "disruption", .text = "PodDisruptionBudgets.", .upstream = "disruption-controller"},
      {.name = "horizontalpodautoscaler",
       .text = "Scales by load.",
       .upstream = "horizontal-pod-autoscaler-controller"},
      {.name = "resourcequota",
       .text = "Counts what a namespace uses.",
       .upstream = "resourcequota-controller"},
      {.name = "ttlafterfinished",
       .text = "Deletes finished Jobs.",
       .upstream = "ttl-after-finished-controller"},
  };
}

// The rows of each file of samples/.
constexpr ControllerRows (*kSamples[])() = {
    &KeeperSamples,    &EdgeSamples,     &TombstoneSamples,  &ReadbackSamples, &RequeueSamples,
    &PredicateSamples, &VersionsSamples, &RetrySamples,      &StartSamples,    &DoneSamples,
    &IdentitySamples,  &CleanupSamples,  &ExpectationSamples};

ControllerRows MakeAll() {
  ControllerRows all = BuiltInControllers();
  for (ControllerRows (*const samples)() : kSamples)
    for (ControllerInfo& sample : samples()) all.push_back(std::move(sample));
  return all;
}

}  // namespace

const std::vector<ControllerInfo>& AllControllers() {
  static const ControllerRows& all = *new ControllerRows(MakeAll());  // never destroyed
  return all;
}

const ControllerInfo* FindController(std::string_view name) {
  for (const ControllerInfo& controller : AllControllers())
    if (controller.name == name) return &controller;
  return nullptr;
}

const ControllerInfo* ControllerOf(std::string_view workload) {
  for (const ControllerInfo& controller : AllControllers())
    if (!controller.is_sample() && controller.workload == workload) return &controller;
  return nullptr;
}

}  // namespace ksim::controllers
