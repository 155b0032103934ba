#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ksim/value/json.h"
#include "ksim/value/patch.h"
#include "tests/value/parse.h"
#include "tests/value/value_random.h"

namespace ksim::value {
namespace {

// The table of RFC 7386, appendix A.
TEST(MergePatch, ExamplesOfTheRfc) {
  const struct {
    const char* target;
    const char* patch;
    const char* result;
  } cases[] = {
      {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
      {R"({"a":"b"})", R"({"a":null})", "{}"},
      {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
      {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
      {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
      {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
      {R"(["a","b"])", R"(["c","d"])", R"(["c","d"])"},
      {R"({"a":"b"})", R"(["c"])", R"(["c"])"},
      {R"({"a":"foo"})", "null", "null"},
      {R"({"a":"foo"})", R"("bar")", R"("bar")"},
      {R"({"e":null})", R"({"a":1})", R"({"a":1,"e":null})"},
      {"[1,2]", R"({"a":"b","c":null})", R"({"a":"b"})"},
      {"{}", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(ToJson(ApplyMergePatch(J(c.target), J(c.patch))), c.result) << c.patch;
  }
}

// evanphx/json-patch v4 answers so; RFC 7386 would keep the nulls of objects in arrays.
TEST(MergePatch, NewMembersLoseTheirNullsInArraysToo) {
  const struct {
    const char* target;
    const char* patch;
    const char* result;
  } cases[] = {
      {"{}", R"({"a":[{"b":null,"c":1},null]})", R"({"a":[{"c":1},null]})"},
      {R"({"a":null})", R"({"a":[[{"b":null}]]})", R"({"a":[[{}]]})"},
      {R"({"a":[{"b":1}]})", R"({"a":[{"b":null}]})", R"({"a":[{}]})"},
      {R"({"a":{"x":1}})", R"({"a":[{"b":null}]})", R"({"a":[{"b":null}]})"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(ToJson(ApplyMergePatch(J(c.target), J(c.patch))), c.result) << c.patch;
}

// The tree without the null members of objects in arrays.
Value WithoutNullsInArrays(const Value& v, bool in_array = false) {
  if (v.is_array()) {
    std::vector<Value> items;
    for (const Value& item : v.items()) items.push_back(WithoutNullsInArrays(item, true));
    return Value::Array(std::move(items));
  }
  if (!v.is_object()) return v;
  ObjectBuilder out;
  for (const Value::Member& m : v.members())
    out.AddIf(!in_array || !m.value.is_null(), m.name.text(),
              WithoutNullsInArrays(m.value, in_array));
  return out.Build();
}

TEST(MergePatch, AgreesWithNlohmann) {
  RandomValues random(21);
  for (int i = 0; i < 3000; ++i) {
    const Value target = random.Any(4);
    const Value patch = WithoutNullsInArrays(random.Any(4));
    nlohmann::json model = nlohmann::json::parse(ToJson(target));
    model.merge_patch(nlohmann::json::parse(ToJson(patch)));
    ASSERT_EQ(nlohmann::json::parse(ToJson(ApplyMergePatch(target, patch))), model)
        << ToJson(target) << " " << ToJson(patch);
  }
}

TEST(MergePatch, ThatChangesNothingGivesTheSameTree) {
  const Value v = J(R"({"a":{"b":1},"c":[1,2]})");
  EXPECT_TRUE(ApplyMergePatch(v, J(R"({"a":{"b":1},"d":null})")).SameTree(v));
}

// Both sides have no nulls, since a merge patch cannot set a field to null.
Value WithoutNulls(const Value& v) {
  if (v.is_array()) {
    std::vector<Value> items;
    for (const Value& item : v.items()) items.push_back(WithoutNulls(item));
    return Value::Array(std::move(items));
  }
  if (!v.is_object()) return v.is_null() ? Value::Of(0) : v;
  ObjectBuilder out;
  for (const Value::Member& m : v.members()) out.Add(m.name.text(), WithoutNulls(m.value));
  return out.Build();
}

TEST(MergePatch, TheCreatedPatchLeadsToTheOtherTree) {
  RandomValues random(22);
  for (int i = 0; i < 3000; ++i) {
    const Value a = WithoutNulls(random.Object(4));
    const Value b = WithoutNulls(random.Variation(a, 3));
    const Value patch = CreateMergePatch(a, b);
    ASSERT_EQ(ApplyMergePatch(a, patch), b) << ToJson(a) << ToJson(b) << ToJson(patch);
    ASSERT_EQ(patch == Value::EmptyObject(), a == b || !b.is_object());
  }
  EXPECT_EQ(
      ToJson(CreateMergePatch(J(R"({"a":{"b":1,"c":2},"d":3})"), J(R"({"a":{"b":1},"e":4})"))),
      R"({"a":{"c":null},"d":null,"e":4})");
}

TEST(MergePatch, ThreeWay) {
  const struct {
    const char* original;
    const char* modified;
    const char* current;
    const char* patch;
  } cases[] = {
      // The user deleted a field; fields that the server added stay.
      {R"({"a":1,"b":2})", R"({"a":1})", R"({"a":1,"b":2,"s":3})", R"({"b":null})"},
      // The patch sets back a field that others changed.
      {R"({"a":1})", R"({"a":1})", R"({"a":5})", R"({"a":1})"},
      {R"({"a":{"x":1,"y":2}})", R"({"a":{"y":3}})", R"({"a":{"x":1,"y":2,"z":4}})",
       R"({"a":{"x":null,"y":3}})"},
      {"{}", R"({"e":{}})", "{}", R"({"e":{}})"},
      {R"({"l":[1]})", R"({"l":[1,2]})", R"({"l":[1]})", R"({"l":[1,2]})"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(ToJson(CreateThreeWayJsonMergePatch(J(c.original), J(c.modified), J(c.current))),
              c.patch);
  }
}

}  // namespace
}  // namespace ksim::value
