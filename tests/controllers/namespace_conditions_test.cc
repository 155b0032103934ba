#include "ksim/controllers/namespace/namespace_conditions.h"

#include <gtest/gtest.h>

#include <string>

#include "ksim/value/value.h"

namespace ksim::controllers {
namespace {

using value::Value;

constexpr VirtualTime kConditionsAt = VirtualTime() + Hours(1);

std::string Line(const Value& conditions, std::string_view type) {
  for (const Value& c : conditions.items())
    if (c.Get("type").AsString() == type)
      return std::string(c.Get("status").AsString()) + " " +
             std::string(c.Get("reason").AsString()) + ": " +
             std::string(c.Get("message").AsString());
  return "none";
}

TEST(NamespaceConditions, CTRL_NS_08_WithoutTroubleAllFiveAreFalse) {
  const Value c = NamespaceConditions().ApplyTo(Value(), kConditionsAt);
  ASSERT_EQ(c.size(), 5u);
  EXPECT_EQ(Line(c, "NamespaceDeletionDiscoveryFailure"),
            "False ResourcesDiscovered: All resources successfully discovered");
  EXPECT_EQ(Line(c, "NamespaceDeletionGroupVersionParsingFailure"),
            "False ParsedGroupVersions: All legacy kube types successfully parsed");
  EXPECT_EQ(Line(c, "NamespaceDeletionContentFailure"),
            "False ContentDeleted: All content successfully deleted, may be waiting on "
            "finalization");
  EXPECT_EQ(Line(c, "NamespaceContentRemaining"),
            "False ContentRemoved: All content successfully removed");
  EXPECT_EQ(Line(c, "NamespaceFinalizersRemaining"),
            "False ContentHasNoFinalizers: All content-preserving finalizers finished");
}

TEST(NamespaceConditions, CTRL_NS_08_CountsWhatIsLeftInSortedLists) {
  RemainingContent left;
  left.by_resource = {{"pods.", 2}, {"deployments.apps", 1}};
  left.by_finalizer = {{"b/x", 1}, {"a/y", 2}};
  NamespaceConditions conditions;
  conditions.SetRemaining(left);
  conditions.AddContentError("z");
  conditions.AddContentError("a");
  const Value c = conditions.ApplyTo(Value(), kConditionsAt);
  EXPECT_EQ(Line(c, "NamespaceDeletionContentFailure"),
            "True ContentDeletionFailed: Failed to delete all resource types, 2 remaining: a, z");
  EXPECT_EQ(Line(c, "NamespaceContentRemaining"),
            "True SomeResourcesRemain: Some resources are remaining: deployments.apps has 1 "
            "resource instances, pods. has 2 resource instances");
  EXPECT_EQ(Line(c, "NamespaceFinalizersRemaining"),
            "True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: "
            "a/y in 2 resource instances, b/x in 1 resource instances");
}

// CTRL-NS-08: what did not change is the same tree, and the time is that of the last turn.
TEST(NamespaceConditions, KeepsTheTimeOfTheLastTurn) {
  RemainingContent left;
  left.by_resource = {{"pods.", 2}};
  NamespaceConditions with;
  with.SetRemaining(left);
  const Value first = with.ApplyTo(Value(), kConditionsAt);
  EXPECT_TRUE(with.ApplyTo(first, kConditionsAt + Hours(1)) == first);
  left.by_resource = {{"pods.", 1}};
  with.SetRemaining(left);
  const Value second = with.ApplyTo(first, kConditionsAt + Hours(1));
  EXPECT_FALSE(second == first);
  EXPECT_EQ(second.at(3).Get("lastTransitionTime").AsString(), "2025-01-01T01:00:00Z");
  const Value third = NamespaceConditions().ApplyTo(second, kConditionsAt + Hours(2));
  EXPECT_EQ(third.at(3).Get("lastTransitionTime").AsString(), "2025-01-01T03:00:00Z");
}

}  // namespace
}  // namespace ksim::controllers
