#include "ksim/value/go_json_problem.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ksim/value/json.h"

namespace ksim::value {
namespace {

// The errors of Go's json.Valid and json.Unmarshal.
TEST(GoJsonProblem, IsInGosWords) {
  const struct {
    const char *text, *problem;
  } rows[] = {
      {"{}", ""},
      {R"( {"a":[1,-2.5e+3,true,null,"xA\n"]} )", ""},
      {"", "unexpected end of JSON input"},
      {"{", "unexpected end of JSON input"},
      {R"({"a)", "unexpected end of JSON input"},
      {"tru", "invalid character ' ' in literal true (expecting 'e')"},
      {"-", "invalid character ' ' in numeric literal"},
      {"a: b", "invalid character 'a' looking for beginning of value"},
      {"- 1", "invalid character ' ' in numeric literal"},
      {"trux", "invalid character 'x' in literal true (expecting 'e')"},
      {"{}{}", "invalid character '{' after top-level value"},
      {"{a", "invalid character 'a' looking for beginning of object key string"},
      {R"({"a" 1})", "invalid character '1' after object key"},
      {R"({"a":1 "b"})", R"(invalid character '"' after object key:value pair)"},
      {R"({"a":1,})", "invalid character '}' looking for beginning of object key string"},
      {"[1 2]", "invalid character '2' after array element"},
      {"[1,]", "invalid character ']' looking for beginning of value"},
      {"1.x", "invalid character 'x' after decimal point in numeric literal"},
      {"1ex", "invalid character 'x' in exponent of numeric literal"},
      {"\"\n\"", "invalid character '\\n' in string literal"},
      {R"("\x")", "invalid character 'x' in string escape code"},
      {R"("\u00g")", "invalid character 'g' in \\u hexadecimal character escape"},
      {"'", R"(invalid character '\'' looking for beginning of value)"},
  };
  for (const auto& row : rows) EXPECT_EQ(GoJsonProblem(row.text), row.problem) << row.text;
  EXPECT_EQ(GoJsonProblem(std::string(1, '\0')),
            "invalid character '\\x00' looking for beginning of value");
}

TEST(ParseJsonAsGo, TakesTheLastOfTwoNamesAndTellsOfThem) {
  std::vector<std::string> duplicates;
  const auto v =
      ParseJsonAsGo(R"({"a":1,"b":[{"c":1},{"c":2,"c":3}],"a":{"x":1,"x":2}})", &duplicates);
  EXPECT_EQ(ToJson(v.value()), R"({"a":{"x":2},"b":[{"c":1},{"c":3}]})");
  EXPECT_EQ(duplicates, (std::vector<std::string>{"b[1].c", "a.x", "a"}));
  EXPECT_FALSE(ParseJsonAsGo("{", &duplicates).ok());
}

}  // namespace
}  // namespace ksim::value
