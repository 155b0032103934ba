// The identity of a StatefulSet's pods. Names, ordinals and partitions are those of upstream's
// stateful_set_utils_test.go.
#include "ksim/controllers/statefulset/pod_identity.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "ksim/value/json.h"

namespace ksim::controllers {
namespace {

using value::Value;

const Profile& kOld = ProfileOf(api::Compat::k1_25);
const Profile& kNew = ProfileOf(api::Compat::k1_36);

api::Object IdentityObject(const std::string& json) {
  return api::Object::FromTree(*value::ParseJson(json));
}

api::Object Foo(const std::string& more_spec = "") {
  return IdentityObject(R"({"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"foo",
    "namespace":"default","uid":"u-1"},"spec":{"replicas":3,"serviceName":"governingsvc",
    "selector":{"matchLabels":{"foo":"bar"}},
    "volumeClaimTemplates":[{"metadata":{"name":"datadir"},"spec":{"x":1}},
      {"metadata":{"name":"a","labels":{"own":"1"}}}],
    "template":{"metadata":{"labels":{"foo":"bar"}},"spec":{"volumes":[{"name":"datadir",
      "hostPath":{"path":"/tmp"}},{"name":"home","emptyDir":{}}]}})" +
                        more_spec + "}}");
}

api::Object Named(const std::string& name) {
  return IdentityObject(R"({"metadata":{"namespace":"default","name":")" + name + R"("}})");
}

SetRevisions Same(const api::Object& set) {
  SetRevisions revisions;
  revisions.current_set = revisions.update_set = set;
  revisions.current = "foo-cur";
  revisions.update = "foo-upd";
  return revisions;
}

// CTRL-STS-01
TEST(PodIdentity, NamesAreAParentAndAnOrdinal) {
  const std::tuple<std::string, std::string, std::int64_t> table[] = {
      {"foo-0", "foo", 0},
      {"foo-10", "foo", 10},
      {"foo-bar-2", "foo-bar", 2},
      {"foo-01", "foo", 1},
      {"foo", "", -1},
      {"foo-", "", -1},
      {"foo-a", "", -1},
      {"foo-1a", "", -1},
      {"-3", "", 3},
      {"foo-2147483647", "foo", 2147483647},
      {"foo-2147483648", "foo", -1},
      {"foo-99999999999999999999999", "foo", -1}};
  for (const auto& [name, parent, ordinal] : table) {
    EXPECT_EQ(ParsePodName(name).parent, parent) << name;
    EXPECT_EQ(ParsePodName(name).ordinal, ordinal) << name;
  }
  EXPECT_TRUE(IsMemberOf(Foo(), Named("foo-7")));
  EXPECT_FALSE(IsMemberOf(Foo(), Named("foo2-7")));
  EXPECT_FALSE(IsMemberOf(Foo(), Named("foo-bar-7")));
}

// CTRL-STS-01
TEST(PodIdentity, OrdinalsBeginWhereTheSetSays) {
  const api::Object set = Foo(R"(,"ordinals":{"start":2})");
  for (const auto& [name, in] : std::vector<std::pair<std::string, bool>>{
           {"foo-1", false}, {"foo-2", true}, {"foo-4", true}, {"foo-5", false}}) {
    EXPECT_EQ(IsInOrdinalRange(set, Named(name), kNew), in) << name;
  }
  EXPECT_TRUE(IsInOrdinalRange(set, Named("foo-0"), kOld)) << "1.25 has no such field";
  EXPECT_FALSE(IsInOrdinalRange(set, Named("foo-3"), kOld));
}

// CTRL-STS-01, CTRL-STS-16
TEST(PodIdentity, ANewPodHasNameLabelsHostnameAndItsClaims) {
  const api::Object pod = NewSetPod(Same(Foo()), 2, kNew);
  EXPECT_EQ(value::ToJson(pod.tree()),
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"generateName":"foo-",)"
            R"("labels":{"apps.kubernetes.io/pod-index":"2",)"
            R"("controller-revision-hash":"foo-upd","foo":"bar",)"
            R"("statefulset.kubernetes.io/pod-name":"foo-2"},"name":"foo-2",)"
            R"("namespace":"default","ownerReferences":[{"apiVersion":"apps/v1",)"
            R"("blockOwnerDeletion":true,"controller":true,"kind":"StatefulSet","name":"foo",)"
            R"("uid":"u-1"}]},"spec":{"hostname":"foo-2","subdomain":"governingsvc",)"
            R"("volumes":[{"name":"a","persistentVolumeClaim":{"claimName":"a-foo-2"}},)"
            R"({"name":"datadir","persistentVolumeClaim":{"claimName":"datadir-foo-2"}},)"
            R"({"emptyDir":{},"name":"home"}]}})");
  EXPECT_EQ(NewSetPod(Same(Foo()), 2, kOld).Label(kPodIndexLabel), "");
}

