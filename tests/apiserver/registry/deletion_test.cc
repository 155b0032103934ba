#include "ksim/apiserver/registry/deletion.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ksim/value/timestamp.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using api::Compat;
using value::Path;
using value::Value;

const VirtualTime kNow = VirtualTime() + Seconds(1000);

const api::ResourceInfo& Kind(std::string_view name) {
  static const api::Kinds kinds;
  return *kinds.ByName(name);
}

// A pod on a node with generation 1, marked at `marked_at` with `grace` if given.
api::Object PodObject(std::optional<std::int64_t> grace = std::nullopt,
                      VirtualTime marked_at = kNow) {
  Value tree = Pod("a", "p", "n1")
                   .Set(Path{"metadata", "generation"}, Value::Of(1))
                   .Set(Path{"metadata", "uid"}, Value::Of("u1"))
                   .Set(Path{"spec", "terminationGracePeriodSeconds"}, Value::Of(30))
                   .Set(Path{"status", "phase"}, Value::Of("Running"));
  if (grace) {
    tree = tree.Set(Path{"metadata", "deletionTimestamp"},
                    Value::Of(value::FormatTimestamp(marked_at + Seconds(*grace))))
               .Set(Path{"metadata", "deletionGracePeriodSeconds"}, Value::Of(*grace));
  }
  return api::Object::FromTree(tree, 7);
}

api::DeleteOptions Grace(std::optional<std::int64_t> seconds) {
  api::DeleteOptions options;
  options.grace_period_seconds = seconds;
  return options;
}

// "started 30 +30s g2": outcome, grace period, timestamp from now, generation.
std::string Outcome(const api::Object& pod, api::DeleteOptions options,
                    Compat compat = Compat::k1_36) {
  const auto result = BeforeDelete(Kind("pods"), pod, options, kNow, apiserver::ProfileOf(compat));
  EXPECT_TRUE(result.ok()) << result.status().message;
  if (!result.ok()) return "refused";
  if (result->grace == Grace::kNone) return "none";
  if (result->grace == Grace::kPending) return "pending";
  const api::Object& o = result->object;
  return fmt::format("started {} {:+d}s g{}",
                     o.Get(Path{"metadata", "deletionGracePeriodSeconds"}).AsInt(),
                     (*o.deletion_time() - kNow).whole_seconds(), o.generation());
}

// API-98
// API-99
// API-96
// API-82
// CTRL-DEL-01
TEST(BeforeDelete, APodGetsTheTimeItAsksFor) {
  EXPECT_EQ(Outcome(PodObject(), Grace(std::nullopt)), "started 30 +30s g2");
  EXPECT_EQ(Outcome(PodObject(), Grace(5)), "started 5 +5s g2");
  EXPECT_EQ(Outcome(PodObject(), Grace(0)), "started 0 +0s g2");
  EXPECT_EQ(Outcome(PodObject(), Grace(-3)), "started 1 +1s g2");
  const api::Object quick = api::Object::FromTree(
      PodObject().tree().Set(Path{"spec", "terminationGracePeriodSeconds"}, Value::Of(7)), 7);
  EXPECT_EQ(Outcome(quick, Grace(std::nullopt)), "started 7 +7s g2");
  EXPECT_EQ(Outcome(quick, Grace(5)), "started 5 +5s g2");
}

// API-98, CTRL-DEL-01
TEST(BeforeDelete, NothingRunsNothingWaits) {
  const api::Object pod = PodObject();
  const api::Object unbound = api::Object::FromTree(pod.tree().Erase(Path{"spec", "nodeName"}), 7);
  EXPECT_EQ(Outcome(unbound, Grace(30)), "started 0 +0s g2");
  for (const char* phase : {"Succeeded", "Failed"}) {
    const api::Object done =
        api::Object::FromTree(pod.tree().Set(Path{"status", "phase"}, Value::Of(phase)), 7);
    EXPECT_EQ(Outcome(done, Grace(std::nullopt)), "started 0 +0s g2");
  }
}

// API-101
// API-82
// CTRL-DEL-01
TEST(BeforeDelete, APendingPeriodCanOnlyBeShortened) {
  EXPECT_EQ(Outcome(PodObject(30), Grace(30)), "pending");
  EXPECT_EQ(Outcome(PodObject(30), Grace(60)), "pending");
  EXPECT_EQ(Outcome(PodObject(30), Grace(std::nullopt)), "pending");
  EXPECT_EQ(Outcome(PodObject(30), Grace(10)), "started 10 +10s g1");
  EXPECT_EQ(Outcome(PodObject(30), Grace(0)), "started 0 +0s g1");
  EXPECT_EQ(Outcome(PodObject(0), Grace(0)), "none");
}

// API-101, CTRL-DEL-01
TEST(BeforeDelete, AShortenedPeriodEndsNotInThePastFrom136On) {
  const api::Object pod = PodObject(30, kNow - Seconds(20));
  EXPECT_EQ(Outcome(pod, Grace(5)), "started 1 +0s g1");
  EXPECT_EQ(Outcome(pod, Grace(0)), "started 0 +0s g1");
  EXPECT_EQ(Outcome(pod, Grace(5), Compat::k1_30), "started 5 -15s g1");
  EXPECT_EQ(Outcome(pod, Grace(5), Compat::k1_25), "started 5 -15s g1");
}

