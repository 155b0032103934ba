#include "ksim/controllers/kind_effects.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "ksim/api/kinds.h"
#include "ksim/controllers/registry.h"

namespace ksim::controllers {
namespace {

TEST(KindEffects, EachBuiltInKindHasARow) {
  const api::Kinds kinds;
  for (const api::ResourceInfo* info : kinds.all())
    EXPECT_NE(EffectOf(info->group, info->kind), nullptr)
        << info->kind << "." << info->group
        << ": say in controllers/kind_effects.cc what becomes of its objects";
  EXPECT_EQ(EffectOf("apps", "Website"), nullptr);
  EXPECT_EQ(EffectOf("", "Deployment"), nullptr);
}

TEST(KindEffects, EachKindIsThereOnce) {
  std::set<std::string> seen;
  for (const KindEffect& row : KindEffects())
    EXPECT_TRUE(seen.insert(std::string(row.group) + "/" + std::string(row.kind)).second)
        << row.kind;
}

TEST(KindEffects, EachRowSaysWhyAndNamesAControllerOfTheRegister) {
  for (const KindEffect& row : KindEffects()) {
    EXPECT_EQ(row.text.empty(), row.effect == Effect::kSimulated) << row.kind;
    EXPECT_FALSE(row.effect == Effect::kNeedsController && row.controller.empty()) << row.kind;
    if (row.controller.empty()) continue;
    const ControllerInfo* controller = FindController(row.controller);
    ASSERT_NE(controller, nullptr) << row.kind;
    EXPECT_FALSE(controller->is_sample()) << row.kind;
  }
}

// A controller that keeps the pods of a workload is the one that the workload's row names.
TEST(KindEffects, TheRowsOfWorkloadsAgreeWithTheRegister) {
  const api::Kinds kinds;
  for (const api::ResourceInfo* info : kinds.all()) {
    const ControllerInfo* keeper = ControllerOf(info->resource);
    if (keeper == nullptr) continue;
    EXPECT_EQ(EffectOf(info->group, info->kind)->controller, keeper->name);
  }
}

}  // namespace
}  // namespace ksim::controllers
