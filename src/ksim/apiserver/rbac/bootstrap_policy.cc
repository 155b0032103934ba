#include "ksim/apiserver/rbac/bootstrap_policy.h"

#include <algorithm>
#include <string>
#include <utility>

#include "ksim/apiserver/rbac/policy_rule.h"
#include "ksim/base/check.h"

namespace ksim::apiserver::rbac {
namespace {

using value::Arr;
using value::Obj;
using value::ObjectBuilder;
using value::Value;

constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";
constexpr std::string_view kMasters = "system:masters";
constexpr std::string_view kClusterAdmins = "kubeadm:cluster-admins";

// Cuts the text up to the next `end`, which falls away, from the front of `rest`.
std::string_view CutTo(char end, std::string_view* rest) {
  const std::size_t at = rest->find(end);
  const std::string_view cut = rest->substr(0, at);
  rest->remove_prefix(at == rest->npos ? rest->size() : at + 1);
  return cut;
}

// A line, with those that go on with it.
std::string TakeLine(std::string_view* text) {
  constexpr std::string_view kGoesOn = "    ";
  std::string line(CutTo('\n', text));
  while (text->starts_with(kGoesOn)) line += CutTo('\n', text).substr(kGoesOn.size());
  return line;
}

bool IsOf(std::string_view versions, std::string_view version) {
  if (versions == "*") return true;
  while (!versions.empty())
    if (CutTo(',', &versions) == version) return true;
  return false;
}

// "get,list"; ",apps" are the core group and apps. An empty text is an empty list.
Value ListOf(std::string_view text) {
  std::vector<Value> items;
  for (bool more = !text.empty(); more;) {
    more = text.find(',') != text.npos;
    items.push_back(Value::Of(CutTo(',', &text)));
  }
  return Value::Array(std::move(items));
}

// VERBS|GROUPS|RESOURCES|NAMES|URLS
Value RuleOf(std::string_view text) {
  ObjectBuilder rule;
  rule.Add("verbs", ListOf(CutTo('|', &text)));
  const std::string_view groups = CutTo('|', &text);
  const std::string_view resources = CutTo('|', &text);
  // The core group alone is an empty text, too.
  if (!resources.empty())
    rule.Add("apiGroups", groups.empty() ? Arr({Value::Of("")}) : ListOf(groups));
  for (const char* field : {"resourceNames", "nonResourceURLs"}) {
    const std::string_view list = CutTo('|', &text);
    rule.AddIf(!list.empty(), field, ListOf(list));
  }
  rule.AddIf(!resources.empty(), "resources", ListOf(resources));
  return rule.Build();
}

// User NAME, Group NAME or ServiceAccount NAMESPACE/NAME
Value SubjectOf(std::string_view text) {
  const std::string_view kind = CutTo(' ', &text);
  if (kind != "ServiceAccount")
    return Obj({{"kind", Value::Of(kind)},
                {"apiGroup", Value::Of(kRbacGroup)},
                {"name", Value::Of(text)}});
  const std::string_view ns = CutTo('/', &text);
  return Obj({{"kind", Value::Of(kind)}, {"name", Value::Of(text)}, {"namespace", Value::Of(ns)}});
}

Value RoleRefOf(std::string_view text) {
  const std::string_view kind = CutTo(' ', &text);
  return Obj(
      {{"apiGroup", Value::Of(kRbacGroup)}, {"kind", Value::Of(kind)}, {"name", Value::Of(text)}});
}

// The object of a head line, behind KIND and VERSIONS.
Value ObjectOf(std::string_view kind, std::string_view rest) {
  std::string_view name = CutTo(' ', &rest);
  ObjectBuilder labels;
  labels.Add("kubernetes.io/bootstrapping", Value::Of("rbac-defaults"));
  while (!rest.empty()) labels.Add(CutTo(' ', &rest), Value::Of("true"));
  ObjectBuilder metadata;
  const bool namespaced = !kind.starts_with("Cluster");
  if (namespaced) metadata.Add("namespace", Value::Of(CutTo('/', &name)));
  metadata.Add("name", Value::Of(name));
  metadata.Add("labels", labels.Build());
  metadata.Add("annotations",
               Obj({{"rbac.authorization.kubernetes.io/autoupdate", Value::Of("true")}}));
  return Obj({{"apiVersion", Value::Of("rbac.authorization.k8s.io/v1")},
              {"kind", Value::Of(kind)},
              {"metadata", metadata.Build()}});
}

// A line below a head.
Value WithLine(Value object, std::string_view line, std::string_view version) {
  const std::string_view what = CutTo(' ', &line);
  if (what == "b") return object.Set("roleRef", RoleRefOf(line));
  if (what == "a") {
    const Value selector = Obj({{"matchLabels", Obj({{line, Value::Of("true")}})}});
    return object.Set("aggregationRule", Obj({{"clusterRoleSelectors", Arr({selector})}}));
  }
  if (!IsOf(CutTo(' ', &line), version)) return object;
  KSIM_CHECK(what == "r" || what == "s") << "a line of bootstrap_policy.txt begins with " << what;
  const char* const field = what == "r" ? "rules" : "subjects";
  const Value item = what == "r" ? RuleOf(line) : SubjectOf(line);
  return object.Set(field, object.Get(field).Append(item));
}

// cmd/kubeadm/app/phases/kubeconfig EnsureAdminClusterRoleBindingImpl.
Value AdminBinding() {
  return Obj({{"apiVersion", Value::Of("rbac.authorization.k8s.io/v1")},
              {"kind", Value::Of("ClusterRoleBinding")},
              {"metadata", Obj({{"name", Value::Of(kClusterAdmins)}})},
              {"roleRef", RoleRefOf("ClusterRole cluster-admin")},
              {"subjects", Arr({SubjectOf("Group kubeadm:cluster-admins")})}});
}

}  // namespace

std::vector<Value> BootstrapPolicy(const Profile& profile) {
  std::vector<Value> objects;
  bool kept = false;  // whether this version has the object of the last head
  for (std::string_view text = kBootstrapPolicy; !text.empty();) {
    const std::string whole = TakeLine(&text);
    std::string_view line = whole;
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with("  ")) {
      if (kept) objects.back() = WithLine(objects.back(), line.substr(2), profile.rbac_policy);
      continue;
    }
    const std::string_view kind = CutTo(' ', &line);
    kept = IsOf(CutTo(' ', &line), profile.rbac_policy);
    if (kept) objects.push_back(ObjectOf(kind, line));
  }
  if (profile.kubeadm_binds_admins) objects.push_back(AdminBinding());
  return objects;
}

std::vector<PolicyRule> NodeRules(const Profile& profile) {
  const std::vector<Value> objects = BootstrapPolicy(profile);
  const auto role = std::find_if(objects.begin(), objects.end(), [](const Value& object) {
    return object.Get("kind").AsString() == "ClusterRole" &&
           object.Get("metadata").Get("name").AsString() == "system:node";
  });
  KSIM_CHECK(role != objects.end()) << "bootstrap_policy.txt has no ClusterRole system:node";
  return RulesIn(*role);
}

std::string_view AdminGroup(const Profile& profile) {
  return profile.kubeadm_binds_admins ? kClusterAdmins : kMasters;
}

}  // namespace ksim::apiserver::rbac
