// The parts of the Job controller alone. Cases of pkg/controller/job/*_test.go.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/controllers/job/index_intervals.h"
#include "ksim/controllers/job/indexed_pods.h"
#include "ksim/controllers/job/job_sync.h"
#include "ksim/controllers/job/pod_backoff.h"
#include "ksim/controllers/job/pod_failure_policy.h"
#include "ksim/value/json.h"
#include "ksim/value/timestamp.h"

namespace ksim::controllers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using value::Value;

const Profile& k130 = ProfileOf(api::Compat::k1_30);
const Profile& k136 = ProfileOf(api::Compat::k1_36);

api::Object ObjectOf(const std::string& json) {
  return api::Object::FromTree(*value::ParseJson(json));
}
VirtualTime SecondsIn(std::int64_t s) { return VirtualTime(Seconds(s).ns()); }

// A pod that ended `second` seconds after the begin.
api::Object EndedPod(std::int64_t second, const std::string& name = "p") {
  return ObjectOf(fmt::format(
      R"({{"metadata":{{"name":"{}","uid":"u-{}"}},"status":{{"containerStatuses":[
          {{"state":{{"terminated":{{"finishedAt":"{}"}}}}}}]}}}})",
      name, name, value::FormatTimestamp(SecondsIn(second))));
}

api::Object IndexedPod(const std::string& index, const std::string& phase,
                       const std::string& more = "") {
  return ObjectOf(fmt::format(
      R"({{"metadata":{{"name":"p-{0}","uid":"u-{0}-{1}","annotations":{{
          "batch.kubernetes.io/job-completion-index":"{0}"{2}}},
          "finalizers":["batch.kubernetes.io/job-tracking"]}},"status":{{"phase":"{1}"}}}})",
      index, phase, more));
}

// CTRL-JOB-10
TEST(IndexIntervals, ReadsAndWritesThem) {
  const std::tuple<const char*, int, const char*> table[] = {{"", 10, ""},
                                                             {"0", 10, "0"},
                                                             {"0,1", 10, "0,1"},
                                                             {"0,1,2", 10, "0-2"},
                                                             {"0-5,8-10", 8, "0-5"},
                                                             {"0-5,8-10", 10, "0-5,8,9"},
                                                             {"0,4,5,10-12", 13, "0,4,5,10-12"},
                                                             {"x,3,5-y,7", 10, "3,7"},
                                                             {"9", 9, ""}};
  for (const auto& [text, completions, want] : table)
    EXPECT_EQ(IndexIntervals::Parse(text, completions).ToString(), want) << text;
}

// CTRL-JOB-10
TEST(IndexIntervals, MergesThem) {
  const auto with = [](const char* before, const IndexSet& more) {
    return IndexIntervals::Parse(before, 100).With(more).ToString();
  };
  EXPECT_EQ(with("0,4,5,10-12", {2, 7, 8}), "0,2,4,5,7,8,10-12");
  EXPECT_EQ(with("3,4,6", {2, 7, 8}), "2-4,6-8");
  EXPECT_EQ(with("2,7,8", {3, 4, 6}), "2-4,6-8");
  EXPECT_EQ(with("2-7", {0, 3, 5, 9}), "0,2-7,9");
  const IndexIntervals some = IndexIntervals::Parse("0,2-4,9", 100);
  EXPECT_EQ(some.Total(), 5);
  for (const std::int64_t index : {0, 2, 3, 4, 9}) EXPECT_TRUE(some.Has(index));
  for (const std::int64_t index : {1, 5, 8, 10}) EXPECT_FALSE(some.Has(index));
}

