// Tables of what rules allow, and of what they cover.
#include "ksim/apiserver/rbac/policy_rule.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/apiserver/world.h"

namespace ksim::apiserver::rbac {
namespace {

std::vector<PolicyRule> Rules(const std::string& json) {
  return RulesIn(Json(fmt::format(R"({{"rules":[{}]}})", json)));
}

Access To(std::string verb, std::string group, std::string resource, std::string sub = "",
          std::string name = "") {
  Access access;
  access.verb = std::move(verb);
  access.group = std::move(group);
  access.resource = std::move(resource);
  access.subresource = std::move(sub);
  access.name = std::move(name);
  return access;
}

// API-138
TEST(PolicyRule, AllowsWhatItNames) {
  const std::string pods = R"({"verbs":["get"],"apiGroups":[""],"resources":["pods"]})";
  const std::string status = R"({"verbs":["*"],"apiGroups":["*"],"resources":["*/status"]})";
  const std::string named =
      R"({"verbs":["get","create"],"apiGroups":["apps"],"resources":["deployments"],)"
      R"("resourceNames":["a"]})";
  const std::string all = R"({"verbs":["*"],"apiGroups":["*"],"resources":["*"]})";
  const std::string logs = R"({"verbs":["get"],"apiGroups":[""],"resources":["pods/log"]})";
  const std::string paths = R"({"verbs":["get"],"nonResourceURLs":["/healthz","/logs/*"]})";
  struct Row {
    std::string rule;
    Access access;
    bool allowed;
  };
  const Row rows[] = {
      {pods, To("get", "", "pods"), true},
      {pods, To("list", "", "pods"), false},
      {pods, To("get", "apps", "pods"), false},
      {pods, To("get", "", "pods", "status"), false},
      {pods, To("get", "", "pods", "", "x"), true},
      {logs, To("get", "", "pods", "log"), true},
      {logs, To("get", "", "pods"), false},
      {status, To("update", "apps", "deployments", "status"), true},
      {status, To("update", "apps", "deployments"), false},
      {status, To("update", "apps", "deployments", "scale"), false},
      {named, To("get", "apps", "deployments", "", "a"), true},
      {named, To("get", "apps", "deployments", "", "b"), false},
      {named, To("create", "apps", "deployments"), false},
      {all, To("get", "x.io", "things", "scale", "n"), true},
      {all, AccessOfPath("get", "/healthz"), false},
      {paths, AccessOfPath("get", "/healthz"), true},
      {paths, AccessOfPath("get", "/healthz/ping"), false},
      {paths, AccessOfPath("get", "/logs/a"), true},
      {paths, AccessOfPath("post", "/logs/a"), false},
      {R"({"verbs":["get"],"nonResourceURLs":["*"]})", AccessOfPath("get", "/x"), true},
  };
  for (const Row& row : rows)
    EXPECT_EQ(RulesAllow(Rules(row.rule), row.access), row.allowed)
        << row.rule << " " << row.access.verb << " " << row.access.resource << "/"
        << row.access.subresource << " " << row.access.name << row.access.path;
}

std::vector<std::string> Missing(const std::string& held, const std::string& wanted) {
  std::vector<std::string> out;
  for (const PolicyRule& rule : Compact(NotCovered(Rules(held), Rules(wanted))))
    out.push_back(CompactString(rule));
  return out;
}

// API-254
TEST(PolicyRule, TellsWhatOthersDoNotCover) {
  const std::string wanted =
      R"({"verbs":["get","list"],"apiGroups":["apps"],"resources":["deployments","replicasets"]})";
  using Lines = std::vector<std::string>;
  EXPECT_EQ(Missing(wanted, wanted), Lines{});
  EXPECT_EQ(Missing(R"({"verbs":["*"],"apiGroups":["*"],"resources":["*"]})", wanted), Lines{});
  EXPECT_EQ(
      Missing(R"({"verbs":["get"],"apiGroups":["apps"],"resources":["deployments"]})", wanted),
      (Lines{R"({APIGroups:["apps"], Resources:["deployments"], Verbs:["list"]})",
             R"({APIGroups:["apps"], Resources:["replicasets"], Verbs:["get" "list"]})"}));
  const std::string some =
      R"({"verbs":["get"],"apiGroups":[""],"resources":["secrets"],"resourceNames":["a"]})";
  EXPECT_EQ(Missing(some, R"({"verbs":["get"],"apiGroups":[""],"resources":["secrets"]})"),
            Lines{R"({APIGroups:[""], Resources:["secrets"], Verbs:["get"]})"})
      << "a name is less than all";
  EXPECT_EQ(Missing(R"({"verbs":["get"],"apiGroups":[""],"resources":["secrets"]})", some),
            Lines{});
  EXPECT_EQ(Missing(R"({"verbs":["get"],"apiGroups":[""],"resources":["*/status"]})",
                    R"({"verbs":["get"],"apiGroups":[""],"resources":["pods/status","pods"]})"),
            Lines{R"({APIGroups:[""], Resources:["pods"], Verbs:["get"]})"});
  EXPECT_EQ(Missing(R"({"verbs":["get"],"nonResourceURLs":["/logs/*"]})",
                    R"({"verbs":["get"],"nonResourceURLs":["/logs/a","/api"]})"),
            Lines{R"({NonResourceURLs:["/api"], Verbs:["get"]})"});
}

}  // namespace
}  // namespace ksim::apiserver::rbac
