// The kind CustomResourceDefinition of apiextensions.k8s.io/v1.
#include "ksim/api/kinds/apiextensions/customresourcedefinition.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/apiextensions/approval.h"
#include "ksim/api/kinds/apiextensions/definition_rules.h"
#include "ksim/api/kinds/apiextensions/definition_status.h"
#include "ksim/api/kinds/apiextensions/selectable_rules.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Path;
using value::Value;

namespace {

constexpr std::string_view kCustomResourceDefinitionTypes = R"(
ConversionResponse: convertedObjects!=[]Raw result!=Raw uid!=s:UID
ConversionReview: apiVersion=string kind=string request=*Raw response=*ConversionResponse
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
CustomResourceValidation: openAPIV3Schema=*JSONSchemaProps
ExternalDocumentation: description=string url=string
JSONSchemaProps: $ref=*string $schema=string additionalItems=*r:JSONSchemaPropsOrBool
   additionalProperties=*r:JSONSchemaPropsOrBool allOf=[]JSONSchemaProps anyOf=[]JSONSchemaProps
   default=*r:JSON definitions={}JSONSchemaProps@JSONSchemaDefinitions
   dependencies={}r:JSONSchemaPropsOrStringArray@JSONSchemaDependencies description=string
   enum=[]r:JSON example=*r:JSON exclusiveMaximum=bool exclusiveMinimum=bool
   externalDocs=*ExternalDocumentation format=string id=string items=*r:JSONSchemaPropsOrArray
   maxItems=*int64 maxLength=*int64 maxProperties=*int64 maximum=*double minItems=*int64
   minLength=*int64 minProperties=*int64 minimum=*double multipleOf=*double not=*JSONSchemaProps
   nullable=bool oneOf=[]JSONSchemaProps pattern=string patternProperties={}JSONSchemaProps
   properties={}JSONSchemaProps required=[]string title=string type=string uniqueItems=bool
   x-kubernetes-embedded-resource=bool x-kubernetes-int-or-string=bool
   x-kubernetes-list-map-keys=[]string x-kubernetes-list-type=*string x-kubernetes-map-type=*string
   x-kubernetes-preserve-unknown-fields=*bool
   x-kubernetes-validations=[]ValidationRule@ValidationRules
SelectableField: jsonPath!=string
ValidationRule: fieldPath=string message=string messageExpression=string optionalOldSelf=*bool
   reason=*s:FieldValueErrorReason rule!=string
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

// ValidateCustomResourceDefinitionNames
void CheckDefinedNames(const Value& names, const FieldPath& path, FieldErrorList* errors) {
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

// The name, and that the API of one of Kubernetes' groups was approved.
void ValidateNewDefinition(const Value& tree, FieldErrorList* errors) {
  const FieldPath metadata("metadata");
  const Value& spec = tree.Get("spec");
  const std::string expected = fmt::format("{}.{}", spec.Get("names").Get("plural").AsString(),
                                           spec.Get("group").AsString());
  for (const char* field : {"generateName", "name"}) {
    const std::string_view name = tree.Get("metadata").Get(field).AsString();
    if (!name.empty() && name != expected)
      errors->Invalid(metadata.Child(field), name, "must be spec.names.plural+\".\"+spec.group");
  }
  ValidateApproval(tree, nullptr, errors);
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
  const FieldPath names = spec.Child("names");
  for (const char* field : {"plural", "singular", "kind", "listKind"}) {
    if (s.Get("names").Get(field).AsString().empty()) errors->Required(names.Child(field));
  }
  CheckDefinedNames(s.Get("names"), names, errors);
  ValidateDefinedParts(s, old_spec, spec, errors);
}

// ValidateCustomResourceDefinitionStatus
void ValidateAcceptedNames(const Value& tree, const Value&, FieldErrorList* errors) {
  const FieldPath status("status");
  CheckDefinedNames(tree.Get("status").Get("acceptedNames"), status.Child("acceptedNames"), errors);
}

// The rules that follow those of the spec.
void ValidateDefinitionStatus(const Value& tree, FieldErrorList* errors) {
  ValidateAcceptedNames(tree, Value(), errors);
  ValidateStoredVersions(tree, errors);
  const FieldPath spec("spec");
  const Value& s = tree.Get("spec");
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
  ValidateApproval(updated, &old, errors);
}

// SetDefaults_ServiceReference
Value DefaultConversion(const Value& conversion) {
  static const Path kService{"webhook", "clientConfig", "service"};
  static const Path kPort{"webhook", "clientConfig", "service", "port"};
  const bool open = conversion.Get(kService).is_object() && conversion.Get(kPort).is_null();
  return open ? conversion.Set(kPort, Value::Of(443)) : conversion;
}

Value DefaultSpec(const Value& tree) {
  return EditField(tree, Fields().spec, [](const Value& given) {
    Value spec = EditField(given, Fields().names, [](const Value& names) {
      const std::string kind(names.Get("kind").AsString());
      if (kind.empty()) return names;
      return WithNonEmpty(WithNonEmpty(names, Fields().singular, Value::String(cells::Lower(kind))),
                          Fields().list_kind, Value::String(kind + "List"));
    });
    spec = EditField(std::move(spec), Fields().conversion, DefaultConversion);
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

// SetDefaults_CustomResourceDefinition
Value DefaultDefinition(const Value& tree, Compat) {
  const Value& status = tree.Get("status");
  Value next = DefaultSpec(tree);
  if (!status.is_object() || !status.Get("storedVersions").empty()) return next;
  Value stored = WithStoredVersion(status, next.Get("spec"));
  return std::move(next).Set("status", std::move(stored));
}

Value NewDefinitionStatus(const Value& tree, Compat) {
  return WithStoredVersion(Value::EmptyObject(), tree.Get("spec"));
}

Value PrepareDefinition(Value tree, Compat compat) {
  return ProfileOf(compat).custom_selectable_fields
             ? tree
             : WithoutSelectableFields(std::move(tree), nullptr);
}

Value PrepareDefinitionUpdate(const Value& old, Value updated, Compat compat) {
  if (!ProfileOf(compat).custom_selectable_fields)
    updated = WithoutSelectableFields(std::move(updated), &old);
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
    .prepare_create = PrepareDefinition,
    .prepare_update = PrepareDefinitionUpdate,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckNewObject, kCheckObject, kCheckStatus},
            .on_update = {kCheckMetaUpdate, kCheckChange, kCheckStatus},
            .on_status_update = {kCheckMetaUpdate, kCheckChange},
            .object = ValidateDefinition,
            .new_object = ValidateNewDefinition,
            .change = ValidateDefinitionUpdate,
            .status = ValidateDefinitionStatus,
            .status_change = ValidateAcceptedNames,
            .standard_finalizers = false,
        },
};

bool IsDefinition(const ResourceInfo& kind) {
  return &SpecOf(kind) == &kCustomResourceDefinitionKind;
}

}  // namespace ksim::api
