#include "ksim/api/validation.h"

#include "ksim/api/crd.h"
#include "ksim/api/kind_validation.h"
#include "ksim/api/meta_validation.h"
#include "ksim/api/pod_validation.h"

namespace ksim::api {

using value::Atom;
using value::Path;
using value::Value;

namespace {

const Value& Metadata(const Value& tree) {
  static const Atom name("metadata");
  return tree.Get(name);
}

using Check = void (*)(const Value& tree, FieldErrorList* errors);
using CheckUpdate = void (*)(const Value& tree, const Value& old, FieldErrorList* errors);

// ValidateImmutableField on spec.selector, which the strategies of apps/v1 add.
void SelectorStays(const Value& tree, const Value& old, FieldErrorList* errors) {
  static const Path kSelector{"spec", "selector"};
  const FieldPath spec("spec");
  ValidateImmutable(tree.Get(kSelector), old.Get(kSelector), GoShape::kLabelSelector,
                    spec.Child("selector"), errors);
}

void JobFieldsStay(const Value& tree, const Value& old, FieldErrorList* errors) {
  SelectorStays(tree, old, errors);
  static const Path kTemplate{"spec", "template"};
  static const Path kMode{"spec", "completionMode"};
  const FieldPath spec("spec");
  ValidateImmutable(tree.Get(kTemplate), old.Get(kTemplate), GoShape::kOther,
                    spec.Child("template"), errors);
  ValidateImmutable(tree.Get(kMode), old.Get(kMode), GoShape::kOther, spec.Child("completionMode"),
                    errors);
}

void SecretStays(const Value& tree, const Value& old, FieldErrorList* errors) {
  ValidateImmutable(tree.Get("type"), old.Get("type"), GoShape::kOther, FieldPath("type"), errors);
  ValidateImmutableData(tree, old, errors);
}

struct Rules {
  std::string_view group;
  std::string_view kind;
  Check create = nullptr;        // a new object; updates of the main endpoint check it again
  CheckUpdate update = nullptr;  // what must stay
  Check status = nullptr;
  CheckUpdate status_update = nullptr;
};

constexpr Rules kRules[] = {
    {"", "Pod", ValidatePodCreate, ValidatePodUpdate, nullptr, ValidatePodStatusUpdate},
    {"apps", "ReplicaSet", ValidateReplicaSetSpec, SelectorStays, ValidateReplicaSetStatus},
    {"", "Node", ValidateNode, ValidateNodeUpdate},
    {"", "Namespace", ValidateNamespace, nullptr, ValidateNamespaceStatus},
    {"coordination.k8s.io", "Lease", ValidateLease},
    {"", "Event", ValidateEvent},
    {"events.k8s.io", "Event", ValidateEvent},
    {"apps", "Deployment", ValidateDeploymentSpec, SelectorStays, ValidateDeploymentStatus},
    {"apps", "DaemonSet", ValidateDaemonSetSpec, SelectorStays},
    {"apps", "StatefulSet", ValidateStatefulSetSpec, SelectorStays},
    {"batch", "Job", ValidateJobSpec, JobFieldsStay},
    {"", "ConfigMap", ValidateConfigMap, ValidateImmutableData},
    {"", "Secret", ValidateSecret, SecretStays},
    {"scheduling.k8s.io", "PriorityClass", ValidatePriorityClass, ValidatePriorityClassUpdate},
    {"apiextensions.k8s.io", "CustomResourceDefinition", ValidateDefinition, DefinitionStays},
};

const Rules& RulesOf(const ResourceInfo& kind) {
  static constexpr Rules kNone{"", ""};
  if (kind.custom) return kNone;
  for (const Rules& rules : kRules) {
    if (kind.kind == rules.kind && kind.group == rules.group) return rules;
  }
  return kNone;
}

bool IsPod(const ResourceInfo& kind) { return kind.kind == "Pod" && kind.group.empty(); }
bool IsNode(const ResourceInfo& kind) { return kind.kind == "Node" && kind.group.empty(); }

void ValidateMain(const ResourceInfo& kind, const Rules& rules, const Value& updated,
                  const Value& old, FieldErrorList* errors) {
  // Most strategies run the create validation of the new object first; of pods and nodes the update
  // validation covers what a create checks and may still change.
  const bool covered = IsPod(kind) || IsNode(kind);
  const Value& spec = updated.Get("spec");
  const bool same_spec = spec.is_object() && spec.SameTree(old.Get("spec"));
  if (!covered && rules.create != nullptr && !same_spec) rules.create(updated, errors);
  if (rules.update != nullptr) rules.update(updated, old, errors);
}

}  // namespace

FieldErrors ValidateCreate(const ResourceInfo& kind, const Value& tree, Compat compat) {
  FieldErrorList errors(compat);
  ValidateObjectMeta(kind, Metadata(tree), &errors);
  const Rules& rules = RulesOf(kind);
  if (rules.create != nullptr) rules.create(tree, &errors);
  return errors.Take();
}

FieldErrors ValidateUpdate(const ResourceInfo& kind, const Value& updated, const Value& old,
                           std::string_view subresource, Compat compat) {
  FieldErrorList errors(compat);
  ValidateObjectMetaUpdate(Metadata(updated), Metadata(old), &errors);
  const Rules& rules = RulesOf(kind);
  if (subresource == "status") {
    if (rules.status != nullptr) rules.status(updated, &errors);
    if (rules.status_update != nullptr) rules.status_update(updated, old, &errors);
  } else if (subresource == "finalize") {
    if (rules.create != nullptr) rules.create(updated, &errors);
  } else {
    ValidateMain(kind, rules, updated, old, &errors);
  }
  return errors.Take();
}

FieldErrors ValidateBinding(const Value& binding) {
  FieldErrorList errors(Compat::k1_36);
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
  return Invalid(kind.group, kind.kind, name, std::move(errors));
}

}  // namespace ksim::api
