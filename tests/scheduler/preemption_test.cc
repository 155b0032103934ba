#include "ksim/scheduler/preemption.h"

#include <gtest/gtest.h>

#include <set>

#include "ksim/scheduler/plugins/plugins.h"
#include "ksim/sim/simulation.h"
#include "tests/scheduler/fixtures.h"

namespace ksim::scheduler {
namespace {

const VirtualTime kNow = VirtualTime(Minutes(10).ns());

// A pod on a node; `start` in seconds since the start of the run, -1 = not started.
api::Object Low(std::string_view name, std::string_view node, int priority, std::string_view cpu,
                int start = -1) {
  const std::string time =
      start < 0 ? "" : fmt::format(R"("startTime":"2000-01-01T00:00:{:02}Z")", start);
  return FromJson(fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{0}","namespace":"default",
          "uid":"uid-{0}"}},"spec":{{"priority":{1},"nodeName":"{2}","containers":[{{"name":"c",
          "resources":{{"requests":{{"cpu":"{3}"}}}}}}]}},"status":{{{4}}}}})",
      name, priority, node, cpu, time));
}

struct PreemptionTest : testing::Test {
  PreemptionTest() : sim(sim::SimulationOptions()) {}
  PreemptionPlan Plan(const api::Object& pod, std::uint64_t identity = 1) {
    plugins = DefaultPlugins(
        ProfileOf(compat), [](const api::Object&) { return std::vector<value::LabelSelector>(); });
    Algorithm algorithm(ProfileOf(compat), sim.decisions(), plugins, nominator);
    Preemption preemption(ProfileOf(compat), sim.decisions(), plugins, nominator);
    const ScheduleResult result = algorithm.Schedule(cache, pod, identity);
    EXPECT_FALSE(result.node.has_value()) << "it fits without";
    return preemption.Plan(cache.ListNodes(), pod, result.statuses, DisruptionBudgets(budgets),
                           identity, kNow);
  }
  static std::vector<std::string> Names(const Candidate& candidate) {
    std::vector<std::string> names;
    for (const api::Object& pod : candidate.victims) names.emplace_back(pod.name());
    return names;
  }
  sim::Simulation sim;
  api::Compat compat = api::Compat::k1_36;
  SchedulerCache cache;
  Nominator nominator;
  Plugins plugins;
  std::vector<api::Object> budgets;
};

using Strings = std::vector<std::string>;

// SCHED-27: the most important pods are reprieved first, by priority and then by age, as long as
// the preemptor fits.
TEST_F(PreemptionTest, TakesAsFewAndAsUnimportantVictimsAsItCan) {
  cache.AddNode(Node("n1"));
  cache.AddPod(Low("b", "n1", 1, "1", 20));
  cache.AddPod(Low("a", "n1", 1, "2", 10));
  cache.AddPod(Low("c", "n1", 2, "1", 30));
  const PreemptionPlan plan = Plan(Pod("p", R"("cpu":"2")", R"("priority":10)"));
  EXPECT_EQ(plan.best.node, "n1");
  EXPECT_EQ(Names(plan.best), Strings{"a"}) << "c stays, a does not fit beside it, b does";
  EXPECT_TRUE(plan.nomination.overrides);
  EXPECT_EQ(plan.nomination.node, "n1");
  EXPECT_EQ(plan.message, "");
  EXPECT_EQ(Names(Plan(Pod("p", R"("cpu":"4")", R"("priority":10)")).best),
            (Strings{"c", "a", "b"}))
      << "the most important first";
}

// SCHED-27
TEST_F(PreemptionTest, EvictsNoPodOfItsOwnPriorityNorWhereItCannotHelp) {
  cache.AddNode(Node("n1"));
  cache.AddNode(Node("n2", "", R"("taints":[{"key":"k","value":"v","effect":"NoSchedule"}])"));
  cache.AddPod(Low("equal", "n1", 10, "3"));
  cache.AddPod(Low("lower", "n2", 1, "3"));
  const PreemptionPlan plan = Plan(Pod("p", R"("cpu":"2")", R"("priority":10)"));
  EXPECT_EQ(plan.best.node, "");
  EXPECT_EQ(plan.message,
            "0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption "
            "is not helpful for scheduling.");
  EXPECT_TRUE(plan.nomination.overrides);
  EXPECT_EQ(plan.nomination.node, "") << "an older nomination is void";
}

// SCHED-27
TEST_F(PreemptionTest, SaysWhyEvenAnEmptyNodeWouldNotDo) {
  cache.AddNode(Node("n1"));
  cache.AddPod(Low("lower", "n1", 1, "1"));
  cache.AddPod(Low("higher", "n1", 20, "1"));
  EXPECT_EQ(Plan(Pod("p", R"("cpu":"4")", R"("priority":10)")).message,
            "0/1 nodes are available: 1 Insufficient cpu.");
}

