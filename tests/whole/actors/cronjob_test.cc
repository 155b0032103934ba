// The CronJob controller against real API servers, in all versions; its Jobs end as the test says.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/controllers/cronjob/cronjob_controller.h"
#include "ksim/controllers/ttlafterfinished/ttl_after_finished_controller.h"
#include "ksim/value/timestamp.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

// The calendar begins at midnight, whose minute is 28928160.
std::string JobAt(int minute) { return fmt::format("c-{}", 28928160 + minute); }

class CronJobTest : public testing::TestWithParam<api::Compat> {
 protected:
  CronJobTest() : w(GetParam()) {
    w.StartController("cronjob", [](controllers::ControllerContext context) {
      return std::make_unique<controllers::CronJobController>(std::move(context));
    });
  }
  api::Response TryToMake(std::string_view schedule, std::string_view spec = {}) {
    return w.Do([&] {
      api::Request r = w.api.Request(api::Verb::kCreate, "cronjobs", "default", "");
      r.body = apiserver::Json(fmt::format(
          R"({{"apiVersion":"batch/v1","kind":"CronJob","metadata":{{"name":"c"}},"spec":{{
              "schedule":"{}",{}"jobTemplate":{{"metadata":{{"labels":{{"a":"b"}}}},"spec":{{
              "template":{{"spec":{{"restartPolicy":"Never","containers":[
              {{"name":"c","image":"i"}}]}}}}}}}}}}}})",
          schedule, spec));
      return r;
    }());
  }
  void Make(std::string_view schedule, std::string_view spec = {}) {
    const api::Response made = TryToMake(schedule, spec);
    ASSERT_EQ(made.code, 201) << made.status.message;
    w.Settle();
  }
  std::vector<std::string> Jobs() {
    std::vector<std::string> names;
    for (const api::Object& job : w.List("jobs")) names.emplace_back(job.name());
    return names;
  }
  value::Value Status(std::string_view field) { return w.Get("cronjobs", "c").status().Get(field); }
  std::vector<std::string> Active() {
    std::vector<std::string> names;
    const value::Value active = Status("active");
    for (const value::Value& job : active.items()) names.emplace_back(job.Get("name").AsString());
    return names;
  }
  void Finish(const std::string& job, bool well = true) {
    const std::string now = value::FormatTimestamp(w.api.sim.now());
    const std::string before =
        GetParam() == api::Compat::k1_36
            ? fmt::format(R"({{"type":"{}","status":"True","lastTransitionTime":"{}"}},)",
                          well ? "SuccessCriteriaMet" : "FailureTarget", now)
            : "";
    const api::Response r =
        w.Patch("jobs", job,
                fmt::format(R"({{"status":{{"startTime":"{0}",{1}"conditions":[{2}{{"type":"{3}",
            "status":"True","lastTransitionTime":"{0}"}}]}}}})",
                            now, well ? fmt::format(R"("completionTime":"{}",)", now) : "", before,
                            well ? "Complete" : "Failed"),
                "status");
    ASSERT_EQ(r.code, 200) << r.status.message;
    w.Settle();
  }
  ActorWorld w;
};

