#include "ksim/value/value.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "ksim/value/json.h"
#include "tests/value/parse.h"

namespace ksim::value {
namespace {

Path P(std::string_view text) { return *Path::Parse(text); }

TEST(Atom, SameTextSameAtom) {
  const Atom a("metadata");
  EXPECT_EQ(a, Atom(std::string("meta") + "data"));
  EXPECT_NE(a, Atom("metadat"));
  EXPECT_EQ(a.text(), "metadata");
  EXPECT_EQ(Atom(), Atom(""));
  EXPECT_EQ(Atom().text(), "");
}

TEST(Atom, ManyKeepTheirText) {
  std::vector<Atom> atoms;
  for (int i = 0; i < 5000; ++i) atoms.emplace_back("atom-test-" + std::to_string(i));
  for (int i = 0; i < 5000; ++i) {
    const std::string text = "atom-test-" + std::to_string(i);
    EXPECT_EQ(atoms[static_cast<std::size_t>(i)].text(), text);
    EXPECT_EQ(Atom(text), atoms[static_cast<std::size_t>(i)]);
  }
}

// The front cache of atoms compares a text by its ends and its size.
TEST(Atom, TextsWithEqualEndsStayApart) {
  const std::string ends = "12345678";
  std::vector<std::string> texts;
  for (const char* middle : {"a", "b", "ab", "ba", "abcdefghi", "abcdefgih"}) {
    texts.push_back(ends + middle + ends);
  }
  for (std::size_t n = 0; n <= 20; ++n) {
    texts.push_back(std::string(n, 'x'));
    texts.push_back(std::string(n, '\0'));
    if (n > 1) texts.push_back(std::string(n - 1, 'x') + "y");
    if (n > 1) texts.push_back("y" + std::string(n - 1, 'x'));
    if (n > 2) texts.push_back("x" + std::string(n - 2, 'z') + "x");
  }
  for (int round = 0; round < 2; ++round) {
    for (const std::string& text : texts) ASSERT_EQ(Atom(text).text(), text);
  }
}

TEST(Atom, ThreadsAgreeOnTheNumbers) {
  constexpr int kNames = 2000;
  std::vector<std::vector<Atom>> seen(4);
  std::vector<std::thread> threads;
  for (std::vector<Atom>& mine : seen) {
    threads.emplace_back([&mine] {
      for (int i = 0; i < kNames; ++i) mine.emplace_back("thread-test-" + std::to_string(i));
    });
  }
  for (std::thread& t : threads) t.join();
  for (const std::vector<Atom>& mine : seen) {
    EXPECT_EQ(mine, seen.front());
    EXPECT_EQ(mine.back().text(), "thread-test-1999");
  }
}

TEST(Value, ScalarsAreExact) {
  for (const std::int64_t i :
       {std::int64_t{0}, std::int64_t{-1}, (std::int64_t{1} << 60) - 1, std::int64_t{1} << 60,
        -(std::int64_t{1} << 60), -(std::int64_t{1} << 60) - 1, INT64_MAX, INT64_MIN}) {
    EXPECT_EQ(Value::Int(i).AsInt(), i);
    EXPECT_EQ(Value::Int(i), Value::Int(i));
    EXPECT_EQ(Value::Int(i).Hash(), Value::Int(i).Hash());
    EXPECT_NE(Value::Int(i), Value::Double(static_cast<double>(i)));
  }
  const std::string binary("a\0b\xff", 4);
  EXPECT_EQ(Value::String(binary).AsString(), binary);
  EXPECT_EQ(Value::String("").AsString(), "");
  EXPECT_EQ(Value::Double(0.1).AsDouble(), 0.1);
  EXPECT_EQ(Value::Int(3).AsDouble(), 3.0);
}

TEST(Value, AccessorsOfAnotherTypeGiveNothing) {
  const Value v = Value::Of("x");
  EXPECT_EQ(v.AsInt(), 0);
  EXPECT_FALSE(v.AsBool());
  EXPECT_EQ(v.size(), 0u);
  EXPECT_TRUE(v.Get("a").is_null());
  EXPECT_TRUE(v.at(3).is_null());
  EXPECT_EQ(Value::Int(1).AsString(), "");
}

TEST(Value, TypeNames) {
  const std::pair<const char*, const char*> cases[] = {
      {"null", "null"},       {"true", "boolean"},
      {"1", "integer"},       {"9223372036854775807", "integer"},
      {"1.5", "number"},      {"\"\"", "string"},
      {"\"a\"", "string"},    {"[]", "array"},
      {"[1]", "array"},       {"{}", "object"},
      {"{\"a\":1}", "object"}};
  for (const auto& [text, name] : cases) EXPECT_EQ(J(text).type_name(), name) << text;
}

TEST(Value, ObjectsAreSortedAndTheLastDuplicateWins) {
  const Value v = Value::Object({{"b", Value::Of(1)}, {"a", Value::Of(2)}, {"b", Value::Of(3)}});
  EXPECT_EQ(ToJson(v), R"({"a":2,"b":3})");
}

TEST(Value, SetMakesTheWay) {
  const struct {
    const char* before;
    const char* path;
    const char* after;
  } cases[] = {
      {"{}", "a.b.c", R"({"a":{"b":{"c":7}}})"},
      {"null", "a", R"({"a":7})"},
      {R"({"a":"x"})", "a.b", R"({"a":{"b":7}})"},
      {R"({"a":[1,2]})", "a[1]", R"({"a":[1,7]})"},
      {R"({"a":[1,2]})", "a[2]", R"({"a":[1,2,7]})"},
      {R"({"a":[1,2]})", "a[3]", R"({"a":[1,2]})"},
      {R"({"a":[{"n":"x","v":1}]})", "a[n=x].v", R"({"a":[{"n":"x","v":7}]})"},
      {R"({"a":[{"n":"x"}]})", "a[n=y].v", R"({"a":[{"n":"x"},{"n":"y","v":7}]})"},
      {R"({"a":[{"n":"x"}]})", "a[n=x]", R"({"a":[7]})"},
      {"{}", "a[n=x].v", R"({"a":[{"n":"x","v":7}]})"},
      {R"({"a":{"b":1}})", "a[0]", R"({"a":[7]})"},
  };
  for (const auto& c : cases) {
    const Value before = J(c.before);
    EXPECT_EQ(ToJson(before.Set(P(c.path), Value::Of(7))), ToJson(J(c.after))) << c.path;
    EXPECT_EQ(ToJson(before), ToJson(J(c.before))) << "the old version changed";
  }
}

TEST(Value, SettingTheSameGivesTheSameTree) {
  const Value v = J(R"({"a":{"b":"text","c":[1,2]}})");
  EXPECT_TRUE(v.Set(P("a.b"), Value::Of("text")).SameTree(v));
  EXPECT_TRUE(v.Set(P("a.c[1]"), Value::Of(2)).SameTree(v));
  EXPECT_FALSE(v.Set(P("a.c[1]"), Value::Of(3)).SameTree(v));
}

TEST(Value, EraseLeavesTheRest) {
  const struct {
    const char* before;
    const char* path;
    const char* after;
  } cases[] = {
      {R"({"a":1,"b":2})", "a", R"({"b":2})"},
      {R"({"a":{"b":1}})", "a.b", R"({"a":{}})"},
      {R"({"a":[1,2,3]})", "a[1]", R"({"a":[1,3]})"},
      {R"({"a":[{"n":"x"},{"n":"y"}]})", "a[n=x]", R"({"a":[{"n":"y"}]})"},
      {R"({"a":1})", "b.c", R"({"a":1})"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(ToJson(J(c.before).Erase(P(c.path))), ToJson(J(c.after))) << c.path;
  }
  const Value v = J(R"({"a":1})");
  EXPECT_TRUE(v.Erase(P("a.x")).SameTree(v));
  EXPECT_TRUE(v.Erase("x").SameTree(v));
  EXPECT_EQ(v.Erase("a"), Value::EmptyObject());
}

TEST(Value, RvaluesChangeInPlaceOnlyWhatNobodyElseHolds) {
  Value v = J(R"({"a":{"b":1},"c":{"d":1}})");
  const Value kept = v.Get("a");
  const std::uint64_t before = v.Hash();
  v = std::move(v).Set(P("a.b"), Value::Of(2)).Set(P("c.d"), Value::Of(3));
  EXPECT_EQ(ToJson(v), R"({"a":{"b":2},"c":{"d":3}})");
  EXPECT_EQ(ToJson(kept), R"({"b":1})");
  EXPECT_NE(v.Hash(), before);
  EXPECT_EQ(v.Hash(), J(ToJson(v)).Hash());
}

TEST(Value, AWriteCopiesOnlyThePath) {
  const Value v = J(R"({"spec":{"x":[1,2,3]},"status":{"phase":"a","conditions":[{"s":"t"}]}})");
  const Value w = v.Set(P("status.phase"), Value::Of("b"));
  EXPECT_TRUE(w.Get("spec").SameTree(v.Get("spec")));
  EXPECT_TRUE(w.Get(P("status.conditions")).SameTree(v.Get(P("status.conditions"))));
  EXPECT_FALSE(w.Get("status").SameTree(v.Get("status")));
}

// The hash of a document is part of traces: it must never change.
TEST(Value, ContentHashesAreFixed) {
  EXPECT_EQ(J(R"({"b":1,"a":[true,null,"x",1.5]})").Hash(), 0xe93374a0d47f61bcu);
}

TEST(Value, IterationGoesInOrder) {
  const Value v = J(R"({"b":[3,4],"a":1})");
  std::string seen;
  for (const Value::Member& m : v.members()) seen += m.name.text();
  for (const Value& item : v.Get("b").items()) seen += ToJson(item);
  EXPECT_EQ(seen, "ab34");
  EXPECT_EQ(v.member(1).name.text(), "b");
  EXPECT_TRUE(v.member(2).value.is_null());
  EXPECT_TRUE(Value::Of(3).items().begin() == Value::Of(3).items().end());
}

TEST(Value, Builders) {
  EXPECT_EQ(Obj({{"a", Value::Of(1)}, {"b", Arr({Value::Of("x"), Value()})}}),
            J(R"({"a":1,"b":["x",null]})"));
  ObjectBuilder builder;
  builder.Add("b", Value::Of(true)).AddIf(false, "c", Value()).AddIf(true, "a", Value::Of(2));
  EXPECT_EQ(builder.Build(), J(R"({"a":2,"b":true})"));
  EXPECT_EQ(builder.Build(), Value::EmptyObject());
  EXPECT_EQ(Value::Array({}), Value::EmptyArray());
  EXPECT_EQ(Value().Append(Value::Of(1)).Append(Value::Of(2)), J("[1,2]"));
}

TEST(Value, OwnBytesCountsOnlyWhatNobodyElseHolds) {
  const std::string long_text(1000, 'x');
  Value v = Obj({{"a", Value::Of(long_text)}, {"b", Arr({Value::Of(1)})}});
  const std::size_t alone = v.OwnBytes();
  EXPECT_GT(alone, 1000u);
  const Value a = v.Get("a");
  EXPECT_LT(v.OwnBytes(), alone - 1000);
  const Value whole = v;
  EXPECT_EQ(v.OwnBytes(), 0u);
  EXPECT_EQ(Value::Of(1).OwnBytes(), 0u);
}

TEST(Value, DeepTreesNeedNoStack) {
  const auto deep = [] {
    Value v;
    for (int i = 0; i < 1'000'000; ++i) v = Value::Array({std::move(v)});
    return v;
  };
  const Value a = deep();
  const Value b = deep();
  EXPECT_EQ(a.Hash(), b.Hash());
  EXPECT_EQ(a, b);
  EXPECT_GT(a.OwnBytes(), 1'000'000u * 24);
}

TEST(Path, ParsesAndPrints) {
  const std::pair<const char*, const char*> cases[] = {
      {"a.b", "a.b"},
      {".a.b", "a.b"},
      {"$.a", "a"},
      {"a[0].b", "a[0].b"},
      {"[3]", "[3]"},
      {"status.conditions[type=Ready].status", "status.conditions[type=Ready].status"},
      {R"(a[?(@.type=="Ready")].b)", "a[type=Ready].b"},
      {"a['x.y/z']", "a['x.y/z']"},
      {R"(a.b\.c/d.e)", "a['b.c/d'].e"},
      {R"(a["b"])", "a.b"},
      {R"(['it\'s'])", R"(['it\'s'])"},
      {"ports[containerPort=80]", "ports[containerPort='80']"},
      {"a[name='x y']", "a[name='x y']"},
  };
  for (const auto& [text, want] : cases) {
    const auto path = Path::Parse(text);
    ASSERT_TRUE(path.ok()) << text << ": " << path.status().message();
    EXPECT_EQ(path->ToString(), want);
    EXPECT_EQ(Path::Parse(want)->ToString(), want);
  }
}

TEST(Path, BadOnesNameTheColumn) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "column 1: the path is empty"},
      {"a..b", "column 3: expected a field name"},
      {"a[", "column 3: expected ']'"},
      {"a[x]", "column 4: expected an index, a quoted name or name=value"},
      {"a[*]", "column 3: wildcards are not supported"},
      {"é[99999999999]", "column 14: expected an index, a quoted name or name=value"},
      {"a['x", "column 5: quote is not closed"},
      {"a[0]b", "column 5: expected '.' or '['"},
      {"a[n=x", "column 6: expected ']'"},
  };
  for (const auto& [text, want] : cases) {
    const auto path = Path::Parse(text);
    ASSERT_FALSE(path.ok()) << text;
    EXPECT_EQ(path.status().message(), want) << text;
  }
}

TEST(Path, MatchComparesIntegersAndBooleansByText) {
  const Value v = J(R"([{"p":80,"n":"a"},{"p":true,"n":"b"}])");
  EXPECT_EQ(v.Get(P("[p=80].n")).AsString(), "a");
  EXPECT_EQ(v.Get(P("[p=true].n")).AsString(), "b");
  EXPECT_EQ(v.Find(P("[p=81].n")), nullptr);
}

}  // namespace
}  // namespace ksim::value
