// An oracle that a program registers: judged live and over the trace, told as one of ksim's.
#include "ksim/check/own_oracle.h"

#include <gtest/gtest.h>

#include "ksim/check/own_oracles.h"
#include "ksim/check/trace_law.h"
#include "ksim/check/verdict.h"
#include "ksim/registry.h"
#include "ksim/scenario/schema.h"
#include "recorded.h"

namespace ksim::check {
namespace {

// At most one ConfigMap, and nobody may ask for Secrets.
class OneConfigMap : public OwnOracle {
 public:
  void OnCommit(const SeenCommit& c) override {
    if (c.resource != "configmaps") return;
    seen_ = true;
    there_ += c.before.is_null() ? 1 : c.after.is_null() ? -1 : 0;
    if (there_ > 1 && c.op == SeenCommit::Op::kCreate)
      Violate(std::string(c.actor) + " made another at " + std::to_string(c.revision),
              {"configmaps/default/" + std::string(c.name)});
  }
  void OnRequest(const SeenRequest& r) override {
    if (r.resource == "secrets" && r.verb == "delete") Violate(std::string(r.actor) + " asks", {});
  }
  void OnEnd(const SeenEnd& end) override {
    if (there_ > 2 && end.quiet) Violate("too many at the end", {});
  }
  std::string Vacuous() const override { return seen_ ? "" : "there was no ConfigMap"; }

