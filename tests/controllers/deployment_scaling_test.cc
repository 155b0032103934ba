// The sizes of a Deployment's ReplicaSets. Rows are those of upstream's unit tests.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "ksim/controllers/deployment/deployment_spec.h"
#include "ksim/controllers/deployment/new_set_size.h"
#include "ksim/controllers/deployment/proportional_scaling.h"
#include "ksim/controllers/deployment/replica_sets.h"
#include "ksim/controllers/deployment/revisions.h"
#include "ksim/value/json.h"

namespace ksim::controllers::deployment {
namespace {

using value::Value;

const Profile& V136() { return controllers::ProfileOf(api::Compat::k1_36); }

Value Json(const std::string& text) { return *value::ParseJson(text); }

// `surge` and `unavailable` are JSON: 1, "25%".
api::Object MakeDeployment(int replicas, const std::string& surge = "0",
                           const std::string& unavailable = "0",
                           const std::string& type = "RollingUpdate", int status_replicas = 0) {
  return api::Object::FromTree(Json(fmt::format(
      R"({{"apiVersion":"apps/v1","kind":"Deployment","metadata":{{"name":"foo"}},"spec":{{
        "replicas":{},"strategy":{{"type":"{}","rollingUpdate":{{"maxSurge":{},
        "maxUnavailable":{}}}}}}},"status":{{"replicas":{}}}}})",
      replicas, type, surge, unavailable, status_replicas)));
}

// `age`: of two the one with the smaller number is the older one.
api::Object MakeSet(const std::string& name, int size, int age, const std::string& max_replicas,
                    const std::string& desired = "") {
  return api::Object::FromTree(Json(fmt::format(
      R"({{"metadata":{{"name":"{0}","uid":"{0}","creationTimestamp":"2025-01-01T00:00:0{2}Z",
        "annotations":{{{3}}}}},"spec":{{"replicas":{1}}}}})",
      name, size, age,
      max_replicas.empty()
          ? ""
          : fmt::format(R"("{}":"{}","{}":"{}")", kMaxReplicasAnnotation, max_replicas,
                        kDesiredReplicasAnnotation, desired.empty() ? max_replicas : desired))));
}

// CTRL-D-02: TestResolveFenceposts.
TEST(DeploymentScaling, FencepostsAreRoundedToSafety) {
  struct Row {
    const char *surge, *unavailable;
    int desired, expected_surge, expected_unavailable;
  };
  for (const Row& row : std::vector<Row>{{R"("0%")", R"("0%")", 0, 0, 1},
                                         {R"("39%")", R"("39%")", 10, 4, 3},
                                         {"null", R"("39%")", 10, 0, 3},
                                         {R"("39%")", "null", 10, 4, 0},
                                         {"null", "null", 10, 0, 1},
                                         {R"("25%")", R"("25%")", 2, 1, 0},
                                         {R"("1%")", R"("0%")", 1, 1, 0}}) {
    const Fenceposts posts = ResolveFenceposts(Json(row.surge), Json(row.unavailable), row.desired);
    EXPECT_EQ(posts.surge, row.expected_surge) << row.surge << " " << row.unavailable;
    EXPECT_EQ(posts.unavailable, row.expected_unavailable) << row.surge << " " << row.unavailable;
  }
}

// CTRL-D-02: TestMaxUnavailable.
TEST(DeploymentScaling, AtMostAllPodsMayBeUnavailable) {
  struct Row {
    int replicas;
    const char* unavailable;
    int expected;
  };
  for (const Row& row : std::vector<Row>{{10, "5", 5},
                                         {10, "10", 10},
                                         {5, "10", 5},
                                         {0, "10", 0},
                                         {10, R"("50%")", 5},
                                         {10, R"("100%")", 10},
                                         {5, R"("100%")", 5}}) {
    EXPECT_EQ(MaxUnavailable(MakeDeployment(row.replicas, "1", row.unavailable)), row.expected);
  }
  EXPECT_EQ(MaxUnavailable(MakeDeployment(5, "1", "1", "Recreate")), 0);
  EXPECT_EQ(MaxSurge(MakeDeployment(5, "1", "1", "Recreate")), 0);
}

