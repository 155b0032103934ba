#include "ksim/api/rules/validation.h"

#include "ksim/api/core/by_kind.h"
#include "ksim/api/core/fields.h"
#include "ksim/api/kinds/crd.h"
#include "ksim/api/kinds/kind_validation.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/pod/pod_validation.h"

namespace ksim::api {

using value::Path;
using value::Value;

namespace {

const Value& Metadata(const Value& tree) { return tree.Get(Fields().metadata); }

using Check = void (*)(const Value& tree, FieldErrorList* errors);
using CheckUpdate = void (*)(const Value& tree, const Value& old, FieldErrorList* errors);

// ValidateImmutableField on spec.selector, which the strategies of apps/v1 add.
void SelectorStays(const Value& tree, const Value& old, FieldErrorList* errors) {
  static const Path kSelector{"spec", "selector"};
  const FieldPath spec("spec");
  ValidateImmutable(tree.Get(kSelector), old.Get(kSelector), GoShape::kLabelSelector,
                    spec.Child("selector"), errors);
}

void SecretStays(const Value& tree, const Value& old, FieldErrorList* errors) {
  ValidateImmutable(tree.Get("type"), old.Get("type"), GoShape::kOther, FieldPath("type"), errors);
  ValidateImmutableData(tree, old, errors);
}

// The order in which a strategy's Validate, ValidateUpdate and the status strategy's ValidateUpdate
// look at an object; what is looked at twice is complained of twice (in the causes, for the message
// has each text once).
//
//   M  ValidateObjectMeta         U  ValidateObjectMetaUpdate
//   C  create (a new object)      S  spec (of a new object and of a changed one)
//   K  kept (what must stay)      T  status
struct Rules {
  std::string_view group;
  std::string_view kind;
  std::string_view on_create;
  std::string_view on_update;
  std::string_view on_status;
  Check spec = nullptr;
  CheckUpdate kept = nullptr;
  Check status = nullptr;
  Check create = nullptr;
  CheckUpdate status_kept = nullptr;     // instead of kept, on /status
  std::string_view on_update_once = {};  // where Validate is not part of ValidateUpdate
};

constexpr Rules kRules[] = {
    {"", "Pod", "MS", "UMK", "UK", ValidatePodCreate, ValidatePodUpdate, nullptr, nullptr,
     ValidatePodStatusUpdate},
    {"apps", "ReplicaSet", "MS", "MSUSK", "UT", ValidateReplicaSetSpec, SelectorStays,
     ValidateReplicaSetStatus, nullptr, nullptr, "USK"},
    {"", "Node", "MS", "MSUK", "UK", ValidateNode, ValidateNodeUpdate},
    {"", "Namespace", "MS", "MSU", "UT", ValidateNamespace, nullptr, ValidateNamespaceStatus},
    {"coordination.k8s.io", "Lease", "MS", "US", "", ValidateLease},
    {"", "Event", "S", "S", "", ValidateEvent},
    {"events.k8s.io", "Event", "SMC", "SUK", "", ValidateEvent, ValidateEventUpdate, nullptr,
     ValidateNewEvent},
    {"apps", "Deployment", "MS", "USK", "UT", ValidateDeploymentSpec, SelectorStays,
     ValidateDeploymentStatus},
    {"apps", "DaemonSet", "MS", "MSUSK", "UT", ValidateDaemonSetSpec, SelectorStays,
     ValidateDaemonSetStatus, nullptr, nullptr, "UKS"},
    {"apps", "StatefulSet", "MCS", "USK", "TU", ValidateStatefulSetSpec, ValidateStatefulSetUpdate,
     ValidateStatefulSetStatus, ValidateServiceName},
    {"batch", "Job", "MS", "MSUSK", "U", ValidateJobSpec, ValidateJobUpdate},
    {"batch", "CronJob", "MSC", "US", "", ValidateCronJobSpec, nullptr, nullptr,
     ValidateCronJobName},
    {"", "ReplicationController", "MS", "MSUS", "UT", ValidateReplicationControllerSpec, nullptr,
     ValidateReplicationControllerStatus, nullptr, nullptr, "US"},
    {"", "ConfigMap", "MS", "UKMS", "", ValidateConfigMap, ValidateImmutableData},
    {"", "Secret", "MS", "UKMS", "", ValidateSecret, SecretStays},
    {"", "ServiceAccount", "M", "UM", ""},
    {"", "Service", "MS", "UKMS", "U", ValidateService, ValidateServiceUpdate},
    {"policy", "PodDisruptionBudget", "S", "S", "", ValidateDisruptionBudget},
    {"scheduling.k8s.io", "PriorityClass", "MS", "UK", "", ValidatePriorityClass,
     ValidatePriorityClassUpdate},
    {"rbac.authorization.k8s.io", "Role", "MS", "MSMSU", "", ValidateRole, nullptr, nullptr,
     nullptr, nullptr, "MSU"},
    {"rbac.authorization.k8s.io", "ClusterRole", "MS", "MSMSU", "", ValidateRole, nullptr, nullptr,
     nullptr, nullptr, "MSU"},
    {"discovery.k8s.io", "EndpointSlice", "MS", "MSK", "", ValidateEndpointSlice,
     ValidateEndpointSliceUpdate},
    {"apiextensions.k8s.io", "CustomResourceDefinition", "MCS", "USK", "U", ValidateDefinition,
     DefinitionStays, nullptr, ValidateDefinitionName},
};

const Rules& RulesOf(const ResourceInfo& kind) {
  static constexpr Rules kOther{"", "", "M", "U", "U"};
  static const ByKind<Rules> rules(kRules);
  const Rules* const found = rules.Find(kind);
  return found == nullptr ? kOther : *found;
}

// One run over an object: its rules in their order.
class Run {
 public:
  Run(const ResourceInfo& kind, const Value& tree, const Value& old, Compat compat)
      : kind_(kind), rules_(RulesOf(kind)), tree_(tree), old_(old), errors_(compat) {}

