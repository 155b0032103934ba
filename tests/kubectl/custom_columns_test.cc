#include "ksim/kubectl/printing/custom_columns.h"

#include <gtest/gtest.h>

#include "ksim/base/status.h"
#include "ksim/value/json.h"

namespace ksim::kubectl {
namespace {

using value::ParseJson;
using value::Value;

TEST(CustomColumns, AFileHasTwoLines) {
  const std::pair<const char*, const char*> cases[] = {
      {"",
       "invalid template, missing header line. Expected format is one line of space separated "
       "headers, one line of space separated column specs."},
      {"A B\n",
       "invalid template, missing spec line. Expected format is one line of space separated "
       "headers, one line of space separated column specs."},
      {"A B\na\n", "number of headers (2) and field specifications (1) don't match"},
  };
  for (const auto& [text, want] : cases)
    EXPECT_EQ(Message(ParseCustomColumnsFile(text).status()), want);
  const auto columns = ParseCustomColumnsFile(" A\tB \n a  {.b[*].c}\nmore");
  ASSERT_TRUE(columns.ok());
  const auto table = RenderCustomColumns(
      *columns, {*ParseJson(R"({"a":null,"b":[{"c":1},{"c":[2,"x"]}]})"), Value()}, false);
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(*table, "A        B\n<nil>    1,[2 x]\n<none>   <none>\n");
}

TEST(RelaxedPath, TakesFourForms) {
  for (const char* text : {"a.b", ".a.b", "{a.b}", "{.a.b}"})
    EXPECT_EQ(*RelaxedPath(text), "{.a.b}");
  EXPECT_EQ(*RelaxedPath("."), "{..}");
  EXPECT_EQ(*RelaxedPath(""), "");
  for (const char* text : {"{a", "a}", "{a}{b}", "{}"})
    EXPECT_FALSE(RelaxedPath(text).ok()) << text;
}

}  // namespace
}  // namespace ksim::kubectl
