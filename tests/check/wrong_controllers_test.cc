// CLIENT-142: each wrong sample controller is caught by the oracle that is named for it, with a
// directed schedule, in each version; its right twin stays silent on the same schedule, and on the
// same under other timings.
#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <filesystem>
#include <ostream>
#include <type_traits>

#include "ksim/client/reconciler.h"
#include "ksim/controllers/registry.h"
#include "recorded.h"

namespace ksim::check {
namespace {

struct Wrong {
  const char* letter;  // of the requirement's list
  const char* name;    // wrong-NAME, scenarios/wrong/NAME.yaml
  const char* oracle;
};

void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.name; }

// (h) is below: ksim's API does not allow that mistake.
const std::vector<Wrong> kAll = {{"a", "edge", "esr"},
                                 {"b", "tombstone", "esr"},
                                 {"c", "readback", "noOvershoot"},
                                 {"d", "requeue", "expect"},
                                 {"e", "predicate", "expect"},
                                 {"f", "versions", "esr"},
                                 {"g", "retry", "expect"},
                                 {"i", "start", "expect"},
                                 {"j", "done", "esr"},
                                 {"j", "forget", "expect"},
                                 {"k", "identity", "expect"},
                                 {"l", "cleanup", "noLeak"},
                                 {"m", "expectations", "esr"},
                                 {"n", "number", "invariant.its-own-number"},
                                 {"o", "absence", "expect"},
                                 {"p", "patch", "expect"},
                                 {"q", "swallow", "esr"},
                                 {"r", "storm", "invariant.comes-to-rest"},
                                 {"s", "byname", "expect"},
                                 {"t", "finalizer", "expect"},
                                 {"u", "exists", "expect"},
                                 {"v", "generation", "invariant.released-when-seen"},
                                 {"w", "clock", "invariant.a-minute-long"},
                                 {"x", "terminating", "expect"},
                                 {"y", "owner", "expect"},
                                 {"z", "bookmark", "expect"}};

scenario::Scenario Load(const Wrong& wrong, const std::string& compat) {
  scenario::LoadOptions options;
  options.set = {"compat=\"" + compat + "\""};
  const std::string path = std::string("scenarios/wrong/") + wrong.name + ".yaml";
  scenario::Loaded loaded = scenario::Load({path}, options);
  EXPECT_EQ(Render(loaded.errors, false), "");
  return loaded.scenarios.empty() ? scenario::Scenario() : loaded.scenarios[0];
}

// The same scenario with the right twin in place of the wrong controller.
scenario::Scenario Righted(scenario::Scenario scenario, const Wrong& wrong) {
  const std::string name = std::string("wrong-") + wrong.name;
  const controllers::ControllerInfo* sample = controllers::FindController(name);
  for (auto& [process, parts] : scenario.cluster.processes)
    for (std::string& part : parts)
      if (part == name) part = sample->twin;
  return scenario;
}

// "ORACLE: MESSAGE" of each violation, failed step and fault that did not come to pass.
std::vector<std::string> Complaints(const scenario::Scenario& scenario) {
  scenario::Runner runner(scenario, scenario::RunnerOptions());
  const scenario::RunReport report = runner.Run();
  std::vector<std::string> out;
  for (const trace::Violation& v : report.end.violations)
    out.push_back(v.oracle + ": " + v.message);
  for (const scenario::StepFailure& f : report.failures) out.push_back("step: " + f.error);
  for (const scenario::FaultNote& n : report.faults_missing)
    out.push_back("fault: " + n.fault + ": " + n.why);
  return out;
}

class EachWrong : public ::testing::TestWithParam<Wrong> {};
INSTANTIATE_TEST_SUITE_P(Samples, EachWrong, ::testing::ValuesIn(kAll),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(EachWrong, IsCaughtByItsOracleAndNoOther) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    const std::vector<std::string> told = Complaints(Load(GetParam(), compat));
    EXPECT_FALSE(told.empty()) << compat;
    for (const std::string& t : told)
      EXPECT_TRUE(t.starts_with(std::string(GetParam().oracle) + ": ")) << compat << ": " << t;
  }
}

TEST_P(EachWrong, HasATwinThatIsSilent) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    scenario::Scenario scenario = Righted(Load(GetParam(), compat), GetParam());
    for (scenario.seed = 1; scenario.seed <= 4; ++scenario.seed)
      EXPECT_EQ(Complaints(scenario), std::vector<std::string>())
          << compat << ", seed " << scenario.seed;
  }
}

// Each sample controller has its run in the table, and each run its sample.
TEST(Samples, AllAreInTheTable) {
  const auto listed = [](std::string_view name) {
    return std::any_of(kAll.begin(), kAll.end(),
                       [name](const Wrong& w) { return name == std::string("wrong-") + w.name; });
  };
  for (const controllers::ControllerInfo& s : controllers::AllControllers()) {
    if (!s.is_sample()) continue;
    EXPECT_EQ(s.name.starts_with("wrong-"), !s.twin.empty()) << s.name;
    if (s.twin.empty()) continue;
    EXPECT_TRUE(listed(s.name)) << s.name;
    EXPECT_NE(controllers::FindController(s.twin), nullptr) << s.name;
  }
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator("scenarios/wrong"))
    files += entry.path().extension() == ".yaml" ? 1 : 0;
  EXPECT_EQ(files, kAll.size());
}

TEST(Samples, AStarMeansNoneOfThem) {
  scenario::Scenario scenario = Load(kAll[4], "1.30");
  scenario.cluster.processes.clear();
  scenario.expect.clear();
  scenario::Runner runner(scenario, scenario::RunnerOptions());
  runner.Run();
  for (const trace::Record& r : runner.MakeTrace(trace::RenderOptions()).events)
    EXPECT_EQ(r.actor.find("wrong-"), std::string::npos);
}

// (d) A result is an error or a delay, never both: the type cannot hold both.
static_assert(!std::is_aggregate_v<client::ReconcileResult>);
TEST(Samples, AnErrorHasNoDelay) {
  EXPECT_EQ(client::ReconcileResult::Error("no").delay(), Duration());
  EXPECT_TRUE(client::ReconcileResult::RequeueAfter(Seconds(10)).ok());
}

// (h) No caller can change a cached object: it shares an immutable tree and has no mutating
// function; Set on its tree makes another tree.
template <class T>
concept CanBeWritten =
    requires(T o) { o.tree() = value::Value(); } || requires(T o) { o.set_name("x"); };
static_assert(!CanBeWritten<api::Object>);
static_assert(std::same_as<decltype(std::declval<api::Object&>().tree()), const value::Value&>);
TEST(Samples, CachedObjectsAreImmutable) {
  const api::Object cached = api::Object::FromTree(
      value::Obj({{"metadata", value::Obj({{"name", value::Value::Of("web")}})}}), 7);
  const std::uint64_t before = cached.Hash();
  const value::Value mine = cached.tree().Set(value::Path{"metadata", "name"}, Value::Of("mine"));
  EXPECT_EQ(mine.Get("metadata").Get("name").AsString(), "mine");
  EXPECT_EQ(cached.name(), "web");
  EXPECT_EQ(cached.Hash(), before);
}

}  // namespace
}  // namespace ksim::check
