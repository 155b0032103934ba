// The rules of a custom resource's schema; values from upstream's validation_test.go.
#include "ksim/cel/rules/rules.h"

#include <gtest/gtest.h>

#include <string>

#include "ksim/value/json.h"

namespace ksim::cel {
namespace {

value::Value Json(const std::string& text) { return *value::ParseJson(text); }

// An object's schema whose spec has these properties, and these rules at spec.
value::Value SpecSchema(const std::string& properties, const std::string& rules) {
  return Json(R"j({"type":"object","properties":{"spec":{"type":"object","properties":{)j" +
              properties + R"j(},"x-kubernetes-validations":[)j" + rules + "]}}}");
}

std::string Told(const std::vector<RuleError>& errors) {
  std::string text;
  for (const RuleError& e : errors) {
    if (!text.empty()) text += "; ";
    if (e.type == RuleError::Type::kForbidden) text += "forbidden ";
    if (e.type == RuleError::Type::kRequired) text += "required ";
    text += e.path + ": " + e.detail;
  }
  return text;
}

std::string Judge(const value::Value& schema, const std::string& object,
                  const std::string& old = "null", int minor = 36) {
  const RuleSet rules(schema, true, RuleOptions::Kubernetes(minor));
  const value::Value now = Json(object);
  const value::Value before = Json(old);
  return Told(rules.Validate({.object = now, .old = &before, .ratchets = minor >= 30}).errors);
}

constexpr char kCounts[] = R"j("min":{"type":"integer"},"max":{"type":"integer"})j";

TEST(Rules, ARuleThatFailsGivesItsMessage) {
  const value::Value plain = SpecSchema(kCounts, R"j({"rule":"self.min <= self.max"})j");
  EXPECT_EQ(Judge(plain, R"j({"spec":{"min":1,"max":2}})j"), "");
  EXPECT_EQ(Judge(plain, R"j({"spec":{"min":3,"max":2}})j"),
            "spec: failed rule: self.min <= self.max");
  EXPECT_EQ(Judge(plain, R"j({"spec":{"min":3}})j"),
            "spec: no such key: max evaluating rule: self.min <= self.max");
  EXPECT_EQ(
      Judge(SpecSchema(kCounts, R"j({"rule":"self.min <= self.max","message":" too small "})j"),
            R"j({"spec":{"min":3,"max":2}})j"),
      "spec: too small");
  EXPECT_EQ(
      Judge(SpecSchema(kCounts, R"j({"rule":"self.min <= self.max",)j"
                                R"j("messageExpression":"self.min > 2 ? 'too large' : 'x'"})j"),
            R"j({"spec":{"min":3,"max":2}})j"),
      "spec: too large");
}

TEST(Rules, ReasonAndFieldPath) {
  const value::Value schema =
      SpecSchema(kCounts, R"j({"rule":"self.min <= self.max","reason":"FieldValueForbidden",)j"
                          R"j("fieldPath":".max","message":"no"})j");
  EXPECT_EQ(Judge(schema, R"j({"spec":{"min":3,"max":2}})j"), "forbidden spec.max: no");
  EXPECT_EQ(Judge(schema, R"j({"spec":{"min":3,"max":2}})j", "null", 25), "spec: no");
}

TEST(Rules, TransitionRulesWaitForAnOldValue) {
  const value::Value schema =
      SpecSchema(kCounts, R"j({"rule":"self.min >= oldSelf.min","message":"less"})j");
  EXPECT_EQ(Judge(schema, R"j({"spec":{"min":1}})j"), "");
  EXPECT_EQ(Judge(schema, R"j({"spec":{"min":1}})j", R"j({"spec":{"min":2}})j"), "spec: less");
  const value::Value optional = SpecSchema(
      kCounts, R"j({"rule":"oldSelf.hasValue() || self.min == 0","message":"begin with 0",)j"
               R"j("optionalOldSelf":true})j");
  EXPECT_EQ(Judge(optional, R"j({"spec":{"min":1}})j"), "spec: begin with 0");
  EXPECT_EQ(Judge(optional, R"j({"spec":{"min":1}})j", R"j({"spec":{"min":0}})j"), "");
}

// CRD-21
TEST(Rules, WhatDidNotChangeIsNotRefused) {
  const value::Value schema = SpecSchema(kCounts, R"j({"rule":"self.min <= self.max"})j");
  const std::string bad = R"j({"spec":{"min":3,"max":2}})j";
  EXPECT_EQ(Judge(schema, bad, bad), "");
  EXPECT_NE(Judge(schema, bad, bad, 25), "");
  EXPECT_NE(Judge(schema, bad, R"j({"spec":{"min":4,"max":2}})j"), "");
}

TEST(Rules, ListsOfMapsAreCorrelatedByTheirKeys) {
  const value::Value schema =
      Json(R"j({"type":"object","properties":{"items":{"type":"array","maxItems":9,)j"
           R"j("x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":{)j"
           R"j("type":"object","properties":{"name":{"type":"string","maxLength":9},)j"
           R"j("n":{"type":"integer"}},)j"
           R"j("x-kubernetes-validations":[{"rule":"self.n >= oldSelf.n"}]}}}})j");
  EXPECT_EQ(Judge(schema, R"j({"items":[{"name":"b","n":1},{"name":"a","n":1}]})j",
                  R"j({"items":[{"name":"a","n":1},{"name":"b","n":5}]})j"),
            "items[0]: failed rule: self.n >= oldSelf.n");
}

TEST(Rules, NamesAreEscaped) {
  const value::Value schema =
      SpecSchema(R"j("a.b-c":{"type":"string"},"namespace":{"type":"string"})j",
                 R"j({"rule":"self.a__dot__b__dash__c == 'x' && self.__namespace__ != ''"})j");
  EXPECT_EQ(Judge(schema, R"j({"spec":{"a.b-c":"x","namespace":"n"}})j"), "");
  EXPECT_EQ(EscapeName("x__y/z"), "x__underscores__y__slash__z");
  EXPECT_EQ(UnescapeName("x__underscores__y__slash__z"), "x__y/z");
  EXPECT_EQ(EscapeName("1a"), std::nullopt);
}

TEST(Rules, TypesOfTheSchema) {
  const value::Value schema = SpecSchema(
      R"j("port":{"x-kubernetes-int-or-string":true},)j"
      R"j("when":{"type":"string","format":"date-time"},)j"
      R"j("for":{"type":"string","format":"duration"},"tags":{"type":"array",)j"
      R"j("x-kubernetes-list-type":"set","maxItems":5,"items":{"type":"string","maxLength":5}})j",
      R"j({"rule":"type(self.port) == int || self.port.endsWith('%')"},)j"
      R"j({"rule":"self.when > timestamp('2020-01-01T00:00:00Z')"},)j"
      R"j({"rule":"self.__for__ < duration('2h')"},)j"
      R"j({"rule":"self.tags == ['b', 'a']"})j");
  EXPECT_EQ(Judge(schema, R"j({"spec":{"port":"5%","when":"2024-01-01T00:00:00Z","for":"1h",)j"
                          R"j("tags":["a","b"]}})j"),
            "");
}

// A rule for fieldPath is below the place of the rule, a key of a map too.
TEST(Rules, FieldPathsAreNormalized) {
  const value::Value schema =
      SpecSchema(R"j("a.b":{"type":"object","additionalProperties":{"type":"integer"}})j",
                 R"j({"rule":"false","message":"no","fieldPath":"['a.b'].k"})j");
  EXPECT_EQ(Judge(schema, R"j({"spec":{}})j"), "spec.a.b[k]: no");
  std::string problem;
  FieldOfRule(".c", *Schema::FromTree(schema, true), &problem);
  EXPECT_EQ(problem, "does not refer to a valid field");
}

// A list of type map is as it was in another order, too; what the schema does not know never is.
TEST(Rules, WhatIsUnchangedIsKnownByKeys) {
  const value::Value schema = SpecSchema(
      R"j("l":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],)j"
      R"j("items":{"type":"object","properties":{"k":{"type":"string"}}}},)j"
      R"j("open":{"type":"object","x-kubernetes-preserve-unknown-fields":true})j",
      R"j({"rule":"false","message":"no"})j");
  EXPECT_EQ(Judge(schema, R"j({"spec":{"l":[{"k":"a"},{"k":"b"}]}})j",
                  R"j({"spec":{"l":[{"k":"b"},{"k":"a"}]}})j"),
            "");
  const std::string open = R"j({"spec":{"open":{"x":1}}})j";
  EXPECT_EQ(Judge(schema, open, open), "spec: no");
}

// CRD-22
TEST(Rules, TheBudgetEnds) {
  const value::Value schema = SpecSchema(kCounts, R"j({"rule":"self.min <= self.max"})j");
  const RuleSet rules(schema, true, RuleOptions::Kubernetes(36));
  const value::Value object = Json(R"j({"spec":{"min":1,"max":2}})j");
  const RuleResult result = rules.Validate({.object = object, .budget = 3});
  EXPECT_EQ(Told(result.errors),
            "spec: validation failed due to running out of cost budget, no further validation "
            "rules will be run");
  EXPECT_EQ(result.remaining_budget, -1);
}

}  // namespace
}  // namespace ksim::cel
