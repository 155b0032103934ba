// The ClusterRole aggregation controller against real API servers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "ksim/controllers/clusterroleaggregation/cluster_role_aggregation_controller.h"
#include "ksim/controllers/common/controller_info.h"
#include "ksim/value/json.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using api::Compat;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kGetPods = R"({"verbs":["get"],"apiGroups":[""],"resources":["pods"]})";
constexpr const char* kGetNodes = R"({"verbs":["get"],"apiGroups":[""],"resources":["nodes"]})";

struct Roles {
  explicit Roles(Compat compat = Compat::k1_36) : w(compat) {}
  ~Roles() { w.api.sim.Shutdown(); }
  void Start() {
    w.StartController("clusterrole-aggregation",
                      &controllers::MakeController<controllers::ClusterRoleAggregationController>);
  }
  void AddRole(std::string_view name, std::string_view labels, std::string_view rules) {
    w.Create("clusterroles", fmt::format(R"({{"metadata":{{"name":"{}","labels":{{{}}}}},)"
                                         R"("rules":[{}]}})",
                                         name, labels, rules));
  }
  void AddGathering(std::string_view selectors) {
    w.Create("clusterroles",
             fmt::format(R"({{"metadata":{{"name":"all","labels":{{"to":"all"}}}},"rules":[],)"
                         R"("aggregationRule":{{"clusterRoleSelectors":[{}]}}}})",
                         selectors));
  }
  std::string RulesOf(std::string_view name) {
    return value::ToJson(w.Get("clusterroles", name).tree().Get("rules"));
  }
  ActorWorld w;
};

std::string Json(const std::string& rules) {
  return value::ToJson(apiserver::Json("[" + rules + "]"));
}

// CTRL-CRA-01
TEST(ClusterRoleAggregation, GathersTheRulesOfTheSelectedRoles) {
  for (const Compat compat : kCompats) {
    Roles r(compat);
    r.AddRole("b", R"("to":"all")", std::string(kGetPods) + "," + kGetNodes);
    r.AddRole("a", R"("to":"all")", kGetNodes);
    r.AddRole("other", R"("to":"none")", kGetPods);
    r.AddGathering(R"({"matchLabels":{"to":"all"}})");
    r.Start();
    r.w.Settle();
    EXPECT_EQ(r.RulesOf("all"), Json(std::string(kGetNodes) + "," + kGetPods))
        << "by name, each once, and not its own";
  }
}

// CTRL-CRA-01
TEST(ClusterRoleAggregation, FollowsWhatChanges) {
  Roles r;
  r.AddGathering(R"({"matchLabels":{"to":"all"}},{"matchLabels":{"to":"more"}})");
  r.Start();
  r.w.Settle();
  EXPECT_EQ(r.RulesOf("all"), "[]");
  r.AddRole("a", R"("to":"more")", kGetNodes);
  r.w.Settle();
  EXPECT_EQ(r.RulesOf("all"), Json(kGetNodes));
  r.AddRole("b", R"("to":"all")", kGetPods);
  r.w.Settle();
  EXPECT_EQ(r.RulesOf("all"), Json(std::string(kGetPods) + "," + kGetNodes))
      << "selector by selector";
  r.w.Patch("clusterroles", "a", R"({"metadata":{"labels":{"to":"none"}}})");
  r.w.Settle();
  EXPECT_EQ(r.RulesOf("all"), Json(kGetPods));
  r.w.Delete("clusterroles", "b");
  r.w.Settle();
  EXPECT_EQ(r.w.Get("clusterroles", "all").tree().Get("rules").size(), 0u);
}

// CTRL-CRA-02
TEST(ClusterRoleAggregation, WritesOnlyWhatDiffers) {
  Roles r;
  r.AddRole("a", R"("to":"all")", kGetNodes);
  r.AddGathering(R"({"matchLabels":{"to":"all"}})");
  r.Start();
  r.w.Settle();
  EXPECT_THAT(r.w.Writes(), ElementsAre("patch clusterroles/all"));
  const std::string managers =
      value::ToJson(r.w.Get("clusterroles", "all").Get(value::Path{"metadata", "managedFields"}));
  EXPECT_NE(managers.find(R"("manager":"clusterrole-aggregation-controller","operation":"Apply")"),
            std::string::npos)
      << managers;
  r.w.Patch("clusterroles", "a", R"({"metadata":{"annotations":{"x":"y"}}})");
  r.w.Settle();
  EXPECT_THAT(r.w.Writes(), IsEmpty());
}

}  // namespace
}  // namespace ksim
