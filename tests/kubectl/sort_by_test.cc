#include "ksim/kubectl/printing/sort_by.h"

#include <gtest/gtest.h>

#include "ksim/base/status.h"
#include "ksim/value/json.h"

namespace ksim::kubectl {
namespace {

using value::ParseJson;
using value::Value;

std::string Order(const std::string& path, const std::string& json) {
  std::vector<Value> objects;
  const Value all = *ParseJson(json);
  for (const Value& v : all.items()) objects.push_back(v);
  const auto order = OrderBy(path, objects);
  if (!order.ok()) return std::string(Message(order.status()));
  std::string out;
  for (const std::size_t i : *order) out += std::to_string(i);
  return out;
}

TEST(SortBy, OrdersNumbersQuantitiesAndTexts) {
  EXPECT_EQ(Order("a", R"([{"a":10},{"a":9},{"a":-1}])"), "210");
  EXPECT_EQ(Order(".a", R"([{"a":2.5},{"a":0.5}])"), "10");
  EXPECT_EQ(Order("{.a}", R"([{"a":"1Gi"},{"a":"512Mi"},{"a":"100m"}])"), "210");
  EXPECT_EQ(Order("{a}", R"([{"a":"10"},{"a":"9"}])"), "10") << "texts that are quantities";
  EXPECT_EQ(Order("a", R"([{"a":"x10"},{"a":"x9"}])"), "01");
  EXPECT_EQ(Order("a", R"([{"a":"b","n":0},{"a":"a"},{"a":"b"}])"), "102");
  EXPECT_EQ(Order("a", R"([{"a":1},{},{"a":null},{"b":1}])"), "3120");
  EXPECT_EQ(Order("a", "[]"), "");
  EXPECT_EQ(Order("a", R"([{"a":true}])"), "0") << "one needs no order";
  EXPECT_EQ(Order("a", R"([{"a":true},{"a":false}])"),
            "Field {.a} is an unsortable type: interface, err: unsortable type: bool");
  EXPECT_EQ(Order("a", R"([{"a":1},{"a":"1"}])"),
            "Field {.a} is an unsortable type: interface, err: unsortable interface: interface");
  EXPECT_EQ(Order("a[", "[{}]"), "sorting error: unterminated array");
}

}  // namespace
}  // namespace ksim::kubectl
