// The kind Namespace of v1.
//
// Source: pkg/apis/core/validation/validation.go ValidateNamespace;
// pkg/registry/core/namespace/strategy.go.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/schema/shared_patch_schemas.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Path;
using value::Value;

namespace {

constexpr std::string_view kNamespaceTypes = R"(
Namespace: apiVersion=string kind=string metadata=ObjectMeta spec=NamespaceSpec
   status=NamespaceStatus
NamespaceCondition: lastTransitionTime=Time message=string reason=string status!=s:ConditionStatus
   type!=s:NamespaceConditionType
NamespaceSpec: finalizers=[]s:FinalizerName
NamespaceStatus: conditions=[]NamespaceCondition phase=s:NamespacePhase
)";

Value DefaultNamespace(const Value& tree, Compat) {
  static const value::Path kLabel{"metadata", "labels", "kubernetes.io/metadata.name"};
  static const value::Path kName{"metadata", "name"};
  Value out = WithDefault(tree, Fields().status, Value::EmptyObject());
  out = EditField(out, Fields().status, [](const Value& status) {
    return WithNonEmpty(status, Fields().phase, Value::Of("Active"));
  });
  const Value name = out.Get(kName);
  return name.AsString().empty() ? out : std::move(out).Set(kLabel, name);
}

// pkg/registry/core/namespace/strategy.go PrepareForCreate, Canonicalize.
Value PrepareNewNamespace(Value tree, Compat) {
  static const Path kFinalizers{"spec", "finalizers"};
  static const Path kLabel{"metadata", "labels", "kubernetes.io/metadata.name"};
  static const Path kName{"metadata", "name"};
  const Value& finalizers = tree.Get(kFinalizers);
  const auto items = finalizers.items();
  const bool has = std::any_of(items.begin(), items.end(),
                               [](const Value& f) { return f.AsString() == "kubernetes"; });
  if (!has) {
    Value with = finalizers.Append(Value::Of("kubernetes"));
    tree = std::move(tree).Set(kFinalizers, std::move(with));
  }
  const Value name = tree.Get(kName);
  return std::move(tree).Set(kLabel, name);
}

Value InitialNamespaceStatus(const Value&, Compat) {
  return value::Obj({{"phase", Value::Of("Active")}});
}

// The main endpoint leaves the finalizers as they are: they have an endpoint of their own.
Value PrepareNamespaceUpdate(const Value& old, Value updated, Compat) {
  static const Path kFinalizers{"spec", "finalizers"};
  const Value& finalizers = old.Get(kFinalizers);
  return finalizers.is_null() ? updated.Erase(kFinalizers)
                              : std::move(updated).Set(kFinalizers, finalizers);
}

void ValidateNamespace(const Value& tree, FieldErrorList* errors) {
  const FieldPath spec("spec");
  const FieldPath path = spec.Child("finalizers");
  for (const Value& f : tree.Get("spec").Get("finalizers").items()) {
    errors->InvalidAll(path, f.AsString(), QualifiedName(f.AsString(), errors->compat()));
    ValidateKubeFinalizer(f.AsString(), path, errors);
  }
}

void ValidateFinalizedNamespace(const Value& tree, FieldErrorList* errors) {
  const FieldPath spec("spec");
  const FieldPath path = spec.Child("finalizers");
  const Value& finalizers = tree.Get("spec").Get("finalizers");
  for (std::size_t i = 0; i < finalizers.size(); ++i) {
    const std::string_view name = finalizers.at(i).AsString();
    errors->InvalidAll(path.Index(i), name, QualifiedName(name, errors->compat()));
    ValidateKubeFinalizer(name, path.Index(i), errors);
  }
}

void ValidateNamespaceStatus(const Value& tree, FieldErrorList* errors) {
  const FieldPath status("status");
  const std::string_view phase = tree.Get("status").Get("phase").AsString();
  const bool deleting = !tree.Get("metadata").Get("deletionTimestamp").is_null();
  if (!deleting && phase != "Active") {
    errors->Invalid(status.Child("Phase"), phase,
                    "may only be 'Active' if `deletionTimestamp` is empty");
  } else if (deleting && phase != "Terminating") {
    errors->Invalid(status.Child("Phase"), phase,
                    "may only be 'Terminating' if `deletionTimestamp` is not empty");
  }
}

NameProblems NamespaceNameProblems(std::string_view name, Compat compat) {
  return Dns1123Label(name, compat);
}

std::vector<std::string> NamespaceCells(const Object& o, VirtualTime now) {
  return {cells::Name(o), cells::Text(o.status().Get("phase")), cells::Age(o, now)};
}

}  // namespace

extern const KindSpec kNamespaceKind = {
    .kind = "Namespace",
    .resource = "namespaces",
    .short_names = {"ns"},
    .namespaced = false,
    .has_status = true,
    .go_types = kNamespaceTypes,
    .patch_schema = &kStatusConditionsPatch,
    .columns = {{"Name"}, {"Status"}, {"Age"}},
    .cells = NamespaceCells,
    .defaults = DefaultNamespace,
    .initial_status = InitialNamespaceStatus,
    .prepare_create = PrepareNewNamespace,
    .prepare_update = PrepareNamespaceUpdate,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMeta, kCheckObject, kCheckMetaUpdate},
            .on_status_update = {kCheckMetaUpdate, kCheckStatus},
            .object = ValidateNamespace,
            .status = ValidateNamespaceStatus,
            .finalized = ValidateFinalizedNamespace,
            .name = NamespaceNameProblems,
        },
};

}  // namespace ksim::api
