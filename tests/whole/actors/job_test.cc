// The Job controller against real API servers, in all versions. Pods end as the test says.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ksim/api/conditions.h"
#include "ksim/api/pod.h"
#include "ksim/controllers/job/job_controller.h"
#include "ksim/value/timestamp.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

class JobTest : public testing::TestWithParam<api::Compat> {
 protected:
  JobTest() : w(GetParam()) { StartController(); }
  void StartController() {
    w.StartController("job", [](controllers::ControllerContext context) {
      return std::make_unique<controllers::JobController>(std::move(context));
    });
  }
  bool Is136() const { return GetParam() == api::Compat::k1_36; }
  bool Is125() const { return GetParam() == api::Compat::k1_25; }
  void MakeJob(std::string_view spec = {}, std::string_view restart = "Never",
               std::string_view annotations = {}) {
    const std::string with_template =
        fmt::format(R"("template":{{"spec":{{"restartPolicy":"{}",)"
                    R"("containers":[{{"name":"c","image":"i"}}]}}}})",
                    restart);
    w.Create("jobs",
             fmt::format(R"({{"apiVersion":"batch/v1","kind":"Job","metadata":{{"name":"j"{}}},)"
                         R"("spec":{{{}{}}}}})",
                         annotations, spec, with_template));
    w.Settle();
  }
  api::Object Job() { return w.Get("jobs", "j"); }
  value::Value Status(std::string_view field) { return Job().status().Get(field); }
  std::int64_t Count(std::string_view field) { return Status(field).AsInt(); }
  // "Complete=True", in the order in which they stand.
  std::vector<std::string> Conditions() {
    std::vector<std::string> out;
    const value::Value all = Status("conditions");
    for (const value::Value& c : all.items())
      out.push_back(fmt::format("{}={}", c.Get("type").AsString(), c.Get("status").AsString()));
    return out;
  }
  std::string ReasonOf(std::string_view type) {
    const value::Value all = Status("conditions");
    const value::Value* found = api::FindCondition(all, type);
    return found == nullptr ? "" : std::string(found->Get("reason").AsString());
  }
  std::vector<api::Object> ActivePods() {
    std::vector<api::Object> pods = w.List("pods");
    std::erase_if(pods, [](const api::Object& pod) { return !api::PodView(pod).active(); });
    return pods;
  }
  // As a kubelet would write it.
  void End(std::string_view pod, int code, std::string_view more = {}) {
    w.Patch("pods", pod,
            fmt::format(R"({{"status":{{"phase":"{}","containerStatuses":[{{"name":"c","image":"i",
                "imageID":"","ready":false,"restartCount":0,"state":{{"terminated":{{
                "exitCode":{},"finishedAt":"{}"}}}}}}]{}}}}})",
                        code == 0 ? "Succeeded" : "Failed", code,
                        value::FormatTimestamp(w.api.sim.now()), more),
            "status");
  }
  void EndAll(int code) {
    for (const api::Object& pod : ActivePods()) End(pod.name(), code);
    w.Settle();
  }
  void Start(std::string_view pod) {
    w.Patch("pods", pod, R"({"status":{"phase":"Running","conditions":[
        {"type":"Ready","status":"True","lastTransitionTime":"2025-01-01T00:00:00Z"}]}})",
            "status");
  }
  ActorWorld w;
};

