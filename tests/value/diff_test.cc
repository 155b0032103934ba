#include "ksim/value/diff.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "ksim/value/json.h"
#include "tests/value/parse.h"
#include "tests/value/value_random.h"

namespace ksim::value {
namespace {

// "path before->after", one a line; "-" stands for an absent value.
std::string Show(const std::vector<Change>& changes) {
  std::string out;
  for (const Change& c : changes) {
    out += c.path.ToString() + " " + (c.before ? ToJson(*c.before) : "-") + "->" +
           (c.after ? ToJson(*c.after) : "-") + "\n";
  }
  return out;
}

TEST(Diff, TellsWhatChanged) {
  const struct {
    const char* before;
    const char* after;
    const char* want;
  } cases[] = {
      {"{}", "{}", ""},
      {R"({"a":1,"b":2})", R"({"a":1,"b":3})", "b 2->3\n"},
      {R"({"a":1})", R"({"a":1,"b":{"c":1,"d":[1,{}]}})", "b.c -->1\nb.d[0] -->1\nb.d[1] -->{}\n"},
      {R"({"a":{"b":{"c":1}},"z":0})", R"({"z":0})", "a {\"b\":{\"c\":1}}->-\n"},
      {R"({"a":[1,2,3,4]})", R"({"a":[1,5]})", "a[1] 2->5\na[3] 4->-\na[2] 3->-\n"},
      {R"({"a":[1]})", R"({"a":[1,{"b":2}]})", "a[1].b -->2\n"},
      {R"({"a":{"b":1}})", R"({"a":[1]})", "a {\"b\":1}->[1]\n"},
      {R"({"a":null})", R"({"a":{"b":1}})", "a null->{\"b\":1}\n"},
      {R"({"a":{}})", R"({"a":{"b":1}})", "a.b -->1\n"},
      {R"({"a":{"b":1}})", R"({"a":{}})", "a.b 1->-\n"},
      {R"({"a":1})", R"({"a":1.0})", "a 1->1.0\n"},
      {R"({"a.b":1})", R"({"a.b":2})", "['a.b'] 1->2\n"},
      {"null", R"({"a":{"b":[]},"c":null})", "a.b -->[]\nc -->null\n"},
      {"null", "{}", " -->{}\n"},
      {R"({"a":1})", "null", " {\"a\":1}->-\n"},
      {"1", "2", " 1->2\n"},
  };
  for (const auto& c : cases) {
    const std::vector<Change> changes = Diff(J(c.before), J(c.after));
    EXPECT_EQ(Show(changes), c.want) << c.before << " " << c.after;
    EXPECT_EQ(ToJson(Apply(J(c.before), changes)), ToJson(J(c.after)));
  }
}

// Every leaf by its path.
void Flatten(const Value& v, const std::string& path, std::map<std::string, std::string>* out) {
  if (v.empty()) (*out)[path] = ToJson(v);
  for (const Value::Member& m : v.members()) {
    Flatten(m.value, path + "/" + std::string(m.name.text()), out);
  }
  for (std::size_t i = 0; i < v.size() && v.is_array(); ++i) {
    Flatten(v.at(i), path + "/#" + std::to_string(i), out);
  }
}

TEST(Diff, ApplyingItGivesTheOtherTree) {
  RandomValues random(4);
  for (int i = 0; i < 5000; ++i) {
    const Value a = random.Object(4);
    const Value b = random.Below(4) == 0 ? random.Object(4) : random.Variation(a, 3);
    const std::vector<Change> changes = Diff(a, b);
    ASSERT_EQ(Apply(a, changes), b) << ToJson(a) << "\n" << ToJson(b) << "\n" << Show(changes);
    ASSERT_EQ(changes.empty(), a == b);
  }
}

TEST(Diff, SaysTheSameWithoutSharedNodesAndWithCachedHashes) {
  RandomValues random(5);
  for (int i = 0; i < 2000; ++i) {
    const Value a = random.Object(4);
    const Value b = random.Variation(a, 2);
    const std::string shared = Show(Diff(a, b));
    const Value apart = J(ToJson(b));
    ASSERT_EQ(Show(Diff(a, apart)), shared);
    (void)a.Hash();
    (void)apart.Hash();
    ASSERT_EQ(Show(Diff(a, apart)), shared);
  }
}

TEST(Diff, CreationListsEveryLeaf) {
  RandomValues random(6);
  for (int i = 0; i < 500; ++i) {
    const Value v = random.Object(4);
    std::map<std::string, std::string> leaves;
    Flatten(v, "", &leaves);
    const std::vector<Change> changes = Diff(Value(), v);
    ASSERT_EQ(changes.size(), leaves.size());
    for (const Change& c : changes) {
      ASSERT_FALSE(c.before.has_value());
      ASSERT_TRUE(c.after->empty());
      ASSERT_EQ(v.Get(c.path), *c.after);
    }
    ASSERT_EQ(Apply(Value(), changes), v);
  }
}

// The slow oracle: a leaf of either side belongs to a change if and only if the sides differ there.
TEST(Diff, MentionsExactlyTheLeavesThatDiffer) {
  RandomValues random(7);
  for (int i = 0; i < 1000; ++i) {
    const Value a = random.Object(3);
    const Value b = random.Variation(a, 2);
    std::map<std::string, std::string> before, after, told_before, told_after;
    Flatten(a, "", &before);
    Flatten(b, "", &after);
    for (const Change& c : Diff(a, b)) {
      std::string path;
      for (const PathStep& s : c.path.steps()) {
        path += s.kind == PathStep::Kind::kField ? "/" + std::string(s.name.text())
                                                 : "/#" + std::to_string(s.index);
      }
      if (c.before) Flatten(*c.before, path, &told_before);
      if (c.after) Flatten(*c.after, path, &told_after);
    }
    for (const auto& [path, v] : before) {
      const bool same = after.contains(path) && after[path] == v;
      if (!same && v != "{}" && v != "[]") {
        ASSERT_EQ(told_before[path], v) << path;
      }
    }
    for (const auto& [path, v] : after) {
      const bool same = before.contains(path) && before[path] == v;
      if (!same && v != "{}" && v != "[]") {
        ASSERT_EQ(told_after[path], v) << path;
      }
    }
  }
}

}  // namespace
}  // namespace ksim::value