// CTRL-D-09, CTRL-D-02: TestNewRSNewReplicas, TestDeploymentController_reconcileNewReplicaSet.
TEST(DeploymentScaling, TheNewSetGrowsIntoTheRoomThereIs) {
  EXPECT_EQ(NewSetSize(MakeDeployment(1, "1"), 5, 5), 5);
  EXPECT_EQ(NewSetSize(MakeDeployment(6, "10"), 5, 2), 6);
  EXPECT_EQ(NewSetSize(MakeDeployment(3, "1", "1", "Recreate"), 5, 1), 3);
  EXPECT_EQ(NewSetSize(MakeDeployment(10, "0"), 10, 0), 0);
  EXPECT_EQ(NewSetSize(MakeDeployment(10, "2"), 10, 0), 2);
  EXPECT_EQ(NewSetSize(MakeDeployment(10, "2"), 5, 0), 7);
  EXPECT_EQ(NewSetSize(MakeDeployment(10, "2"), 12, 2), 2);
  // Both come to 0: maxSurge alone counts here, and there is no room.
  EXPECT_EQ(NewSetSize(MakeDeployment(1, R"("0%")", R"("0%")"), 1, 0), 0);
  EXPECT_EQ(NewSetSize(MakeDeployment(1, "1", "1", "Other"), 0, 0), std::nullopt);
}

// CTRL-D-11: TestScale. The sets from the oldest on, and what each becomes.
TEST(DeploymentScaling, AChangeOfSizeIsSharedOut) {
  struct Row {
    const char* name;
    int wanted, before;  // replicas of the Deployment
    int surge, surge_before;
    std::vector<int> sizes, expected;
  };
  for (const Row& row : std::vector<Row>{{"5 -> 10", 10, 5, 0, 0, {3, 2}, {6, 4}},
                                         {"5 -> 3", 3, 5, 0, 0, {3, 2}, {2, 1}},
                                         {"9 -> 4", 4, 9, 0, 0, {1, 8}, {0, 4}},
                                         {"7 -> 10", 10, 7, 0, 0, {2, 3, 2}, {3, 4, 3}},
                                         {"13 -> 8", 8, 13, 0, 0, {3, 8, 2}, {2, 5, 1}},
                                         {"leftover 3 -> 4", 4, 3, 0, 0, {1, 1, 1}, {1, 1, 2}},
                                         {"leftover 3 -> 2", 2, 3, 0, 0, {1, 1, 1}, {0, 1, 1}},
                                         {"no new one 4 -> 5", 5, 4, 0, 0, {2, 2}, {2, 3}},
                                         {"6 -> 0", 0, 6, 0, 0, {1, 2, 3}, {0, 0, 0}},
                                         {"surge pods", 20, 10, 2, 2, {6, 6}, {11, 11}},
                                         {"surge and size", 50, 10, 6, 3, {8, 5}, {34, 22}},
                                         {"size and template", 14, 10, 0, 0, {3, 7}, {4, 10}},
                                         {"broken new one", 2, 2, 1, 1, {1, 2}, {1, 2}}}) {
    ReplicaSetList sets;
    std::map<std::string, std::int64_t> expected, got;
    const std::string most = std::to_string(row.before + row.surge_before);
    for (std::size_t i = 0; i < row.sizes.size(); ++i) {
      const std::string name = "v" + std::to_string(i);
      sets.push_back(MakeSet(name, row.sizes[i], static_cast<int>(i), most));
      expected[name] = row.expected[i];
    }
    const api::Object d = MakeDeployment(row.wanted, std::to_string(row.surge), "1");
    for (const SetSize& share : ProportionalSizes(d, sets, V136()))
      got[std::string(share.set.name())] = share.size;
    EXPECT_EQ(got, expected) << row.name;
  }
}

