#include "ksim/value/selector.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <string>

#include "ksim/value/json.h"
#include "tests/value/parse.h"

namespace ksim::value {
namespace {

std::string ParseError(std::string_view text) {
  const auto s = LabelSelector::Parse(text);
  return s.ok() ? "no error" : std::string(s.status().message());
}

// API-58
TEST(LabelSelector, Matches) {
  const struct {
    const char* selector;
    const char* labels;
    bool matches;
  } cases[] = {
      {"", "{}", true},
      {"x=y", R"({"x":"y"})", true},
      {"x=y,z=w", R"({"x":"y","z":"w"})", true},
      {"x=y,z=w", R"({"x":"y"})", false},
      {"x==y", R"({"x":"y"})", true},
      {"x=", R"({"x":""})", true},
      {"x=", "{}", false},
      {"x!=y", R"({"x":"z"})", true},
      {"x!=y", R"({"x":"y"})", false},
      {"x!=y", "{}", true},
      {"x in (y,z)", R"({"x":"z"})", true},
      {"x in (y,z)", R"({"x":"w"})", false},
      {"x in (y,z)", "{}", false},
      {"x notin (y,z)", R"({"x":"w"})", true},
      {"x notin (y,z)", R"({"x":"z"})", false},
      {"x notin (y,z)", "{}", true},
      {"x in ()", R"({"x":""})", true},
      {"x", R"({"x":"anything"})", true},
      {"x", "{}", false},
      {"!x", "{}", true},
      {"!x", R"({"x":""})", false},
      {"x>1", R"({"x":"2"})", true},
      {"x>1", R"({"x":"1"})", false},
      {"x<7", R"({"x":"6"})", true},
      {"x<7", R"({"x":"six"})", false},
      {"x>1", "{}", false},
      {"in=notin", R"({"in":"notin"})", true},
      {"x in (in)", R"({"x":"in"})", true},
      {"x=y", "null", false},
  };
  for (const auto& c : cases) {
    const auto selector = LabelSelector::Parse(c.selector);
    ASSERT_TRUE(selector.ok()) << c.selector << ": " << selector.status().message();
    EXPECT_EQ(selector->Matches(J(c.labels)), c.matches) << c.selector << " on " << c.labels;
  }
}

TEST(LabelSelector, CanonicalForm) {
  const std::pair<const char*, const char*> cases[] = {
      {"x=a,y=b,z=c", "x=a,y=b,z=c"},
      {"z=c,x=a", "x=a,z=c"},
      {" x = a , y ", "x=a,y"},
      {"x!=a,!y", "x!=a,!y"},
      {"x in (b,a,b)", "x in (a,b)"},
      {"x notin (a,,b)", "x notin (,a,b)"},
      {"x in (,)", "x in ()"},
      {"x in ( )", "x in ()"},
      {"x==a", "x==a"},
      {"x>1,z<5", "x>1,z<5"},
      {"a.b/c=d", "a.b/c=d"},
  };
  for (const auto& [text, want] : cases) {
    const auto selector = LabelSelector::Parse(text);
    ASSERT_TRUE(selector.ok()) << text;
    EXPECT_EQ(selector->ToString(), want);
    EXPECT_EQ(LabelSelector::Parse(want)->ToString(), want);
  }
}

constexpr char kNameRule[] =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

// API-58
TEST(LabelSelector, BadSyntaxHasUpstreamsText) {
  const std::pair<std::string, std::string> cases[] = {
      {"x=a||y=b", ""},
      {"x==a==b", "found '==', expected: ',' or 'end of string'"},
      {"!x=a", "found '=', expected: ',' or 'end of string'"},
      {"x<a",
       "unable to parse requirement: values[0]: Invalid value: \"a\": for 'Gt', 'Lt' "
       "operators, the value must be an integer"},
      {"=a", "found '=', expected: !, identifier, or 'end of string'"},
      {"x,", "found '', expected: identifier after ','"},
      {"x in a", "unable to parse requirement: found 'a' expected: '('"},
      {"x in (a", "unable to parse requirement: found '', expected: ',' or ')'"},
      {"x in (a=b)", "unable to parse requirement: found '=', expected: ',' or ')'"},
      {"x y", "unable to parse requirement: found 'y', expected: in, notin, =, ==, !=, gt, lt"},
      {"!", "unable to parse requirement: found '', expected: identifier"},
      {"x=(", "unable to parse requirement: found '(', expected: identifier"},
      {"-x=a",
       std::string("unable to parse requirement: <nil>: Invalid value: \"-x\": name part ") +
           kNameRule},
      {"/x",
       "unable to parse requirement: <nil>: Invalid value: \"/x\": prefix part must be "
       "non-empty"},
  };
  for (const auto& [text, want] : cases) {
    if (want.empty()) {
      EXPECT_NE(ParseError(text), "no error") << text;
    } else {
      EXPECT_EQ(ParseError(text), want) << text;
    }
  }
  EXPECT_TRUE(ParseError("x=-a").starts_with(
      "unable to parse requirement: values[0][x]: Invalid value: \"-a\": a valid label must be"));
  EXPECT_EQ(ParseError(std::string(64, 'a')),
            "unable to parse requirement: <nil>: Invalid value: \"" + std::string(64, 'a') +
                "\": name part must be no more than 63 bytes");
}

TEST(LabelSelector, FromObject) {
  const struct {
    const char* object;
    const char* text;  // canonical form
  } cases[] = {
      {"{}", ""},
      {R"({"matchLabels":{"b":"2","a":"1"}})", "a=1,b=2"},
      {R"({"matchLabels":{"a":"1"},"matchExpressions":[
           {"key":"c","operator":"NotIn","values":["y","x"]},
           {"key":"b","operator":"DoesNotExist"},{"key":"b","operator":"Exists"}]})",
       "a=1,!b,b,c notin (x,y)"},
  };
  for (const auto& c : cases) {
    const auto selector = LabelSelector::FromObject(J(c.object));
    ASSERT_TRUE(selector.ok()) << c.object;
    EXPECT_EQ(selector->ToString(), c.text);
  }
  EXPECT_TRUE(LabelSelector::FromObject(J("{}"))->empty());
  EXPECT_TRUE(LabelSelector::FromObject(J("{}"))->Matches(Value()));
  EXPECT_TRUE(LabelSelector::FromObject(Value())->selects_nothing());
  EXPECT_FALSE(LabelSelector::FromObject(Value())->Matches(J(R"({"a":"b"})")));
  EXPECT_FALSE(LabelSelector::FromObject(Value())->empty());
}

