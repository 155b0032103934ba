#include "ksim/controllers/common/pod_control.h"

#include <gtest/gtest.h>

#include "ksim/controllers/common/controller_ref.h"
#include "ksim/value/json.h"

namespace ksim::controllers {
namespace {

api::Object Parse(std::string_view json) { return api::Object::FromTree(*value::ParseJson(json)); }

const char* kOwner = R"({"apiVersion":"apps/v1","kind":"ReplicaSet",
  "metadata":{"name":"web","namespace":"default","uid":"u-rs"}})";

// CTRL-RS-20
TEST(PodFromTemplate, CopiesMetadataAndSpecAndNamesItsOwner) {
  const auto pod = PodFromTemplate(
      *value::ParseJson(R"({"metadata":{"labels":{"app":"x"},"annotations":{"a":"b"},
        "finalizers":["f"],"name":"ignored"},"spec":{"containers":[{"name":"c"}]}})"),
      Parse(kOwner));
  ASSERT_TRUE(pod.ok());
  EXPECT_EQ(value::ToJson(*pod),
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"annotations":{"a":"b"},)"
            R"("finalizers":["f"],"generateName":"web-","labels":{"app":"x"},)"
            R"("ownerReferences":[{"apiVersion":"apps/v1","blockOwnerDeletion":true,)"
            R"("controller":true,"kind":"ReplicaSet","name":"web","uid":"u-rs"}]},)"
            R"("spec":{"containers":[{"name":"c"}]}})");
}

// CTRL-RS-20
TEST(PodFromTemplate, RefusesATemplateWithoutLabels) {
  const auto pod = PodFromTemplate(*value::ParseJson(R"({"spec":{}})"), Parse(kOwner));
  ASSERT_FALSE(pod.ok());
  EXPECT_EQ(pod.status().message, "unable to create pods, no labels");
}

// CTRL-RS-20: the dash is left out where "NAME-" could not begin a pod's name.
TEST(PodNamePrefix, HasADashUnlessThatMakesItInvalid) {
  const std::pair<std::string, std::string> table[] = {
      {"web", "web-"},
      {"a.b", "a.b-"},
      {"Web", "Web"},
      {".web", ".web"},
      {std::string(253, 'a'), std::string(253, 'a') + "-"},
      {std::string(254, 'a'), std::string(254, 'a')}};
  for (const auto& [name, prefix] : table) EXPECT_EQ(PodNamePrefix(name), prefix) << name;
}

// CTRL-RS-15
TEST(ClaimPatches, CarryThePodsUid) {
  const api::Object pod = Parse(R"({"metadata":{"name":"p","uid":"u-pod"}})");
  EXPECT_EQ(value::ToJson(AdoptPatch(Parse(kOwner), pod)),
            R"({"metadata":{"ownerReferences":[{"apiVersion":"apps/v1",)"
            R"("blockOwnerDeletion":true,"controller":true,"kind":"ReplicaSet","name":"web",)"
            R"("uid":"u-rs"}],"uid":"u-pod"}})");
  EXPECT_EQ(value::ToJson(ReleasePatch(Parse(kOwner), pod)),
            R"({"metadata":{"ownerReferences":[{"$patch":"delete","uid":"u-rs"}],)"
            R"("uid":"u-pod"}})");
}

}  // namespace
}  // namespace ksim::controllers