// CTRL-JOB-10
TEST(IndexedPods, FindsWhatIsPending) {
  const auto pending = [](const char* busy, std::int64_t count, std::int64_t completions) {
    return FirstPendingIndexes(IndexIntervals::Parse(busy, 100), count, completions);
  };
  EXPECT_THAT(pending("", 5, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(pending("", 2, 5), ElementsAre(0, 1));
  EXPECT_THAT(pending("0,1", 3, 10), ElementsAre(2, 3, 4));
  EXPECT_THAT(pending("4-6", 6, 6), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(pending("2-5,8,9", 5, 20), ElementsAre(0, 1, 6, 7, 10));
  EXPECT_THAT(pending("1-3,5-7,9", 5, 20), ElementsAre(0, 4, 8, 10, 11));
  EXPECT_THAT(pending("0-9", 5, 10), IsEmpty());
}

// CTRL-JOB-10
TEST(IndexedPods, RemovesWhatNoIndexNeeds) {
  JobPods remove, left;
  SplitByIndex({IndexedPod("1", "Running"), IndexedPod("1", "Pending"), IndexedPod("0", "Running"),
                IndexedPod("7", "Running"), IndexedPod("x", "Running")},
               5, k136, &remove, &left);
  std::vector<std::string> left_uids, removed;
  for (const api::Object& pod : left) left_uids.emplace_back(pod.uid());
  for (const api::Object& pod : remove) removed.emplace_back(pod.uid());
  EXPECT_THAT(left_uids, ElementsAre("u-0-Running", "u-1-Running"));
  EXPECT_THAT(removed, ElementsAre("u-x-Running", "u-1-Pending", "u-7-Running"));
}

// CTRL-JOB-10
TEST(IndexedPods, GivesAPodItsIndex) {
  const api::Object job = ObjectOf(R"({"spec":{"completionMode":"Indexed","completions":3,
      "backoffLimitPerIndex":2}})");
  const JobSpec spec(job, k136);
  const Value base = *value::ParseJson(
      R"({"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c"}]}})");
  const Value pod = TemplateForIndex(WithIndexVariable(base, k136), "j", 1, spec,
                                     IndexedPod("1", "Failed"), k136);
  EXPECT_EQ(value::ToJson(pod),
            R"({"metadata":{"annotations":{"batch.kubernetes.io/job-completion-index":"1",)"
            R"("batch.kubernetes.io/job-index-failure-count":"1"},"labels":{"a":"b",)"
            R"("batch.kubernetes.io/job-completion-index":"1"}},"spec":{"containers":[{"env":[)"
            R"({"name":"JOB_COMPLETION_INDEX","valueFrom":{"fieldRef":{"fieldPath":)"
            R"("metadata.labels['batch.kubernetes.io/job-completion-index']"}}}],"name":"c"}],)"
            R"("hostname":"j-1"}})");
  EXPECT_EQ(GenerateNameForIndex("j", 1), "j-1-");
  EXPECT_EQ(GenerateNameForIndex(std::string(60, 'a'), 12), std::string(54, 'a') + "-12-");
}

// CTRL-JOB-05
TEST(PodBackoff, DoublesWithEachFailure) {
  const VirtualTime last = SecondsIn(100);
  const std::tuple<int, int, int> table[] = {// failures, seconds since the last, seconds left
                                             {0, 0, 0},   {1, 0, 10},  {1, 1, 9},
                                             {1, 10, 0},  {1, 11, 0},  {3, 0, 40},
                                             {6, 0, 320}, {7, 0, 600}, {50, 0, 600}};
  for (const auto& [failures, since, left] : table)
    EXPECT_EQ(RemainingBackoff(failures, last, last + Seconds(since)).ns(), Seconds(left).ns())
        << failures;
}

// CTRL-JOB-05
TEST(PodBackoff, CountsFailuresSinceTheLastSuccess) {
  PodBackoffStore store(k136);
  const auto next = [&](std::vector<api::Object> succeeded, std::vector<api::Object> failed) {
    const BackoffRecord record = store.Next("key", std::move(succeeded), std::move(failed));
    return std::pair(record.failures_after_last_success,
                     record.last_failure ? record.last_failure->ns() / Seconds(1).ns() : -1);
  };
  using Record = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(next({}, {}), Record(0, -1));
  EXPECT_EQ(next({}, {EndedPod(10)}), Record(1, 10));
  EXPECT_EQ(next({}, {EndedPod(10), EndedPod(9)}), Record(2, 10));
  EXPECT_EQ(next({EndedPod(10)}, {EndedPod(8), EndedPod(9)}), Record(0, -1));
  EXPECT_EQ(next({EndedPod(8)}, {EndedPod(10), EndedPod(6), EndedPod(7), EndedPod(9)}),
            Record(2, 10));
  EXPECT_EQ(next({EndedPod(10)}, {EndedPod(10)}), Record(0, -1));
  BackoffRecord two;
  two.failures_after_last_success = 2;
  store.Update("key", two);
  EXPECT_EQ(next({}, {EndedPod(10)}), Record(3, 10));
  store.Remove("key");
  EXPECT_EQ(next({}, {EndedPod(10)}), Record(1, 10));
}

// CTRL-JOB-06
TEST(PodBackoff, KnowsWhenAPodEnded) {
  const auto ended = [](const std::string& json, const Profile& profile) {
    return PodFinishedAt(ObjectOf(json), profile).ns() / Seconds(1).ns();
  };
  const std::string ready = R"("conditions":[{"type":"Ready","status":"False",
      "lastTransitionTime":"2025-01-01T00:00:20Z"}])";
  const std::string created = R"("metadata":{"creationTimestamp":"2025-01-01T00:00:01Z")";
  EXPECT_EQ(ended("{" + created + R"(},"status":{"containerStatuses":[
      {"state":{"terminated":{"finishedAt":"2025-01-01T00:00:07Z"}}},
      {"state":{"terminated":{"finishedAt":"2025-01-01T00:00:09Z"}}}],)" +
                      ready + "}}",
                  k136),
            9);
  EXPECT_EQ(ended("{" + created + R"(},"status":{"containerStatuses":[
      {"state":{"terminated":{"finishedAt":"2025-01-01T00:00:07Z"}}},{"state":{"running":{}}}],)" +
                      ready + "}}",
                  k136),
            20);
  EXPECT_EQ(ended("{" + created + R"(,"deletionTimestamp":"2025-01-01T00:01:00Z",
      "deletionGracePeriodSeconds":30}})",
                  k136),
            30);
  EXPECT_EQ(ended("{" + created + "}}", k136), 1);
  // A sidecar ends last, and counts from 1.31 on.
  const std::string sidecar = "{" + created + R"(},"spec":{"initContainers":[{"name":"s",
      "restartPolicy":"Always"}]},"status":{"containerStatuses":[
      {"state":{"terminated":{"finishedAt":"2025-01-01T00:00:07Z"}}}],"initContainerStatuses":[
      {"name":"s","state":{"terminated":{"finishedAt":"2025-01-01T00:00:11Z"}}}]}})";
  EXPECT_EQ(ended(sidecar, k136), 11);
  EXPECT_EQ(ended(sidecar, k130), 7);
}