// SCHED-27
TEST_F(PreemptionTest, APodThatMayNotOrNeedNotPreemptKeepsItsNomination) {
  cache.AddNode(Node("n1"));
  const char* never = R"("priority":10,"preemptionPolicy":"Never")";
  cache.AddPod(Low("lower", "n1", 1, "3"));
  PreemptionPlan plan = Plan(Pod("p", R"("cpu":"2")", never));
  EXPECT_EQ(plan.message, "not eligible due to preemptionPolicy=Never.");
  EXPECT_FALSE(plan.nomination.overrides);
  EXPECT_EQ(plan.best.node, "");
}

// SCHED-27: the victims of an earlier attempt are terminating. From 1.30 on a pod that terminates
// for another reason is no victim; 1.25 does not tell them apart.
TEST_F(PreemptionTest, WaitsForTheVictimsOfItsNominatedNode) {
  static const value::Path kNominated{"status", "nominatedNodeName"};
  const api::Object pod = api::Object::FromTree(
      Pod("p", R"("cpu":"2")", R"("priority":10)").tree().Set(kNominated, value::Value::Of("n1")));
  const api::Object leaving =
      api::Object::FromTree(Low("lower", "n1", 1, "3")
                                .tree()
                                .Set(value::Path{"metadata", "deletionTimestamp"},
                                     value::Value::Of("2000-01-01T00:00:00Z")));
  const api::Object victim = api::Object::FromTree(leaving.tree().Set(
      value::Path{"status", "conditions"},
      *value::ParseJson(
          R"([{"type":"DisruptionTarget","status":"True","reason":"PreemptionByScheduler"}])")));
  struct Row {
    api::Compat compat;
    const api::Object& other;
    bool waits;
  };
  for (const Row& row :
       {Row{api::Compat::k1_25, leaving, true}, Row{api::Compat::k1_30, leaving, false},
        Row{api::Compat::k1_36, leaving, false}, Row{api::Compat::k1_30, victim, true},
        Row{api::Compat::k1_36, victim, true}}) {
    compat = row.compat;
    cache = SchedulerCache();
    cache.AddNode(Node("n1"));
    cache.AddPod(row.other);
    const PreemptionPlan plan = Plan(pod);
    EXPECT_EQ(plan.message,
              row.waits ? "not eligible due to a terminating pod on the nominated node." : "");
    EXPECT_EQ(plan.best.node, row.waits ? "" : "n1");
  }
}

// A budget for the pods with that label; `status` as JSON.
api::Object Budget(std::string_view name, std::string_view ns, std::string_view selector,
                   std::string_view status) {
  return FromJson(fmt::format(
      R"({{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{{"name":"{}",
          "namespace":"{}"}},"spec":{{"selector":{}}},"status":{}}})",
      name, ns, selector, status));
}

api::Object Labelled(const api::Object& pod, std::string_view app) {
  static const value::Path kApp{"metadata", "labels", "app"};
  return api::Object::FromTree(pod.tree().Set(kApp, value::Value::Of(app)));
}

// SCHED-27: the pods that a budget wants to stay are reprieved first, though others matter more.
TEST_F(PreemptionTest, VictimsThatABudgetWantsToStayAreReprievedFirst) {
  cache.AddNode(Node("n1"));
  cache.AddPod(Labelled(Low("kept", "n1", 1, "2"), "web"));
  cache.AddPod(Low("other", "n1", 5, "2"));
  const auto victims = [&] {
    return Names(Plan(Pod("p", R"("cpu":"2")", R"("priority":10)")).best);
  };
  EXPECT_EQ(victims(), Strings{"kept"}) << "without a budget the least important goes";
  const char* web = R"({"matchLabels":{"app":"web"}})";
  struct Row {
    const char* what;
    api::Object budget;
    const char* victim;
  };
  const Row rows[] = {
      {"none may go", Budget("b", "default", web, R"({"disruptionsAllowed":0})"), "other"},
      {"no status yet", Budget("b", "default", web, "{}"), "other"},
      {"one may go", Budget("b", "default", web, R"({"disruptionsAllowed":1})"), "kept"},
      {"another namespace", Budget("b", "else", web, R"({"disruptionsAllowed":0})"), "kept"},
      {"an empty selector selects none", Budget("b", "default", "{}", "{}"), "kept"},
      {"no selector selects none", Budget("b", "default", "null", "{}"), "kept"},
      {"the API server has let it go already",
       Budget("b", "default", web,
              R"({"disruptionsAllowed":0,"disruptedPods":{"kept":"2000-01-01T00:00:00Z"}})"),
       "kept"},
  };
  for (const Row& row : rows) {
    budgets = {row.budget};
    EXPECT_EQ(victims(), Strings{row.victim}) << row.what;
  }
}

