#include "ksim/kubelet/runtime/behaviour.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ksim/value/json.h"

namespace ksim::kubelet {
namespace {

api::Object Annotated(std::string_view key, std::string_view text) {
  return api::Object::FromTree(*value::ParseJson(
      fmt::format(R"({{"metadata":{{"annotations":{{"{}":"{}"}}}}}})", key, text)));
}

std::string Show(const std::optional<RunPlan>& plan) {
  if (!plan) return "nothing";
  if (!plan->exit_code) return "runs";
  return fmt::format("{} after {}", *plan->exit_code, FormatDuration(plan->after));
}

TEST(Behaviour, SaysHowEachRunEnds) {
  struct Row {
    const char* text;
    int run;
    const char* plan;
  };
  const Row table[] = {
      {"1 after 5s", 0, "1 after 5s"},
      {"1 after 5s", 7, "1 after 5s"},
      {"1 after 5s, 0 after 1m", 1, "0 after 1m0s"},
      {"1 after 5s, runs", 0, "1 after 5s"},
      {"1 after 5s, runs", 2, "runs"},
      {"137", 0, "137 after 0s"},
      {"runs", 0, "runs"},
      {"", 0, "nothing"},
      {"soon", 0, "nothing"},
      {"1 after 5s, soon, 2", 2, "1 after 5s"},
      {"1 after tea", 0, "nothing"},
  };
  for (const Row& row : table) {
    const api::Object pod = Annotated("exit.ksim.dev/c", row.text);
    EXPECT_EQ(Show(PlanOf(pod, "c", row.run)), row.plan) << row.text << ", run " << row.run;
    EXPECT_EQ(Show(PlanOf(pod, "other", row.run)), "nothing");
  }
}

TEST(Behaviour, SaysHowRunsEndInEachPodOfAnOwner) {
  const api::Object pod = Annotated("exit.ksim.dev/c", "1 after 5s, 2; 3 ; 0 after 1m");
  const std::pair<int, const char*> table[] = {
      {0, "1 after 5s"}, {1, "3 after 0s"}, {2, "0 after 1m0s"}, {9, "0 after 1m0s"}};
  for (const auto& [ordinal, plan] : table)
    EXPECT_EQ(Show(PlanOf(pod, "c", 0, static_cast<std::uint64_t>(ordinal))), plan) << ordinal;
  EXPECT_EQ(Show(PlanOf(pod, "c", 1, 0)), "2 after 0s");
  EXPECT_EQ(Show(PlanOf(pod, "c", 1, 1)), "3 after 0s");
}

std::string Show(const std::optional<PullPlan>& plan) {
  if (!plan) return "nothing";
  return std::string(plan->fails ? "fail" : "pull") +
         (plan->after ? " after " + FormatDuration(*plan->after) : "");
}

TEST(Behaviour, SaysHowEachPullEnds) {
  struct Row {
    const char* text;
    int pull;
    const char* plan;
  };
  const Row table[] = {
      {"fail", 0, "fail"},
      {"fail", 9, "fail"},
      {"fail after 2s, fail, pull after 1m", 0, "fail after 2s"},
      {"fail after 2s, fail, pull after 1m", 1, "fail"},
      {"fail after 2s, fail, pull after 1m", 2, "pull after 1m0s"},
      {"fail after 2s, fail, pull after 1m", 3, "pull after 1m0s"},
      {"", 0, "nothing"},
      {"fails", 0, "nothing"},
      {"fail, later, pull", 2, "fail"},
      {"fail in 2s", 0, "nothing"},
      {"fail after -2s", 0, "nothing"},
  };
  for (const Row& row : table) {
    const api::Object pod = Annotated("pull.ksim.dev/c", row.text);
    EXPECT_EQ(Show(PullPlanOf(pod, "c", row.pull)), row.plan) << row.text << ", pull " << row.pull;
    EXPECT_EQ(Show(PullPlanOf(pod, "other", row.pull)), "nothing");
  }
}

TEST(Behaviour, SaysWhatAProbeFindsAtAnyAge) {
  struct Row {
    const char* text;
    int age;
    ProbeOutcome outcome;
  };
  const Row table[] = {
      {"", 0, ProbeOutcome::kPass},
      {"fail", 100, ProbeOutcome::kFail},
      {"fail 10s, pass", 9, ProbeOutcome::kFail},
      {"fail 10s, pass", 10, ProbeOutcome::kPass},
      {"pass 10s, error 5s, fail 5s", 12, ProbeOutcome::kError},
      {"pass 10s, error 5s, fail 5s", 19, ProbeOutcome::kFail},
      {"pass 10s, error 5s, fail 5s", 99, ProbeOutcome::kFail},
      {"maybe", 0, ProbeOutcome::kPass},
  };
  for (const Row& row : table) {
    for (const ProbeType type :
         {ProbeType::kLiveness, ProbeType::kReadiness, ProbeType::kStartup}) {
      const api::Object pod = Annotated(fmt::format("{}.ksim.dev/c", ToString(type)), row.text);
      EXPECT_EQ(OutcomeOf(pod, "c", type, Seconds(row.age)), row.outcome)
          << row.text << " at " << row.age;
      const api::Object other = Annotated("exit.ksim.dev/c", row.text);
      EXPECT_EQ(OutcomeOf(other, "c", type, Seconds(row.age)), ProbeOutcome::kPass);
    }
  }
}

}  // namespace
}  // namespace ksim::kubelet
