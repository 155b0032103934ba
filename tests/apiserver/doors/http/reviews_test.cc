// Reviews of a server with RBAC, and its paths: they say what the authorizer says.
#include "ksim/apiserver/doors/http/reviews.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "ksim/apiserver/core/access.h"
#include "ksim/apiserver/doors/http/request_info.h"
#include "ksim/apiserver/doors/http/url.h"
#include "ksim/value/json.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver::http {
namespace {

using value::Value;

constexpr const char* kAccount = "system:serviceaccount:default:web";

struct Asked : World {
  explicit Asked(bool rbac = true)
      : World(Options(rbac)), reviews(&server().access(), api::Compat::k1_36) {}
  static WorldOptions Options(bool rbac) {
    WorldOptions options;
    options.server.policy.rbac = rbac;
    return options;
  }

  std::optional<HttpResponse> Ask(const std::string& target, const std::string& body,
                                  const char* user) {
    HttpRequest http;
    http.method = body.empty() ? "GET" : "POST";
    http.target = target;
    http.headers.Add("Content-Type", "application/json");
    http.headers.Add("Impersonate-User", user);
    http.body = body;
    const std::optional<Url> url = ParseTarget(http.target);
    const RequestInfo info = ReadRequestInfo(http.method, *url);
    return body.empty() ? reviews.RefusePath(http, *url, info) : reviews.Serve(http, *url, info);
  }
  // The status of a review, or the message of a refusal.
  std::string Review(const char* kind, const char* resource, const std::string& spec,
                     const char* user = kAccount) {
    const auto response =
        Ask(fmt::format("/apis/authorization.k8s.io/v1/{}", resource),
            fmt::format(R"({{"apiVersion":"authorization.k8s.io/v1","kind":"{}","spec":{}}})", kind,
                        spec),
            user);
    const Value tree = Json(response->body);
    return response->code == 201 ? value::ToJson(tree.Get("status"))
                                 : std::string(tree.Get("message").AsString());
  }

  Reviews reviews;
};

constexpr const char* kListPods =
    R"({"resourceAttributes":{"verb":"list","resource":"pods","namespace":"default"}})";

// API-256
TEST(Reviews, SayWhatTheAuthorizerSays) {
  Asked w;
  const auto self = [&w](const std::string& spec) {
    return w.Review("SelfSubjectAccessReview", "selfsubjectaccessreviews", spec);
  };
  EXPECT_EQ(self(kListPods), R"({"allowed":false})");
  EXPECT_EQ(self(R"({"nonResourceAttributes":{"verb":"get","path":"/version"}})"),
            R"({"allowed":true,"reason":"RBAC: allowed by ClusterRoleBinding \"system:discovery\" )"
            R"(of ClusterRole \"system:discovery\" to Group \"system:authenticated\""})");
  const std::string of_scheduler =
      R"({"user":"system:kube-scheduler","resourceAttributes":{"verb":"create","resource":"pods",)"
      R"("subresource":"binding","namespace":"default"}})";
  EXPECT_EQ(w.Review("SubjectAccessReview", "subjectaccessreviews", of_scheduler),
            "subjectaccessreviews.authorization.k8s.io is forbidden: User "
            "\"system:serviceaccount:default:web\" cannot create resource \"subjectaccessreviews\" "
            "in API group \"authorization.k8s.io\" at the cluster scope");
  EXPECT_EQ(w.Review("SubjectAccessReview", "subjectaccessreviews", of_scheduler, "system:admin"),
            R"({"allowed":true,"reason":"RBAC: allowed by ClusterRoleBinding )"
            R"(\"system:kube-scheduler\" of ClusterRole \"system:kube-scheduler\" to User )"
            R"(\"system:kube-scheduler\""})");
}

// API-256: a review asks about the groups that it names, and no others.
TEST(Reviews, ASubjectHasTheGroupsThatAreNamed) {
  Asked w;
  const auto of = [&w](const std::string& groups) {
    return w.Review("SubjectAccessReview", "subjectaccessreviews",
                    fmt::format(R"({{"user":"system:admin","groups":[{}],"resourceAttributes":)"
                                R"({{"verb":"list","resource":"pods","namespace":"default"}}}})",
                                groups),
                    "system:admin");
  };
  EXPECT_EQ(of(""), R"({"allowed":false})");
  EXPECT_EQ(of(R"("system:masters")"), R"({"allowed":true})");
}

// API-256
TEST(Reviews, RulesAreListed) {
  Asked w;
  const Value status = Json(
      w.Review("SelfSubjectRulesReview", "selfsubjectrulesreviews", R"({"namespace":"default"})"));
  EXPECT_FALSE(status.Get("incomplete").AsBool());
  const std::string rules = value::ToJson(status.Get("resourceRules"));
  EXPECT_NE(rules.find("selfsubjectrulesreviews"), std::string::npos) << rules;
  EXPECT_EQ(rules.find("pods"), std::string::npos) << rules;
  EXPECT_NE(value::ToJson(status.Get("nonResourceRules")).find("/healthz"), std::string::npos);
  Asked free(false);
  EXPECT_EQ(free.Review("SelfSubjectRulesReview", "selfsubjectrulesreviews",
                        R"({"namespace":"default"})"),
            R"({"incomplete":false,"nonResourceRules":[{"nonResourceURLs":["*"],"verbs":["*"]}],)"
            R"("resourceRules":[{"apiGroups":["*"],"resources":["*"],"verbs":["*"]}]})");
}

// API-255
TEST(Reviews, PathsAreJudged) {
  Asked w;
  EXPECT_FALSE(w.Ask("/healthz", "", kAccount).has_value());
  EXPECT_FALSE(w.Ask("/apis/apps/v1", "", kAccount).has_value());
  const auto refused = w.Ask("/metrics", "", kAccount);
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->code, 403);
  EXPECT_EQ(Json(refused->body).Get("message").AsString(),
            "forbidden: User \"system:serviceaccount:default:web\" cannot get path \"/metrics\"");
  EXPECT_FALSE(w.Ask("/metrics", "", "system:admin").has_value());
  Asked free(false);
  EXPECT_FALSE(free.Ask("/metrics", "", kAccount).has_value());
}

}  // namespace
}  // namespace ksim::apiserver::http
