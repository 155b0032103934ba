#include "ksim/api/kinds/apiextensions/definition_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "ksim/api/core/go_text.h"
#include "ksim/api/kinds/apiextensions/schema_rules.h"
#include "ksim/api/kinds/apiextensions/selectable_rules.h"
#include "ksim/api/kinds/shared/webhook_client.h"
#include "ksim/api/rules/name_rules.h"

namespace ksim::api {

using value::Value;

namespace {

// Whether all versions have the field alike, or none has it.
bool IsShared(const Value& versions, std::string_view field) {
  for (const Value& v : versions.items())
    if (v.Get(field) != versions.at(0).Get(field)) return false;
  return !versions.empty();
}

// A deprecationWarning is a text that can be printed, of at most 256 bytes.
void CheckDeprecation(const Value& version, const FieldPath& at, FieldErrorList* errors) {
  const Value& warning = version.Get("deprecationWarning");
  if (warning.is_null()) return;
  const std::string_view text = warning.AsString();
  const auto say = [&](std::string_view why) {
    errors->Invalid(at.Child("deprecationWarning"), text, why);
  };
  if (!version.Get("deprecated").AsBool()) return say("can only be set for deprecated versions");
  if (text.size() > 256) say("must be <= 256 characters long");
  if (text.empty()) say("must not be an empty string");
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != 0x7f) continue;
    say(
        fmt::format("must only contain printable UTF-8 characters; non-printable character found "
                    "at index {}",
                    i));
    break;
  }
}

void CheckSimplePath(std::string_view path, const FieldPath& at, std::string_view below,
                     FieldErrorList* errors) {
  if (path.empty()) return errors->Required(at);
  if (path.front() != '.')
    return errors->Invalid(at, path, "must be a simple json path starting with .");
  if (below.empty() || path.starts_with(fmt::format(".{}.", below))) return;
  errors->Invalid(at, path, fmt::format("should be a json path under .{}", below));
}

// ValidateCustomResourceDefinitionSubresources
void CheckSubresources(const Value& subresources, const FieldPath& at, FieldErrorList* errors) {
  const Value& scale = subresources.Get("scale");
  if (scale.is_null()) return;
  CheckSimplePath(scale.Get("specReplicasPath").AsString(), at.Child("scale.specReplicasPath"),
                  "spec", errors);
  CheckSimplePath(scale.Get("statusReplicasPath").AsString(), at.Child("scale.statusReplicasPath"),
                  "status", errors);
  const std::string_view selector = scale.Get("labelSelectorPath").AsString();
  if (selector.empty()) return;
  const FieldPath at_selector = at.Child("scale.labelSelectorPath");
  if (selector.front() != '.')
    return errors->Invalid(at_selector, selector, "must be a simple json path starting with .");
  if (!selector.starts_with(".spec.") && !selector.starts_with(".status."))
    errors->Invalid(at_selector, selector, "should be a json path under either .spec or .status");
}