INSTANTIATE_TEST_SUITE_P(Compat, JobTest, testing::ValuesIn(kCompats),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// CTRL-JOB-01: told, freed, counted.
TEST_P(JobTest, CountsAPodInThreeSteps) {
  MakeJob();
  const std::vector<api::Object> pods = w.List("pods");
  ASSERT_THAT(pods, SizeIs(1));
  EXPECT_THAT(pods[0].finalizers(), ElementsAre("batch.kubernetes.io/job-tracking"));
  EXPECT_EQ(Count("active"), 1);
  EXPECT_EQ(Status("ready").AsInt(), 0);
  EXPECT_EQ(w.EventTexts().back(),
            "Normal SuccessfulCreate Created pod: " + std::string(pods[0].name()));
  w.Forget();
  EndAll(0);
  const std::vector<std::string> steps = {
      "update jobs/j/status", "patch pods/" + std::string(pods[0].name()), "update jobs/j/status"};
  std::vector<std::string> writes = w.Writes();
  // In 1.25 the cache does not show the end yet at the next sync, whose write is refused.
  if (Is125() && writes.size() > steps.size()) writes.resize(steps.size());
  EXPECT_EQ(writes, steps);
  EXPECT_EQ(Count("succeeded"), 1);
  EXPECT_EQ(Count("active"), 0);
  EXPECT_TRUE(Status("uncountedTerminatedPods").empty());
  EXPECT_THAT(w.List("pods").at(0).finalizers(), IsEmpty());
}

// CTRL-JOB-01: the first of the three steps is enough for the next incarnation to go on.
TEST_P(JobTest, CountsWhatWasToldBeforeACrash) {
  MakeJob(R"("completions":2,)");
  const std::string pod = w.TheOnlyPod();
  const std::string uid(w.Get("pods", pod).uid());
  w.Patch("jobs", "j",
          fmt::format(R"({{"status":{{"uncountedTerminatedPods":{{"succeeded":["{}"]}}}}}})", uid),
          "status");
  End(pod, 0);
  w.Settle();
  EXPECT_EQ(Count("succeeded"), 1);
  EXPECT_THAT(ActivePods(), SizeIs(1));
}

// CTRL-JOB-04: the conditions of each version, in their order.
TEST_P(JobTest, AnnouncesItsEnd) {
  MakeJob();
  EndAll(0);
  if (Is136()) {
    EXPECT_THAT(Conditions(), ElementsAre("SuccessCriteriaMet=True", "Complete=True"));
    EXPECT_EQ(ReasonOf("Complete"), "CompletionsReached");
  } else {
    EXPECT_THAT(Conditions(), ElementsAre("Complete=True"));
    EXPECT_EQ(ReasonOf("Complete"), "");
  }
  EXPECT_FALSE(Status("completionTime").is_null());
  EXPECT_THAT(w.EventTexts(), Contains("Normal Completed Job completed"));
}

// CTRL-JOB-04
TEST_P(JobTest, FailsOnTheFailureAfterItsLimit) {
  MakeJob(R"("backoffLimit":1,)");
  EndAll(1);
  EXPECT_THAT(Conditions(), IsEmpty());
  w.Advance(Seconds(15));
  ASSERT_THAT(ActivePods(), SizeIs(1));
  EndAll(1);
  w.Advance(Seconds(30));
  EXPECT_EQ(Count("failed"), 2);
  EXPECT_EQ(ReasonOf("Failed"), "BackoffLimitExceeded");
  if (Is136()) {
    EXPECT_THAT(Conditions(), ElementsAre("FailureTarget=True", "Failed=True"));
  }
  EXPECT_THAT(w.EventTexts(), Contains("Warning BackoffLimitExceeded Job has reached the "
                                       "specified backoff limit"));
  EXPECT_THAT(ActivePods(), IsEmpty());
}

// CTRL-JOB-05
TEST_P(JobTest, WaitsLongerAfterEachFailure) {
  if (Is125()) return;  // there the write of the status wakes the Job
  MakeJob();
  EndAll(1);
  w.Advance(Seconds(6));  // 8 s after the failure
  EXPECT_THAT(ActivePods(), IsEmpty());
  w.Advance(Seconds(5));
  EXPECT_THAT(ActivePods(), SizeIs(1));
  EndAll(1);
  w.Advance(Seconds(15));
  EXPECT_THAT(ActivePods(), IsEmpty());
  w.Advance(Seconds(6));
  EXPECT_THAT(ActivePods(), SizeIs(1));
}

// CTRL-JOB-02
TEST_P(JobTest, KeepsItsParallelism) {
  MakeJob(R"("parallelism":2,"completions":3,)");
  EXPECT_THAT(ActivePods(), SizeIs(2));
  End(ActivePods().front().name(), 0);
  w.Settle();
  EXPECT_THAT(ActivePods(), SizeIs(2));
  EndAll(0);
  EXPECT_EQ(Count("succeeded"), 3);
  EXPECT_THAT(w.List("pods"), SizeIs(3));
  EXPECT_THAT(Conditions(), Contains("Complete=True"));
}

// CTRL-JOB-03: less parallelism deletes, and creates nothing in the same sync.
TEST_P(JobTest, DeletesWhatIsTooMany) {
  MakeJob(R"("parallelism":3,"completions":5,)");
  const std::vector<api::Object> pods = ActivePods();
  Start(pods[1].name());
  w.Settle();
  w.Forget();
  w.Patch("jobs", "j", R"({"spec":{"parallelism":1}})");
  w.Settle();
  const std::vector<std::string> writes = w.Writes();
  EXPECT_THAT(writes, Not(Contains(StartsWith("create pods"))));
  EXPECT_EQ(std::count_if(writes.begin(), writes.end(),
                          [](const std::string& t) { return t.starts_with("delete pods/"); }),
            2);
  ASSERT_THAT(ActivePods(), SizeIs(1));
  EXPECT_EQ(ActivePods()[0].name(), pods[1].name());
}

// CTRL-JOB-07
TEST_P(JobTest, SuspendsAndResumes) {
  MakeJob(R"("suspend":true,)");
  EXPECT_THAT(w.List("pods"), IsEmpty());
  EXPECT_THAT(Conditions(), ElementsAre("Suspended=True"));
  EXPECT_TRUE(Status("startTime").is_null());
  EXPECT_THAT(w.EventTexts(), Contains("Normal Suspended Job suspended"));
  w.Forget();
  w.Patch("jobs", "j", R"({"spec":{"suspend":false}})");
  w.Settle();
  EXPECT_THAT(ActivePods(), SizeIs(1));
  EXPECT_THAT(Conditions(), ElementsAre("Suspended=False"));
  EXPECT_FALSE(Status("startTime").is_null());
  EXPECT_THAT(w.EventTexts(), Contains("Normal Resumed Job resumed"));
  w.Patch("jobs", "j", R"({"spec":{"suspend":true}})");
  w.Settle();
  EXPECT_THAT(ActivePods(), IsEmpty());
  EXPECT_EQ(Status("startTime").is_null(), Is136());
}

// CTRL-JOB-07
TEST_P(JobTest, EndsAtItsDeadline) {
  MakeJob(R"("activeDeadlineSeconds":60,)");
  w.Advance(Seconds(55));
  EXPECT_THAT(Conditions(), IsEmpty());
  w.Advance(Seconds(10));
  EXPECT_EQ(ReasonOf("Failed"), "DeadlineExceeded");
  EXPECT_THAT(ActivePods(), IsEmpty());
  EXPECT_THAT(w.EventTexts(), Contains("Warning DeadlineExceeded Job was active longer than "
                                       "specified deadline"));
}

// CTRL-JOB-10
TEST_P(JobTest, GivesEachIndexAPod) {
  MakeJob(R"("completionMode":"Indexed","parallelism":2,"completions":3,)");
  std::vector<std::string> prefixes;
  for (const api::Object& pod : w.List("pods")) prefixes.emplace_back(pod.generate_name());
  EXPECT_THAT(prefixes, ElementsAre("j-0-", "j-1-"));
  End(w.List("pods")[1].name(), 0);
  w.Settle();
  EXPECT_EQ(Status("completedIndexes").AsString(), "1");
  EndAll(0);
  EXPECT_EQ(Status("completedIndexes").AsString(), "0-2");
  EXPECT_EQ(Count("succeeded"), 3);
  EXPECT_THAT(Conditions(), Contains("Complete=True"));
}

// CTRL-JOB-11
TEST_P(JobTest, GivesUpAnIndexThatFailsTooOften) {
  if (Is125()) return;  // without the gate JobBackoffLimitPerIndex
  MakeJob(
      R"("completionMode":"Indexed","parallelism":2,"completions":2,"backoffLimitPerIndex":1,)");
  const std::vector<api::Object> pods = w.List("pods");
  End(pods[0].name(), 1);
  End(pods[1].name(), 0);
  w.Settle();
  // It keeps its finalizer until another pod has its count of failures.
  EXPECT_THAT(w.Get("pods", pods[0].name()).finalizers(), SizeIs(1));
  w.Advance(Seconds(15));
  ASSERT_THAT(ActivePods(), SizeIs(1));
  EXPECT_EQ(ActivePods()[0].Annotation("batch.kubernetes.io/job-index-failure-count"), "1");
  EXPECT_THAT(w.Get("pods", pods[0].name()).finalizers(), IsEmpty());
  EndAll(1);
  EXPECT_EQ(Status("failedIndexes").AsString(), "0");
  EXPECT_EQ(Status("completedIndexes").AsString(), "1");
  EXPECT_EQ(ReasonOf("Failed"), "FailedIndexes");
}

// CTRL-JOB-12
TEST_P(JobTest, FollowsItsFailurePolicy) {
  if (Is125()) return;  // without the gate JobPodFailurePolicy
  MakeJob(R"("podFailurePolicy":{"rules":[
      {"action":"Ignore","onExitCodes":{"operator":"In","values":[2]}},
      {"action":"FailJob","onExitCodes":{"operator":"In","values":[42]}}]},)");
  EndAll(2);
  EXPECT_EQ(Count("failed"), 0);
  w.Advance(Seconds(15));
  EndAll(42);
  EXPECT_EQ(Count("failed"), 1);
  EXPECT_THAT(Conditions(), ElementsAre("FailureTarget=True", "Failed=True"));
  EXPECT_EQ(ReasonOf("Failed"), "PodFailurePolicy");
}

