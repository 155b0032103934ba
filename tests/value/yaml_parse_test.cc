#include <gtest/gtest.h>

#include <string>

#include "ksim/value/json.h"
#include "ksim/value/yaml.h"

namespace ksim::value {
namespace {

std::string JsonOfYaml(std::string_view text) {
  const YamlFile file = ParseYaml(text, "f.yaml");
  if (!file.errors.empty()) return Render(file.errors, false);
  std::string out;
  for (const YamlNode& document : file.documents) {
    out += (out.empty() ? "" : "\n") + ToJson(document.ToValue());
  }
  return out;
}

std::string Errors(std::string_view text) {
  const YamlFile file = ParseYaml(text, "f.yaml");
  return Render(file.errors, false) + Render(file.duplicate_keys, false);
}

std::string Place(const Span& s) {
  return std::to_string(s.line) + ":" + std::to_string(s.column) + "-" +
         std::to_string(s.end_line) + ":" + std::to_string(s.end_column);
}

TEST(YamlParse, Documents) {
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},
      {"# nothing\n", ""},
      {"a: 1", R"({"a":1})"},
      {"---\na: 1\n---\n# empty\n---\n- x\n...\n", "{\"a\":1}\n[\"x\"]"},
      {"a:\n- 1\n- b: 2\n  c:\n", R"({"a":[1,{"b":2,"c":null}]})"},
      {"{a: [1, 'two', \"th\\u0072ee\"], b: {}}", R"({"a":[1,"two","three"],"b":{}})"},
      {"a: |\n  x\n  y\nb: >-\n  x\n  y\n", R"({"a":"x\ny\n","b":"x y"})"},
      {"{\"a\": [\"x\\/y\", 1.5e3]}", R"({"a":["x/y",1500.0]})"},
      {"{\n\t\"a\": 1\n}", R"({"a":1})"},
      {"a: &x {b: 1}\nc: *x\n", R"({"a":{"b":1},"c":{"b":1}})"},
      {"&k a: 1\nb: *k\n", R"({"a":1,"b":"a"})"},
      {"a: !!str 1\nb: !!int 0x10\nc: !!float 1\nd: ! x\ne: !!map {}",
       R"({"a":"1","b":16,"c":1,"d":"x","e":{}})"},
      {"%YAML 1.2\n---\na: 1", R"({"a":1})"},
  };
  for (const auto& [text, want] : cases) EXPECT_EQ(JsonOfYaml(text), want) << text;
}

TEST(YamlParse, PlainScalarsAreOfTheCoreSchema) {
  const std::pair<const char*, const char*> cases[] = {
      {"null", "null"},
      {"~", "null"},
      {"Null", "null"},
      {"nULL", "\"nULL\""},
      {"true", "true"},
      {"FALSE", "false"},
      {"yes", "\"yes\""},
      {"off", "\"off\""},
      {"0", "0"},
      {"-12", "-12"},
      {"+12", "12"},
      {"010", "10"},
      {"0o17", "15"},
      {"0x1F", "31"},
      {"0o8", "\"0o8\""},
      {"-0x1", "\"-0x1\""},
      {"1_000", "\"1_000\""},
      {"0b1", "\"0b1\""},
      {"1:30", "\"1:30\""},
      {"1.5", "1.5"},
      {"1.", "1.0"},
      {".5", "0.5"},
      {"-1e3", "-1000.0"},
      {"1e", "\"1e\""},
      {".inf", "null"},
      {".", "\".\""},
      {"-", "[null]"},
      {"1.2.3", "\"1.2.3\""},
      {"9223372036854775807", "9223372036854775807"},
      {"9223372036854775808", "9223372036854775808.0"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"36893488147419103233", "36893488147419103232.0"},
      {"0xFFFFFFFFFFFFFFFF", "18446744073709551616.0"},
      {"2025-01-01", "\"2025-01-01\""},
  };
  for (const auto& [text, want] : cases) EXPECT_EQ(JsonOfYaml(text), want) << text;
  EXPECT_EQ(JsonOfYaml("'1'"), "\"1\"");
  EXPECT_EQ(JsonOfYaml("\"true\""), "\"true\"");
}

