#include "ksim/api/variants.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace ksim::api {
namespace {

constexpr Compat kAllCompats[] = {Compat::k1_25, Compat::k1_30, Compat::k1_36};

TEST(Variants, TheTableIsSortedUniqueAndSaysWhatUpstreamDidEverywhere) {
  std::string_view last;
  for (const VariantInfo& v : AllVariants()) {
    EXPECT_LT(last, v.name);
    last = v.name;
    EXPECT_GE(v.values.size(), 2u) << v.name;
    EXPECT_FALSE(v.text.empty() || v.museum.empty() || v.upstream.empty()) << v.name;
    EXPECT_FALSE(CompatsOf(v).empty()) << v.name;
    for (const Compat c : kAllCompats) {
      if (!v.ExistsIn(c)) continue;
      EXPECT_EQ(std::count(v.values.begin(), v.values.end(), v.AsCompat(c)), 1) << v.name;
    }
  }
}

// Every entry drives a field of its own, and the repaired value is the struct's default.
TEST(Variants, EachEntryHasItsOwnFieldWithTheRepairedFormAsDefault) {
  for (const VariantInfo& v : AllVariants()) {
    EXPECT_EQ(v.get(Variants()), 0) << v.name;
    Variants changed;
    v.set(changed, 1);
    for (const VariantInfo& other : AllVariants())
      EXPECT_EQ(other.get(changed), other.name == v.name ? 1 : 0) << v.name << " " << other.name;
  }
}

TEST(Variants, DefaultsAreWhatUpstreamDidAtThatVersion) {
  using V = Variants;
  EXPECT_EQ(DefaultVariants(Compat::k1_25).deltafifo_replace, V::FifoReplace::kIndexerOnly);
  EXPECT_EQ(DefaultVariants(Compat::k1_30).deltafifo_replace, V::FifoReplace::kQueueToo);
  EXPECT_EQ(DefaultVariants(Compat::k1_30).rs_expectations, V::RsExpectations::kExpire);
  EXPECT_EQ(DefaultVariants(Compat::k1_36).rs_expectations, V::RsExpectations::kOwnWriteRV);
  EXPECT_EQ(DefaultVariants(Compat::k1_30).kubelet_initial_list, V::InitialList::kCache0);
  EXPECT_EQ(DefaultVariants(Compat::k1_36).kubelet_initial_list, V::InitialList::kConsistent);
  for (const Compat c : kAllCompats) {
    const Variants v = DefaultVariants(c);
    EXPECT_EQ(v.reflector_too_large_rv, V::TooLargeRV::kRelistConsistent);
    EXPECT_EQ(v.event_delete_rv, V::DeleteRV::kDeletionRV);
    EXPECT_EQ(v.scheduler_pod_uid, V::PodUID::kCheck);
  }
}

TEST(Variants, FixedRepairsEverythingAndASingleNameWinsOverAll) {
  const Variants fixed = ResolveVariants(Compat::k1_25, {{"all", "fixed"}});
  for (const VariantInfo& v : AllVariants()) {
    if (v.available) {
      EXPECT_EQ(v.get(fixed), 0) << v.name;
    }
  }
  const VariantChoice choice = {
      {"rs.expectations", "never"}, {"all", "fixed"}, {"kubelet.initialList", "asCompat"}};
  const Variants mixed = ResolveVariants(Compat::k1_25, choice);
  EXPECT_EQ(mixed.rs_expectations, Variants::RsExpectations::kNever);
  EXPECT_EQ(mixed.kubelet_initial_list, Variants::InitialList::kCache0);
  EXPECT_EQ(mixed.deltafifo_replace, Variants::FifoReplace::kQueueToo);
  const Variants plain = ResolveVariants(Compat::k1_30, {{"all", "asCompat"}});
  for (const VariantInfo& v : AllVariants())
    EXPECT_EQ(v.get(plain), v.get(DefaultVariants(Compat::k1_30))) << v.name;
}

TEST(Variants, ABadChoiceSaysWhatIsWrongAndWhatIsKnown) {
  struct Case {
    Compat compat;
    std::string_view name, value;
    bool in_value;
    std::string message, hint;
  };
  for (const Case& c : std::vector<Case>{
           {Compat::k1_30, "reflector.tooLargeRv", "retrySame", false,
            "unknown variant \"reflector.tooLargeRv\"", "did you mean \"reflector.tooLargeRV\"?"},
           {Compat::k1_30, "reflector.tooLargeRV", "retrySam", true,
            "unknown value \"retrySam\" of reflector.tooLargeRV", "did you mean \"retrySame\"?"},
           {Compat::k1_36, "deltafifo.replace", "indexerOnly", false,
            "variant deltafifo.replace does not exist in 1.36", "it exists in 1.25, 1.30"},
           {Compat::k1_30, "all", "broken", true, "unknown value \"broken\" of all",
            "known: asCompat, fixed"}}) {
    const std::optional<VariantProblem> problem = CheckVariant(c.compat, c.name, c.value);
    ASSERT_TRUE(problem.has_value()) << c.name;
    EXPECT_EQ(problem->in_value, c.in_value);
    EXPECT_EQ(problem->message, c.message);
    EXPECT_EQ(problem->hint, c.hint);
  }
  EXPECT_FALSE(CheckVariant(Compat::k1_30, "deltafifo.replace", "indexerOnly"));
  EXPECT_FALSE(CheckVariant(Compat::k1_30, "deltafifo.replace", "asCompat"));
}

}  // namespace
}  // namespace ksim::api
