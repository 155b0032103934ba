#include "ksim/controllers/registry.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "ksim/api/variants.h"

namespace ksim::controllers {
namespace {

TEST(Registry, NamesAreUnique) {
  std::set<std::string_view> names, upstream;
  for (const ControllerInfo& c : AllControllers()) {
    EXPECT_TRUE(names.insert(c.name).second) << c.name;
    EXPECT_TRUE(c.is_sample() || upstream.insert(c.upstream).second) << c.upstream;
    EXPECT_FALSE(c.text.empty()) << c.name;
    EXPECT_EQ(FindController(c.name), &c);
  }
  EXPECT_EQ(FindController("replicase"), nullptr);
}

TEST(Registry, BuiltInControllersComeBeforeSamples) {
  bool samples = false;
  for (const ControllerInfo& c : AllControllers()) {
    EXPECT_TRUE(!samples || c.is_sample()) << c.name;
    samples = samples || c.is_sample();
  }
  EXPECT_TRUE(samples);
}

TEST(Registry, EachSampleCanBeMadeAndEachTwinExists) {
  for (const ControllerInfo& c : AllControllers()) {
    if (!c.is_sample()) continue;
    EXPECT_NE(c.make, nullptr) << c.name;
    EXPECT_TRUE(c.twin.empty() || FindController(c.twin) != nullptr) << c.name;
  }
}

TEST(Registry, TheReplicaSetControllerKeepsReplicaSets) {
  const ControllerInfo* keeper = ControllerOf("replicasets");
  ASSERT_NE(keeper, nullptr);
  EXPECT_EQ(keeper->name, "replicaset");
  EXPECT_EQ(keeper->PartName(), "replicaset");
  EXPECT_EQ(ControllerOf("nodes"), nullptr);
}

TEST(Registry, ASampleActsInThePartOfTheControllerItStandsInFor) {
  EXPECT_EQ(FindController("wrong-edge")->PartName(), "replicaset");
  EXPECT_EQ(FindController("wrong-retry")->PartName(), "wrong-retry");
}

TEST(Registry, AControllerMayBeMissingInAVersion) {
  const ControllerInfo* eviction = FindController("tainteviction");
  ASSERT_NE(eviction, nullptr);
  EXPECT_FALSE(eviction->IsIn(ProfileOf(api::Compat::k1_25)));
  EXPECT_TRUE(eviction->IsIn(ProfileOf(api::Compat::k1_30)));
  EXPECT_TRUE(FindController("job")->IsIn(ProfileOf(api::Compat::k1_25)));
}

TEST(Registry, VariantsAreOnesThatExist) {
  for (const ControllerInfo& c : AllControllers())
    for (const std::string_view variant : c.variants)
      EXPECT_NE(api::FindVariant(variant), nullptr) << c.name << ": " << variant;
}

}  // namespace
}  // namespace ksim::controllers