// ValidateCustomResourceColumnDefinition
void CheckColumn(const Value& column, const FieldPath& at, FieldErrorList* errors) {
  static constexpr std::array<std::string_view, 5> kTypes = {"boolean", "date", "integer", "number",
                                                             "string"};
  static constexpr std::array<std::string_view, 8> kFormats = {
      "byte", "date", "date-time", "double", "float", "int32", "int64", "password"};
  const auto has = [](const auto& all, std::string_view one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  if (column.Get("name").AsString().empty()) errors->Required(at.Child("name"));
  const std::string_view type = column.Get("type").AsString();
  const std::string types = fmt::format("must be one of {}", fmt::join(kTypes, ","));
  if (type.empty()) {
    errors->Required(at.Child("type"), types);
  } else if (!has(kTypes, type)) {
    errors->Invalid(at.Child("type"), type, types);
  }
  const std::string_view format = column.Get("format").AsString();
  if (!format.empty() && !has(kFormats, format))
    errors->Invalid(at.Child("format"), format,
                    fmt::format("must be one of {}", fmt::join(kFormats, ",")));
  CheckSimplePath(column.Get("jsonPath").AsString(), at.Child("JSONPath"), "", errors);
}

void CheckColumns(const Value& columns, const FieldPath& at, FieldErrorList* errors) {
  for (std::size_t i = 0; i < columns.size(); ++i) CheckColumn(columns.at(i), at.Index(i), errors);
}

bool HasStatus(const Value& version) { return version.Get("subresources").Has("status"); }

bool AnyStatus(const Value& versions) {
  return std::any_of(versions.items().begin(), versions.items().end(), HasStatus);
}

// `shared`: whether the schema stands at the same place as the fields.
void CheckSelectable(const Value& version, bool shared, std::string_view otherwise,
                     const FieldPath& at, FieldErrorList* errors) {
  const Value& fields = version.Get("selectableFields");
  if (fields.empty()) return;
  const FieldPath path = at.Child("selectableFields");
  if (!shared) return errors->Invalid(path, "", otherwise);
  ValidateSelectableFields(fields, version.Get("schema").Get("openAPIV3Schema"), path, errors);
}

// findVersionsWithUnchangedSchemas, of one version; from 1.30 on, as other lenience towards what
// did not change.
bool HasOldSchema(const Value& version, const Value& old_spec, const Profile& profile) {
  if (!profile.ratchets_custom_resources) return false;
  for (const Value& old : old_spec.Get("versions").items()) {
    if (old.Get("name") == version.Get("name")) return old.Get("schema") == version.Get("schema");
  }
  return false;
}

void CheckSchema(const Value& version, bool status_enabled, const Value& old_spec,
                 const FieldPath& at, FieldErrorList* errors) {
  const OldExpressions old{ExpressionsOf(old_spec.Get("versions")),
                           HasOldSchema(version, old_spec, errors->profile())};
  ValidateDefinedSchema(version.Get("schema").Get("openAPIV3Schema"), status_enabled, old, at,
                        errors);
}

// validateCustomResourceDefinitionVersion: what it does not share.
void CheckVersion(const Value& versions, std::size_t i, const Value& old_spec, const FieldPath& at,
                  FieldErrorList* errors) {
  const Value& version = versions.at(i);
  CheckDeprecation(version, at, errors);
  if (!IsShared(versions, "schema"))
    CheckSchema(version, HasStatus(version), old_spec, at.Child("schema"), errors);
  if (!IsShared(versions, "subresources"))
    CheckSubresources(version.Get("subresources"), at.Child("subresources"), errors);
  if (!IsShared(versions, "additionalPrinterColumns"))
    CheckColumns(version.Get("additionalPrinterColumns"), at.Child("additionalPrinterColumns"),
                 errors);
  if (!IsShared(versions, "selectableFields"))
    CheckSelectable(version, !IsShared(versions, "schema"),
                    "may only be set when `version.schema.openAPIV3Schema` is not included", at,
                    errors);
}

void AddBadVersions(const Value& versions, std::string_view why, const FieldPath& path,
                    FieldErrorList* errors) {
  if (errors->profile().bad_values_as_json || !versions.empty())
    return errors->Invalid(path, versions, GoShape::kOther, why);
  errors->Add("FieldValueInvalid",
              fmt::format("Invalid value: []apiextensions.CustomResourceDefinitionVersion{}: {}",
                          versions.is_array() ? "{}" : "(nil)", why),
              path.ToString());
}

// validateConversionReviewVersions
void CheckReviewVersions(const Value& versions, const FieldPath& at, FieldErrorList* errors) {
  if (versions.empty()) return errors->Required(at);
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const std::string_view version = versions.at(i).AsString();
    if (!seen.insert(version).second) {
      errors->Invalid(at.Index(i), version, "duplicate version");
      continue;
    }
    for (const std::string& problem : Dns1035Label(version))
      errors->Invalid(at.Index(i), version, problem);
  }
  if (!seen.contains("v1") && !seen.contains("v1beta1"))
    errors->Invalid(at, versions, GoShape::kStringSlice,
                    "must include at least one of v1, v1beta1");
}

