#include "ksim/api/core/known_trees.h"

#include <gtest/gtest.h>

namespace ksim::api {
namespace {

using value::Obj;
using value::Value;

Value Tree(std::int64_t n) { return Obj({{"labels", Obj({{"n", Value::Int(n)}})}}); }

Value Hashed(std::int64_t n) {
  Value tree = Tree(n);
  tree.Hash();
  return tree;
}

TEST(KnownTrees, KnowsWhatWasRememberedByItsContent) {
  KnownTrees known;
  const KnownTrees::Place place = known.Of(Hashed(1), 0);
  EXPECT_FALSE(place.found());
  place.Remember();
  EXPECT_TRUE(place.found());
  EXPECT_TRUE(known.Of(Hashed(1), 0).found());  // another tree of the same content
  EXPECT_FALSE(known.Of(Hashed(2), 0).found());
}

TEST(KnownTrees, AnswersAnotherQuestionAnew) {
  KnownTrees known;
  known.Of(Hashed(1), 1).Remember();
  EXPECT_FALSE(known.Of(Hashed(1), 0).found());
  EXPECT_FALSE(known.Of(Hashed(1), 2).found());
}

TEST(KnownTrees, DoesNotHashForIt) {
  KnownTrees known;
  known.Of(Tree(1), 0).Remember();
  EXPECT_FALSE(known.Of(Tree(1), 0).found());
  EXPECT_FALSE(known.Of(Hashed(1), 0).found());
}

TEST(KnownTrees, ForgetsRatherThanMistakes) {
  KnownTrees known;
  constexpr std::int64_t kMany = 5000;  // more than there are places
  for (std::int64_t n = 0; n < kMany; n += 2) known.Of(Hashed(n), 0).Remember();
  for (std::int64_t n = 1; n < kMany; n += 2) EXPECT_FALSE(known.Of(Hashed(n), 0).found()) << n;
}

}  // namespace
}  // namespace ksim::api
