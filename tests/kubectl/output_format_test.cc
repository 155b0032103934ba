#include "ksim/kubectl/printing/output_format.h"

#include <gtest/gtest.h>

#include "ksim/value/json.h"

namespace ksim::kubectl {
namespace {

using value::ParseJson;

TEST(OutputFormat, EscapesJsonAsGoDoes) {
  const auto format = OutputFormat::Parse("json");
  ASSERT_TRUE(format.ok());
  EXPECT_EQ(*format->Print(*ParseJson(R"({"a":"<b>"})"), false, true),
            "{\n    \"a\": \"\\u003cb\\u003e\"\n}\n");
}

}  // namespace
}  // namespace ksim::kubectl