// CTRL-JOB-13
TEST_P(JobTest, FollowsItsSuccessPolicy) {
  if (!Is136()) return;  // without the gate JobSuccessPolicy
  MakeJob(R"("completionMode":"Indexed","parallelism":3,"completions":3,
      "successPolicy":{"rules":[{"succeededIndexes":"1"}]},)");
  const std::vector<api::Object> pods = w.List("pods");
  for (const api::Object& pod : pods) Start(pod.name());
  End(pods[1].name(), 0);
  w.Settle();
  w.Settle();
  EXPECT_THAT(ActivePods(), IsEmpty());
  EXPECT_THAT(Conditions(), Contains("SuccessCriteriaMet=True"));
  EXPECT_EQ(ReasonOf("SuccessCriteriaMet"), "SuccessPolicy");
  EXPECT_EQ(Status("completedIndexes").AsString(), "1");
}

// CTRL-JOB-14
TEST_P(JobTest, ReplacesAPodThatHasEnded) {
  if (Is125()) return;
  MakeJob(R"("podReplacementPolicy":"Failed",)");
  const std::string pod = w.TheOnlyPod();
  w.Bind(pod, "n1");
  w.Delete("pods", pod);
  w.Advance(Seconds(15));
  EXPECT_THAT(ActivePods(), IsEmpty());
  EXPECT_EQ(Count("terminating"), 1);
  End(pod, 137);
  w.Advance(Seconds(15));
  EXPECT_THAT(ActivePods(), SizeIs(1));
  EXPECT_EQ(Count("failed"), 1);
}