Value Policy(const std::string& rules) { return *value::ParseJson(R"({"rules":[)" + rules + "]}"); }

// CTRL-JOB-12
TEST(PodFailurePolicy, TakesTheFirstRuleThatMatches) {
  const api::Object pod = ObjectOf(R"({"metadata":{"name":"p","namespace":"default"},"status":{
      "phase":"Failed","conditions":[{"type":"DisruptionTarget","status":"True"}],
      "initContainerStatuses":[{"name":"i","state":{"terminated":{"exitCode":3}}}],
      "containerStatuses":[{"name":"ok","state":{"terminated":{"exitCode":0}}},
                           {"name":"main","state":{"terminated":{"exitCode":2}}}]}})");
  const auto rule = [](const char* action, const char* what) {
    return fmt::format(R"({{"action":"{}",{}}})", action, what);
  };
  const char* kTwo = R"("onExitCodes":{"operator":"In","values":[1,2]})";
  const char* kInit = R"("onExitCodes":{"operator":"In","values":[3]})";
  const char* kNotTwo = R"("onExitCodes":{"operator":"NotIn","values":[2]})";
  const char* kOther = R"("onExitCodes":{"containerName":"ok","operator":"In","values":[2]})";
  const char* kDisrupted = R"("onPodConditions":[{"type":"DisruptionTarget","status":"True"}])";
  EXPECT_EQ(MatchPodFailurePolicy(Policy(rule("FailJob", kTwo)), pod).fails_job,
            "Container main for pod default/p failed with exit code 2 matching FailJob rule at "
            "index 0");
  EXPECT_EQ(
      MatchPodFailurePolicy(Policy(rule("Count", kOther) + "," + rule("FailJob", kDisrupted)), pod)
          .fails_job,
      "Pod default/p has condition DisruptionTarget matching FailJob rule at index 1");
  EXPECT_FALSE(MatchPodFailurePolicy(Policy(rule("Ignore", kInit)), pod).counts);
  EXPECT_FALSE(MatchPodFailurePolicy(Policy(rule("Ignore", kNotTwo)), pod).counts);
  EXPECT_TRUE(MatchPodFailurePolicy(Policy(rule("Ignore", kOther)), pod).counts);
  EXPECT_TRUE(MatchPodFailurePolicy(Policy(rule("FailIndex", kTwo)), pod).fails_index);
  const PodFailureMatch first =
      MatchPodFailurePolicy(Policy(rule("Count", kTwo) + "," + rule("FailJob", kTwo)), pod);
  EXPECT_TRUE(first.counts);
  EXPECT_FALSE(first.fails_job);
  EXPECT_TRUE(MatchPodFailurePolicy(Value(), pod).counts);
}