// CTRL-D-11: TestGetReplicaSetFraction, seen in the second share of two.
TEST(DeploymentScaling, WithoutItsAnnotationASetKeepsItsShareOfTheStatus) {
  struct Row {
    int wanted, status, surge, size;
    const char* annotation;
    int share;
  };
  for (const Row& row : std::vector<Row>{{10, 0, 0, 5, "", 0},
                                         {10, 0, 0, 5, "0", 0},
                                         {120, 100, 0, 50, "", 10},
                                         {120, 100, 0, 50, "0", 10},
                                         {120, 0, 0, 50, "100", 10},
                                         {120, 0, 10, 50, "110", 9},
                                         {10, 0, 0, 6, "12", -1},
                                         {100, 0, 10, 50, "130", -8}}) {
    const api::Object d =
        MakeDeployment(row.wanted, std::to_string(row.surge), "1", "RollingUpdate", row.status);
    // The larger one comes first, has no share, and takes what is left over.
    const std::string most = std::to_string(row.wanted + row.surge);
    const ReplicaSetList sets = {MakeSet("a", row.size, 1, row.annotation),
                                 MakeSet("b", row.size + 1, 2, most)};
    const std::vector<SetSize> shares = ProportionalSizes(d, sets, V136());
    ASSERT_EQ(shares.size(), 2u);
    EXPECT_EQ(shares[1].size - row.size, row.share) << row.annotation;
  }
}

// CTRL-D-11: at most one ReplicaSet has pods.
TEST(DeploymentScaling, TheOneThatHasPodsOrTheLatest) {
  NewAndOld sets;
  EXPECT_TRUE(FindActiveOrLatest(sets).empty());
  sets.old = {MakeSet("v1", 0, 1, ""), MakeSet("v2", 0, 2, "")};
  EXPECT_EQ(FindActiveOrLatest(sets).name(), "v2");
  sets.old[0] = MakeSet("v1", 1, 1, "");
  EXPECT_EQ(FindActiveOrLatest(sets).name(), "v1");
  sets.latest = MakeSet("v3", 0, 3, "");
  EXPECT_EQ(FindActiveOrLatest(sets).name(), "v1");
  sets.old[0] = MakeSet("v1", 0, 1, "");
  EXPECT_EQ(FindActiveOrLatest(sets).name(), "v3");
  sets.old[0] = MakeSet("v1", 1, 1, "");
  sets.old[1] = MakeSet("v2", 1, 2, "");
  EXPECT_TRUE(FindActiveOrLatest(sets).empty());
}

// CTRL-D-03: the oldest one of that template, whatever its hash; empty lists are none.
TEST(DeploymentScaling, TheNewSetIsTheOldestOfTheTemplate) {
  const auto with_template = [](std::string json, std::string name, int age) {
    return api::Object::FromTree(Json(fmt::format(
        R"({{"metadata":{{"name":"{}","uid":"{}","creationTimestamp":"2025-01-01T00:00:0{}Z"}},
           "spec":{{"template":{}}}}})",
        name, name, age, json)));
  };
  const char* const with_hash =
      R"({"metadata":{"labels":{"a":"b","pod-template-hash":"x"}},"spec":{"containers":[
         {"name":"c","resources":{},"env":[]}]}})";
  const char* const other = R"({"metadata":{"labels":{"a":"b"}},"spec":{"containers":[
         {"name":"d"}]}})";
  const api::Object d = with_template(
      R"({"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c"}]}})", "d", 0);
  ReplicaSetList sets = {with_template(with_hash, "newer", 3), with_template(with_hash, "older", 2),
                         with_template(other, "oldest", 1)};
  SortByAge(&sets);
  const api::Object found = FindNewReplicaSet(d, sets, V136());
  EXPECT_EQ(found.name(), "older");
  const ReplicaSetList old = FindOldReplicaSets(sets, found);
  ASSERT_EQ(old.size(), 2u);
  EXPECT_EQ(old[0].name(), "oldest");
  EXPECT_EQ(old[1].name(), "newer");
}