// validateCustomResourceConversion
void CheckConversion(const Value& conversion, const FieldPath& at, FieldErrorList* errors) {
  if (conversion.is_null()) return;
  const std::string_view strategy = conversion.Get("strategy").AsString();
  ValidateChoice(strategy, true, at.Child("strategy"), {"None", "Webhook"}, errors);
  const Value& config = conversion.Get("webhook").Get("clientConfig");
  const Value& versions = conversion.Get("webhook").Get("conversionReviewVersions");
  const FieldPath at_config = at.Child("webhookClientConfig");
  const FieldPath at_versions = at.Child("conversionReviewVersions");
  if (strategy != "Webhook") {
    constexpr std::string_view kWhy = "should not be set when strategy is not set to Webhook";
    if (!config.is_null()) errors->Forbidden(at_config, kWhy);
    if (!versions.empty()) errors->Forbidden(at_versions, kWhy);
    return;
  }
  if (config.is_null()) {
    errors->Required(at_config, "required when strategy is set to Webhook");
  } else if (config.Has("url") == config.Has("service")) {
    errors->Required(at_config, "exactly one of url or service is required");
  } else if (config.Has("url")) {
    ValidateWebhookUrl(config.Get("url").AsString(), at_config.Child("url"), errors);
  } else {
    ValidateWebhookService(config.Get("service"), at_config.Child("service"), errors);
  }
  CheckReviewVersions(versions, at_versions, errors);
}

}  // namespace

void ValidateDefinedVersions(const Value& spec, const Value& old_spec, const FieldPath& path,
                             FieldErrorList* errors) {
  const Value& versions = spec.Get("versions");
  const FieldPath at_versions = path.Child("versions");
  const std::string_view needed =
      errors->profile().definitions_worded_anew ? "" : "schemas are required";
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const FieldPath at = at_versions.Index(i);
    const FieldPath schema = at.Child("schema");
    if (versions.at(i).Get("schema").Get("openAPIV3Schema").is_null())
      errors->Required(schema.Child("openAPIV3Schema"), needed);
  }
  int stored = 0;
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const FieldPath at = at_versions.Index(i);
    const std::string_view name = versions.at(i).Get("name").AsString();
    stored += versions.at(i).Get("storage").AsBool();
    names.insert(name);
    const NameProblems problems = Dns1035Label(name);
    if (!problems.empty())
      errors->Invalid(at.Child("name"), name, fmt::format("{}", fmt::join(problems, ",")));
    CheckVersion(versions, i, old_spec, at, errors);
  }
  if (names.size() != versions.size())
    errors->Invalid(at_versions, versions, GoShape::kOther, "must contain unique version names");
  if (stored != 1)
    AddBadVersions(versions, "must have exactly one version marked as storage version", at_versions,
                   errors);
}

void ValidateDefinedParts(const Value& spec, const Value& old_spec, const FieldPath& path,
                          FieldErrorList* errors) {
  const Value& versions = spec.Get("versions");
  const Value& first = versions.at(0);
  if (IsShared(versions, "schema"))
    CheckSchema(first, AnyStatus(versions), old_spec, path.Child("validation"), errors);
  if (IsShared(versions, "subresources"))
    CheckSubresources(first.Get("subresources"), path.Child("subresources"), errors);
  if (IsShared(versions, "additionalPrinterColumns"))
    CheckColumns(first.Get("additionalPrinterColumns"), path.Child("additionalPrinterColumns"),
                 errors);
  if (IsShared(versions, "selectableFields"))
    CheckSelectable(first, IsShared(versions, "schema"),
                    "may only be set when validations.schema is included", path, errors);
  CheckConversion(spec.Get("conversion"), path.Child("conversion"), errors);
}

void ValidateStoredVersions(const Value& crd, FieldErrorList* errors) {
  const FieldPath status("status");
  const FieldPath path = status.Child("storedVersions");
  const Value& stored = crd.Get("status").Get("storedVersions");
  if (stored.empty())
    return errors->Invalid(path, Value(), GoShape::kStringSlice,
                           "must have at least one stored version");
  std::set<std::string_view> named;
  for (const Value& v : crd.Get("spec").Get("versions").items()) {
    const Value& name = v.Get("name");
    named.insert(name.AsString());
    const bool there =
        std::find(stored.items().begin(), stored.items().end(), name) != stored.items().end();
    if (v.Get("storage").AsBool() && !there)
      errors->Invalid(path, stored, GoShape::kStringSlice,
                      fmt::format("must have the storage version {}", name.AsString()));
  }
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const std::string_view name = stored.at(i).AsString();
    if (named.contains(name)) continue;
    errors->Invalid(
        path.Index(i), name,
        errors->profile().definitions_worded_anew
            ? fmt::format("missing from spec.versions; {0} was previously a storage version, and "
                          "must remain in spec.versions until a storage migration ensures no data "
                          "remains persisted in {0} and removes {0} from status.storedVersions",
                          name)
            : "must appear in spec.versions");
  }
}

}  // namespace ksim::api