  FieldErrors Create() {
    Steps(rules_.on_create);
    if (errors_.empty() && rules_.on_create.find('M') == std::string_view::npos) {
      ValidateCommonMeta(kind_, Metadata(tree_), &errors_);
    }
    return errors_.Take();
  }

  FieldErrors Update(std::string_view subresource) {
    on_status_ = subresource == "status";
    ValidateCommonMeta(kind_, Metadata(tree_), &errors_);
    const std::size_t before = errors_.size();
    MetaUpdate(/*good_contents=*/before == 0);
    updates_meta_ = errors_.size() > before;
    if (subresource == "finalize") {
      if (updates_meta_) MetaUpdate();
      ValidateFinalizedNamespace(tree_, &errors_);
    } else if (on_status_) {
      Steps(rules_.on_status);
    } else {
      const bool other =
          !errors_.profile().updates_validate_as_new && !rules_.on_update_once.empty();
      Steps(other ? rules_.on_update_once : rules_.on_update);
    }
    return errors_.Take();
  }

 private:
  void MetaUpdate(bool good_contents = false) {
    ValidateObjectMetaUpdate(Metadata(tree_), Metadata(old_), good_contents, &errors_);
  }

  // What was found good a moment ago is not looked at again.
  void Steps(std::string_view steps) {
    const Value& spec = tree_.Get(Fields().spec);
    const bool same_spec =
        !on_status_ && spec.is_object() && spec.SameTree(old_.Get(Fields().spec));
    bool good_spec = false;
    for (const char step : steps) {
      const std::size_t before = errors_.size();
      if (step == 'M') ValidateObjectMeta(kind_, Metadata(tree_), &errors_);
      if (step == 'U' && updates_meta_) MetaUpdate();
      if (step == 'C') rules_.create(tree_, &errors_);
      if (step == 'T') rules_.status(tree_, &errors_);
      if (step == 'K') Kept();
      if (step != 'S' || same_spec || good_spec) continue;
      rules_.spec(tree_, &errors_);
      good_spec = errors_.size() == before;
    }
  }

  void Kept() {
    const bool other = on_status_ && rules_.status_kept != nullptr;
    (other ? rules_.status_kept : rules_.kept)(tree_, old_, &errors_);
  }

  const ResourceInfo& kind_;
  const Rules& rules_;
  const Value& tree_;
  const Value& old_;
  FieldErrorList errors_;
  bool on_status_ = false;
  bool updates_meta_ = false;  // ValidateObjectMetaUpdate complains
};

}  // namespace

FieldErrors ValidateCreate(const ResourceInfo& kind, const Value& tree, Compat compat) {
  return Run(kind, tree, Value(), compat).Create();
}

FieldErrors ValidateUpdate(const ResourceInfo& kind, const Value& updated, const Value& old,
                           std::string_view subresource, Compat compat) {
  return Run(kind, updated, old, compat).Update(subresource);
}

FieldErrors ValidateBinding(const Value& binding) {
  FieldErrorList errors(kDefaultCompat);  // these errors read alike in all versions
  const FieldPath path("target");
  const Value& target = binding.Get("target");
  const std::string_view kind = target.Get("kind").AsString();
  if (!kind.empty() && kind != "Node") {
    errors.NotSupported(path.Child("kind"), kind, {"Node", "<empty>"});
  }
  if (target.Get("name").AsString().empty()) errors.Required(path.Child("name"));
  return errors.Take();
}

Status InvalidObject(const ResourceInfo& kind, std::string_view name, FieldErrors errors) {
  // Events of both APIs are one internal type, which is first known as that of the core group.
  const bool event = kind.group == "events.k8s.io" && kind.kind == "Event";
  return Invalid(event ? "" : std::string_view(kind.group), kind.kind, name, std::move(errors));
}

}  // namespace ksim::api