TEST(YamlParse, EveryNodeHasItsPlace) {
  const YamlFile file = ParseYaml(
      "é: 1\n"
      "list:\n"
      "  - 'ä b'\n"
      "  - {x: [1, 2]}\n"
      "empty:\n"
      "text: |\n"
      "  one\n"
      "last: *no\n",
      "f.yaml");
  const YamlNode& root = file.documents.at(0);
  EXPECT_EQ(Place(root.entries[0].key_span), "1:1-1:2");
  EXPECT_EQ(Place(root.entries[0].value.span), "1:4-1:5");
  const YamlNode& list = *root.Find("list");
  EXPECT_EQ(Place(list.span), "3:3-4:16");
  EXPECT_EQ(Place(list.items[0].span), "3:5-3:10");
  EXPECT_EQ(Place(list.items[1].span), "4:5-4:16");
  EXPECT_EQ(Place(list.items[1].Find("x")->span), "4:9-4:15");
  EXPECT_EQ(Place(root.Find("empty")->span), "5:7-5:7");
  EXPECT_EQ(Place(root.Find("text")->span), "6:7-8:1");
  EXPECT_EQ(root.Find("nothing"), nullptr);
  EXPECT_EQ(root.FindEntry("list")->key_span.line, 2);
  EXPECT_EQ(file.errors.at(0).span.line, 8);
}

TEST(YamlParse, AByteOrderMarkIsNoPartOfTheText) {
  for (const std::string text : {"a: 1\nb: 2\n", "{a: 1, b: 2}\n", "# x\na: 1\nb: 2\n"}) {
    const YamlFile file = ParseYaml("\xef\xbb\xbf" + text, "f");
    ASSERT_TRUE(file.errors.empty()) << text;
    EXPECT_EQ(file.documents.at(0).ToValue(), ParseYaml(text, "f").documents.at(0).ToValue());
    EXPECT_EQ(file.documents[0].entries.at(0).key_span.column,
              ParseYaml(text, "f").documents[0].entries.at(0).key_span.column);
  }
}

TEST(YamlParse, JsonMayBeSeveralObjectsInARow) {
  const YamlFile file = ParseYaml("{\"a\": \"}{\"}{\"b\": [{}]}\n\n  {\"c\":\n 1}\n", "f.json");
  ASSERT_EQ(Render(file.errors, false), "");
  ASSERT_EQ(file.documents.size(), 3u);
  EXPECT_EQ(ToJson(file.documents[1].ToValue()), R"({"b":[{}]})");
  EXPECT_EQ(Place(file.documents[0].span), "1:1-1:12");
  EXPECT_EQ(Place(file.documents[1].span), "1:12-1:23");
  EXPECT_EQ(Place(file.documents[2].entries[0].value.span), "4:2-4:3");

  EXPECT_EQ(Errors("{\"a\": 1}\n{\"b\": 1, \"b\": 2}\n{\"c\": 3}"),
            "f.yaml:2:10: error: duplicate key \"b\", first given at 2:2\n"
            "    2 | {\"b\": 1, \"b\": 2}\n"
            "      |          ^~~\n"
            "      hint: remove or rename one of the two\n");
  EXPECT_NE(Errors("{\"a\": 1}\nb: 2\n"), "") << "only objects";
  EXPECT_NE(Errors("{\"a\": 1}{\"b\": "), "");
}