// CTRL-JOB-14: by default a pod that is being deleted has failed.
TEST_P(JobTest, ReplacesAPodThatIsBeingDeleted) {
  MakeJob();
  const std::string pod = w.TheOnlyPod();
  w.Bind(pod, "n1");
  w.Delete("pods", pod);
  w.Advance(Seconds(15));
  EXPECT_THAT(ActivePods(), SizeIs(1));
  EXPECT_EQ(Count("failed"), 1);
}

// CTRL-JOB-15
TEST_P(JobTest, LeavesTheJobsOfOthersAlone) {
  MakeJob(R"("managedBy":"example.com/other",)");
  EXPECT_THAT(w.List("pods"), SizeIs(Is136() ? 0 : 1));
}

// CTRL-JOB-08
TEST_P(JobTest, LeavesAFinishedJobAlone) {
  MakeJob();
  EndAll(0);
  w.Advance(Seconds(5));
  w.Forget();
  w.Patch("jobs", "j", R"({"metadata":{"labels":{"a":"b"}}})");
  w.Settle();
  EXPECT_THAT(w.Writes(), IsEmpty());
}

// CTRL-JOB-16: nobody counts the pods of a Job that is gone; they lose the finalizer all the same.
TEST_P(JobTest, FreesThePodsOfADeletedJob) {
  MakeJob();
  const std::string pod = w.TheOnlyPod();
  api::DeleteOptions options;
  options.propagation_policy = "Background";
  w.Delete("jobs", "j", options);
  w.Advance(Seconds(5));
  EXPECT_THAT(w.Get("pods", pod).finalizers(), IsEmpty());
}

// CTRL-JOB-09
TEST_P(JobTest, AdoptsWithItsFinalizer) {
  w.Create("pods", PodJson("orphan"));
  w.Create("jobs", R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"},"spec":{
      "manualSelector":true,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{
      "labels":{"app":"web"}},"spec":{"restartPolicy":"Never","containers":[
      {"name":"c","image":"i"}]}}}})");
  w.Settle();
  w.Settle();
  const api::Object orphan = w.Get("pods", "orphan");
  ASSERT_TRUE(orphan.controller());
  EXPECT_EQ(orphan.controller()->name, "j");
  EXPECT_THAT(orphan.finalizers(), ElementsAre("batch.kubernetes.io/job-tracking"));
  EXPECT_THAT(w.List("pods"), SizeIs(1));
  w.Patch("pods", "orphan", R"({"metadata":{"labels":{"app":"other"}}})");
  w.Settle();
  EXPECT_FALSE(w.Get("pods", "orphan").controller());
  EXPECT_THAT(w.Get("pods", "orphan").finalizers(), IsEmpty());
}

}  // namespace
}  // namespace ksim
