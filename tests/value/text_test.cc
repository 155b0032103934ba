#include "ksim/value/text.h"

#include <gtest/gtest.h>

#include <string>

#include "ksim/value/base64.h"
#include "ksim/value/go_format.h"
#include "ksim/value/json.h"

namespace ksim::value {
namespace {

TEST(Text, GoQuoteIsStrconvQuote) {
  const std::pair<std::string, const char*> cases[] = {
      {"", R"("")"},
      {"a b", R"("a b")"},
      {"a\"b\\c", R"("a\"b\\c")"},
      {"\a\b\f\n\r\t\v", R"("\a\b\f\n\r\t\v")"},
      {std::string("\0\x1f\x7f", 3), R"("\x00\x1f\x7f")"},
      {"é😀", R"("é😀")"},
      {"\xff\xc0", R"("\xff\xc0")"},
      {"\u00a0\u200b\ufeff", R"("\u00a0\u200b\ufeff")"},
  };
  for (const auto& [text, want] : cases) EXPECT_EQ(GoQuote(text), want);
}

TEST(Text, Base64BothWays) {
  for (const char* text : {"", "a", "ab", "abc", "\xff\xfe\xfd\xfc"})
    EXPECT_EQ(Unbase64(Base64(text)), text);
  EXPECT_EQ(Unbase64("c2VjcmV0"), "secret");
  for (const char* bad : {"a", "ab=", "a=bc", "====", "ab c", "abc-"})
    EXPECT_EQ(Unbase64(bad), std::nullopt) << bad;
}

TEST(Text, GoIntegers) {
  EXPECT_EQ(ParseGoInt("+7"), 7);
  EXPECT_EQ(ParseGoInt("-9223372036854775808"), INT64_MIN);
  for (const char* bad : {"", "+", "-", "+-1", " 1", "1 ", "1_0", "0x1", "9223372036854775808"}) {
    EXPECT_EQ(ParseGoInt(bad), std::nullopt) << bad;
  }
}

TEST(Text, Utf8) {
  EXPECT_TRUE(IsUtf8("a\u00e9\u20ac\U0001F600"));
  for (const char* bad : {"\x80", "\xc1\x81", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
                          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82", "\xc3"}) {
    EXPECT_FALSE(IsUtf8(bad)) << bad;
  }
  std::string out;
  for (const char32_t c : {U'A', U'é', U'€', U'\U0001F600'}) AppendUtf8(c, &out);
  EXPECT_EQ(out, "Aé€\U0001F600");
}

TEST(Text, PlacesCountCodePoints) {
  const LineColumn place = PlaceOf("é\nab€d", 8);
  EXPECT_EQ(place.line, 2);
  EXPECT_EQ(place.column, 4);
  EXPECT_EQ(PlaceOf("ab", 99).column, 3);
}

TEST(GoFormat, IsPercentV) {
  const std::pair<const char*, const char*> cases[] = {
      {"null", "<nil>"},
      {"true", "true"},
      {"12", "12"},
      {"1.5", "1.5"},
      {"2.0", "2"},
      {"\"a b\"", "a b"},
      {"[]", "[]"},
      {"[1,[2,\"x\"],null]", "[1 [2 x] <nil>]"},
      {"{\"b\":{},\"a\":[]}", "map[a:[] b:map[]]"},
  };
  for (const auto& [json, want] : cases) EXPECT_EQ(GoFormat(*ParseJson(json)), want);
}

TEST(GoFormat, TypeNames) {
  const std::pair<const char*, const char*> cases[] = {
      {"null", "%!s(<nil>)"},
      {"true", "bool"},
      {"1", "int64"},
      {"1.5", "float64"},
      {"\"\"", "string"},
      {"[]", "[]interface {}"},
      {"{}", "map[string]interface {}"},
  };
  for (const auto& [json, want] : cases) EXPECT_EQ(GoTypeName(*ParseJson(json)), want);
}

}  // namespace
}  // namespace ksim::value