TEST(LabelSelector, FromObjectRefuses) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"matchExpressions":[{"key":"a","operator":"Gt","values":["1"]}]})",
       "\"Gt\" is not a valid label selector operator"},
      {R"({"matchExpressions":[{"key":"a","operator":"In"}]})",
       "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"},
      {R"({"matchExpressions":[{"key":"a","operator":"Exists","values":["x"]}]})",
       "values: Invalid value: [\"x\"]: values set must be empty for exists and does not exist"},
  };
  for (const auto& [object, want] : cases) {
    const auto selector = LabelSelector::FromObject(J(object));
    ASSERT_FALSE(selector.ok()) << object;
    EXPECT_EQ(selector.status().message(), want);
  }
}

TEST(LabelSelector, RequiresExactMatch) {
  const auto s = *LabelSelector::Parse("a=1,b in (2),c in (3,4),d");
  EXPECT_EQ(s.RequiresExactMatch("a"), "1");
  EXPECT_EQ(s.RequiresExactMatch("b"), "2");
  EXPECT_EQ(s.RequiresExactMatch("c"), std::nullopt);
  EXPECT_EQ(s.RequiresExactMatch("d"), std::nullopt);
  EXPECT_EQ(s.RequiresExactMatch("e"), std::nullopt);
  EXPECT_EQ(LabelSelector::FromSet(J(R"({"x":"y"})")).ToString(), "x=y");
}