// CTRL-JOB-13
TEST(SuccessPolicy, IsMetByIndexesOrTheirNumber) {
  const auto met = [](const std::string& rules, const char* succeeded) {
    return MatchSuccessPolicy(Policy(rules), 10, IndexIntervals::Parse(succeeded, 10)).value_or("");
  };
  EXPECT_EQ(met(R"({"succeededIndexes":"0-2"})", "0-2,5"), "Matched rules at index 0");
  EXPECT_EQ(met(R"({"succeededIndexes":"0-2"})", "0,1,5"), "");
  EXPECT_EQ(met(R"({"succeededIndexes":"0-4","succeededCount":2})", "1,3"),
            "Matched rules at index 0");
  EXPECT_EQ(met(R"({"succeededIndexes":"0-4","succeededCount":2})", "1,5,6"), "");
  EXPECT_EQ(met(R"({"succeededIndexes":"x"},{"succeededCount":3})", "1,5,6"),
            "Matched rules at index 1");
  EXPECT_EQ(met(R"({"succeededCount":1})", ""), "");
}

JobSync SyncOf(const std::string& spec, const std::string& status, JobPods pods,
               const Profile& profile) {
  return JobSync(ObjectOf(fmt::format(
                     R"({{"metadata":{{"name":"j","namespace":"default"}},"spec":{{{}}},
                         "status":{{{}}}}})",
                     spec, status)),
                 profile, std::move(pods), {});
}

api::Object PlainPod(const std::string& name, const std::string& phase, int restarts = 0) {
  return ObjectOf(fmt::format(
      R"({{"metadata":{{"name":"{0}","uid":"u-{0}",
          "finalizers":["batch.kubernetes.io/job-tracking"]}},"status":{{"phase":"{1}",
          "containerStatuses":[{{"restartCount":{2}}}]}}}})",
      name, phase, restarts));
}

// CTRL-JOB-04
TEST(JobSync, EndsWithOneFailureMoreThanItsLimit) {
  const auto ends = [](const std::string& spec, const std::string& status, JobPods pods,
                       const Profile& profile) {
    JobSync sync = SyncOf(spec, status, std::move(pods), profile);
    sync.CountFinished(PodBackoffStore(profile));
    sync.EvaluateFailure(SecondsIn(100));
    return sync.finished ? sync.finished->type + " " + sync.finished->reason : std::string();
  };
  const std::string limit = R"("backoffLimit":2)";
  EXPECT_EQ(ends(limit, R"("failed":1)", {PlainPod("a", "Failed")}, k136), "");
  EXPECT_EQ(ends(limit, R"("failed":2)", {PlainPod("a", "Failed")}, k136),
            "FailureTarget BackoffLimitExceeded");
  EXPECT_EQ(ends(limit, R"("failed":2)", {PlainPod("a", "Failed")}, k130),
            "Failed BackoffLimitExceeded");
  const std::string restarts =
      R"("backoffLimit":2,"template":{"spec":{"restartPolicy":"OnFailure"}})";
  EXPECT_EQ(ends(restarts, "", {PlainPod("a", "Running", 1)}, k136), "");
  EXPECT_EQ(ends(restarts, "", {PlainPod("a", "Running", 1), PlainPod("b", "Pending", 1)}, k136),
            "FailureTarget BackoffLimitExceeded");
  const std::string none = R"("backoffLimit":0,"template":{"spec":{"restartPolicy":"OnFailure"}})";
  EXPECT_EQ(ends(none, "", {PlainPod("a", "Running", 0)}, k136), "");
  const std::string deadline = R"("activeDeadlineSeconds":50)";
  EXPECT_EQ(ends(deadline, R"("startTime":"2025-01-01T00:00:50Z")", {}, k130),
            "Failed DeadlineExceeded");
  EXPECT_EQ(ends(deadline, R"("startTime":"2025-01-01T00:00:51Z")", {}, k130), "");
}

// CTRL-JOB-02
TEST(JobSync, WantsAsManyPodsAsAreLeftToSucceed) {
  const auto wants = [](const std::string& spec, const std::string& status, JobPods pods) {
    JobSync sync = SyncOf(spec, status, std::move(pods), k136);
    sync.CountFinished(PodBackoffStore(k136));
    return sync.WantedActive();
  };
  EXPECT_EQ(wants(R"("parallelism":2,"completions":5)", "", {}), 2);
  EXPECT_EQ(wants(R"("parallelism":2,"completions":5)", R"("succeeded":4)", {}), 1);
  EXPECT_EQ(wants(R"("parallelism":2,"completions":5)", R"("succeeded":6)", {}), 0);
  // Without a number of completions, pods that run go on after a success, and no new ones come.
  EXPECT_EQ(wants(R"("parallelism":3)", "", {}), 3);
  EXPECT_EQ(wants(R"("parallelism":3)", "",
                  {PlainPod("a", "Succeeded"), PlainPod("b", "Running"), PlainPod("c", "Pending")}),
            2);
}

}  // namespace
}  // namespace ksim::controllers
