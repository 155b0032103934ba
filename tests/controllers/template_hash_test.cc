// The hashes of pod templates, as Go's own structs of the three versions have them: k8s.io/api
// v0.25.16, v0.30.14 and v0.36.3, written as protobuf and read again as a controller reads them.
#include "ksim/controllers/common/template_hash.h"

#include <gtest/gtest.h>

#include "ksim/api/schema/template_text.h"
#include "ksim/base/os.h"
#include "ksim/value/json.h"

namespace ksim::controllers {
namespace {

using value::Value;

// CTRL-D-04
TEST(TemplateHash, IsThatOfARealController) {
  const auto text = os::ReadFile("tests/testdata/template_hashes.json");
  ASSERT_TRUE(text.ok());
  const auto rows = value::ParseJson(*text);
  ASSERT_TRUE(rows.ok());
  for (const Value& row : rows->items()) {
    for (const api::Compat compat : api::kCompats) {
      const Value& hashes = row.Get("hashes").Get(api::ToString(compat));
      ASSERT_EQ(hashes.size(), 3u);
      const Profile& profile = ProfileOf(compat);
      const Value& pod_template = row.Get("template");
      const std::string_view name = row.Get("name").AsString();
      EXPECT_EQ(ComputeHash(pod_template, std::nullopt, profile), hashes.at(0).AsString()) << name;
      EXPECT_EQ(ComputeHash(pod_template, 0, profile), hashes.at(1).AsString()) << name;
      EXPECT_EQ(ComputeHash(pod_template, 1, profile), hashes.at(2).AsString()) << name;
    }
  }
}

// CTRL-D-03: as Semantic.DeepEqual compares.
TEST(TemplateHash, TemplatesAreTheSameIfGoTakesThemForThat) {
  const auto same = [](const char* a, const char* b) {
    return api::SameTemplates(*value::ParseJson(a), *value::ParseJson(b), api::Compat::k1_36);
  };
  EXPECT_TRUE(same(R"({"spec":{"containers":[{"name":"c"}]}})",
                   R"({"metadata":{"labels":{}},"spec":{"containers":[{"name":"c","env":[],
                      "resources":{"limits":{}}}]}})"));
  EXPECT_TRUE(same(R"({"spec":{"overhead":{"memory":"1Gi"}}})",
                   R"({"spec":{"overhead":{"memory":"1073741824"}}})"));
  EXPECT_FALSE(same(R"({"spec":{"overhead":{"memory":"1Gi"}}})",
                    R"({"spec":{"overhead":{"memory":"1G"}}})"));
  EXPECT_FALSE(same(R"({"spec":{"volumes":[{"name":"v","emptyDir":{}}]}})",
                    R"({"spec":{"volumes":[{"name":"v"}]}})"));
  EXPECT_FALSE(same(R"({"spec":{"hostNetwork":true}})", "{}"));
}

}  // namespace
}  // namespace ksim::controllers
