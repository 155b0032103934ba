// Sets of paths, against sets of their texts.
#include "ksim/apiserver/apply/field_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

#include "ksim/apiserver/apply/shape.h"
#include "ksim/apiserver/apply/typed.h"
#include "ksim/value/json.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using value::Value;

std::set<std::string> Texts(const FieldSet& set) {
  std::set<std::string> out;
  set.ForEach([&](const FieldPath& path) { out.insert(Print(path)); });
  return out;
}

PathElement RandomElement(std::mt19937& rng) {
  switch (rng() % 4) {
    case 0:
      return PathElement::Key(
          value::Obj({{"name", Value::Of(std::string(1, static_cast<char>('a' + rng() % 2)))}}));
    case 1:
      return PathElement::Item(Value::Of(static_cast<int>(rng() % 3)));
    default:
      return PathElement::Field(std::string(1, static_cast<char>('a' + rng() % 3)));
  }
}

FieldSet RandomSet(std::mt19937& rng) {
  FieldSet set;
  const std::size_t n = rng() % 8;
  for (std::size_t i = 0; i < n; ++i) {
    FieldPath path;
    for (std::size_t depth = 1 + rng() % 3; depth > 0; --depth) path.push_back(RandomElement(rng));
    set.Insert(path);
  }
  return set;
}

// API-93
TEST(FieldSet, OperationsAreThoseOfSetsOfPaths) {
  std::mt19937 rng(1);
  for (int round = 0; round < 2000; ++round) {
    const FieldSet a = RandomSet(rng), b = RandomSet(rng);
    const std::set<std::string> x = Texts(a), y = Texts(b);
    std::set<std::string> both, either = x, only;
    for (const std::string& t : x) (y.count(t) > 0 ? both : only).insert(t);
    either.insert(y.begin(), y.end());
    ASSERT_EQ(Texts(a.Union(b)), either);
    ASSERT_EQ(Texts(a.Intersection(b)), both);
    ASSERT_EQ(Texts(a.Difference(b)), only);
    // The recursive difference has no path at or below a path of b.
    std::set<std::string> outside;
    a.ForEach([&](const FieldPath& path) {
      for (FieldPath up = path; !up.empty(); up.pop_back())
        if (b.Has(up)) return;
      outside.insert(Print(path));
    });
    ASSERT_EQ(Texts(a.RecursiveDifference(b)), outside);
  }
}

// API-93
TEST(FieldSet, FieldsV1SaysTheSame) {
  std::mt19937 rng(2);
  for (int round = 0; round < 1000; ++round) {
    const FieldSet set = RandomSet(rng);
    const absl::StatusOr<FieldSet> read = FieldSet::FromFieldsV1(set.ToFieldsV1());
    ASSERT_TRUE(read.ok());
    ASSERT_TRUE(*read == set) << value::ToJson(set.ToFieldsV1());
  }
  EXPECT_EQ(Texts(*FieldSet::FromFieldsV1(Json(R"({"f:a":{".":{},"f:b":{}},"z:new":{}})"))),
            (std::set<std::string>{".a", ".a.b"}));
  EXPECT_FALSE(FieldSet::FromFieldsV1(Json(R"({"fa":{}})")).ok());
}

// A set of one-letter items.
Value Letters(std::string_view letters) {
  std::vector<Value> items;
  for (const char& c : letters) items.push_back(Value::Of(std::string_view(&c, 1)));
  return Value::Array(std::move(items));
}

// Cases of structured-merge-diff typed/merge_test.go: live, config, what they merge into.
TEST(Typed, ItemsComeInTheOrderOfTheConfigAndOthersStayPut) {
  const struct {
    const char *live, *config, *merged;
  } cases[] = {
      {"abc", "ab", "abc"},
      {"ab", "abc", "abc"},
      {"abc", "", "abc"},
      {"", "abc", "abc"},
      {"ab", "ba", "ba"},
      {"abc", "def", "abcdef"},
      {"abc", "cdef", "abcdef"},
      {"abcgf", "cdef", "abcgdef"},
      {"abc", "defxyz", "abcdefxyz"},
      {"cdef", "ace", "acdef"},
      {"abcxyz", "def", "abcxyzdef"},
      {"abcxyz", "defxyz", "abcdefxyz"},
      {"cagf", "cfag", "cfag"},
      {"abcd", "defa", "bcdefa"},
      {"cdefghij", "2h3e4kl", "cdfg2hij3e4kl"},
      {"abcdefghij", "1b2h3e4kl", "a1bcdfg2hij3e4kl"},
      {"abb", "c", "abbc"},
      {"abb", "b", "ab"},
      {"abb", "a", "abb"},
      {"abcdec", "1b2ed", "a1bc2ecd"},
      {"abcdec", "1b2ced", "a1b2ced"},
  };
  World world;
  const Shape shape =
      Shape::Of(world.Kind("pods")).Field(value::Atom("metadata")).Field(value::Atom("finalizers"));
  for (const auto& c : cases)
    EXPECT_EQ(Merge(shape, Letters(c.live), Letters(c.config)), Letters(c.merged))
        << c.live << " with " << c.config;
}

// The added and removed paths are the differences of the two field sets; the modified ones are the
// leaves that differ.
TEST(Typed, AddedAndRemovedAreTheDifferenceOfTheFields) {
  World world;
  const Shape shape = Shape::Of(world.Kind("pods"));
  const Value a = Json(R"({"metadata":{"labels":{"x":"1"}},"spec":{"containers":
    [{"name":"a","image":"i"},{"name":"b","image":"i","env":[{"name":"E","value":"1"}]}]}})");
  const Value b = Json(R"({"metadata":{"labels":{"y":"1"}},"spec":{"nodeName":"n","containers":
    [{"name":"b","image":"j"},{"name":"a","image":"i"}]}})");
  const Comparison c = Compare(shape, a, b);
  EXPECT_EQ(Texts(c.modified), std::set<std::string>{".spec.containers[name=\"b\"].image"});
  EXPECT_EQ(Texts(c.added), (std::set<std::string>{".metadata.labels.y", ".spec.nodeName"}));
  EXPECT_EQ(Texts(c.removed),
            (std::set<std::string>{".metadata.labels.x", ".spec.containers[name=\"b\"].env",
                                   ".spec.containers[name=\"b\"].env[name=\"E\"]",
                                   ".spec.containers[name=\"b\"].env[name=\"E\"].name",
                                   ".spec.containers[name=\"b\"].env[name=\"E\"].value"}));
}

}  // namespace
}  // namespace ksim::apiserver