INSTANTIATE_TEST_SUITE_P(Compat, CronJobTest, testing::ValuesIn(kCompats),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// CTRL-CJ-01
TEST_P(CronJobTest, NamesAJobByItsMinute) {
  Make("*/5 * * * *");
  w.Advance(Minutes(5) - Seconds(5));
  EXPECT_THAT(Jobs(), IsEmpty());
  w.Advance(Seconds(8));
  EXPECT_THAT(Jobs(), ElementsAre(JobAt(5)));
  const api::Object job = w.Get("jobs", JobAt(5));
  EXPECT_EQ(job.controller()->name, "c");
  EXPECT_EQ(job.Label("a"), "b");
  EXPECT_EQ(job.Annotation("batch.kubernetes.io/cronjob-scheduled-timestamp"),
            GetParam() == api::Compat::k1_25 ? "" : "2025-01-01T00:05:00Z");
  EXPECT_THAT(Active(), ElementsAre(JobAt(5)));
  EXPECT_EQ(Status("lastScheduleTime").AsString(), "2025-01-01T00:05:00Z");
  EXPECT_THAT(w.EventTexts(), Contains("Normal SuccessfulCreate Created job " + JobAt(5)));
}

// CTRL-CJ-01: after a crash between the two writes the Job is there, and is not written down.
TEST_P(CronJobTest, DoesNotFindTheJobThatItHasMade) {
  Make("*/5 * * * *");
  w.Advance(Minutes(5));
  ASSERT_THAT(Active(), ElementsAre(JobAt(5)));
  w.Patch("cronjobs", "c", R"({"status":{"active":null,"lastScheduleTime":null}})", "status");
  w.Advance(Seconds(20));
  EXPECT_THAT(Active(), IsEmpty());
  EXPECT_THAT(Jobs(), ElementsAre(JobAt(5)));
  w.Advance(Minutes(8));
  EXPECT_THAT(Active(), ElementsAre(JobAt(10)));
  EXPECT_THAT(w.EventTexts(), Contains("Warning UnexpectedJob Saw a job that the controller did "
                                       "not create or forgot: " +
                                       JobAt(5)));
}

// CTRL-CJ-03
TEST_P(CronJobTest, KeepsToItsConcurrencyPolicy) {
  Make("*/5 * * * *", R"("concurrencyPolicy":"Forbid",)");
  w.Advance(Minutes(11));
  EXPECT_THAT(Jobs(), ElementsAre(JobAt(5)));
  EXPECT_THAT(w.EventTexts(), Contains("Normal JobAlreadyActive Not starting job because prior "
                                       "execution is running and concurrency policy is Forbid"));
  // A start that was left out is made up for when the other has ended.
  Finish(JobAt(5));
  EXPECT_THAT(Jobs(), ElementsAre(JobAt(5), JobAt(10)));
  w.Patch("cronjobs", "c", R"({"spec":{"concurrencyPolicy":"Replace"}})");
  w.Advance(Minutes(5));
  EXPECT_THAT(Jobs(), ElementsAre(JobAt(5), JobAt(15)));
  EXPECT_THAT(Active(), ElementsAre(JobAt(15)));
  EXPECT_THAT(w.EventTexts(), Contains("Normal SuccessfulDelete Deleted job " + JobAt(10)));
}

// CTRL-CJ-04
TEST_P(CronJobTest, StartsNothingTooLate) {
  Make("*/5 * * * *", R"("startingDeadlineSeconds":30,"suspend":true,)");
  w.Advance(Minutes(6));
  w.Patch("cronjobs", "c", R"({"spec":{"suspend":false}})");
  w.Settle();
  EXPECT_THAT(Jobs(), IsEmpty());
  w.Patch("cronjobs", "c", R"({"spec":{"startingDeadlineSeconds":300}})");
  w.Settle();
  EXPECT_THAT(Jobs(), ElementsAre(JobAt(5)));
}

// CTRL-CJ-02: of many starts that were missed the last one is made up for.
TEST_P(CronJobTest, MakesUpForTheLastStartAlone) {
  Make("* * * * *", R"("suspend":true,)");
  w.Advance(Minutes(150) + Seconds(10));
  w.Patch("cronjobs", "c", R"({"spec":{"suspend":false}})");
  w.Settle();
  EXPECT_THAT(Jobs(), ElementsAre(JobAt(150)));
  EXPECT_THAT(w.EventTexts(),
              Contains("Warning TooManyMissedTimes too many missed start times. Set or decrease "
                       ".spec.startingDeadlineSeconds or check clock skew"));
}

// CTRL-CJ-05
TEST_P(CronJobTest, KeepsAFewFinishedJobs) {
  Make("* * * * *", R"("successfulJobsHistoryLimit":2,"failedJobsHistoryLimit":1,)");
  for (int minute = 1; minute <= 6; ++minute) {
    w.Advance(Minutes(minute) + Seconds(3) - Duration(w.api.sim.now().ns()));
    Finish(JobAt(minute), minute > 2);
  }
  EXPECT_THAT(Jobs(), ElementsAre(JobAt(2), JobAt(5), JobAt(6)));
  EXPECT_THAT(Active(), IsEmpty());
  EXPECT_EQ(Status("lastSuccessfulTime").AsString(), "2025-01-01T00:06:03Z");
  EXPECT_THAT(
      w.EventTexts(),
      Contains(fmt::format("Normal SawCompletedJob Saw completed job: {}, {}: Failed", JobAt(1),
                           GetParam() == api::Compat::k1_36 ? "condition" : "status")));
}

// CTRL-CJ-07
TEST_P(CronJobTest, ForgetsAJobThatIsGone) {
  Make("*/5 * * * *");
  w.Advance(Minutes(5));
  api::DeleteOptions options;
  options.propagation_policy = "Background";
  w.Delete("jobs", JobAt(5), options);
  w.Settle();
  EXPECT_THAT(Active(), IsEmpty());
  EXPECT_THAT(w.EventTexts(), Contains("Normal MissingJob Active job went missing: " + JobAt(5)));
}

// CTRL-CJ-06
TEST_P(CronJobTest, GoesByItsTimeZone) {
  Make("30 1 * * *", R"("timeZone":"Europe/Berlin",)");
  w.Advance(Minutes(31));
  EXPECT_THAT(Jobs(), ElementsAre(JobAt(30)));
  if (GetParam() != api::Compat::k1_25) {
    EXPECT_EQ(
        w.Get("jobs", JobAt(30)).Annotation("batch.kubernetes.io/cronjob-scheduled-timestamp"),
        "2025-01-01T01:30:00+01:00");
  }
}

// CTRL-CJ-06
TEST_P(CronJobTest, IsRefusedWithoutATimeZone) {
  const api::Response r = TryToMake("30 1 * * *", R"("timeZone":"Mars/Olympus",)");
  EXPECT_EQ(r.code, 422);
  EXPECT_THAT(r.status.message.str(),
              testing::HasSubstr("spec.timeZone: Invalid value: \"Mars/Olympus\": unknown time "
                                 "zone Mars/Olympus"));
}

class TtlTest : public testing::TestWithParam<api::Compat> {
 protected:
  TtlTest() : w(GetParam()) {
    w.StartController("ttlafterfinished", [](controllers::ControllerContext context) {
      return std::make_unique<controllers::TtlAfterFinishedController>(std::move(context));
    });
  }
  ActorWorld w;
};

INSTANTIATE_TEST_SUITE_P(Compat, TtlTest, testing::ValuesIn(kCompats),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// CTRL-TTL-01
TEST_P(TtlTest, DeletesAJobAfterItsTime) {
  w.Create("jobs", R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"},"spec":{
      "ttlSecondsAfterFinished":60,"template":{"spec":{"restartPolicy":"Never","containers":[
      {"name":"c","image":"i"}]}}}})");
  w.Advance(Minutes(5));
  EXPECT_FALSE(w.Get("jobs", "j").empty());
  const auto end = [this](const std::string& before) {
    return w.Patch("jobs", "j",
                   R"({"status":{"startTime":"2025-01-01T00:05:00Z",
      "completionTime":"2025-01-01T00:05:00Z","conditions":[)" +
                       before + R"({"type":"Complete","status":"True",
      "lastTransitionTime":"2025-01-01T00:05:00Z"}]}})",
                   "status");
  };
  const std::string criteria = R"({"type":"SuccessCriteriaMet","status":"True",
      "lastTransitionTime":"2025-01-01T00:05:00Z"},)";
  EXPECT_EQ(end(GetParam() == api::Compat::k1_36 ? criteria : "").code, 200);
  w.Advance(Seconds(50));
  EXPECT_FALSE(w.Get("jobs", "j").deleting());
  w.Forget();
  w.Advance(Seconds(15));
  // In the foreground: the garbage collector would delete it.
  EXPECT_THAT(w.Writes(), ElementsAre("delete jobs/j"));
  EXPECT_THAT(w.Get("jobs", "j").finalizers(), ElementsAre("foregroundDeletion"));
}

}  // namespace
}  // namespace ksim
