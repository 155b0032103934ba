// schedule.once: the CronJob controller starts one Job for a time of the schedule. bugs 50.
//
// The name of a Job says the minute for which it was started. Each start is judged by what the sync
// can have known of its CronJob.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/timestamps.h"
#include "ksim/api/object.h"
#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"
#include "ksim/check/sync_views.h"
#include "ksim/controllers/cronjob/schedule_times.h"

namespace ksim::check {
namespace {

using value::Value;

const OracleInfo& ScheduleInfo() {
  static const OracleInfo info{
      "schedule.once",
      Guarantee::kSafety,
      "The CronJob controller starts a Job for a time that the schedule has and that has come, "
      "once, "
      "within its deadline, while the CronJob is not suspended; and with Forbid or Replace none "
      "beside one that goes on.",
      {sim::EventKind::kCommit, sim::EventKind::kFault},
      {"a CronJob of which the controller was not told when its sync began: any version that it "
       "can "
       "have known permits the start",
       "a start whose time did not get into the status, or was taken out of it by a user: it may "
       "be "
       "made again, once its Job is gone",
       "starts that were missed are left out but for the last one",
       "@every: its times follow from when it was first seen, so only their order is judged",
       "a skewed clock: what depends on the time is not judged any more",
       "Jobs that a user makes, or that are not in the CronJob's list of active ones"},
      "the CronJob controller started no Job"};
  return info;
}

std::string_view UidOf(const Value& tree) {
  return tree.Get(api::Fields().metadata).Get("uid").AsString();
}

bool IsOverJob(const Value& job) {
  for (const Value& condition : job.Get(api::Fields().status).Get("conditions").items()) {
    const std::string_view type = condition.Get("type").AsString();
    if ((type == "Complete" || type == "Failed") && condition.Get("status").AsString() == "True")
      return true;
  }
  return false;
}

bool Lists(const Value& cron_job, std::string_view job_uid) {
  const auto active = cron_job.Get(api::Fields().status).Get("active").items();
  return std::any_of(active.begin(), active.end(),
                     [job_uid](const Value& job) { return job.Get("uid").AsString() == job_uid; });
}

// The beginning of the minute in the name; nullopt if that is none of the controller's names.
std::optional<VirtualTime> MinuteOf(std::string_view job, std::string_view cron_job) {
  if (!job.starts_with(cron_job) || job.size() < cron_job.size() + 2) return std::nullopt;
  const std::string_view digits = job.substr(cron_job.size() + 1);
  std::int64_t minute = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), minute);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return VirtualTime() + Seconds(minute * 60 - kEpochUnixSeconds);
}

class ScheduleOnce : public Oracle {
 public:
  ScheduleOnce() : Oracle(ScheduleInfo()) {}

  void On(const Facts& facts, const Observation& o) override {
    if (o.kind == sim::EventKind::kFault) {
      skewed_ = skewed_ || o.verb == "skewClock";
      return;
    }
    const bool is_start = o.resource == "jobs" && o.op == CommitOp::kCreate;
    const SyncViews::Sync* sync = is_start ? facts.sync_views().Of(o) : nullptr;
    if (sync != nullptr) OnStart(facts, o, *sync);
  }