// API-156
TEST(BeforeDelete, ANegativePeriodInTheStoreCountsAsASecond) {
  for (const Compat compat : kProfiles) {
    const bool bounded = compat == Compat::k1_36;
    const api::Object pod = PodObject(-5);
    EXPECT_EQ(Outcome(pod, Grace(std::nullopt), compat), "pending");
    EXPECT_EQ(Outcome(pod, Grace(1), compat), "pending");
    EXPECT_EQ(Outcome(pod, Grace(-7), compat), "pending");
    EXPECT_EQ(Outcome(pod, Grace(0), compat), bounded ? "started 0 +0s g1" : "started 0 -6s g1");
    api::DeleteOptions options;
    const auto result =
        BeforeDelete(Kind("pods"), pod, options, kNow, apiserver::ProfileOf(compat));
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->object.Get(Path{"metadata", "deletionGracePeriodSeconds"}).AsInt(), 1);
    EXPECT_EQ(options.grace_period_seconds, 1);
  }
}

// API-102
TEST(BeforeDelete, OtherKindsKnowNoGrace) {
  api::DeleteOptions options = Grace(30);
  const api::Object map = api::Object::FromTree(ConfigMap("a", "m"), 3);
  const auto result =
      BeforeDelete(Kind("configmaps"), map, options, kNow, apiserver::ProfileOf(Compat::k1_36));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->grace, Grace::kNone);
}

// API-97
// API-22
TEST(BeforeDelete, PreconditionsNameTheKind) {
  api::DeleteOptions options;
  options.uid = "other";
  auto result =
      BeforeDelete(Kind("pods"), PodObject(), options, kNow, apiserver::ProfileOf(Compat::k1_36));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code, 409);
  EXPECT_EQ(result.status().details->kind, "Pod");
  EXPECT_EQ(result.status().message,
            "Operation cannot be fulfilled on Pod \"p\": the UID in the precondition (other) does "
            "not match the UID in record (u1). The object might have been deleted and then "
            "recreated");
  options.uid = "u1";
  options.resource_version = "6";
  result =
      BeforeDelete(Kind("pods"), PodObject(), options, kNow, apiserver::ProfileOf(Compat::k1_36));
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(result.status().message.ends_with("The object might have been modified"));
  options.resource_version = "7";
  EXPECT_TRUE(
      BeforeDelete(Kind("pods"), PodObject(), options, kNow, apiserver::ProfileOf(Compat::k1_36))
          .ok());
}

// API-96
TEST(DeleteOptions, OrphanDependentsExcludesAPolicy) {
  api::DeleteOptions options;
  EXPECT_TRUE(ValidateDeleteOptions(options).ok());
  options.orphan_dependents = true;
  EXPECT_TRUE(ValidateDeleteOptions(options).ok());
  options.propagation_policy = "Background";
  EXPECT_EQ(ValidateDeleteOptions(options).code, 422);
  options.orphan_dependents.reset();
  EXPECT_TRUE(ValidateDeleteOptions(options).ok());
  options.propagation_policy = "Later";
  EXPECT_EQ(ValidateDeleteOptions(options).code, 422);
}

// The finalizers after a delete, or "same".
std::string Finalizers(std::string_view resource, std::vector<std::string> present,
                       std::string_view policy, std::optional<bool> orphan = std::nullopt) {
  const api::Object object = WithFinalizers(api::Object::FromTree(ConfigMap("a", "m"), 3), present);
  api::DeleteOptions options;
  options.propagation_policy = policy;
  options.orphan_dependents = orphan;
  const auto wanted = FinalizersForDeletion(Kind(resource), object, options);
  if (!wanted) return "same";
  std::string text;
  for (const std::string& f : *wanted) text += (text.empty() ? "" : ",") + f;
  return text;
}

// API-105
// API-106
TEST(FinalizersForDeletion, FollowOptionThenFinalizerThenKind) {
  EXPECT_EQ(Finalizers("replicasets", {}, ""), "same");
  EXPECT_EQ(Finalizers("replicasets", {}, "Background"), "same");
  EXPECT_EQ(Finalizers("replicasets", {}, "Orphan"), "orphan");
  EXPECT_EQ(Finalizers("replicasets", {}, "Foreground"), "foregroundDeletion");
  EXPECT_EQ(Finalizers("replicasets", {"x", "orphan", "y"}, ""), "same");
  EXPECT_EQ(Finalizers("replicasets", {"x", "orphan", "y"}, "Background"), "x,y");
  EXPECT_EQ(Finalizers("replicasets", {"x", "orphan", "y"}, "Foreground"),
            "x,y,foregroundDeletion");
  EXPECT_EQ(Finalizers("replicasets", {"foregroundDeletion"}, ""), "same");
  EXPECT_EQ(Finalizers("replicasets", {"foregroundDeletion"}, "Orphan"), "orphan");
  EXPECT_EQ(Finalizers("replicasets", {}, "", true), "orphan");
  EXPECT_EQ(Finalizers("replicasets", {"orphan", "x"}, "", false), "x");
  EXPECT_EQ(Finalizers("jobs", {}, ""), "orphan");
  EXPECT_EQ(Finalizers("jobs", {}, "Background"), "same");
  EXPECT_EQ(Finalizers("events", {}, "Orphan"), "same");
}

// API-102
// API-82
TEST(MarkAsDeleting, MarksOnceAndMovesTheGenerationOnce) {
  const api::Object object = api::Object::FromTree(
      ConfigMap("a", "m").Set(Path{"metadata", "generation"}, Value::Of(4)), 3);
  const api::Object marked = MarkAsDeleting(object, kNow);
  EXPECT_EQ(*marked.deletion_time(), kNow);
  EXPECT_EQ(marked.generation(), 5);
  EXPECT_EQ(marked.Get(Path{"metadata", "deletionGracePeriodSeconds"}).AsInt(), 0);
  EXPECT_EQ(MarkAsDeleting(marked, kNow + Seconds(5)).tree(), marked.tree());
}

}  // namespace
}  // namespace ksim::apiserver
