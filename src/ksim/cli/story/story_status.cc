#include "ksim/cli/story/story_status.h"

#include <fmt/format.h>

#include "ksim/value/json.h"

namespace ksim::cli {
namespace {

using trace::Record;
using value::Value;
using Fields = std::map<std::string, std::string, std::less<>>;

std::string Text(const Value& v) {
  return v.is_string() ? std::string(v.AsString()) : value::ToJson(v);
}

std::string_view Get(const Fields& fields, const std::string& path) {
  const auto it = fields.find(path);
  return it == fields.end() ? std::string_view() : std::string_view(it->second);
}

// "Unschedulable: 0/3 nodes are available", or one of the two.
std::string ReasonText(std::string_view reason, std::string_view message) {
  return fmt::format("{}{}{}", reason, reason.empty() || message.empty() ? "" : ": ", message);
}

// The conditions that say that something is wrong, and the status with which they do.
std::string_view ToldStatus(std::string_view condition) {
  if (condition == "PodScheduled") return "False";
  return condition == "DisruptionTarget" ? "True" : "";
}

std::string ConditionText(const Fields& fields, const std::string& at) {
  const std::string_view type = Get(fields, at + ".type"), status = Get(fields, at + ".status");
  if (status.empty() || status != ToldStatus(type)) return "";
  return fmt::format("{} {}, {}", type, status,
                     ReasonText(Get(fields, at + ".reason"), Get(fields, at + ".message")));
}

std::string WaitingText(const Fields& fields, const std::string& at) {
  const std::string_view reason = Get(fields, at + ".state.waiting.reason");
  if (reason.empty() || reason == "ContainerCreating" || reason == "PodInitializing") return "";
  return fmt::format("{} waits, {}", Get(fields, at + ".name"),
                     ReasonText(reason, Get(fields, at + ".state.waiting.message")));
}

// A text for each thing that is wrong with the pod.
std::set<std::string> Troubles(const Fields& fields) {
  std::set<std::string> out;
  for (const auto& [path, text] : fields) {
    const std::string at = path.substr(0, path.rfind(']') + 1);
    if (path.ends_with("].type")) out.insert(ConditionText(fields, at));
    if (path.ends_with("].name")) out.insert(WaitingText(fields, at));
  }
  const std::string why = ReasonText(Get(fields, "status.reason"), Get(fields, "status.message"));
  if (Get(fields, "status.phase") == "Failed" && !why.empty()) out.insert(why);
  out.erase("");
  return out;
}

bool IsRead(std::string_view path) {
  return path.starts_with("status.conditions[") || path.starts_with("status.containerStatuses[") ||
         path.starts_with("status.initContainerStatuses[") || path == "status.phase" ||
         path == "status.reason" || path == "status.message" ||
         path == "metadata.deletionTimestamp";
}

}  // namespace

StoryStatus::StoryStatus(const std::vector<Record>& events) {
  std::map<std::string, Pod, std::less<>> pods;  // by uid
  for (const Record& r : events)
    if (r.kind == sim::EventKind::kCommit && r.Text("resource") == "pods")
      Add(r, &pods[std::string(r.Text("uid"))]);
}

void StoryStatus::Add(const Record& commit, Pod* pod) {
  for (const Value& change : commit.Get("changed").items()) {
    const std::string_view path = change.Get("path").AsString();
    if (!IsRead(path)) continue;
    const Value& now = change.Get("new");
    if (now.is_null())
      pod->fields.erase(std::string(path));
    else
      pod->fields[std::string(path)] = Text(now);
  }
  const std::string_view phase = Get(pod->fields, "status.phase");
  pod->has_run = pod->has_run || phase == "Running" || phase == "Succeeded" || phase == "Failed";
  const std::int64_t revision = commit.Int("revision");
  if (!pod->has_run && Get(pod->fields, "metadata.deletionTimestamp").empty())
    on_their_way_.insert(revision);
  std::string news;
  std::set<std::string> troubles = Troubles(pod->fields);
  for (const std::string& trouble : troubles) {
    if (pod->told.contains(trouble)) continue;
    news += (news.empty() ? "" : "; ") + trouble;
    if (trouble.starts_with("PodScheduled")) unscheduled_.insert(revision);
  }
  pod->told = std::move(troubles);
  if (!news.empty()) news_[revision] = std::move(news);
}

std::string_view StoryStatus::Of(const Record& commit) const {
  const auto it = news_.find(commit.Int("revision"));
  return it == news_.end() ? std::string_view() : std::string_view(it->second);
}

bool StoryStatus::IsUnscheduled(const Record& commit) const {
  return unscheduled_.contains(commit.Int("revision"));
}

bool StoryStatus::IsOnItsWay(const Record& commit) const {
  return on_their_way_.contains(commit.Int("revision"));
}

}  // namespace ksim::cli
