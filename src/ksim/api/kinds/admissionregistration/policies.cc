#include "ksim/api/kinds/admissionregistration/policies.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/admissionregistration/webhooks.h"
#include "ksim/api/kinds/shared/pod_template.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/name_rules.h"

namespace ksim::api {

using value::Value;

namespace {

// SetDefaults_MatchResources, SetDefaults_Rule
Value DefaultMatchResources(const Value& given) {
  Value match = given;
  const auto give = [&](std::string_view field, Value fallback) {
    if (match.Get(field).is_null()) match = std::move(match).Set(field, std::move(fallback));
  };
  give("matchPolicy", Value::Of("Equivalent"));
  give("namespaceSelector", Value::EmptyObject());
  give("objectSelector", Value::EmptyObject());
  for (const char* list : {"resourceRules", "excludeResourceRules"}) {
    const Value rules = match.Get(list);
    if (rules.empty()) continue;
    match = std::move(match).Set(
        list, EditItems(rules, [](const Value& rule) {
          return rule.Get("scope").is_null() ? rule.Set("scope", Value::Of("*")) : rule;
        }));
  }
  return match;
}

// validateNamedRuleWithOperations
void CheckNamedRule(const Value& rule, const FieldPath& path, FieldErrorList* errors) {
  const FieldPath names = path.Child("resourceNames");
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < rule.Get("resourceNames").size(); ++i) {
    const std::string_view name = rule.Get("resourceNames").at(i).AsString();
    errors->InvalidAll(names.Index(i), name, PathSegmentName(name));
    if (!seen.insert(name).second) errors->Duplicate(names.Index(i), name);
  }
  CheckHookRule(rule, path, errors);
}

// Problems of one text as one error.
void InvalidJoined(const NameProblems& problems, std::string_view text, std::string_view before,
                   const FieldPath& path, FieldErrorList* errors) {
  if (problems.empty()) return;
  errors->Invalid(path, text, fmt::format("{}{}", before, fmt::join(problems, ",")));
}

// validateParamRef
void CheckParamRef(const Value& ref, const FieldPath& path, FieldErrorList* errors) {
  constexpr std::string_view kOneOnly = "name and selector are mutually exclusive";
  if (ref.is_null()) return;
  const std::string_view name = ref.Get("name").AsString();
  const bool selects = !ref.Get("selector").is_null();
  if (!name.empty()) {
    errors->InvalidAll(path.Child("name"), name, PathSegmentName(name));
    if (selects) errors->Forbidden(path.Child("name"), kOneOnly);
  }
  if (selects) {
    ValidateLabelSelector(ref.Get("selector"), path.Child("selector"), errors);
    if (!name.empty()) errors->Forbidden(path.Child("selector"), kOneOnly);
  }
  if (name.empty() && !selects) errors->Required(path, "one of name or selector must be specified");
  ValidateChoice(ref.Get("parameterNotFoundAction").AsString(), true,
                 path.Child("parameterNotFoundAction"), {"Deny", "Allow"}, errors);
}

}  // namespace

Value DefaultPolicy(const Value& tree, Compat) {
  return EditSpec(tree, [](const Value& s) {
    Value spec = s;
    if (spec.Get("failurePolicy").is_null())
      spec = std::move(spec).Set("failurePolicy", Value::Of("Fail"));
    const Value match = spec.Get("matchConstraints");
    return match.is_null() ? spec
                           : std::move(spec).Set("matchConstraints", DefaultMatchResources(match));
  });
}

Value DefaultPolicyBinding(const Value& tree, Compat) {
  return EditSpec(tree, [](const Value& spec) {
    const Value match = spec.Get("matchResources");
    return match.is_null() ? spec : spec.Set("matchResources", DefaultMatchResources(match));
  });
}

void CheckPolicyBinding(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view policy = spec.Get("policyName").AsString();
  if (policy.empty()) {
    errors->Required(path.Child("policyName"));
  } else {
    errors->InvalidAll(path.Child("policyName"), policy, Dns1123Subdomain(policy));
  }
  CheckParamRef(spec.Get("paramRef"), path.Child("paramRef"), errors);
  CheckMatchResources(spec.Get("matchResources"), path.Child("matchResources"), errors);
}

void CheckMatchResources(const Value& match, const FieldPath& path, FieldErrorList* errors) {
  if (match.is_null()) return;
  ValidateChoice(match.Get("matchPolicy").AsString(), true, path.Child("matchPolicy"),
                 {"Equivalent", "Exact"}, errors);
  for (const char* selector : {"namespaceSelector", "objectSelector"}) {
    if (match.Get(selector).is_null()) {
      errors->Required(path.Child(selector));
    } else {
      ValidateLabelSelector(match.Get(selector), path.Child(selector), errors);
    }
  }
  for (const char* list : {"resourceRules", "excludeResourceRules"}) {
    const FieldPath rules = path.Child(list);
    for (std::size_t i = 0; i < match.Get(list).size(); ++i)
      CheckNamedRule(match.Get(list).at(i), rules.Index(i), errors);
  }
}

void CheckParamKind(const Value& kind, const FieldPath& path, FieldErrorList* errors) {
  if (kind.is_null()) return;
  const FieldPath at_version = path.Child("apiVersion");
  const FieldPath at_kind = path.Child("kind");
  const std::string_view api_version = kind.Get("apiVersion").AsString();
  const auto slashes = std::count(api_version.begin(), api_version.end(), '/');
  const std::size_t slash = std::min(api_version.find('/'), api_version.size());
  const std::string_view group = slashes == 0 ? "" : api_version.substr(0, slash);
  const std::string_view version = slashes == 0 ? api_version : api_version.substr(slash + 1);
  if (api_version.empty()) {
    errors->Required(at_version);
  } else if (slashes > 1) {
    errors->Invalid(at_version, api_version,
                    fmt::format("unexpected GroupVersion string: {}", api_version));
  } else {
    InvalidJoined(group.empty() ? NameProblems() : Dns1123Subdomain(group), group, "", at_version,
                  errors);
    if (version.empty()) {
      errors->Invalid(at_version, api_version, "version must be specified");
    } else {
      InvalidJoined(Dns1035Label(version), version, "", at_version, errors);
    }
  }
  const std::string_view name = kind.Get("kind").AsString();
  if (name.empty()) return errors->Required(at_kind);
  InvalidJoined(Dns1035Label(cells::Lower(name)), name,
                "may have mixed case, but should otherwise match: ", at_kind, errors);
}

std::string ParamKindCell(const Object& policy) {
  const Value& param = policy.spec().Get("paramKind");
  if (param.is_null()) return "<unset>";
  return fmt::format("{}/{}", param.Get("apiVersion").AsString(), param.Get("kind").AsString());
}

std::vector<std::string> PolicyBindingCells(const Object& o, VirtualTime now) {
  const Value& param = o.spec().Get("paramRef");
  const std::string_view name = param.Get("name").AsString();
  const std::string_view ns = param.Get("namespace").AsString();
  return {cells::Name(o), cells::Text(o.spec().Get("policyName")),
          name.empty() ? "<unset>" : fmt::format("{}/{}", ns.empty() ? "*" : ns, name),
          cells::Age(o, now)};
}

}  // namespace ksim::api
