// The persistent tree against a plain document model that copies everything.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "ksim/value/edit.h"
#include "ksim/value/json.h"
#include "ksim/value/partial_hash.h"
#include "ksim/value/value.h"
#include "tests/value/value_random.h"

namespace ksim::value {
namespace {

using Json = nlohmann::json;

Json ToModel(const Value& v) { return Json::parse(ToJson(v)); }

// Value::Set, written down a second time over nlohmann::json.
void ModelSet(Json& doc, const std::vector<PathStep>& steps, std::size_t at, const Json& v) {
  if (at == steps.size()) {
    doc = v;
    return;
  }
  const PathStep& step = steps[at];
  if (step.kind == PathStep::Kind::kField) {
    if (!doc.is_object()) doc = Json::object();
    ModelSet(doc[std::string(step.name.text())], steps, at + 1, v);
    return;
  }
  if (!doc.is_array()) doc = Json::array();
  if (step.index > doc.size()) return;
  if (step.index == doc.size()) doc.push_back(nullptr);
  ModelSet(doc[step.index], steps, at + 1, v);
}

void ModelErase(Json& doc, const std::vector<PathStep>& steps, std::size_t at) {
  const PathStep& step = steps[at];
  const bool last = at + 1 == steps.size();
  if (step.kind == PathStep::Kind::kField) {
    const std::string name(step.name.text());
    if (!doc.is_object() || !doc.contains(name)) return;
    last ? void(doc.erase(name)) : ModelErase(doc[name], steps, at + 1);
    return;
  }
  if (!doc.is_array() || step.index >= doc.size()) return;
  last ? doc.erase(step.index) : ModelErase(doc[step.index], steps, at + 1);
}

TEST(ValueOracle, SetAndEraseAgreeWithACopyingModel) {
  RandomValues random(1);
  for (int round = 0; round < 300; ++round) {
    Value tree = random.Object(4);
    Json model = ToModel(tree);
    std::vector<std::pair<Value, std::string>> history;
    for (int i = 0; i < 20; ++i) {
      history.emplace_back(tree, model.dump());
      const Path place = random.Place(tree);
      if (random.Below(3) == 0) {
        tree = tree.Erase(place);
        ModelErase(model, place.steps(), 0);
      } else {
        const Value v = random.Any(2);
        ModelSet(model, place.steps(), 0, ToModel(v));
        tree = random.Below(2) == 0 ? tree.Set(place, v) : std::move(tree).Set(place, v);
      }
      ASSERT_EQ(ToModel(tree), model) << place.ToString();
      // A tree that was changed step by step is the same as one read afresh.
      const Value fresh = *ParseJson(ToJson(tree));
      ASSERT_EQ(tree, fresh);
      ASSERT_EQ(tree.Hash(), fresh.Hash());
    }
    // No old version ever changes.
    for (const auto& [version, text] : history) ASSERT_EQ(ToModel(version), Json::parse(text));
  }
}

TEST(ValueOracle, EqualityIsEqualityOfText) {
  RandomValues random(2);
  int equal = 0;
  for (int i = 0; i < 20000; ++i) {
    const Value a = random.Any(2);
    const Value b = random.Any(2);
    const bool same = ToJson(a) == ToJson(b);
    ASSERT_EQ(a == b, same);
    ASSERT_EQ(a.Hash() == b.Hash(), same) << ToJson(a) << " " << ToJson(b);
    ASSERT_EQ(a == b, same) << "with cached hashes";
    equal += same ? 1 : 0;
  }
  EXPECT_GT(equal, 100);
}

TEST(ValueOracle, JsonAgreesWithNlohmann) {
  RandomValues random(3);
  for (int i = 0; i < 5000; ++i) {
    const Value v = random.Any(5);
    const std::string text = ToJson(v);
    ASSERT_EQ(*ParseJson(text), v);
    ASSERT_EQ(*ParseJson(ToPrettyJson(v)), v);
    ASSERT_EQ(ToJson(*ParseJson(Json::parse(text).dump())), text);
  }
}

TEST(ValueOracle, SeveralFieldsAtOnceAreAsOneAfterTheOther) {
  RandomValues random(4);
  for (int i = 0; i < 5000; ++i) {
    const Value tree = random.Any(2);
    const Atom a(random.Name()), b(random.Name()), c(random.Name());
    const Value x = random.Any(1), y = random.Any(1), z = random.Any(1);
    const Value set = SetAll(tree, {{a, x}, {b, y}, {c, z}});
    ASSERT_EQ(set, tree.Set(a, x).Set(b, y).Set(c, z)) << ToJson(tree);
    const Value again = SetAll(set, {{b, set.Get(b)}, {c, z}});
    ASSERT_TRUE(again.SameTree(set));
    ASSERT_EQ(EraseField(set, a), set.Erase(a.text()));
    ASSERT_TRUE(EraseField(set, Atom("none such")).SameTree(set));
  }
}

// The oracle of HashWithout: the tree without the fields of these names, at any depth.
Value Stripped(const Value& v, std::span<const Atom> names) {
  std::vector<Value::Member> members;
  for (const Value::Member& m : v.members()) {
    if (std::find(names.begin(), names.end(), m.name) != names.end()) continue;
    members.emplace_back(m.name, Stripped(m.value, names));
  }
  if (v.is_object()) return Value::Object(std::move(members));
  std::vector<Value> items;
  for (const Value& item : v.items()) items.push_back(Stripped(item, names));
  return v.is_array() ? Value::Array(std::move(items)) : v;
}

TEST(ValueOracle, PartialHashesAreThoseOfTheStrippedTree) {
  RandomValues random(5);
  const Atom names[] = {Atom("a"), Atom("name")};
  for (int i = 0; i < 5000; ++i) {
    const Value tree = random.Any(4);
    if (random.Below(2) == 0) tree.Hash();  // fills the caches
    ASSERT_EQ(HashWithout(tree, names), Stripped(tree, names).Hash()) << ToJson(tree);
  }
}

TEST(ValueOracle, LookupsInLargeObjectsFindEveryName) {
  ObjectBuilder builder;
  std::map<std::string, int> model;
  for (int i = 0; i < 300; ++i) {
    const std::string name = "field-" + std::to_string(i * 7919 % 1000);
    model[name] = i;
    builder.Add(name, Value::Of(i));
  }
  Value v = builder.Build();
  for (int i = 0; i < 1000; ++i) {
    const std::string name = "field-" + std::to_string(i);
    ASSERT_EQ(v.Has(name), model.contains(name)) << name;
    if (!model.contains(name)) continue;
    ASSERT_EQ(v.Get(name).AsInt(), model[name]);
    ASSERT_EQ(v.Get(Atom(name)).AsInt(), model[name]);
  }
  for (const auto& [name, i] : model) v = v.Erase(name);
  EXPECT_EQ(v, Value::EmptyObject());
}

}  // namespace
}  // namespace ksim::value
