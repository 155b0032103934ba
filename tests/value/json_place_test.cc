#include "ksim/value/json_place.h"

#include <gtest/gtest.h>

#include <string>

#include "ksim/value/value.h"

namespace ksim::value {
namespace {

std::string At(std::string_view json, const char* path, bool name_of = false) {
  const JsonPlace place = FindInJson(json, Path::Parse(path).value(), name_of);
  return std::string(json.substr(place.begin, place.end - place.begin));
}

TEST(JsonPlace, FindsFieldsAndItems) {
  const std::string_view json =
      R"( {"a" : 12 , "b":[ true,{"c\"":"x,]}\"y", "d": -1.5e3}, [[]] ],"\u0065":null} )";
  EXPECT_EQ(At(json, "a"), "12");
  EXPECT_EQ(At(json, "b[0]"), "true");
  EXPECT_EQ(At(json, "b[1].d"), "-1.5e3");
  EXPECT_EQ(At(json, "b[1]['c\"']"), R"("x,]}\"y")");
  EXPECT_EQ(At(json, "b[2]"), "[[]]");
  EXPECT_EQ(At(json, "e"), "null");
  EXPECT_EQ(At(json, "a", true), R"("a")");
  EXPECT_EQ(At(json, "b[1].d", true), R"("d")");
}

TEST(JsonPlace, StopsWhereThePathEnds) {
  EXPECT_EQ(At(R"({"a":{"b":1}})", "a.x"), R"({"b":1})");
  EXPECT_EQ(At(R"({"a":[1,2]})", "a[2]"), "[1,2]");
  EXPECT_EQ(At(R"({"a":[1,2]})", "a[2]", true), "[1,2]");
  EXPECT_EQ(At("7", "a"), "7");
}

}  // namespace
}  // namespace ksim::value
