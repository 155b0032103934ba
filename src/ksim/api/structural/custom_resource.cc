#include "ksim/api/structural/custom_resource.h"

#include <algorithm>
#include <utility>

#include "ksim/api/core/definition.h"
#include "ksim/api/core/fields.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/structural/correlation.h"
#include "ksim/api/structural/embedded.h"
#include "ksim/api/structural/list_types.h"
#include "ksim/api/structural/prune.h"
#include "ksim/api/structural/rules.h"
#include "ksim/api/structural/scale_paths.h"
#include "ksim/api/structural/schema_validator.h"

namespace ksim::api {

using value::Value;

namespace {

std::shared_ptr<const SchemaNode> CompiledSchema(const Value& version) {
  return SchemaNode::Compile(version.Get("schema").Get("openAPIV3Schema"));
}

const SchemaNode* StoredSchemaOf(const ResourceInfo& kind) {
  const CustomDefinition& d = *kind.definition;
  if (d.version.SameTree(d.stored)) return SchemaOf(kind);
  if (d.stored_schema == nullptr) d.stored_schema = CompiledSchema(d.stored);
  return d.stored_schema.get();
}

// The schema of the version at which an object was stored, which need not be the one at which
// objects are stored now.
const SchemaNode* SchemaAsStored(const ResourceInfo& kind, const Value& tree) {
  const CustomDefinition& d = *kind.definition;
  const std::string_view version = tree.Get(Fields().api_version).AsString();
  const std::string_view name = version.substr(version.find('/') + 1);
  if (name == d.stored.Get("name").AsString()) return StoredSchemaOf(kind);
  if (name == kind.version) return SchemaOf(kind);
  for (const Value& other : d.versions.items()) {
    if (other.Get("name").AsString() != name) continue;
    std::shared_ptr<const SchemaNode>& schema = d.older_schemas[std::string(name)];
    if (schema == nullptr) schema = CompiledSchema(other);
    return schema.get();
  }
  return StoredSchemaOf(kind);
}

Value PrunedBySchema(const SchemaNode* schema, const Value& tree) {
  return PruneNulls(schema, PruneUnknown(schema, tree, nullptr));
}

// hasBlockingErr: rules in CEL are not asked about an object with such an error.
bool BlocksRules(const StatusCause& cause) {
  return cause.reason == "FieldValueNotSupported" || cause.reason == "FieldValueRequired" ||
         cause.reason == "FieldValueTooLong" || cause.reason == "FieldValueTooMany" ||
         cause.reason == "FieldValueTypeInvalid";
}

class CustomRules {
 public:
  CustomRules(const ResourceInfo& kind, const SchemaNode& schema, Compat compat)
      : kind_(kind), schema_(schema), errors_(compat) {}

  void Judge(const Value& tree, const Value* old, bool status) {
    const bool ratchets = ProfileOf(errors_.compat()).ratchets_custom_resources;
    if (status) {
      JudgeStatus(tree, *old);
    } else {
      ValidateBySchema(schema_, tree, ratchets ? old : nullptr, "", &errors_);
      ValidateScaleSpec(kind_, tree, &errors_);
    }
    ValidateScaleStatus(kind_, tree, &errors_);
    if (!status) ValidateEmbedded(schema_, tree, &errors_);
    if (schema_.any_list_type && (old == nullptr || ListsWereGood(*old)))
      ValidateListTypes(schema_, tree, &errors_);
  }
  FieldErrors Take() { return errors_.Take(); }

 private:
  void JudgeStatus(const Value& tree, const Value& old) {
    const Value* const status = tree.Find(Fields().status);
    const SchemaNode* const schema = schema_.Find(Fields().status);
    if (status == nullptr || schema == nullptr) return;
    const Profile& profile = ProfileOf(errors_.compat());
    const bool ratchets = profile.ratchets_custom_status;
    const Value* before = ratchets ? CorrelatedField(schema_, Fields().status, old) : nullptr;
    ValidateBySchema(*schema, *status, before, profile.custom_status_has_path ? "status" : "",
                     &errors_);
  }

  // An update of lists that are wrong already is not refused for them.
  bool ListsWereGood(const Value& old) const {
    FieldErrorList before(errors_.compat());
    ValidateListTypes(schema_, old, &before);
    return before.empty();
  }

  const ResourceInfo& kind_;
  const SchemaNode& schema_;
  FieldErrorList errors_;
};

}  // namespace

const SchemaNode* SchemaOf(const ResourceInfo& kind) {
  if (kind.definition == nullptr) return nullptr;
  const CustomDefinition& d = *kind.definition;
  if (d.schema == nullptr) d.schema = CompiledSchema(d.version);
  return d.schema.get();
}

Value PrunedForStore(const ResourceInfo& kind, const Value& tree) {
  if (kind.definition == nullptr || kind.definition->version.SameTree(kind.definition->stored))
    return tree;
  return PrunedBySchema(StoredSchemaOf(kind), tree);
}

Value WithStoredDefaults(const ResourceInfo& kind, const Value& tree) {
  if (kind.definition == nullptr) return tree;
  const SchemaNode* const schema = SchemaAsStored(kind, tree);
  return FillDefaults(schema, PrunedBySchema(schema, tree));
}

Value PrunedForVersion(const ResourceInfo& kind, const Value& tree) {
  if (kind.definition == nullptr) return tree;
  const std::string_view version = tree.Get(Fields().api_version).AsString();
  if (version.substr(version.find('/') + 1) == kind.version) return tree;
  return PrunedBySchemaOf(kind, tree);
}

Value PrunedBySchemaOf(const ResourceInfo& kind, const Value& tree) {
  return kind.definition == nullptr ? tree : PrunedBySchema(SchemaOf(kind), tree);
}

void ValidateCustom(const ResourceInfo& kind, const Value& tree, const Value* old,
                    std::string_view subresource, Compat compat, FieldErrors* errors,
                    std::vector<std::string>* warnings) {
  const SchemaNode* const schema = SchemaOf(kind);
  if (schema == nullptr) return;
  const bool status = subresource == "status";
  CustomRules rules(kind, *schema, compat);
  rules.Judge(tree, old, status);
  FieldErrors found = rules.Take();
  std::move(found.begin(), found.end(), std::back_inserter(*errors));
  if (!schema->any_rule) return;
  if (std::any_of(errors->begin(), errors->end(), BlocksRules)) {
    errors->emplace_back(
        "FieldValueInvalid",
        ProfileOf(compat).bad_values_as_json
            ? "Invalid value: null: some validation rules were not checked because the object was "
              "invalid; correct the existing errors to complete validation"
            : "Invalid value: \"null\": some validation rules were not checked because the object "
              "was invalid; correct the existing errors to complete validation",
        "<nil>");
    return;
  }
  const Profile& profile = ProfileOf(compat);
  const bool ratchets = status ? profile.ratchets_custom_status : profile.ratchets_custom_resources;
  const cel::RuleResult result =
      RulesOf(*schema, compat).Validate({.object = tree, .old = old, .ratchets = ratchets});
  FieldErrorList told(compat);
  for (const cel::RuleError& error : result.errors) TellRuleError(error, &told);
  found = told.Take();
  std::move(found.begin(), found.end(), std::back_inserter(*errors));
  if (warnings == nullptr) return;
  for (const cel::RuleError& error : result.warnings)
    warnings->push_back(RuleWarning(error, compat));
}

}  // namespace ksim::api