// SCHED-27, SCHED-28: each pod takes a disruption of the budget, the most important first. Past a
// budget where nothing else helps; then on the node where it is the fewest times.
TEST_F(PreemptionTest, BudgetsAreViolatedWhereNothingElseHelpsAndAsRarelyAsCanBe) {
  budgets = {
      Budget("b", "default", R"({"matchLabels":{"app":"web"}})", R"({"disruptionsAllowed":1})")};
  cache.AddNode(Node("n1"));
  cache.AddNode(Node("n2"));
  cache.AddPod(Labelled(Low("a", "n1", 1, "2"), "web"));
  cache.AddPod(Labelled(Low("b", "n1", 1, "2"), "web"));
  cache.AddPod(Labelled(Low("c", "n2", 5, "2"), "web"));
  cache.AddPod(Low("d", "n2", 5, "2"));
  const PreemptionPlan plan = Plan(Pod("p", R"("cpu":"4")", R"("priority":10)"));
  EXPECT_EQ(plan.best.node, "n2") << "on n1 two would go, of which one may";
  EXPECT_EQ(plan.best.violations, 0);
  cache.RemoveNode(Node("n2"));
  const PreemptionPlan past = Plan(Pod("p", R"("cpu":"4")", R"("priority":10)"));
  EXPECT_EQ(past.best.node, "n1");
  EXPECT_EQ(past.best.violations, 1);
}

// SCHED-28: from 1.30 on victims are sorted once more; before, the first is one that a budget wants
// to stay, and its priority is compared.
TEST_F(PreemptionTest, VictimsOfBothKindsAreSortedByImportance) {
  budgets = {Budget("b", "default", R"({"matchLabels":{"app":"web"}})", "{}")};
  const auto order = [&](api::Compat version) {
    compat = version;
    cache = SchedulerCache();
    cache.AddNode(Node("n1"));
    cache.AddPod(Labelled(Low("kept", "n1", 1, "2"), "web"));
    cache.AddPod(Low("other", "n1", 5, "2"));
    return Names(Plan(Pod("p", R"("cpu":"4")", R"("priority":10)")).best);
  };
  EXPECT_EQ(order(api::Compat::k1_36), (Strings{"other", "kept"}));
  EXPECT_EQ(order(api::Compat::k1_30), (Strings{"other", "kept"}));
  EXPECT_EQ(order(api::Compat::k1_25), (Strings{"kept", "other"}));
}

// SCHED-27
TEST(CandidatesToFind, IsATenthButAtLeastAHundred) {
  const std::pair<std::size_t, std::size_t> table[] = {
      {1, 1}, {99, 99}, {100, 100}, {500, 100}, {1000, 100}, {2000, 200}, {5000, 500}};
  for (const auto& [nodes, wanted] : table) EXPECT_EQ(CandidatesToFind(nodes), wanted) << nodes;
}

// SCHED-27: where preemption tries only some nodes, the draw of the first one is keyed by the pod.
TEST_F(PreemptionTest, BeginsAnywhereInALargeCluster) {
  const auto chosen = [&](int nodes) {
    cache = SchedulerCache();
    for (int i = 0; i < nodes; ++i) {
      cache.AddNode(Node(fmt::format("n{}", i)));
      cache.AddPod(Low(fmt::format("a{}", i), fmt::format("n{}", i), i == 5 ? 1 : 2, "4"));
    }
    std::set<std::string> out;
    for (std::uint64_t identity = 0; identity < 30; ++identity)
      out.insert(Plan(Pod("p", R"("cpu":"4")", R"("priority":10)"), identity).best.node);
    return out;
  };
  EXPECT_EQ(chosen(100), std::set<std::string>{"n5"});
  EXPECT_GT(chosen(120).size(), 1u) << "twenty of them are not tried";
}