TEST(YamlParse, JsonSaysCharactersBeyondU_FFFFInTwoEscapes) {
  const YamlFile file = ParseYaml(
      R"({"a": "x\ud83d\ude00\"\n", "\uD83D\uDE00": "\\ud83d", "c": {"d": 1, "d": 2}})", "f");
  const YamlNode& root = file.documents.at(0);
  EXPECT_EQ(root.Find("a")->text, "x\xf0\x9f\x98\x80\"\n");
  EXPECT_EQ(root.entries[1].key, "\xf0\x9f\x98\x80");
  EXPECT_EQ(root.entries[1].value.text, "\\ud83d");
  EXPECT_EQ(file.duplicate_keys.at(0).span.column, 69) << "what follows keeps its place";
  EXPECT_NE(Errors(R"({"a": "\ud83d"})"), "") << "one half";
  EXPECT_NE(Errors(R"({"a": "\ud83d\u0041"})"), "");
  EXPECT_EQ(Errors(R"({"a": "\u0041"})"), "");
}

// API-172: what sigs.k8s.io/yaml v1.4 and encoding/json make of them: the last one stands, whole.
TEST(YamlParse, OfKeysGivenTwiceTheLastStands) {
  const std::pair<const char*, const char*> cases[] = {
      {"{a: 1, b: 2, a: 3}", R"({"a":3,"b":2})"},
      {"a: {x: 1}\na: {y: 2}\n", R"({"a":{"y":2}})"},
      {"a: {x: 1}\na: 2\na: [3]\n", R"({"a":[3]})"},
      {R"({"a": {"x": 1, "x": 2}, "a": {"x": null, "z": 1, "z": 4}})", R"({"a":{"x":null,"z":4}})"},
  };
  for (const auto& [text, json] : cases) EXPECT_EQ(JsonOfYaml(text), json) << text;
  EXPECT_EQ(ParseYaml(cases[3].first, "f").duplicate_keys.size(), 3u);
  const YamlFile file = ParseYaml("a: 1\nb: 2\na: 3\n", "f");
  EXPECT_EQ(file.documents.at(0).FindEntry("a")->key_span.line, 3) << "and its place";
}

TEST(YamlParse, AnAliasStandsAtItsOwnPlace) {
  const YamlFile file = ParseYaml("a: &x {b: 1}\nc: *x\n", "f.yaml");
  const YamlNode& copy = *file.documents.at(0).Find("c");
  EXPECT_EQ(Place(copy.span), "2:4-2:6");
  EXPECT_EQ(Place(copy.Find("b")->span), "1:11-1:12");
}

