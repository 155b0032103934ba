#include "ksim/value/json.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace ksim::value {
namespace {

std::string Error(std::string_view text) {
  const auto v = ParseJson(text);
  return v.ok() ? "no error" : std::string(v.status().message());
}

std::string RoundTrip(std::string_view text) {
  const auto v = ParseJson(text);
  return v.ok() ? ToJson(*v) : std::string(v.status().message());
}

TEST(Json, OutputIsCanonical) {
  EXPECT_EQ(RoundTrip(R"( { "b" : [ 1 , true , null ] , "a" : { } , "" : [ ] } )"),
            R"({"":[],"a":{},"b":[1,true,null]})");
  EXPECT_EQ(RoundTrip(R"("\u0041\n\/\ud83d\ude00\u0001é")"), "\"A\\n/\U0001F600\\u0001é\"");
}

TEST(Json, NumbersKeepTheirKindAndValue) {
  const std::pair<const char*, const char*> cases[] = {
      {"0", "0"},
      {"-0", "0"},
      {"9223372036854775807", "9223372036854775807"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"1152921504606846976", "1152921504606846976"},      // beyond 61 bits
      {"9223372036854775808", "9.223372036854775808e18"},  // does not fit: a double
      {"1.0", "1.0"},
      {"1e2", "100.0"},
      {"-0.0", "-0.0"},
      {"0.1", "0.1"},
      {"1e22", "1e+22"},
      {"5e-324", "5e-324"},
      {"1e-999", "0.0"},
  };
  for (const auto& [text, want] : cases) {
    const Value got = *ParseJson(text);
    EXPECT_EQ(got, *ParseJson(want)) << text;
    EXPECT_EQ(*ParseJson(ToJson(got)), got) << text;
  }
  EXPECT_EQ(RoundTrip("1.0"), "1.0");
  EXPECT_EQ(RoundTrip("1e2"), "100.0");
  EXPECT_EQ(ToJson(Value::Double(std::numeric_limits<double>::quiet_NaN())), "null");
}

TEST(Json, BadInputNamesThePlace) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "line 1 column 1: unexpected end, expected a value"},
      {"{\"a\":1,\n \"é\":2, \"a\":3}", "line 2 column 9: duplicate name \"a\""},
      {R"({"b":{"a":1},"a":{"a":2,"x":0,"a":3}})", "line 1 column 31: duplicate name \"a\""},
      {"[1,2", "line 1 column 5: unexpected end, expected ',' or ']'"},
      {"[1,]", "line 1 column 4: expected a value"},
      {"{\"a\":1,}", "line 1 column 8: expected a name in quotes"},
      {"{\"a\" 1}", "line 1 column 6: expected ':'"},
      {"{a:1}", "line 1 column 2: expected a name in quotes"},
      {"\"ab", "line 1 column 1: string is not closed"},
      {"\"a\tb\"", "line 1 column 3: control character in a string"},
      {"\"\\x\"", "line 1 column 2: invalid escape"},
      {"\"\\u12g4\"", "line 1 column 2: invalid \\u escape"},
      {"\"\\ud800\"", "line 1 column 2: lone surrogate in a \\u escape"},
      {"\"\\ud800\\u0041\"", "line 1 column 2: lone surrogate in a \\u escape"},
      {"\"\\udc00\"", "line 1 column 2: lone surrogate in a \\u escape"},
      {"\"\xc0\x80\"", "line 1 column 2: invalid UTF-8"},
      {"01", "line 1 column 1: a number must not start with 0"},
      {"-", "line 1 column 2: unexpected end, expected a digit"},
      {"1.", "line 1 column 3: unexpected end, expected a digit"},
      {"1e+", "line 1 column 4: unexpected end, expected a digit"},
      {"1e999", "line 1 column 1: number out of range"},
      {"tru", "line 1 column 1: expected a value"},
      {"1 2", "line 1 column 3: unexpected text after the document"},
  };
  for (const auto& [text, want] : cases) EXPECT_EQ(Error(text), want) << text;
}

TEST(Json, NestingEndsAt1000) {
  const auto nested = [](int n) {
    return std::string(static_cast<std::size_t>(n), '[') +
           std::string(static_cast<std::size_t>(n), ']');
  };
  EXPECT_EQ(RoundTrip(nested(1000)), nested(1000));
  EXPECT_EQ(Error(nested(1001)), "line 1 column 1001: nested deeper than 1000");
  EXPECT_EQ(Error(std::string(200000, '{')), "line 1 column 2: expected a name in quotes");
}

TEST(Json, PrettyIsKubectls) {
  const Value v = *ParseJson(R"({"a":[1,{"b":"x"}],"c":{},"d":[]})");
  EXPECT_EQ(ToPrettyJson(v), R"({
    "a": [
        1,
        {
            "b": "x"
        }
    ],
    "c": {},
    "d": []
})");
}

}  // namespace
}  // namespace ksim::value
