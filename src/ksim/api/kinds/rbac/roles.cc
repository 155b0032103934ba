#include "ksim/api/kinds/rbac/roles.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "ksim/api/core/tree_edit.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";
constexpr std::string_view kServiceAccount = "ServiceAccount", kUser = "User", kGroup = "Group";

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

// ValidateRoleBindingSubject.
void CheckSubject(const Value& subject, bool namespaced, const FieldPath& path,
                  FieldErrorList* errors) {
  const std::string_view kind = subject.Get("kind").AsString();
  const std::string_view name = subject.Get("name").AsString();
  const std::string_view group = subject.Get("apiGroup").AsString();
  if (name.empty()) errors->Required(path.Child("name"));
  if (kind == kServiceAccount) {
    if (!name.empty()) errors->InvalidAll(path.Child("name"), name, Dns1123Subdomain(name));
    if (!group.empty()) errors->NotSupported(path.Child("apiGroup"), group, {""});
    if (!namespaced && subject.Get("namespace").AsString().empty())
      errors->Required(path.Child("namespace"));
  } else if (kind == kUser || kind == kGroup) {
    if (group != kRbacGroup) errors->NotSupported(path.Child("apiGroup"), group, {kRbacGroup});
  } else {
    errors->NotSupported(path.Child("kind"), kind, {kServiceAccount, kUser, kGroup});
  }
}

// SetDefaults_Subject.
Value DefaultSubject(const Value& subject) {
  const std::string_view kind = subject.Get("kind").AsString();
  if ((kind != kUser && kind != kGroup) || !subject.Get("apiGroup").AsString().empty())
    return subject;
  return subject.Set("apiGroup", Value::Of(kRbacGroup));
}

// The reference as the internal type has it, whose fields have no JSON names.
Value GoRoleRef(const Value& role) {
  return value::Obj({{"APIGroup", Value::Of(role.Get("apiGroup").AsString())},
                     {"Kind", Value::Of(role.Get("kind").AsString())},
                     {"Name", Value::Of(role.Get("name").AsString())}});
}

}  // namespace

// SetDefaults_RoleBinding, SetDefaults_ClusterRoleBinding.
Value DefaultBinding(const Value& tree, Compat) {
  Value out = EditField(tree, value::Atom("subjects"),
                        [](const Value& all) { return EditItems(all, DefaultSubject); });
  const Value& role = out.Get("roleRef");
  if (!role.Get("apiGroup").AsString().empty()) return out;
  return out.Set(
      "roleRef",
      (role.is_object() ? role : Value::EmptyObject()).Set("apiGroup", Value::Of(kRbacGroup)));
}

void ValidateBinding(const Value& tree, FieldErrorList* errors) {
  const bool namespaced = tree.Get("kind").AsString() != "ClusterRoleBinding";
  const FieldPath path("roleRef");
  const Value& role = tree.Get("roleRef");
  const std::string_view group = role.Get("apiGroup").AsString();
  const std::string_view kind = role.Get("kind").AsString();
  const std::string_view name = role.Get("name").AsString();
  if (group != kRbacGroup) errors->NotSupported(path.Child("apiGroup"), group, {kRbacGroup});
  if (namespaced && kind != "Role" && kind != "ClusterRole")
    errors->NotSupported(path.Child("kind"), kind, {"Role", "ClusterRole"});
  if (!namespaced && kind != "ClusterRole")
    errors->NotSupported(path.Child("kind"), kind, {"ClusterRole"});
  if (name.empty()) {
    errors->Required(path.Child("name"));
  } else {
    errors->InvalidAll(path.Child("name"), name, PathSegmentName(name));
  }
  const FieldPath subjects("subjects");
  const Value& all = tree.Get("subjects");
  for (std::size_t i = 0; i < all.size(); ++i)
    CheckSubject(all.at(i), namespaced, subjects.Index(i), errors);
}

void ValidateBindingChange(const Value& updated, const Value& old, FieldErrorList* errors) {
  const Value role = GoRoleRef(updated.Get("roleRef"));
  if (role == GoRoleRef(old.Get("roleRef"))) return;
  errors->Invalid(FieldPath("roleRef"), role, GoShape::kOther, "cannot change roleRef");
}

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
