// RuntimeClasses that are refused (pkg/apis/node/validation/validation_test.go).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/api/rules/validation_fixture.h"

namespace ksim::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> ClassErrors(const std::string& rest, Compat compat) {
  return CreateErrors("runtimeclasses", "{metadata: {name: foo}, " + rest + "}", compat);
}

// API-265
TEST(RuntimeClasses, AHandlerIsALabelAndStays) {
  for (const Compat compat : {Compat::k1_25, Compat::k1_30, Compat::k1_36}) {
    EXPECT_THAT(ClassErrors("handler: bar-1", compat), IsEmpty());
    EXPECT_THAT(ClassErrors("handler: '&!@#'", compat),
                ElementsAre(HasSubstr("handler: Invalid value: \"&!@#\"")));
    EXPECT_THAT(ClassErrors("handler: ''", compat),
                ElementsAre(compat == Compat::k1_36 ? HasSubstr("handler: Required value")
                                                    : HasSubstr("handler: Invalid value: \"\"")));
  }
  const value::Value old = Prepared("runtimeclasses", "{metadata: {name: foo}, handler: bar}");
  EXPECT_THAT(UpdateErrors("runtimeclasses", old, old), IsEmpty());
  EXPECT_THAT(UpdateErrors("runtimeclasses", With(old, "handler", value::Value::Of("baz")), old),
              ElementsAre(HasSubstr("field is immutable")));
}

// API-265: TestValidateOverhead.
TEST(RuntimeClasses, OverheadsAreQuantitiesOfResources) {
  EXPECT_THAT(
      ClassErrors("handler: b, overhead: {podFixed: {cpu: 10m, memory: 10G}}", Compat::k1_30),
      IsEmpty());
  EXPECT_THAT(ClassErrors("handler: b, overhead: {podFixed: {my.org: 10m}}", Compat::k1_30),
              ::testing::Not(IsEmpty()));
}

// API-265: TestValidateScheduling. In 1.30 the path of a toleration names the field twice.
TEST(RuntimeClasses, NodesAndTolerationsAreChecked) {
  EXPECT_THAT(ClassErrors("handler: b, scheduling: {nodeSelector: {valid: yes-1}, tolerations: "
                          "[{key: k, operator: Exists, effect: NoExecute}]}",
                          Compat::k1_36),
              IsEmpty());
  EXPECT_THAT(ClassErrors("handler: b, scheduling: {nodeSelector: {'not a label key!!!': x}}",
                          Compat::k1_36),
              ElementsAre(HasSubstr("scheduling.nodeSelector")));
  const std::string bad = "handler: b, scheduling: {tolerations: [{key: k, operator: Smiles}]}";
  EXPECT_THAT(ClassErrors(bad, Compat::k1_36),
              ElementsAre(HasSubstr("scheduling.tolerations[0].operator: Unsupported value")));
  EXPECT_THAT(
      ClassErrors(bad, Compat::k1_30),
      ElementsAre(HasSubstr("scheduling.tolerations.tolerations[0].operator: Unsupported value")));
  EXPECT_THAT(ClassErrors("handler: b, scheduling: {tolerations: [{key: k, operator: Exists}, "
                          "{key: k, operator: Exists}]}",
                          Compat::k1_36),
              ElementsAre(HasSubstr("scheduling.tolerations[1]: Duplicate value: "
                                    "{\"Key\":\"k\",\"Operator\":\"Exists\",\"Value\":\"\","
                                    "\"Effect\":\"\",\"TolerationSeconds\":null}")));
}

}  // namespace
}  // namespace ksim::api