 private:
  void OnStart(const Facts& facts, const Observation& o, const SyncViews::Sync& sync) {
    std::vector<Value> known;  // versions of the CronJob
    for (const Value* version : SyncViews::VersionsOf(facts, sync, sync.owner, o.rv))
      if (UidOf(*version) == sync.owner_uid) known.push_back(*version);
    if (known.empty()) return;
    const std::string_view name = known[0].Get(api::Fields().metadata).Get("name").AsString();
    const std::optional<VirtualTime> minute = MinuteOf(o.name, name);
    if (!minute) return;
    Judged();
    const VirtualTime begun = VirtualTime() + Nanoseconds(sync.begun);
    const auto complain = [&](const std::string& why) {
      Violate(o.seq, std::string(o.by), fmt::format("{} starts {}, {}", o.by, ObjectOf(o), why),
              {ObjectOf(o)});
    };
    const auto all = [&known](const std::function<bool(const Value&)>& is) {
      return std::all_of(known.begin(), known.end(), is);
    };
    // 1. Whether it was to be started at all.
    const bool off = all([](const Value& cron_job) {
      return cron_job.Get(api::Fields().spec).Get("suspend").AsBool() ||
             cron_job.Get(api::Fields().metadata).Has("deletionTimestamp");
    });
    if (off) return complain("though its CronJob is suspended, or is being deleted");
    if (all([&](const Value& cron_job) { return !HasTime(cron_job, *minute); }))
      return complain("for a time that its schedule does not have");
    // The commit is later than the clock that was read.
    if (!skewed_ && minute->ns() > o.t) return complain("before its time");
    if (all([&](const Value& cron_job) { return WasStarted(cron_job, *minute); }))
      return complain("for a time that has been started");
    const bool late = !skewed_ && all([&](const Value& cron_job) {
      const Value& deadline = cron_job.Get(api::Fields().spec).Get("startingDeadlineSeconds");
      return deadline.is_int() && *minute + Minutes(1) + Seconds(deadline.AsInt()) < begun;
    });
    if (late) return complain("after its deadline");

    // 2. Whether another one goes on.
    const auto policy = [&all](std::string_view wanted) {
      return all([wanted](const Value& cron_job) {
        return cron_job.Get(api::Fields().spec).Get("concurrencyPolicy").AsString() == wanted;
      });
    };
    const bool forbids = policy("Forbid"), replaces = policy("Replace");
    if (!forbids && !replaces) return;
    for (const auto& [child, state] : facts.sync_views().ChildrenOf(sync.owner_uid, "jobs")) {
      if (child == o.object || !GoesOn(facts, sync, child, o.rv, known)) continue;
      const CommittedChange& newest = *facts.history().Newest(child);
      if (replaces && newest.after.Get(api::Fields().metadata).Has("deletionTimestamp")) continue;
      return complain(fmt::format("and knows that {} goes on", newest.Name()));
    }
  }

  // Whether the Job was in the list of active ones, and had not ended, in all that can be known.
  static bool GoesOn(const Facts& facts, const SyncViews::Sync& sync, std::uint64_t job,
                     std::int64_t before, const std::vector<Value>& cron_job) {
    const SyncViews::Versions versions = SyncViews::VersionsOf(facts, sync, job, before);
    if (versions.empty()) return false;
    const std::string_view uid = UidOf(*versions[0]);
    return std::all_of(versions.begin(), versions.end(),
                       [uid](const Value* version) {
                         return !version->is_null() && UidOf(*version) == uid &&
                                !IsOverJob(*version);
                       }) &&
           std::all_of(cron_job.begin(), cron_job.end(),
                       [uid](const Value& version) { return Lists(version, uid); });
  }

  // Whether a time of the schedule lies within the minute.
  static bool HasTime(const Value& cron_job, VirtualTime minute) {
    const api::Object object = api::Object::FromTree(cron_job);
    const std::string_view text = object.spec().Get("schedule").AsString();
    if (text.find("@every") != text.npos) return true;
    const auto schedule = controllers::ParseCronSchedule(object);
    if (!schedule.ok()) return false;
    const std::optional<VirtualTime> next = schedule->Next(minute - Seconds(1));
    return next && *next < minute + Minutes(1);
  }

  // Whether the status says that this time, or a later one, has been started. Of a minute that has
  // several times, as with @every, the last one counts.
  static bool WasStarted(const Value& cron_job, VirtualTime minute) {
    const std::optional<VirtualTime> last =
        api::TimeOf(cron_job.Get(api::Fields().status).Get("lastScheduleTime"));
    const std::string_view text = cron_job.Get(api::Fields().spec).Get("schedule").AsString();
    const bool by_minute = text.find("@every") == text.npos;
    return last && *last >= (by_minute ? minute : minute + Seconds(59));
  }

  bool skewed_ = false;
};

}  // namespace

OracleEntry ScheduleOnceOracle() {
  return {&ScheduleInfo(), [] { return std::unique_ptr<Oracle>(new ScheduleOnce); }, ""};
}

}  // namespace ksim::check
