#include "ksim/api/strategy/defaulting.h"

#include "ksim/api/core/by_kind.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/crd.h"
#include "ksim/api/strategy/pod_defaults.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

using Defaulter = Value (*)(const Value& tree, Compat compat);

const Atom& Spec() {
  static const Atom name("spec");
  return name;
}

// The spec run through `edit`; a missing one is made.
template <class Edit>
Value EditSpec(const Value& tree, const Edit& edit) {
  return EditField(WithDefault(tree, Spec(), Value::EmptyObject()), Spec(), edit);
}

Value TemplateDefaults(const Value& tmpl, Compat compat) {
  return DefaultPodTemplate(WithDefault(tmpl, Spec(), Value::EmptyObject()), compat);
}

// A template, and its spec, are there even if nothing is said of them: Go's structs are.
Value WithTemplate(Value spec, Compat compat) {
  static const Atom kTemplate("template");
  spec = WithDefault(std::move(spec), kTemplate, Value::EmptyObject());
  return EditField(std::move(spec), kTemplate,
                   [&](const Value& t) { return TemplateDefaults(t, compat); });
}

Value DefaultPod(const Value& tree, Compat compat) {
  return EditSpec(tree, [&](const Value& spec) { return DefaultPodSpec(spec, compat); });
}

// Labels of the template become those of a workload that has none.
Value LabelsFromTemplate(const Value& tree) {
  static const value::Path kTemplateLabels{"spec", "template", "metadata", "labels"};
  static const value::Path kLabels{"metadata", "labels"};
  const Value& labels = tree.Get(kTemplateLabels);
  if (labels.empty() || !tree.Get(kLabels).empty()) return tree;
  return tree.Set(kLabels, labels);
}

Value DefaultReplicaSet(const Value& tree, Compat compat) {
  static const Atom kReplicas("replicas");
  return LabelsFromTemplate(EditSpec(tree, [&](const Value& spec) {
    return WithTemplate(WithDefault(spec, kReplicas, Value::Of(1)), compat);
  }));
}

Value DefaultReplicationController(const Value& tree, Compat compat) {
  static const Atom kSelector("selector"), kReplicas("replicas"), kTemplate("template");
  static const value::Path kTemplateLabels{"spec", "template", "metadata", "labels"};
  // Its template is a pointer.
  const Value labelled = LabelsFromTemplate(EditSpec(tree, [&](const Value& spec) {
    return EditField(WithDefault(spec, kReplicas, Value::Of(1)), kTemplate,
                     [&](const Value& t) { return TemplateDefaults(t, compat); });
  }));
  const Value& labels = labelled.Get(kTemplateLabels);
  if (labels.empty()) return labelled;
  return EditSpec(labelled, [&](const Value& s) { return WithDefault(s, kSelector, labels); });
}

Value DefaultDeployment(const Value& tree, Compat compat) {
  static const Atom kReplicas("replicas"), kStrategy("strategy"), kType("type"),
      kRolling("rollingUpdate"), kSurge("maxSurge"), kUnavailable("maxUnavailable"),
      kHistory("revisionHistoryLimit"), kDeadline("progressDeadlineSeconds");
  const auto rolling = [](const Value& r) {
    return WithDefault(WithDefault(r, kUnavailable, Value::Of("25%")), kSurge, Value::Of("25%"));
  };
  return EditSpec(tree, [&](const Value& s) {
    Value spec = WithDefault(s, kReplicas, Value::Of(1));
    spec = WithDefault(std::move(spec), kStrategy, Value::EmptyObject());
    spec = EditField(std::move(spec), kStrategy, [&](const Value& given) {
      Value strategy = WithNonEmpty(given, kType, Value::Of("RollingUpdate"));
      if (strategy.Get(kType).AsString() != "RollingUpdate") return strategy;
      strategy = WithDefault(std::move(strategy), kRolling, Value::EmptyObject());
      return EditField(std::move(strategy), kRolling, rolling);
    });
    spec = WithDefault(std::move(spec), kHistory, Value::Of(10));
    spec = WithDefault(std::move(spec), kDeadline, Value::Of(600));
    return WithTemplate(std::move(spec), compat);
  });
}