TEST(YamlParse, BadInput) {
  const struct {
    const char* text;
    const char* want;
  } cases[] = {
      {"a: \"unterminated\nb: 2\n",
       "f.yaml:1:4: error: quoted string is not closed\n"
       "    1 | a: \"unterminated\n"
       "      |    ^\n"
       "      hint: add the closing \"\n"},
      {"a: 'it''s\n",
       "f.yaml:1:4: error: quoted string is not closed\n"
       "    1 | a: 'it''s\n"
       "      |    ^\n"
       "      hint: add the closing '\n"},
      {"a:\n\tb: 2\n",
       "f.yaml:2:1: error: tab where indentation is expected\n"
       "    2 | \tb: 2\n"
       "      | ^\n"
       "      hint: indent with spaces; YAML does not allow tabs here\n"},
      {"a: 1\na: 2\n",
       "f.yaml:2:1: error: duplicate key \"a\", first given at 1:1\n"
       "    2 | a: 2\n"
       "      | ^\n"
       "      hint: remove or rename one of the two\n"},
      {"x: {é: 1, b: 2, 'é': 3}\n",
       "f.yaml:1:17: error: duplicate key \"é\", first given at 1:5\n"
       "    1 | x: {é: 1, b: 2, 'é': 3}\n"
       "      |                 ^~~\n"
       "      hint: remove or rename one of the two\n"},
      {"a: *nope\n",
       "f.yaml:1:4: error: undefined alias *nope\n"
       "    1 | a: *nope\n"
       "      |    ^~~~~\n"
       "      hint: put &nope before the value it stands for, further up\n"},
      {"a: &labels {x: y}\nb: *label\n",
       "f.yaml:2:4: error: undefined alias *label\n"
       "    2 | b: *label\n"
       "      |    ^~~~~~\n"
       "      hint: did you mean *labels?\n"},
      {"a: &x [*x]\n",
       "f.yaml:1:8: error: undefined alias *x\n"
       "    1 | a: &x [*x]\n"
       "      |        ^~\n"
       "      hint: put &x before the value it stands for, further up\n"},
      {"a: 1\n  b: 2\n",
       "f.yaml:2:4: error: a mapping is not allowed here\n"
       "    2 |   b: 2\n"
       "      |    ^\n"
       "      hint: check the indentation, or put a value that contains ': ' in quotes\n"},
      {"b: [1, 2\nc: 3\n",
       "f.yaml:2:2: error: expected ',' or ']'\n"
       "    2 | c: 3\n"
       "      |  ^\n"
       "      hint: the list starts at 1:4\n"},
      {"b: {x: 1\n",
       "f.yaml:1:9: error: expected ',' or '}'\n"
       "    1 | b: {x: 1\n"
       "      |         ^\n"
       "      hint: the mapping starts at 1:4\n"},
      {"b: {é: 1\n\n  \n",
       "f.yaml:1:9: error: expected ',' or '}'\n"
       "    1 | b: {é: 1\n"
       "      |         ^\n"
       "      hint: the mapping starts at 1:4\n"},
      {"a:\n    b: 1\n  c: 2\n",
       "f.yaml:3:3: error: expected a key\n"
       "    3 |   c: 2\n"
       "      |   ^\n"
       "      hint: this does not line up with the mapping, which starts at 1:1\n"},
      {"- a\nb: 1\n",
       "f.yaml:2:1: error: expected '-'\n"
       "    2 | b: 1\n"
       "      | ^\n"
       "      hint: this does not line up with the list, which starts at 1:1\n"},
      {"a\nb: 1\nc\nd: 1\n", ""},
      {"a: @x\n",
       "f.yaml:1:4: error: a value cannot start with '@'\n"
       "    1 | a: @x\n"
       "      |    ^\n"
       "      hint: put it in quotes\n"},
      {"a: \"\\q\"\n",
       "f.yaml:1:5: error: unknown escape '\\q'\n"
       "    1 | a: \"\\q\"\n"
       "      |     ^\n"
       "      hint: write '\\\\' for a backslash, or use single quotes\n"},
      {"? [a]\n: 1\n",
       "f.yaml:1:3: error: a key must be a scalar, not a list or a mapping\n"
       "    1 | ? [a]\n"
       "      |   ^\n"
       "      hint: put the key in quotes if it is text\n"},
      {"a: !!binary x\n",
       "f.yaml:1:4: error: unknown tag tag:yaml.org,2002:binary\n"
       "    1 | a: !!binary x\n"
       "      |    ^~~~~~~~~~\n"
       "      hint: known are !!str, !!int, !!float, !!bool, !!null, !!seq and !!map\n"},
      {"a: !!int x\n",
       "f.yaml:1:4: error: \"x\" is not of type !!int\n"
       "    1 | a: !!int x\n"
       "      |    ^~~~~~~\n"},
      {"a: 1\nb: \xff\n",
       "f.yaml:2:4: error: not valid UTF-8\n"
       "    2 | b: \xff\n"
       "      |    ^\n"
       "      hint: save the file as UTF-8\n"},
      {"a: 1\nb: \x01\n",
       "f.yaml:2:4: error: control character U+0001 in the text\n"
       "    2 | b: \x01\n"
       "      |    ^\n"
       "      hint: write it as an escape inside double quotes\n"},
  };
  for (const auto& c : cases) {
    if (*c.want == '\0') {
      EXPECT_NE(Errors(c.text), "") << c.text;
    } else {
      EXPECT_EQ(Errors(c.text), c.want) << c.text;
    }
  }
}

TEST(YamlParse, SeveralDuplicatesAreAllReported) {
  EXPECT_EQ(ParseYaml("a: 1\na: 2\nb: {c: 1, c: 2}\na: 3\n", "f").duplicate_keys.size(), 3u);
}

