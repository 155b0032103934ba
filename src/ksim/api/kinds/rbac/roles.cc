#include "ksim/api/kinds/rbac/roles.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

// ValidatePolicyRule.
void CheckPolicyRule(const Value& rule, bool namespaced, const FieldPath& path,
                     FieldErrorList* errors) {
  if (rule.Get("verbs").empty()) {
    errors->Required(path.Child("verbs"), "verbs must contain at least one value");
  }
  const Value& urls = rule.Get("nonResourceURLs");
  if (!urls.empty()) {
    const FieldPath at = path.Child("nonResourceURLs");
    if (namespaced) {
      errors->Invalid(at, urls, GoShape::kStringSlice,
                      "namespaced rules cannot apply to non-resource URLs");
    }
    if (!rule.Get("apiGroups").empty() || !rule.Get("resources").empty() ||
        !rule.Get("resourceNames").empty()) {
      errors->Invalid(at, urls, GoShape::kStringSlice,
                      "rules cannot apply to both regular resources and non-resource URLs");
    }
    return;
  }
  if (rule.Get("apiGroups").empty()) {
    errors->Required(path.Child("apiGroups"), "resource rules must supply at least one api group");
  }
  if (rule.Get("resources").empty()) {
    errors->Required(path.Child("resources"), "resource rules must supply at least one resource");
  }
}

}  // namespace

void ValidateRole(const Value& tree, FieldErrorList* errors) {
  const bool namespaced = tree.Get("kind").AsString() != "ClusterRole";
  const FieldPath path("rules");
  const Value& rules = tree.Get("rules");
  for (std::size_t i = 0; i < rules.size(); ++i) {
    CheckPolicyRule(rules.at(i), namespaced, path.Index(i), errors);
  }
}

std::vector<std::string> RbacNameProblems(std::string_view name, Compat) {
  return PathSegmentName(name);
}

// rbac.SubjectsStrings.
std::vector<std::string> BindingCells(const Object& o, VirtualTime now) {
  const Value& role = o.tree().Get("roleRef");
  std::vector<std::string> users, groups, accounts;
  for (const Value& s : o.tree().Get("subjects").items()) {
    const std::string_view kind = s.Get("kind").AsString();
    const std::string name = cells::Text(s.Get("name"));
    if (kind == "ServiceAccount") accounts.push_back(cells::Text(s.Get("namespace")) + "/" + name);
    if (kind == "User") users.push_back(name);
    if (kind == "Group") groups.push_back(name);
  }
  return {cells::Name(o),
          fmt::format("{}/{}", role.Get("kind").AsString(), role.Get("name").AsString()),
          cells::Age(o, now),
          cells::JoinTexts(users, ", "),
          cells::JoinTexts(groups, ", "),
          cells::JoinTexts(accounts, ", ")};
}

}  // namespace ksim::api