// CTRL-STS-16
TEST(PodIdentity, ClaimsHaveTheSetsLabelsToo) {
  const std::vector<api::Object> claims = ClaimsOf(Foo(), Named("foo-1"));
  ASSERT_EQ(claims.size(), 2u);
  EXPECT_EQ(claims[0].name(), "a-foo-1");
  EXPECT_EQ(value::ToJson(claims[0].labels()), R"({"foo":"bar","own":"1"})");
  EXPECT_EQ(claims[1].name(), "datadir-foo-1");
  EXPECT_EQ(claims[1].ns(), "default");
  EXPECT_EQ(claims[1].kind(), "PersistentVolumeClaim");
  EXPECT_EQ(claims[1].spec().Get("x").AsInt(), 1);
}

// CTRL-STS-19
TEST(PodIdentity, IsMendedWhereItDoesNotMatch) {
  const api::Object set = Foo();
  const api::Object pod = NewSetPod(Same(set), 1, kNew);
  EXPECT_TRUE(IdentityMatches(set, pod));
  EXPECT_TRUE(StorageMatches(set, pod));
  const api::Object bare = Named("foo-1");
  EXPECT_FALSE(IdentityMatches(set, bare)) << "without its label";
  EXPECT_FALSE(StorageMatches(set, bare));
  EXPECT_FALSE(IdentityMatches(set, Named("foo-01")));
  const api::Object mended =
      api::Object::FromTree(WithStorage(WithIdentity(bare.tree(), set, kNew), set));
  EXPECT_TRUE(IdentityMatches(set, mended));
  EXPECT_TRUE(StorageMatches(set, mended));
  EXPECT_TRUE(mended.spec().Get("hostname").is_null()) << "it cannot change any more";
}

// CTRL-STS-07
TEST(PodIdentity, APodBelowThePartitionIsOfTheCurrentRevision) {
  struct Case {
    const char* name;
    const char* more;
    std::int64_t ordinal;
    const char* revision;
  };
  constexpr const char* kRolling = R"(,"updateStrategy":{"type":"RollingUpdate",)"
                                   R"("rollingUpdate":{"partition":2}})";
  constexpr const char* kFromFive = R"(,"ordinals":{"start":5},"updateStrategy":{)"
                                    R"("type":"RollingUpdate","rollingUpdate":{"partition":2}})";
  constexpr const char* kNoPartition = R"(,"updateStrategy":{"type":"RollingUpdate"})";
  for (const Case& c :
       std::vector<Case>{{"below", kRolling, 1, "foo-cur"},
                         {"at", kRolling, 2, "foo-upd"},
                         {"from five, below", kFromFive, 6, "foo-cur"},
                         {"from five, at", kFromFive, 7, "foo-upd"},
                         {"none current", kNoPartition, 0, "foo-upd"},
                         {"on delete", R"(,"updateStrategy":{"type":"OnDelete"})", 0, "foo-upd"}}) {
    EXPECT_EQ(RevisionOf(NewSetPod(Same(Foo(c.more)), c.ordinal, kNew)), c.revision) << c.name;
  }
  const api::Object set = IdentityObject(
      R"({"metadata":{"name":"foo"},"spec":{"updateStrategy":{"type":"RollingUpdate"}},)"
      R"("status":{"currentReplicas":2}})");
  EXPECT_EQ(RevisionOf(NewSetPod(Same(set), 1, kNew)), "foo-cur");
  EXPECT_EQ(RevisionOf(NewSetPod(Same(set), 2, kNew)), "foo-upd");
}

}  // namespace
}  // namespace ksim::controllers