 private:
  bool seen_ = false;
  int there_ = 0;
};

// Once in this program.
void Register() {
  static const bool once = [] {
    return RegisterOracle("shop.oneConfigMap", "There is one ConfigMap.",
                          [] { return std::make_unique<OneConfigMap>(); })
        .ok();
  }();
  ASSERT_TRUE(once);
}

std::string Making(const std::string& names, const std::string& checks = "\"*\"") {
  std::string out = R"(
apiVersion: ksim.dev/v1
kind: Scenario
metadata: {name: shop}
spec:
  cluster: {nodes: 1, controllers: [namespace]}
  checks: [)" + checks +
                    "]\n  steps:\n";
  for (const char name : names)
    out += std::string("  - create: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: ") +
           name + "}}}\n";
  return names.empty() ? out + "  - cordon: node-1\n" : out + "  - delete: {resource: secrets/x}\n";
}

std::vector<std::string> OwnMessages(const std::vector<trace::Violation>& violations) {
  std::vector<std::string> out;
  for (const trace::Violation& v : violations)
    if (v.oracle == "shop.oneConfigMap") out.push_back(v.message);
  return out;
}

// G-IN10.
TEST(OwnOracle, TheRunAndItsTraceAreJudgedTheSame) {
  Register();
  const Trace t = RunOf(Making("abc"), "1.30");
  ASSERT_TRUE(t.end);
  EXPECT_EQ(OwnMessages(t.end->violations),
            (std::vector<std::string>{"kubectl made another at 9", "kubectl made another at 10",
                                      "kubectl asks", "too many at the end"}));
  EXPECT_EQ(t.header.own_oracles, std::vector<std::string>{"shop.oneConfigMap"});
  const auto checker = CheckTrace(t, {"*"});
  ASSERT_TRUE(checker.ok());
  std::vector<trace::Violation> again;
  for (const Finding& f : (*checker)->findings()) again.push_back(f.violation);
  EXPECT_EQ(OwnMessages(again), OwnMessages(t.end->violations));
  EXPECT_TRUE(ContradictionsIn(t, **checker).empty());
  EXPECT_EQ(t.end->violations.front().objects, std::vector<std::string>{"configmaps/default/b"});
}

// G-IN10.
TEST(OwnOracle, ItSaysWhenThereWasNothingToJudge) {
  Register();
  const Trace t = RunOf(Making(""), "1.30");
  const auto& not_judged = t.end->not_judged;
  EXPECT_NE(
      std::find(not_judged.begin(), not_judged.end(),
                std::pair<std::string, std::string>("shop.oneConfigMap", "there was no ConfigMap")),
      not_judged.end());
}

// G-IN10: `checks` knows it.
TEST(OwnOracle, ItCanBeLeftOut) {
  Register();
  const Trace t = RunOf(Making("ab", "\"*\", -shop.oneConfigMap"), "1.30");
  EXPECT_TRUE(OwnMessages(t.end->violations).empty());
  EXPECT_NE(scenario::FindNamed(scenario::Oracles(), "shop.oneConfigMap"), nullptr);
}

// G-IN10: what another program has judged is told, and no contradiction.
TEST(OwnOracle, AnotherProgramsOracleIsNotJudgedHere) {
  Register();
  Trace t = RunOf(Making("a"), "1.30");
  t.header.own_oracles.push_back("other.oracle");
  t.end->judged.push_back("other.oracle");
  const auto checker = CheckTrace(t, {"*"});
  EXPECT_TRUE(ContradictionsIn(t, **checker).empty());
  std::string why;
  for (const Verdict& v : VerdictsOf(**checker, t))
    if (v.oracle == "other.oracle") why = v.why;
  EXPECT_EQ(why, "the program that made the trace has judged it, and this one does not have it");
}

// G-IN10: a trace from before this program had the oracle.
TEST(OwnOracle, ATraceWithoutItContradictsNothing) {
  Register();
  Trace t = RunOf(Making("a"), "1.30");
  t.header.own_oracles.clear();
  std::erase(t.end->judged, "shop.oneConfigMap");
  std::erase_if(t.end->violations,
                [](const trace::Violation& v) { return v.oracle == "shop.oneConfigMap"; });
  std::erase_if(t.events, [](const Record& r) { return r.kind == sim::EventKind::kViolation; });
  const auto checker = CheckTrace(t, {"*"});
  for (const Finding& f : ContradictionsIn(t, **checker))
    EXPECT_EQ(f.violation.message.find("shop.oneConfigMap"), std::string::npos)
        << f.violation.message;
}

// PROG-02: a program's registry brings it, and it is a part of what its traces ask for.
TEST(OwnOracle, ARegistryBringsIt) {
  const auto make = [] { return std::make_unique<OneConfigMap>(); };
  const auto shop = [&make](const char* name) {
    Registry registry("shop");
    registry.AddOracle(name, "There is one ConfigMap.", make);
    return registry;
  };
  EXPECT_TRUE(shop("shop.other").Problems().empty());
  EXPECT_TRUE(shop("shop.other").Problems().empty()) << "as each test makes its registry";
  EXPECT_TRUE(IsOwnOracle("shop.other"));
  EXPECT_TRUE(shop("shop.other").ChangesRuns());
  EXPECT_NE(shop("shop.other").hash(), Registry("shop").hash());
  EXPECT_EQ(shop("shop.other").AddOracle("shop.other", "", make).Problems().size(), 1u);
  EXPECT_EQ(shop("quiet").Problems().size(), 1u) << "it is ksim's";
  EXPECT_EQ(shop("with blanks").Problems().size(), 1u);
}

// G-IN10.
TEST(OwnOracle, ANameIsGivenOnce) {
  Register();
  const auto again = [](const char* name) {
    return RegisterOracle(name, "", [] { return std::make_unique<OneConfigMap>(); });
  };
  for (const char* known : {"shop.oneConfigMap", "quiet", "expect"})
    EXPECT_EQ(again(known).code(), absl::StatusCode::kAlreadyExists) << known;
  for (const char* bad : {"", "invariant.x", "with blanks", "1st"})
    EXPECT_EQ(again(bad).code(), absl::StatusCode::kInvalidArgument) << bad;
  EXPECT_FALSE(RegisterOracle("fine", "", nullptr).ok());
}

}  // namespace
}  // namespace ksim::check