// SCHED-28: in each row the second candidate is better by one criterion and worse by all later
// ones.
TEST(LeastCostly, IsDecidedByTheFirstDifference) {
  const auto victims = [](const char* node, std::vector<api::Object> pods) {
    Candidate candidate;
    candidate.node = node;
    candidate.victims = std::move(pods);
    return candidate;
  };
  struct Row {
    const char* by;
    std::vector<Candidate> candidates;
    const char* best;
  };
  Candidate violating = victims("a", {Low("1", "a", 3, "1", 50)});
  violating.violations = 1;
  const Row rows[] = {
      {"budgets that are violated",
       {violating, victims("b", {Low("2", "b", 4, "1", 10), Low("3", "b", 4, "1", 10)})},
       "b"},
      {"the highest priority",
       {victims("a", {Low("1", "a", 5, "1", 50)}),
        victims("b", {Low("2", "b", 4, "1", 10), Low("3", "b", 4, "1", 10)})},
       "b"},
      {"the sum of priorities",
       {victims("a", {Low("1", "a", 5, "1", 50), Low("2", "a", 3, "1", 50)}),
        victims("b", {Low("3", "b", 5, "1", 10), Low("4", "b", 2, "1", 10)})},
       "b"},
      {"few of a negative priority before many of a lower one",
       {victims("a", {Low("1", "a", -5, "1"), Low("2", "a", -6, "1")}),
        victims("b", {Low("3", "b", -5, "1")})},
       "b"},
      {"the latest of the earliest starts among the highest",
       {victims("a", {Low("1", "a", 5, "1", 10), Low("2", "a", 4, "1", 40)}),
        victims("b", {Low("3", "b", 5, "1", 20), Low("4", "b", 4, "1", 5)})},
       "b"},
      {"not started is later than any",
       {victims("a", {Low("1", "a", 5, "1", 59)}), victims("b", {Low("2", "b", 5, "1")})},
       "b"},
  };
  for (const Row& row : rows) {
    const std::vector<const Candidate*> least = LeastCostly(row.candidates, kNow);
    ASSERT_EQ(least.size(), 1u) << row.by;
    EXPECT_EQ(least[0]->node, row.best) << row.by;
  }
}

// SCHED-28
TEST_F(PreemptionTest, DrawsAmongNodesThatCostTheSame) {
  for (const char* n : {"n1", "n2", "n3"}) {
    cache.AddNode(Node(n));
    cache.AddPod(Low(fmt::format("a-{}", n), n, std::string_view(n) == "n3" ? 5 : 1, "4", 10));
  }
  std::set<std::string> chosen;
  for (std::uint64_t identity = 0; identity < 20; ++identity)
    chosen.insert(Plan(Pod("p", R"("cpu":"4")", R"("priority":10)"), identity).best.node);
  EXPECT_EQ(chosen, (std::set<std::string>{"n1", "n2"}));
}

// SCHED-27: the last took the place of the gone.
TEST_F(PreemptionTest, EqualVictimsKeepTheOrderOfTheNodesList) {
  cache.AddNode(Node("n1"));
  for (const char* name : {"gone", "b", "a", "last"}) cache.AddPod(Low(name, "n1", 1, "1", 10));
  cache.RemovePod(Low("gone", "n1", 1, "1", 10));
  EXPECT_EQ(Names(Plan(Pod("p", R"("cpu":"4")", R"("priority":10)")).best),
            (Strings{"last", "b", "a"}));
  EXPECT_EQ(Names(Plan(Pod("p", R"("cpu":"2")", R"("priority":10)")).best), Strings{"a"});
}

// SCHED-27: of two pods that have not started the clock is read earlier for the one further back.
TEST_F(PreemptionTest, EqualVictimsThatHaveNotStartedTurnTheOrderRound) {
  cache.AddNode(Node("n1"));
  for (const char* name : {"first", "b", "last"}) cache.AddPod(Low(name, "n1", 1, "1"));
  EXPECT_EQ(Names(Plan(Pod("p", R"("cpu":"2")", R"("priority":10)")).best), Strings{"first"});
  EXPECT_EQ(Names(Plan(Pod("p", R"("cpu":"3")", R"("priority":10)")).best), (Strings{"first", "b"}))
      << "victims are sorted once more";
  compat = api::Compat::k1_25;
  EXPECT_EQ(Names(Plan(Pod("p", R"("cpu":"3")", R"("priority":10)")).best),
            (Strings{"b", "first"}));
  cache.AddPod(Low("started", "n1", 1, "1", 10));
  EXPECT_EQ(Names(Plan(Pod("p", R"("cpu":"3")", R"("priority":10)")).best),
            (Strings{"last", "b", "first"}));
}

// SCHED-28
TEST_F(PreemptionTest, TakesTheNodeWhoseVictimsMatterLeast) {
  for (const char* n : {"n1", "n2", "n3"}) cache.AddNode(Node(n));
  cache.AddPod(Low("a", "n1", 5, "4", 10));
  cache.AddPod(Low("b", "n2", 3, "4", 10));
  cache.AddPod(Low("c", "n3", 4, "4", 10));
  const PreemptionPlan plan = Plan(Pod("p", R"("cpu":"4")", R"("priority":10)"));
  EXPECT_EQ(plan.best.node, "n2");
  EXPECT_EQ(Names(plan.best), Strings{"b"});
}

}  // namespace
}  // namespace ksim::scheduler
