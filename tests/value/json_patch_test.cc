#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ksim/value/diff.h"
#include "ksim/value/json.h"
#include "ksim/value/patch.h"
#include "tests/value/parse.h"
#include "tests/value/value_random.h"

namespace ksim::value {
namespace {

TEST(JsonPatch, Applies) {
  const struct {
    const char* doc;
    const char* patch;
    const char* result;
  } cases[] = {
      {R"({"foo":"bar"})", R"([{"op":"add","path":"/baz","value":"qux"}])",
       R"({"baz":"qux","foo":"bar"})"},
      {R"({"foo":["bar","baz"]})", R"([{"op":"add","path":"/foo/1","value":"qux"}])",
       R"({"foo":["bar","qux","baz"]})"},
      {R"({"foo":["bar"]})", R"([{"op":"add","path":"/foo/-","value":["abc"]}])",
       R"({"foo":["bar",["abc"]]})"},
      {R"({"foo":[1,2]})", R"([{"op":"add","path":"/foo/-1","value":3}])", R"({"foo":[1,2,3]})"},
      {R"({"foo":1})", R"([{"op":"add","path":"/foo","value":null}])", R"({"foo":null})"},
      {R"({"baz":"qux","foo":"bar"})", R"([{"op":"remove","path":"/baz"}])", R"({"foo":"bar"})"},
      {R"({"foo":["bar","qux","baz"]})", R"([{"op":"remove","path":"/foo/1"}])",
       R"({"foo":["bar","baz"]})"},
      {R"({"baz":"qux"})", R"([{"op":"replace","path":"/baz","value":"boo"}])", R"({"baz":"boo"})"},
      {R"({"a":[1,2]})", R"([{"op":"replace","path":"/a/0","value":9}])", R"({"a":[9,2]})"},
      {R"({"a":1})", R"([{"op":"replace","path":"","value":{"b":2}}])", R"({"b":2})"},
      {R"({"foo":{"bar":"baz","waldo":"fred"},"qux":{}})",
       R"([{"op":"move","from":"/foo/waldo","path":"/qux/thud"}])",
       R"({"foo":{"bar":"baz"},"qux":{"thud":"fred"}})"},
      {R"({"foo":["all","grass","cows","eat"]})",
       R"([{"op":"move","from":"/foo/1","path":"/foo/3"}])",
       R"({"foo":["all","cows","eat","grass"]})"},
      {R"({"a":{"b":[1]}})", R"([{"op":"copy","from":"/a/b","path":"/a/c"}])",
       R"({"a":{"b":[1],"c":[1]}})"},
      {R"({"a/b":1,"m~n":2})",
       R"([{"op":"test","path":"/a~1b","value":1},{"op":"remove","path":"/m~0n"}])",
       R"({"a/b":1})"},
      {R"({"a":{"x":[1,"2"]}})", R"([{"op":"test","path":"/a","value":{"x":[1,"2"]}}])",
       R"({"a":{"x":[1,"2"]}})"},
      {R"({"a":1})", R"([{"op":"test","path":"","value":{"a":1}}])", R"({"a":1})"},
      {R"({"a":1})", R"([{"op":"test","path":"/b","value":null}])", R"({"a":1})"},
      {R"({"":{"":1}})", R"([{"op":"replace","path":"//","value":2}])", R"({"":{"":2}})"},
      {R"([1,[2]])", R"([{"op":"add","path":"/1/0","value":0}])", "[1,[0,2]]"},
      // json-patch v4 answers so, unlike RFC 6902.
      {R"({"a":1})", R"([{"op":"replace","path":"/b","value":2}])", R"({"a":1,"b":2})"},
      {R"({"a":1})", R"([{"op":"copy","from":"/b","path":"/c"}])", R"({"a":1,"c":null})"},
      {R"({"a":[1,2]})", R"([{"op":"remove","path":"/a/-1"}])", R"({"a":[1]})"},
      {R"({"a":1})", "[]", R"({"a":1})"},
  };
  for (const auto& c : cases) {
    const auto got = ApplyJsonPatch(J(c.doc), J(c.patch));
    ASSERT_TRUE(got.ok()) << c.patch << ": " << got.status().message();
    EXPECT_EQ(ToJson(*got), c.result) << c.patch;
  }
}

TEST(JsonPatch, FailuresHaveUpstreamsText) {
  const struct {
    const char* patch;
    const char* error;
  } cases[] = {
      {R"([{"op":"add","path":"/x/y","value":1}])",
       "add operation does not apply: doc is missing path: \"/x/y\": missing value"},
      {R"([{"op":"add","path":"","value":1}])",
       "add operation does not apply: doc is missing path: \"\": missing value"},
      {R"([{"op":"add","path":"/l/9","value":1}])",
       "error in add for path: '/l/9': Unable to access invalid index: 9: invalid index "
       "referenced"},
      {R"([{"op":"add","path":"/l/x","value":1}])",
       "error in add for path: '/l/x': value was not a proper array index: 'x': strconv.Atoi: "
       "parsing \"x\": invalid syntax"},
      {R"([{"op":"add","value":1}])",
       "add operation failed to decode path: operation missing path field: missing value"},
      {R"([{"op":"remove","path":"/x"}])",
       "error in remove for path: '/x': Unable to remove nonexistent key: x: missing value"},
      {R"([{"op":"remove","path":"/l/7"}])",
       "error in remove for path: '/l/7': Unable to access invalid index: 7: invalid index "
       "referenced"},
      {R"([{"op":"replace","path":"/l/7","value":1}])",
       "replace operation does not apply: doc is missing key: /l/7: missing value"},
      {R"([{"op":"replace","path":"/s/t","value":1}])",
       "replace operation does not apply: doc is missing path: /s/t: missing value"},
      {R"([{"op":"replace","path":"","value":1}])",
       "replace operation value must be object or array: %!w(<nil>)"},
      {R"([{"op":"move","from":"/x","path":"/y"}])",
       "error in move for path: 'x': Unable to remove nonexistent key: x: missing value"},
      {R"([{"op":"move","path":"/y"}])",
       "move operation failed to decode from: operation, missing from field: missing value"},
      {R"([{"op":"move","from":"/s","path":"/x/y"}])",
       "move operation does not apply: doc is missing destination path: /x/y: missing value"},
      {R"([{"op":"copy","from":"/x/y","path":"/z"}])",
       "copy operation does not apply: doc is missing from path: /x/y: missing value"},
      {R"([{"op":"copy","from":"/l/5","path":"/z"}])",
       "error in copy for from: '/l/5': Unable to access invalid index: 5: invalid index "
       "referenced"},
      {R"([{"op":"test","path":"/s","value":"other"}])", "testing value /s failed: test failed"},
      {R"([{"op":"test","path":"/x/y","value":1}])",
       "test operation does not apply: is missing path: /x/y: missing value"},
      {R"([{"op":"test","path":"/l/x","value":1}])",
       "error in test for path: '/l/x': strconv.Atoi: parsing \"x\": invalid syntax"},
      {R"([{"op":"frob","path":"/s"}])", "Unexpected kind: frob"},
      {R"([{"path":"/s"}])", "Unexpected kind: unknown"},
      // A patch that fails changes nothing, and the error is that of its first failed operation.
      {R"([{"op":"remove","path":"/s"},{"op":"test","path":"/s","value":"t"}])",
       "testing value /s failed: test failed"},
  };
  const Value doc = J(R"({"s":"t","l":[1,2]})");
  for (const auto& c : cases) {
    const auto got = ApplyJsonPatch(doc, J(c.patch));
    ASSERT_FALSE(got.ok()) << c.patch;
    EXPECT_EQ(got.status().message(), c.error) << c.patch;
    EXPECT_EQ(got.status().code(), absl::StatusCode::kFailedPrecondition);
  }
}

// API-88
TEST(JsonPatch, WhatIsNoPatchAndWhatIsTooLong) {
  EXPECT_EQ(ApplyJsonPatch(J("{}"), J("{}")).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ApplyJsonPatch(J("{}"), J("[1]")).status().code(), absl::StatusCode::kInvalidArgument);
  std::vector<Value> ops(10001, J(R"({"op":"test","path":"","value":{}})"));
  EXPECT_EQ(ApplyJsonPatch(J("{}"), Value::Array(ops)).status().message(),
            "The allowed maximum operations in a JSON patch is 10000, got 10001");
  ops.pop_back();
  EXPECT_TRUE(ApplyJsonPatch(J("{}"), Value::Array(ops)).ok());
}

TEST(JsonPatch, AgreesWithNlohmannOnItsOwnDiffs) {
  RandomValues random(31);
  for (int i = 0; i < 2000; ++i) {
    const Value a = random.Object(4);
    const Value b = random.Variation(a, 3);
    if (!b.is_object()) continue;
    const auto patch =
        nlohmann::json::diff(nlohmann::json::parse(ToJson(a)), nlohmann::json::parse(ToJson(b)));
    const auto got = ApplyJsonPatch(a, J(patch.dump()));
    ASSERT_TRUE(got.ok()) << patch.dump() << got.status().message();
    ASSERT_EQ(nlohmann::json::parse(ToJson(*got)), nlohmann::json::parse(ToJson(b)));
  }
}

}  // namespace
}  // namespace ksim::value
