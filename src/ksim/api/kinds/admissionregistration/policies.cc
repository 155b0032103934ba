#include "ksim/api/kinds/admissionregistration/policies.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/tree_edit.h"
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
