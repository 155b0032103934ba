#include "ksim/controllers/job/job_status.h"

#include <algorithm>

#include "ksim/api/conditions.h"
#include "ksim/api/core/fields.h"
#include "ksim/api/core/timestamps.h"

namespace ksim::controllers {

using value::Value;

namespace {

Value JobConditionTree(std::string_view type, bool holds, std::string_view reason,
                       std::string_view message, VirtualTime now) {
  return value::ObjectBuilder()
      .Add("type", Value::Of(type))
      .Add("status", Value::Of(holds ? "True" : "False"))
      .Add("lastProbeTime", api::TimeValue(now))
      .Add("lastTransitionTime", api::TimeValue(now))
      .AddIf(!reason.empty(), "reason", Value::Of(reason))
      .AddIf(!message.empty(), "message", Value::Of(message))
      .Build();
}

std::vector<std::string> UidsOf(const Value& list) {
  std::vector<std::string> uids;
  for (const Value& uid : list.items()) uids.emplace_back(uid.AsString());
  return uids;
}

Value UidList(const std::vector<std::string>& uids) {
  std::vector<Value> items;
  for (const std::string& uid : uids) items.push_back(Value::Of(uid));
  return Value::Array(std::move(items));
}

std::optional<std::int64_t> CountOf(const Value& v) {
  return v.is_int() ? std::optional<std::int64_t>(v.AsInt()) : std::nullopt;
}

}  // namespace

JobStatus JobStatus::From(const api::Object& job) {
  const Value& tree = job.status();
  JobStatus status;
  status.conditions = tree.Get(api::Fields().conditions);
  status.start_time = api::TimeOf(tree.Get("startTime"));
  status.completion_time = api::TimeOf(tree.Get("completionTime"));
  status.active = tree.Get(api::Fields().active).AsInt();
  status.succeeded = tree.Get("succeeded").AsInt();
  status.failed = tree.Get("failed").AsInt();
  status.ready = CountOf(tree.Get("ready"));
  status.terminating = CountOf(tree.Get("terminating"));
  status.completed_indexes = std::string(tree.Get("completedIndexes").AsString());
  const Value& failed = tree.Get("failedIndexes");
  if (failed.is_string()) status.failed_indexes = std::string(failed.AsString());
  const Value& uncounted = tree.Get("uncountedTerminatedPods");
  status.uncounted_succeeded = UidsOf(uncounted.Get("succeeded"));
  status.uncounted_failed = UidsOf(uncounted.Get("failed"));
  return status;
}

Value JobStatus::ToTree() const {
  const Value uncounted =
      value::ObjectBuilder()
          .AddIf(!uncounted_succeeded.empty(), "succeeded", UidList(uncounted_succeeded))
          .AddIf(!uncounted_failed.empty(), "failed", UidList(uncounted_failed))
          .Build();
  value::ObjectBuilder tree;
  tree.AddIf(!conditions.empty(), "conditions", conditions);
  if (start_time) tree.Add("startTime", api::TimeValue(*start_time));
  if (completion_time) tree.Add("completionTime", api::TimeValue(*completion_time));
  tree.AddIf(active != 0, "active", Value::Int(active));
  tree.AddIf(succeeded != 0, "succeeded", Value::Int(succeeded));
  tree.AddIf(failed != 0, "failed", Value::Int(failed));
  if (terminating) tree.Add("terminating", Value::Int(*terminating));
  tree.AddIf(!completed_indexes.empty(), "completedIndexes", Value::Of(completed_indexes));
  if (failed_indexes) tree.Add("failedIndexes", Value::Of(*failed_indexes));
  tree.Add("uncountedTerminatedPods", uncounted);
  if (ready) tree.Add("ready", Value::Int(*ready));
  return tree.Build();
}

std::optional<JobCondition> JobStatus::Holds(std::string_view type) const {
  const Value* found = api::FindCondition(conditions, type);
  if (found == nullptr || found->Get("status").AsString() != "True") return std::nullopt;
  JobCondition condition;
  condition.type = std::string(type);
  condition.reason = std::string(found->Get("reason").AsString());
  condition.message = std::string(found->Get("message").AsString());
  condition.since = api::ConditionSince(conditions, type).value_or(VirtualTime());
  return condition;
}

void JobStatus::Append(const JobCondition& condition, VirtualTime now) {
  conditions = conditions.Append(
      JobConditionTree(condition.type, true, condition.reason, condition.message, now));
}

bool JobStatus::Ensure(std::string_view type, bool holds, std::string_view reason,
                       std::string_view message, VirtualTime now) {
  const Value tree = JobConditionTree(type, holds, reason, message, now);
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const Value& old = conditions.at(i);
    if (old.Get("type").AsString() != type) continue;
    if (old.Get("status").AsString() == (holds ? "True" : "False") &&
        old.Get("reason").AsString() == reason && old.Get("message").AsString() == message)
      return false;
    const value::Path place{value::PathStep::Index(static_cast<std::uint32_t>(i))};
    conditions = conditions.Set(place, tree);
    return true;
  }
  // From nothing to False is no change.
  if (!holds) return false;
  conditions = conditions.Append(tree);
  return true;
}

bool JobStatus::CountThoseWithout(const UidSet& with_finalizer) {
  const auto count = [&](std::vector<std::string>& uncounted) {
    return static_cast<std::int64_t>(std::erase_if(
        uncounted, [&](const std::string& uid) { return !with_finalizer.contains(uid); }));
  };
  const std::int64_t more_succeeded = count(uncounted_succeeded);
  const std::int64_t more_failed = count(uncounted_failed);
  succeeded += more_succeeded;
  failed += more_failed;
  return more_succeeded + more_failed > 0;
}

}  // namespace ksim::controllers
