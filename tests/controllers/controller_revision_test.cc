// ControllerRevisions: their names are those that Go's hash of the same template gives (computed by
// k8s.io/api at each version), and how they compare and sort.
#include "ksim/controllers/history/controller_revision.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/value/json.h"

namespace ksim::controllers {
namespace {

api::Object RevisionObject(const std::string& json) {
  return api::Object::FromTree(*value::ParseJson(json));
}

api::Object Web() {
  return RevisionObject(R"({"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"web",
    "namespace":"default","uid":"u-1"},"spec":{"serviceName":"nginx","replicas":3,
    "selector":{"matchLabels":{"app":"nginx"}},"template":{"metadata":{"labels":{"app":"nginx"}},
    "spec":{"containers":[{"name":"nginx","image":"nginx:1.25","imagePullPolicy":"IfNotPresent",
      "args":["-c","a<b && c>d"],"resources":{},"terminationMessagePath":"/dev/termination-log",
      "terminationMessagePolicy":"File","ports":[{"containerPort":80,"protocol":"TCP"}],
      "volumeMounts":[{"name":"www","mountPath":"/data"}]}],"dnsPolicy":"ClusterFirst",
      "restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},
      "terminationGracePeriodSeconds":30,"volumes":[{"name":"tmp","emptyDir":{}}]}},
    "updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":0}}}})");
}

value::Value PatchOf(const api::Object& set, api::Compat compat) {
  static const api::Kinds& kinds = *new api::Kinds;  // never destroyed
  return TemplatePatch(*kinds.ByResource("apps", "statefulsets"), set, compat);
}

// CTRL-STS-09
TEST(ControllerRevision, HashesAreThoseOfTheVersionsOwnBytes) {
  for (const api::Compat compat : {api::Compat::k1_25, api::Compat::k1_30}) {
    const value::Value data = PatchOf(Web(), compat);
    EXPECT_EQ(HashRevisionData(data, std::nullopt), "84fb6f6d45");
    EXPECT_EQ(HashRevisionData(data, 0), "8d59f698c");
    EXPECT_EQ(HashRevisionData(data, 1), "8d59f698b");
  }
  const value::Value data = PatchOf(Web(), api::Compat::k1_36);
  EXPECT_EQ(HashRevisionData(data, std::nullopt), "c78bcd64c");
  EXPECT_EQ(HashRevisionData(data, 0), "6f6c46667c");
  EXPECT_EQ(HashRevisionData(data, 1), "6f6c46667b");
}

// CTRL-STS-09
TEST(ControllerRevision, CarriesTheTemplatesLabelsTheHashAndItsOwner) {
  const api::Object revision = NewRevision(Web(), PatchOf(Web(), api::Compat::k1_36), 4, 0);
  EXPECT_EQ(revision.name(), "web-6f6c46667c");
  EXPECT_EQ(RevisionNumber(revision), 4);
  EXPECT_EQ(value::ToJson(revision.labels()),
            R"({"app":"nginx","controller.kubernetes.io/hash":"6f6c46667c"})");
  ASSERT_TRUE(revision.controller().has_value());
  EXPECT_EQ(revision.controller()->uid, "u-1");
  EXPECT_EQ(RevisionData(revision).Get("spec").Get("template").Get("$patch").AsString(), "replace");
}

// CTRL-STS-09
TEST(ControllerRevision, NamesCutThePrefixAndNotTheHash) {
  EXPECT_EQ(RevisionName(std::string(253, 'a'), "h"), std::string(223, 'a') + "-h");
}

// CTRL-STS-09: by number, then by age, then by name.
TEST(ControllerRevision, SortsByNumberThenAgeThenName) {
  const auto make = [](const char* name, const char* created, int number) {
    return RevisionObject(std::string(R"({"metadata":{"name":")") + name +
                          R"(","creationTimestamp":")" + created + R"("},"revision":)" +
                          std::to_string(number) + "}");
  };
  const char* early = "2024-01-01T00:00:00Z";
  const char* late = "2024-01-01T00:00:01Z";
  std::vector<api::Object> revisions = {make("e", early, 3), make("d", late, 2),
                                        make("c", early, 2), make("b", early, 2),
                                        make("a", late, 1)};
  EXPECT_EQ(NextRevisionNumber({}), 1);
  SortRevisions(&revisions);
  std::string order;
  for (const api::Object& revision : revisions) order += revision.name();
  EXPECT_EQ(order, "abcde");
  EXPECT_EQ(NextRevisionNumber(revisions), 4);
}

// CTRL-STS-09: hashes that happen to be numbers count before 1.36, other ones do not.
TEST(ControllerRevision, OfTheSameDataAreEqual) {
  const auto make = [](const char* hash, const char* data) {
    return RevisionObject(
        std::string(R"({"metadata":{"labels":{"controller.kubernetes.io/hash":")") + hash +
        R"("}},"data":{"v":")" + data + R"("}})");
  };
  const Profile& before = ProfileOf(api::Compat::k1_30);
  const Profile& after = ProfileOf(api::Compat::k1_36);
  EXPECT_TRUE(EqualRevisions(make("bcd", "x"), make("f", "x"), before));
  EXPECT_FALSE(EqualRevisions(make("bcd", "x"), make("bcd", "y"), before));
  EXPECT_FALSE(EqualRevisions(make("4567", "x"), make("4568", "x"), before));
  EXPECT_TRUE(EqualRevisions(make("4567", "x"), make("4568", "x"), after));
  EXPECT_FALSE(EqualRevisions(make("4567", "x"), api::Object(), after));
}

}  // namespace
}  // namespace ksim::controllers
