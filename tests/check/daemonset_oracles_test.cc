// oneOnNode, and what esr says of DaemonSets: their mutants, and what is legal.
#include <gtest/gtest.h>

#include "recorded.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;

constexpr const char* kDaemonCompats[] = {"1.25", "1.30", "1.36"};
constexpr std::string_view kTarget =
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
    "nodeSelectorTerms[0].matchFields[0].values[0]";

Is DaemonCommit(std::string resource, std::string op) {
  return [=](const Record& r) {
    return r.kind == Kind::kCommit && r.Text("resource") == resource && r.Text("op") == op;
  };
}

// Gives a leaf of the commit another value.
bool Change(Record* commit, std::string_view path, const Value& v) {
  std::vector<Value> leaves;
  bool found = false;
  for (const Value& leaf : commit->Get("changed").items()) {
    const bool it = leaf.Get("path").AsString() == path;
    found = found || it;
    leaves.push_back(it ? leaf.Set("new", v) : leaf);
  }
  SetField(commit, "changed", Value::Array(std::move(leaves)));
  return found;
}

std::string MessagesOf(const Trace& t, std::string_view oracle) {
  std::string out;
  const auto checker = CheckTrace(t, {"*"});
  if (!checker.ok()) return "BAD TRACE";
  for (const Finding& f : (*checker)->findings())
    if (f.violation.oracle == oracle) out += f.violation.message;
  return out;
}

// Makes the second pod of the DaemonSet one for the node of the first.
bool SecondForTheFirstNode(Trace* t) {
  const Is created = DaemonCommit("pods", "create");
  const std::size_t first = Find(*t, created), second = Find(*t, created, 1);
  if (second == t->events.size()) return false;
  for (const Value& leaf : t->events[first].Get("changed").items())
    if (leaf.Get("path").AsString() == kTarget)
      return Change(&t->events[second], kTarget, leaf.Get("new"));
  return false;
}

TEST(DaemonSetOracles, ARealRunIsSilent) {
  for (const char* compat : kDaemonCompats) {
    const Trace trace = Recorded("daemonset-new-node", compat);
    EXPECT_EQ(Messages(trace), "") << compat;
    const auto checker = CheckTrace(trace, {"*"});
    ASSERT_TRUE(checker.ok());
    const std::vector<std::string> judged = (*checker)->judged();
    EXPECT_NE(std::find(judged.begin(), judged.end(), "oneOnNode"), judged.end()) << compat;
  }
}

TEST(DaemonSetOracles, ASecondPodForANodeIsCaught) {
  for (const char* compat : kDaemonCompats) {
    Trace mutant = Recorded("daemonset-new-node", compat);
    ASSERT_TRUE(SecondForTheFirstNode(&mutant)) << compat;
    EXPECT_NE(MessagesOf(mutant, "oneOnNode").find("makes it 2 pods of daemonsets/default/agent"),
              std::string::npos)
        << compat << "\n"
        << Messages(mutant);
  }
}

TEST(DaemonSetOracles, ASecondPodIsLegalOfWhoSurges) {
  for (const char* compat : kDaemonCompats) {
    Trace mutant = Recorded("daemonset-new-node", compat);
    ASSERT_TRUE(SecondForTheFirstNode(&mutant)) << compat;
    Record& made = mutant.events[Find(mutant, DaemonCommit("daemonsets", "create"))];
    ASSERT_TRUE(Change(&made, "spec.updateStrategy.rollingUpdate.maxSurge", Value::Of(1)));
    EXPECT_EQ(MessagesOf(mutant, "oneOnNode"), "") << compat;
  }
}

TEST(DaemonSetOracles, ASecondPodIsLegalWhenTheFirstOnesAnswerWasLost) {
  for (const char* compat : kDaemonCompats) {
    Trace mutant = Recorded("daemonset-new-node", compat);
    ASSERT_TRUE(SecondForTheFirstNode(&mutant)) << compat;
    const Record& first = mutant.events[Find(mutant, DaemonCommit("pods", "create"))];
    const std::int64_t id = first.Int("request");
    Record& answer = mutant.events[Find(
        mutant, [id](const Record& r) { return r.kind == Kind::kResponse && r.Int("id") == id; })];
    SetField(&answer, "code", Value::Of(504));
    EXPECT_EQ(MessagesOf(mutant, "oneOnNode"), "") << compat;
  }
}

TEST(DaemonSetOracles, ANodeWithoutItsPodInTheEndIsCaught) {
  for (const char* compat : kDaemonCompats) {
    Trace mutant = Recorded("daemonset-new-node", compat);
    ASSERT_TRUE(mutant.end.has_value());
    ASSERT_EQ(MessagesOf(mutant, "esr"), "") << compat;
    // The DaemonSet asked for a label that no node has: its pods have no business there.
    Record& made = mutant.events[Find(mutant, DaemonCommit("daemonsets", "create"))];
    SetField(
        &made, "changed",
        made.Get("changed").Append(value::Obj({{"path", Value::Of("spec.template.spec.nodeName")},
                                               {"new", Value::Of("elsewhere")}})));
    EXPECT_NE(MessagesOf(mutant, "esr").find("which it may not be on"), std::string::npos)
        << compat << "\n"
        << Messages(mutant);
    Trace moved = Recorded("daemonset-new-node", compat);
    ASSERT_TRUE(
        Change(Last(&moved, DaemonCommit("pods", "create")), kTarget, Value::Of("elsewhere")));
    Record* bound = Last(&moved, [](const Record& r) {
      return r.kind == Kind::kCommit && r.Text("resource") == "pods" &&
             r.Text("by") == "kube-scheduler";
    });
    ASSERT_TRUE(Change(bound, "spec.nodeName", Value::Of("elsewhere")));
    EXPECT_NE(MessagesOf(moved, "esr").find("has no pod for"), std::string::npos)
        << compat << "\n"
        << Messages(moved);
  }
}

}  // namespace
}  // namespace ksim::check