Value DefaultDaemonSet(const Value& tree, Compat compat) {
  static const Atom kStrategy("updateStrategy"), kType("type"), kRolling("rollingUpdate"),
      kSurge("maxSurge"), kUnavailable("maxUnavailable"), kHistory("revisionHistoryLimit");
  return EditSpec(tree, [&](const Value& s) {
    Value spec = WithDefault(s, kStrategy, Value::EmptyObject());
    spec = EditField(std::move(spec), kStrategy, [](const Value& given) {
      Value strategy = WithNonEmpty(given, kType, Value::Of("RollingUpdate"));
      if (strategy.Get(kType).AsString() != "RollingUpdate") return strategy;
      strategy = WithDefault(std::move(strategy), kRolling, Value::EmptyObject());
      return EditField(std::move(strategy), kRolling, [](const Value& r) {
        return WithDefault(WithDefault(r, kUnavailable, Value::Of(1)), kSurge, Value::Of(0));
      });
    });
    return WithTemplate(WithDefault(std::move(spec), kHistory, Value::Of(10)), compat);
  });
}

Value DefaultStatefulSetStrategy(const Value& given) {
  static const Atom kType("type"), kRolling("rollingUpdate"), kPartition("partition");
  Value strategy = given;
  if (strategy.Get(kType).AsString().empty()) {
    strategy = WithNonEmpty(std::move(strategy), kType, Value::Of("RollingUpdate"));
    strategy = WithDefault(std::move(strategy), kRolling, Value::EmptyObject());
  }
  if (strategy.Get(kType).AsString() != "RollingUpdate") return strategy;
  // MaxUnavailableStatefulSet is off in all of them: the field is dropped.
  return EditField(std::move(strategy), kRolling, [&](const Value& r) {
    return WithDefault(r.Erase("maxUnavailable"), kPartition, Value::Of(0));
  });
}

Value DefaultStatefulSet(const Value& tree, Compat compat) {
  static const Atom kPolicy("podManagementPolicy"), kStrategy("updateStrategy"),
      kRetention("persistentVolumeClaimRetentionPolicy"), kDeleted("whenDeleted"),
      kScaled("whenScaled"), kReplicas("replicas"), kHistory("revisionHistoryLimit");
  return EditSpec(tree, [&](const Value& s) {
    Value spec = WithNonEmpty(s, kPolicy, Value::Of("OrderedReady"));
    spec = WithDefault(std::move(spec), kStrategy, Value::EmptyObject());
    spec = EditField(std::move(spec), kStrategy, DefaultStatefulSetStrategy);
    if (compat != Compat::k1_25) {  // StatefulSetAutoDeletePVC is on from 1.27
      spec = WithDefault(std::move(spec), kRetention, Value::EmptyObject());
      spec = EditField(std::move(spec), kRetention, [](const Value& r) {
        return WithNonEmpty(WithNonEmpty(r, kDeleted, Value::Of("Retain")), kScaled,
                            Value::Of("Retain"));
      });
    }
    spec = WithDefault(std::move(spec), kReplicas, Value::Of(1));
    return WithTemplate(WithDefault(std::move(spec), kHistory, Value::Of(10)), compat);
  });
}

// batch/v1 SetDefaults_Job.
Value DefaultJobSpec(const Value& s, Compat compat) {
  static const Atom kCompletions("completions"), kParallelism("parallelism"),
      kBackoff("backoffLimit"), kPerIndex("backoffLimitPerIndex"), kMode("completionMode"),
      kSuspend("suspend"), kManual("manualSelector"), kFailurePolicy("podFailurePolicy"),
      kReplacement("podReplacementPolicy");
  Value spec = s;
  if (spec.Get(kCompletions).is_null() && spec.Get(kParallelism).is_null()) {
    spec = WithDefault(std::move(spec), kCompletions, Value::Of(1));
  }
  spec = WithDefault(std::move(spec), kParallelism, Value::Of(1));
  const bool per_index = !spec.Get(kPerIndex).is_null();
  spec = WithDefault(std::move(spec), kBackoff, Value::Of(per_index ? 2147483647 : 6));
  spec = WithDefault(std::move(spec), kMode, Value::Of("NonIndexed"));
  spec = WithDefault(std::move(spec), kSuspend, Value::Bool(false));
  if (compat != Compat::k1_25) {  // JobPodReplacementPolicy is on from 1.29
    const bool failed = !spec.Get(kFailurePolicy).is_null();
    spec = WithDefault(std::move(spec), kReplacement,
                       Value::Of(failed ? "Failed" : "TerminatingOrFailed"));
  }
  if (compat != Compat::k1_25) spec = WithDefault(std::move(spec), kManual, Value::Bool(false));
  return WithTemplate(std::move(spec), compat);
}