// CTRL-D-06
TEST(DeploymentRevisions, ASetThatIsUsedAgainRemembersWhatItWas) {
  const auto set = [](const std::string& revision, const std::string& history) {
    std::string annotations;
    if (!revision.empty())
      annotations += fmt::format(R"("{}":"{}")", kRevisionAnnotation, revision);
    if (!history.empty())
      annotations += fmt::format(R"(,"{}":"{}")", kRevisionHistoryAnnotation, history);
    return api::Object::FromTree(
        Json(fmt::format(R"({{"metadata":{{"name":"s","annotations":{{{}}}}}}})", annotations)));
  };
  const auto history = [&](const std::string& revision, const std::string& before, int next,
                           std::size_t max) {
    return std::string(
        WithNewSetAnnotations(MakeDeployment(1), set(revision, before), next, false, max)
            .Annotation(kRevisionHistoryAnnotation));
  };
  EXPECT_EQ(history("", "", 1, 2000), "");
  EXPECT_EQ(history("1", "", 3, 2000), "1");
  EXPECT_EQ(history("3", "1", 5, 2000), "1,3");
  EXPECT_EQ(history("5", "1,3", 7, 5), "1,3,5");
  EXPECT_EQ(history("5", "1,3", 7, 4), "3,5");
  EXPECT_EQ(history("500", "1,3", 700, 3), "500");
  EXPECT_EQ(history("500", "1,3", 700, 2), "1,3");
  EXPECT_EQ(history("5", "1", 5, 2000), "1");  // it is the highest already
  const api::Object kept = set("x", "");
  EXPECT_TRUE(WithNewSetAnnotations(MakeDeployment(1), kept, 2, false).SameVersion(kept));
  EXPECT_EQ(RevisionOf(kept), std::nullopt);
  EXPECT_EQ(MaxRevision({set("2", ""), set("9", ""), kept}), 9);
  EXPECT_EQ(LastRevision({set("2", ""), set("9", ""), set("5", "")}), 5);
  EXPECT_EQ(LastRevision({set("2", "")}), 0);
}

// CTRL-D-07, CTRL-D-06
TEST(DeploymentRevisions, AnnotationsAreCopiedBut) {
  const api::Object d = api::Object::FromTree(Json(
      R"({"metadata":{"name":"d","annotations":{"a":"b",
        "kubectl.kubernetes.io/last-applied-configuration":"{}",
        "deployment.kubernetes.io/revision":"7","deprecated.deployment.rollback.to":"1"}},
        "spec":{"replicas":4,"strategy":{"type":"RollingUpdate","rollingUpdate":{
        "maxSurge":"25%","maxUnavailable":0}}}})"));
  const api::Object set = api::Object::FromTree(Json(R"({"metadata":{"name":"s"}})"));
  EXPECT_EQ(value::ToJson(WithNewSetAnnotations(d, set, 2, true).annotations()),
            R"({"a":"b","deployment.kubernetes.io/desired-replicas":"4",)"
            R"("deployment.kubernetes.io/max-replicas":"5",)"
            R"("deployment.kubernetes.io/revision":"2"})");
  EXPECT_EQ(value::ToJson(WithNewSetAnnotations(d, set, 2, false).annotations()),
            R"({"a":"b","deployment.kubernetes.io/revision":"2"})");
}

// CTRL-D-11: a size in an annotation that is none.
TEST(DeploymentRevisions, WhichSizesInAnnotationsCount) {
  const Profile& v130 = controllers::ProfileOf(api::Compat::k1_30);
  const auto read = [](const char* text, const Profile& profile) {
    return ReplicasAnnotation(MakeSet("s", 1, 1, "3", text), kDesiredReplicasAnnotation, profile);
  };
  EXPECT_EQ(read("3", V136()), 3);
  EXPECT_EQ(read("-3", V136()), std::nullopt);
  EXPECT_EQ(read("-3", v130), -3);
  EXPECT_EQ(read("2147483648", V136()), std::nullopt);
  EXPECT_EQ(read("x", v130), std::nullopt);
}

}  // namespace
}  // namespace ksim::controllers::deployment
