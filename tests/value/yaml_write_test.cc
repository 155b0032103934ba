#include <gtest/gtest.h>

#include <random>
#include <string>

#include "ksim/value/json.h"
#include "ksim/value/yaml.h"

namespace ksim::value {
namespace {

std::string Yaml(std::string_view json) { return ToYaml(*ParseJson(json)); }

TEST(YamlWrite, IsKubectls) {
  EXPECT_EQ(Yaml(R"({"apiVersion":"v1","kind":"Pod",
      "metadata":{"creationTimestamp":"2025-01-01T00:00:07Z","generation":1,"name":"web",
                  "annotations":{"a":"{\"x\":1}\n","b":"two\nlines","c":""},"resourceVersion":"12"},
      "spec":{"containers":[{"args":["-c","yes"],"name":"c","ports":[{"containerPort":80}],
                             "resources":{}}],"tolerations":[],"ok":true,"none":null}})"),
            R"(apiVersion: v1
kind: Pod
metadata:
  annotations:
    a: |
      {"x":1}
    b: |-
      two
      lines
    c: ""
  creationTimestamp: "2025-01-01T00:00:07Z"
  generation: 1
  name: web
  resourceVersion: "12"
spec:
  containers:
  - args:
    - -c
    - "yes"
    name: c
    ports:
    - containerPort: 80
    resources: {}
  none: null
  ok: true
  tolerations: []
)");
}

TEST(YamlWrite, QuotesWhatWouldBeReadAsSomethingElse) {
  const std::pair<const char*, const char*> cases[] = {
      {"plain", "plain"},
      {"", "\"\""},
      {"true", "\"true\""},
      {"No", "\"No\""},
      {"~", "\"~\""},
      {"null", "\"null\""},
      {"12", "\"12\""},
      {"-1.5e3", "\"-1.5e3\""},
      {"0x1F", "\"0x1F\""},
      {"1_000", "\"1_000\""},
      {"0777", "\"0777\""},
      {"1:30", "\"1:30\""},
      {"10:20:30.5", "\"10:20:30.5\""},
      {"2025-01-01", "\"2025-01-01\""},
      {"2025-1-1 1:2:3", "\"2025-1-1 1:2:3\""},
      {"2025-01-01T00:00:00.5+02:00", "\"2025-01-01T00:00:00.5+02:00\""},
      {"2025-13-01", "2025-13-01"},
      {"12345678901234567890123", "\"12345678901234567890123\""},
      {".inf", "\".inf\""},
      {"<<", "\"<<\""},
      {"100m", "100m"},
      {"1.27.3", "1.27.3"},
      {"1Gi", "1Gi"},
      {"a: b", "'a: b'"},
      {"a:b", "a:b"},
      {"a #b", "'a #b'"},
      {"#b", "'#b'"},
      {"*", "'*'"},
      {"- x", "'- x'"},
      {"-x", "-x"},
      {"{a}", "'{a}'"},
      {"it's", "it's"},
      {"'x'", "'''x'''"},
      {" lead", "' lead'"},
      {"trail ", "'trail '"},
      {"tab\there", "\"tab\\there\""},
      {"bell\a", "\"bell\\a\""},
      {"é\u00a0ok", "é\u00a0ok"},
      {"=", "="},
      {"key: {\"a\": 1}", "'key: {\"a\": 1}'"},
      {"\xff", "!!binary \"/w==\""},
      {"\xff\xfe\xfd", "!!binary \"//79\""},
      {"\xff\xfe", "!!binary \"//4=\""},
  };
  for (const auto& [text, want] : cases) {
    EXPECT_EQ(ToYaml(Value::String(text)), std::string(want) + "\n") << text;
  }
}

TEST(YamlWrite, Scalars) {
  EXPECT_EQ(ToYaml(Value()), "null\n");
  EXPECT_EQ(ToYaml(Value::Int(-5)), "-5\n");
  EXPECT_EQ(ToYaml(Value::Double(1)), "1.0\n");
  EXPECT_EQ(ToYaml(Value::Double(1e300 * 1e300)), ".inf\n");
  EXPECT_EQ(ToYaml(Value::EmptyObject()), "{}\n");
  EXPECT_EQ(ToYaml(Value::Of("x\n\n")), "|+\n  x\n\n");
  EXPECT_EQ(ToYaml(Value::Of(" x\ny")), "|2-\n   x\n  y\n");
}

TEST(YamlWrite, LongLinesFold) {
  std::string words = "word";
  for (int i = 0; i < 20; ++i) words += " word";
  EXPECT_EQ(ToYaml(Obj({{"a", Value::Of(words)}})),
            "a: word word word word word word word word word word word word word word word word\n"
            "  word word word word word\n");
}

TEST(YamlWrite, KeysSortNaturally) {
  EXPECT_EQ(Yaml(R"({"a10":1,"a9":1,"a_b":1,"aB":1,"a":1,"B":1,"1":1,"a09":1})"),
            "\"1\": 1\nB: 1\na: 1\na_b: 1\na9: 1\na09: 1\na10: 1\naB: 1\n");
}

Value RandomValue(std::mt19937& random, int depth) {
  const auto text = [&random] {
    static constexpr const char* kParts[] = {"a",    "1", "0",  ".",  "-",         ":",  " ",
                                             "\n",   "'", "\"", "#",  "é",         "\t", "yes",
                                             "null", "{", "]",  "\\", "2025-01-01"};
    std::string s;
    for (unsigned n = random() % 6; n > 0; --n) s += kParts[random() % std::size(kParts)];
    return s;
  };
  switch (random() % (depth > 0 ? 7 : 5)) {
    case 0:
      return Value();
    case 1:
      return Value::Bool(random() % 2 == 0);
    case 2:
      return Value::Int(static_cast<std::int64_t>(random()) - (1LL << 31));
    case 3:
      return Value::Double(static_cast<double>(random()) / 1024);
    case 4:
      return Value::String(text());
    case 5: {
      std::vector<Value> items;
      for (unsigned n = random() % 4; n > 0; --n) items.push_back(RandomValue(random, depth - 1));
      return Value::Array(std::move(items));
    }
    default: {
      ObjectBuilder object;
      for (unsigned n = random() % 4; n > 0; --n)
        object.Add(text(), RandomValue(random, depth - 1));
      return object.Build();
    }
  }
}

TEST(YamlWrite, WhatIsWrittenReadsBack) {
  std::mt19937 random(11);
  for (int i = 0; i < 3000; ++i) {
    const Value v = RandomValue(random, 4);
    const std::string text = ToYaml(v);
    const YamlFile file = ParseYaml(text, "f");
    ASSERT_TRUE(file.errors.empty()) << ToJson(v) << "\n" << text << Render(file.errors, false);
    const Value back = file.documents.empty() ? Value() : file.documents[0].ToValue();
    ASSERT_EQ(ToJson(back), ToJson(v)) << text;
  }
}

}  // namespace
}  // namespace ksim::value