Value DefaultJob(const Value& tree, Compat compat) {
  return LabelsFromTemplate(
      EditSpec(tree, [&](const Value& s) { return DefaultJobSpec(s, compat); }));
}

Value DefaultCronJob(const Value& tree, Compat compat) {
  static const Atom kPolicy("concurrencyPolicy"), kSuspend("suspend"), kTemplate("jobTemplate"),
      kSucceeded("successfulJobsHistoryLimit"), kFailed("failedJobsHistoryLimit");
  return EditSpec(tree, [&](const Value& s) {
    Value spec = WithNonEmpty(s, kPolicy, Value::Of("Allow"));
    spec = WithDefault(std::move(spec), kSuspend, Value::Bool(false));
    spec = WithDefault(std::move(spec), kSucceeded, Value::Of(3));
    spec = WithDefault(std::move(spec), kFailed, Value::Of(1));
    // The job inside gets its pod template's defaults only: those of a Job come with the Job.
    spec = WithDefault(std::move(spec), kTemplate, Value::EmptyObject());
    return EditField(std::move(spec), kTemplate, [&](const Value& t) {
      return EditSpec(t, [&](const Value& job) { return WithTemplate(job, compat); });
    });
  });
}

Value DefaultServicePort(const Value& port) {
  static const Atom kProtocol("protocol"), kTarget("targetPort"), kPort("port");
  return WithNonEmpty(WithNonEmpty(port, kProtocol, Value::Of("TCP")), kTarget, port.Get(kPort));
}

Value DefaultService(const Value& tree, Compat) {
  static const Atom kAffinity("sessionAffinity"), kType("type"), kPorts("ports"),
      kExternal("externalTrafficPolicy"), kInternal("internalTrafficPolicy"),
      kNodePorts("allocateLoadBalancerNodePorts");
  return EditSpec(tree, [](const Value& s) {
    Value spec = WithNonEmpty(s, kAffinity, Value::Of("None"));
    spec = WithNonEmpty(std::move(spec), kType, Value::Of("ClusterIP"));
    spec = EditField(std::move(spec), kPorts,
                     [](const Value& ports) { return EditItems(ports, DefaultServicePort); });
    const std::string_view type = spec.Get(kType).AsString();
    const bool balancer = type == "LoadBalancer";
    const bool external = balancer || type == "NodePort";
    const bool internal = external || type == "ClusterIP";
    if (external) spec = WithNonEmpty(std::move(spec), kExternal, Value::Of("Cluster"));
    if (internal) spec = WithDefault(std::move(spec), kInternal, Value::Of("Cluster"));
    if (balancer) spec = WithDefault(std::move(spec), kNodePorts, Value::Bool(true));
    return spec;
  });
}

Value DefaultEndpoints(const Value& tree, Compat) {
  static const Atom kSubsets("subsets"), kPorts("ports"), kProtocol("protocol");
  return EditField(tree, kSubsets, [](const Value& subsets) {
    return EditItems(subsets, [](const Value& subset) {
      return EditField(subset, kPorts, [](const Value& ports) {
        return EditItems(
            ports, [](const Value& p) { return WithNonEmpty(p, kProtocol, Value::Of("TCP")); });
      });
    });
  });
}

// Convert_v1_NodeSpec_To_core_NodeSpec and back: podCIDR is the first of podCIDRs, and where they
// differ the older field counts.
Value WithPodCidrs(const Value& spec) {
  static const Atom kCidr("podCIDR"), kCidrs("podCIDRs");
  const Value& cidr = spec.Get(kCidr);
  const Value& cidrs = spec.Get(kCidrs);
  if (cidr.AsString().empty()) return cidrs.empty() ? spec : spec.Set(kCidr, cidrs.at(0));
  if (!cidrs.empty() && cidrs.at(0) == cidr) return spec;
  return spec.Set(kCidrs, value::Arr({cidr}));
}