TEST(YamlParse, NestingEndsAt1000) {
  const auto nested = [](std::size_t n) { return std::string(n, '[') + std::string(n, ']'); };
  EXPECT_EQ(JsonOfYaml(nested(999)), nested(999));
  EXPECT_NE(Errors(nested(1001)), "");
  EXPECT_NE(Errors(std::string(100'000, '[')), "");
  std::string block;
  for (std::size_t i = 0; i < 1100; ++i) block += std::string(i, ' ') + "a:\n";
  EXPECT_NE(Errors(block), "");
}

TEST(YamlParse, AliasesCannotExplode) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string n = std::to_string(i), before = std::to_string(i - 1);
    bomb += "a" + n + ": &a" + n + " [";
    for (int j = 0; j < 10; ++j) bomb += (j > 0 ? ", *a" : "*a") + before;
    bomb += "]\n";
  }
  EXPECT_TRUE(Errors(bomb).find("stand for more than 1000000 nodes") != std::string::npos);
}

TEST(YamlParse, WarnsOfWhatKubectlReadsDifferently) {
  const std::pair<const char*, const char*> cases[] = {
      {"a: yes", "kubectl takes yes for the boolean true"},
      {"a: Off", "kubectl takes Off for the boolean false"},
      {"a: y", "kubectl takes y for the boolean true"},
      {"a: 010", "kubectl takes 010 for the integer 8"},
      {"a: 1_000", "kubectl takes 1_000 for the integer 1000"},
      {"a: 0b101", "kubectl takes 0b101 for the integer 5"},
      {"a: -0x10", "kubectl takes -0x10 for the integer -16"},
      {"a: 1_0.5", "kubectl takes 1_0.5 for the number 10.5"},
      {"n: 1", "kubectl takes n for the boolean false"},
      {"<<: {a: 1}", "kubectl takes << for a merge of the mapping it names"},
      {"True: 1", "kubectl takes True for the boolean true"},
  };
  for (const auto& [text, want] : cases) {
    const YamlFile file = ParseYaml(text, "f.yaml");
    ASSERT_EQ(file.warnings.size(), 1u) << text;
    EXPECT_EQ(file.warnings[0].message, want);
    EXPECT_EQ(file.warnings[0].severity, Diagnostic::Severity::kWarning);
    EXPECT_TRUE(file.errors.empty());
  }
  for (const char* same : {"a: true", "a: 'yes'", "a: \"010\"", "a: 0o10", "a: 0x10", "a: 1:30",
                           "a: 22:22", "a: 08", "a: 1.50", "a: 2025-01-01", "a: ~", "a: 1e3",
                           "1: x", "true: x", "a: .inf", "a: 1.27.3", "a: 100m", "a:", "a: 0644"}) {
    EXPECT_TRUE(ParseYaml(same, "f.yaml").warnings.empty()) << same;
  }
}

TEST(YamlParse, ReadsManifestsAsKubectlDoes) {
  const YamlFile file =
      ParseYaml("{mode: 0755, on: yes, off: n, many: 1_000, text: '0755', odd: 0891}", "f.yaml");
  ASSERT_EQ(file.documents.size(), 1u);
  EXPECT_EQ(ToJson(file.documents[0].ToKubectlValue()),
            R"({"many":1000,"mode":493,"odd":891.0,"off":false,"on":true,"text":"0755"})");
  EXPECT_EQ(ToJson(file.documents[0].ToManifestValue()),
            R"({"many":"1_000","mode":493,"odd":891,"off":"n","on":"yes","text":"0755"})");
  EXPECT_EQ(file.documents[0].ToValue().Get("mode").AsInt(), 755);
}

TEST(YamlParse, LineBreaksCountAsLibyamlDoes) {
  EXPECT_EQ(Errors("a: 1\r\nb: 2\rb: 3\n"),
            "f.yaml:3:1: error: duplicate key \"b\", first given at 2:1\n"
            "    3 | b: 3\n"
            "      | ^\n"
            "      hint: remove or rename one of the two\n");
}

}  // namespace
}  // namespace ksim::value