// The grammar's meaning, written down a second time over plain maps.
using Labels = std::map<std::string, std::string>;
bool Naive(const std::string& op, const std::string& key, const std::vector<std::string>& values,
           const Labels& labels) {
  std::optional<std::string> have;
  if (labels.contains(key)) have = labels.at(key);
  const bool listed = have && std::count(values.begin(), values.end(), *have) > 0;
  if (op == "exists") return have.has_value();
  if (op == "!") return !have;
  if (op == "in" || op == "=" || op == "==") return listed;
  if (op == "notin" || op == "!=") return !listed;
  if (!have || have->empty() || have->find_first_not_of("0123456789") != std::string::npos) {
    return false;
  }
  return op == ">" ? std::stol(*have) > std::stol(values[0])
                   : std::stol(*have) < std::stol(values[0]);
}

TEST(LabelSelector, AgreesWithANaiveEvaluation) {
  std::mt19937 random(7);
  const auto pick = [&](const std::vector<std::string>& from) {
    return from[random() % from.size()];
  };
  const std::vector<std::string> keys = {"a", "b", "x.y/c"};
  const std::vector<std::string> values = {"", "1", "2", "10", "v"};
  for (int round = 0; round < 2000; ++round) {
    Labels labels;
    ObjectBuilder tree;
    for (const std::string& key : keys) {
      if (random() % 2 == 0) tree.Add(key, Value::Of(labels[key] = pick(values)));
    }
    const Value label_tree = tree.Build();
    std::string text;
    bool want = true;
    for (int i = 0; i < 3; ++i) {
      const std::string op = pick({"in", "notin", "=", "==", "!=", "exists", "!", ">", "<"});
      const std::string key = pick(keys);
      std::vector<std::string> list = {pick(values)};
      std::string term;
      if (op == "exists" || op == "!") {
        term = (op == "!" ? "!" : "") + key;
      } else if (op == "in" || op == "notin") {
        list.push_back(pick(values));
        term = key + " " + op + " (" + list[0] + "," + list[1] + ")";
      } else {
        if (op == ">" || op == "<") list = {pick({"1", "2", "10"})};
        term = key + op + list[0];
      }
      text += (i > 0 ? "," : "") + term;
      want = want && Naive(op, key, list, labels);
    }
    const auto selector = LabelSelector::Parse(text);
    ASSERT_TRUE(selector.ok()) << text << ": " << selector.status().message();
    EXPECT_EQ(selector->Matches(label_tree), want) << text << " on " << ToJson(label_tree);
    EXPECT_EQ(LabelSelector::Parse(selector->ToString())->Matches(label_tree), want);
  }
}

// API-59
TEST(FieldSelector, AnUnsetFieldIsEmpty) {
  const struct {
    const char* selector;
    const char* object;
    bool matches;
  } cases[] = {
      {"spec.nodeName=", R"({"spec":{}})", true},
      {"spec.nodeName=", R"({"spec":{"nodeName":"n1"}})", false},
      {"spec.nodeName!=", R"({"spec":{"nodeName":"n1"}})", true},
      {"spec.nodeName==n1,metadata.name=p", R"({"spec":{"nodeName":"n1"},"metadata":{"name":"p"}})",
       true},
      {"status.phase!=Failed", "{}", true},
      {"", "{}", true},
      {R"(metadata.name=a\,b\=c\\d)", R"({"metadata":{"name":"a,b=c\\d"}})", true},
      {"spec.unschedulable=true", R"({"spec":{"unschedulable":true}})", true},
  };
  for (const auto& c : cases) {
    const auto selector = FieldSelector::Parse(c.selector);
    ASSERT_TRUE(selector.ok()) << c.selector;
    EXPECT_EQ(selector->Matches(J(c.object)), c.matches) << c.selector << " on " << c.object;
  }
}

