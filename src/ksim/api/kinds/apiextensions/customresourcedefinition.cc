// The kind CustomResourceDefinition of apiextensions.k8s.io/v1.
#include "ksim/api/kinds/apiextensions/customresourcedefinition.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/apiextensions/definition_rules.h"
#include "ksim/api/kinds/apiextensions/definition_status.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kCustomResourceDefinitionTypes = R"(
CustomResourceColumnDefinition: description=string format=string jsonPath!=string name!=string
   priority=int32 type!=string
CustomResourceConversion: strategy!=s:ConversionStrategyType webhook=Raw
CustomResourceDefinition: apiVersion=string kind=string metadata=ObjectMeta
   spec!=CustomResourceDefinitionSpec status=CustomResourceDefinitionStatus
CustomResourceDefinitionCondition: lastTransitionTime=Time message=string observedGeneration=int64
   reason=string status!=s:ConditionStatus type!=s:CustomResourceDefinitionConditionType
CustomResourceDefinitionNames: categories=[]string kind!=string listKind=string plural!=string
   shortNames=[]string singular=string
CustomResourceDefinitionSpec: conversion=*CustomResourceConversion group!=string
   names!=CustomResourceDefinitionNames preserveUnknownFields=bool scope!=s:ResourceScope
   versions!=[]CustomResourceDefinitionVersion
CustomResourceDefinitionStatus: acceptedNames!=CustomResourceDefinitionNames
   conditions!=[]CustomResourceDefinitionCondition observedGeneration=int64
   storedVersions!=[]string
CustomResourceDefinitionVersion: additionalPrinterColumns=[]CustomResourceColumnDefinition
   deprecated=bool deprecationWarning=*string name!=string schema=*CustomResourceValidation
   selectableFields=[]SelectableField served!=bool storage!=bool
   subresources=*CustomResourceSubresources
CustomResourceSubresourceScale: labelSelectorPath=*string specReplicasPath!=string
   statusReplicasPath!=string
CustomResourceSubresources: scale=*CustomResourceSubresourceScale status=*Raw
CustomResourceValidation: openAPIV3Schema=Raw
SelectableField: jsonPath!=string
)";

void CheckDefinedLabel(std::string_view text, bool mixed, const FieldPath& path,
                       FieldErrorList* errors) {
  const NameProblems problems = Dns1035Label(mixed ? cells::Lower(text) : std::string(text));
  if (problems.empty()) return;
  errors->Invalid(
      path, text,
      fmt::format("{}{}", mixed ? "may have mixed case, but should otherwise match: " : "",
                  fmt::join(problems, ",")));
}

void CheckDefinedLabels(const Value& list, const FieldPath& path, FieldErrorList* errors) {
  for (std::size_t i = 0; i < list.size(); ++i)
    CheckDefinedLabel(list.at(i).AsString(), false, path.Index(i), errors);
}

// ValidateCustomResourceDefinitionNames, after the check that no name is missing.
void CheckDefinedNames(const Value& names, const FieldPath& path, FieldErrorList* errors) {
  for (const char* field : {"plural", "singular", "kind", "listKind"}) {
    if (names.Get(field).AsString().empty()) errors->Required(path.Child(field));
  }
  for (const char* field : {"plural", "singular", "kind", "listKind"}) {
    const bool mixed = std::string_view(field).ends_with("ind");
    const std::string_view text = names.Get(field).AsString();
    if (!text.empty()) CheckDefinedLabel(text, mixed, path.Child(field), errors);
  }
  CheckDefinedLabels(names.Get("shortNames"), path.Child("shortNames"), errors);
  const std::string_view kind = names.Get("kind").AsString();
  if (!kind.empty() && kind == names.Get("listKind").AsString())
    errors->Invalid(path.Child("listKind"), kind, "kind and listKind may not be the same");
  CheckDefinedLabels(names.Get("categories"), path.Child("categories"), errors);
}

void CheckDefinedGroup(std::string_view group, const FieldPath& path, FieldErrorList* errors) {
  if (group.empty()) return errors->Required(path);
  const NameProblems problems = Dns1123Subdomain(group);
  if (!problems.empty()) {
    errors->Invalid(path, group, fmt::format("{}", fmt::join(problems, ",")));
  } else if (group.find('.') == group.npos) {
    errors->Invalid(path, group, "should be a domain with at least one dot");
  }
}

void ValidateDefinitionName(const Value& tree, FieldErrorList* errors) {
  const FieldPath metadata("metadata");
  const Value& spec = tree.Get("spec");
  const std::string expected = fmt::format("{}.{}", spec.Get("names").Get("plural").AsString(),
                                           spec.Get("group").AsString());
  for (const char* field : {"generateName", "name"}) {
    const std::string_view name = tree.Get("metadata").Get(field).AsString();
    if (!name.empty() && name != expected)
      errors->Invalid(metadata.Child(field), name, "must be spec.names.plural+\".\"+spec.group");
  }
}