Value DefaultNode(const Value& tree, Compat) {
  static const Atom kStatus("status"), kAllocatable("allocatable"), kCapacity("capacity");
  return EditField(EditField(tree, Spec(), WithPodCidrs), kStatus, [](const Value& status) {
    const Value& capacity = status.Get(kCapacity);
    return capacity.is_null() ? status : WithDefault(status, kAllocatable, capacity);
  });
}

Value DefaultNamespace(const Value& tree, Compat) {
  static const value::Path kLabel{"metadata", "labels", "kubernetes.io/metadata.name"};
  static const value::Path kName{"metadata", "name"};
  static const Atom kStatus("status"), kPhase("phase");
  Value out = WithDefault(tree, kStatus, Value::EmptyObject());
  out = EditField(out, kStatus, [](const Value& status) {
    return WithNonEmpty(status, kPhase, Value::Of("Active"));
  });
  const Value name = out.Get(kName);
  return name.AsString().empty() ? out : std::move(out).Set(kLabel, name);
}

Value DefaultEndpointSlice(const Value& tree, Compat) {
  static const Atom kPorts("ports"), kName("name"), kProtocol("protocol");
  return EditField(tree, kPorts, [](const Value& ports) {
    return EditItems(ports, [](const Value& port) {
      return WithDefault(WithDefault(port, kName, Value::String("")), kProtocol, Value::Of("TCP"));
    });
  });
}

Value DefaultSecret(const Value& tree, Compat) {
  static const Atom kType("type");
  return WithNonEmpty(tree, kType, Value::Of("Opaque"));
}

Value DefaultPriorityClass(const Value& tree, Compat) {
  static const Atom kPolicy("preemptionPolicy");
  return WithDefault(tree, kPolicy, Value::Of("PreemptLowerPriority"));
}

Value DefaultVolumeClaim(const Value& tree, Compat) {
  static const Atom kMode("volumeMode"), kStatus("status"), kPhase("phase");
  Value claim = EditSpec(
      tree, [](const Value& spec) { return WithDefault(spec, kMode, Value::Of("Filesystem")); });
  claim = WithDefault(std::move(claim), kStatus, Value::EmptyObject());
  return EditField(std::move(claim), kStatus, [](const Value& status) {
    return WithNonEmpty(status, kPhase, Value::Of("Pending"));
  });
}

Value DefaultPodTemplateObject(const Value& tree, Compat compat) {
  return WithTemplate(tree, compat);
}

struct Entry {
  std::string_view group;
  std::string_view kind;
  Defaulter apply;
};
constexpr Entry kDefaulters[] = {
    {"", "Pod", DefaultPod},
    {"apps", "ReplicaSet", DefaultReplicaSet},
    {"", "Node", DefaultNode},
    {"", "Namespace", DefaultNamespace},
    {"apps", "Deployment", DefaultDeployment},
    {"apps", "DaemonSet", DefaultDaemonSet},
    {"apps", "StatefulSet", DefaultStatefulSet},
    {"batch", "Job", DefaultJob},
    {"batch", "CronJob", DefaultCronJob},
    {"", "ReplicationController", DefaultReplicationController},
    {"", "Service", DefaultService},
    {"", "Endpoints", DefaultEndpoints},
    {"discovery.k8s.io", "EndpointSlice", DefaultEndpointSlice},
    {"", "Secret", DefaultSecret},
    {"", "PersistentVolumeClaim", DefaultVolumeClaim},
    {"", "PodTemplate", DefaultPodTemplateObject},
    {"scheduling.k8s.io", "PriorityClass", DefaultPriorityClass},
    {"apiextensions.k8s.io", "CustomResourceDefinition", DefaultDefinition},
};

}  // namespace

Value ApplyDefaults(const ResourceInfo& kind, const Value& tree, Compat compat) {
  static const ByKind<Entry> defaulters(kDefaulters);
  const Entry* const found = defaulters.Find(kind);
  return found == nullptr ? tree : found->apply(tree, compat);
}

}  // namespace ksim::api