TEST(FieldSelector, CanonicalFormAndExactMatch) {
  const auto s = *FieldSelector::Parse(R"(b!=x\,y,,a==1)");
  EXPECT_EQ(s.ToString(), R"(a=1,b!=x\,y)");
  EXPECT_EQ(s.RequiresExactMatch("a"), "1");
  EXPECT_EQ(s.RequiresExactMatch("b"), std::nullopt);
  EXPECT_EQ(s.terms()[1].value, "x,y");
  EXPECT_TRUE(FieldSelector::Parse("=")->empty());
}

TEST(FieldSelector, BadSyntaxHasUpstreamsText) {
  const std::pair<const char*, const char*> cases[] = {
      {"a", "invalid selector: 'a'; can't understand 'a'"},
      {"a=b,c>d", "invalid selector: 'a=b,c>d'; can't understand 'c>d'"},
      {R"(a=b\z)", R"(invalid field selector: invalid escape sequence: \z)"},
      {R"(a=b\)", R"(invalid field selector: invalid escape sequence: \)"},
      {"a=b=c", "invalid field selector: unescaped character in value: 61"},
  };
  for (const auto& [text, want] : cases) {
    const auto selector = FieldSelector::Parse(text);
    ASSERT_FALSE(selector.ok()) << text;
    EXPECT_EQ(selector.status().message(), want);
  }
}

TEST(SelectorValidation, NamesFieldReasonAndText) {
  const Value selector = J(R"({"matchLabels":{"a b":"-"},"matchExpressions":[
      {"key":"k","operator":"In"},{"key":"k","operator":"Exists","values":["v"]},
      {"key":"","operator":"Gt"},{"key":"k","operator":"In","values":["ok","a/b"]}]})");
  const std::vector<FieldProblem> got = ValidateLabelSelector(selector, "spec.selector");
  const std::pair<const char*, const char*> want[] = {
      {"spec.selector.matchLabels", "FieldValueInvalid"},
      {"spec.selector.matchLabels", "FieldValueInvalid"},
      {"spec.selector.matchExpressions[0].values", "FieldValueRequired"},
      {"spec.selector.matchExpressions[1].values", "FieldValueForbidden"},
      {"spec.selector.matchExpressions[2].operator", "FieldValueInvalid"},
      {"spec.selector.matchExpressions[2].key", "FieldValueInvalid"},
      {"spec.selector.matchExpressions[2].key", "FieldValueInvalid"},
      {"spec.selector.matchExpressions[3].values[1]", "FieldValueInvalid"},
  };
  ASSERT_EQ(got.size(), std::size(want));
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].field, want[i].first);
    EXPECT_EQ(got[i].reason, want[i].second);
  }
  EXPECT_EQ(got[0].body, std::string("Invalid value: \"a b\": name part ") + kNameRule);
  EXPECT_EQ(got[2].body, "Required value: must be specified when `operator` is 'In' or 'NotIn'");
  EXPECT_TRUE(ValidateLabelSelector(J(R"({"matchLabels":{"a":"b"}})"), "s").empty());
}

TEST(LabelText, Keys) {
  for (const char* good : {"a", "A.b_c-d", "example.com/name", "1", "a.b.c/d"}) {
    EXPECT_TRUE(LabelKeyProblems(good).empty()) << good;
  }
  for (const char* bad : {"", "a/", "/a", "a/b/c", "-a", "a-", "A.com/x", "a..b/c", "a b"}) {
    EXPECT_FALSE(LabelKeyProblems(bad).empty()) << bad;
  }
  EXPECT_TRUE(LabelKeyProblems(std::string(253, 'a') + "/x").empty());
  EXPECT_EQ(LabelKeyProblems(std::string(254, 'a') + "/x"),
            std::vector<std::string>{"prefix part must be no more than 253 bytes"});
}

}  // namespace
}  // namespace ksim::value