// `old_spec` null: a new definition.
void CheckDefinition(const Value& tree, const Value& old_spec, FieldErrorList* errors) {
  const FieldPath spec("spec");
  const Value& s = tree.Get("spec");
  CheckDefinedGroup(s.Get("group").AsString(), spec.Child("group"), errors);
  const std::string_view scope = s.Get("scope").AsString();
  if (scope.empty()) {
    errors->Required(spec.Child("scope"));
  } else if (scope != "Cluster" && scope != "Namespaced") {
    errors->NotSupported(spec.Child("scope"), scope, {"Cluster", "Namespaced"});
  }
  ValidateDefinedVersions(s, old_spec, spec, errors);
  // Within the server the first version is also spec.version.
  const Value& versions = s.Get("versions");
  const std::string_view first = versions.empty() ? "" : versions.at(0).Get("name").AsString();
  if (!first.empty()) CheckDefinedLabel(first, false, spec.Child("version"), errors);
  CheckDefinedNames(s.Get("names"), spec.Child("names"), errors);
  ValidateDefinedParts(s, old_spec, spec, errors);
  ValidateStoredVersions(tree, errors);
  if (s.Get("preserveUnknownFields").AsBool())
    errors->Invalid(spec.Child("preserveUnknownFields"), Value::Bool(true), GoShape::kOther,
                    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
                    "spec.versions[*].schema instead");
}

void ValidateDefinition(const Value& tree, FieldErrorList* errors) {
  CheckDefinition(tree, Value(), errors);
}

void ValidateDefinitionUpdate(const Value& updated, const Value& old, FieldErrorList* errors) {
  // A spec that did not change is not looked at again.
  const bool same = updated.Get("spec").SameTree(old.Get("spec"));
  if (!same) CheckDefinition(updated, old.Get("spec"), errors);
  const FieldPath spec("spec");
  const FieldPath names = spec.Child("names");
  const Value& now = updated.Get("spec");
  const Value& before = old.Get("spec");
  const auto stays = [&](const Value& a, const Value& b, const FieldPath& path) {
    if (a.AsString() != b.AsString()) errors->Invalid(path, a.AsString(), "field is immutable");
  };
  const Value& now_names = now.Get("names");
  const Value& old_names = before.Get("names");
  if (IsConditionTrue(old, "Established")) {
    stays(now.Get("scope"), before.Get("scope"), spec.Child("scope"));
    stays(now_names.Get("kind"), old_names.Get("kind"), names.Child("kind"));
  }
  stays(now.Get("group"), before.Get("group"), spec.Child("group"));
  stays(now_names.Get("plural"), old_names.Get("plural"), names.Child("plural"));
}

Value DefaultDefinition(const Value& tree, Compat) {
  return EditField(tree, Fields().spec, [](const Value& given) {
    Value spec = EditField(given, Fields().names, [](const Value& names) {
      const std::string kind(names.Get("kind").AsString());
      if (kind.empty()) return names;
      return WithNonEmpty(WithNonEmpty(names, Fields().singular, Value::String(cells::Lower(kind))),
                          Fields().list_kind, Value::String(kind + "List"));
    });
    return WithDefault(std::move(spec), Fields().conversion,
                       value::Obj({{"strategy", Value::Of("None")}}));
  });
}

// The status with the storage version among those that were ever stored.
Value WithStoredVersion(const Value& status, const Value& spec) {
  Value stored = status.Get("storedVersions");
  for (const Value& version : spec.Get("versions").items()) {
    if (!version.Get("storage").AsBool()) continue;
    const Value& name = version.Get("name");
    const auto all = stored.items();
    if (std::find(all.begin(), all.end(), name) == all.end()) stored = stored.Append(name);
    break;
  }
  return stored.empty() ? status : status.Set("storedVersions", std::move(stored));
}

Value NewDefinitionStatus(const Value& tree, Compat) {
  return WithStoredVersion(Value::EmptyObject(), tree.Get("spec"));
}

Value PrepareDefinitionUpdate(const Value&, Value updated, Compat) {
  Value status = WithStoredVersion(updated.Get("status"), updated.Get("spec"));
  return std::move(updated).Set("status", std::move(status));
}

}  // namespace

extern const KindSpec kCustomResourceDefinitionKind = {
    .group = "apiextensions.k8s.io",
    .kind = "CustomResourceDefinition",
    .resource = "customresourcedefinitions",
    .short_names = {"crd", "crds"},
    .category = "api-extensions",
    .storage_prefix = "apiextensions.k8s.io/customresourcedefinitions",
    .namespaced = false,
    .has_status = true,
    .has_generation = true,
    .unconditional_update = false,
    .go_types = kCustomResourceDefinitionTypes,
    .columns = {{"Name"}, {"Created At"}},
    .cells = cells::NameAndCreation,
    .defaults = DefaultDefinition,
    .initial_status = NewDefinitionStatus,
    .prepare_update = PrepareDefinitionUpdate,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckNewObject, kCheckObject},
            .on_update = {kCheckMetaUpdate, kCheckChange},
            .object = ValidateDefinition,
            .new_object = ValidateDefinitionName,
            .change = ValidateDefinitionUpdate,
            .standard_finalizers = false,
        },
};

bool IsDefinition(const ResourceInfo& kind) {
  return &SpecOf(kind) == &kCustomResourceDefinitionKind;
}

}  // namespace ksim::api
