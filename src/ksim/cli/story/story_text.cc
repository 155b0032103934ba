#include "ksim/cli/story/story_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/core/verbs.h"
#include "ksim/cli/story/story_steps.h"
#include "ksim/trace/record_object.h"
#include "ksim/value/json.h"

namespace ksim::cli {
namespace {

using sim::EventKind;
using trace::Record;
using value::Value;

// True for traffic that goes on for ever, and for Events, which repeat in words what the story
// shows.
bool IsBackground(std::string_view resource, std::string_view by) {
  return resource == "leases" || resource == "events" ||
         (resource == "nodes" && by.starts_with("kubelet/"));
}

const char* Method(std::string_view verb) {
  if (verb == "create") return "POST";
  if (verb == "update") return "PUT";
  if (verb == "patch") return "PATCH";
  return verb.starts_with("delete") ? "DELETE" : "GET";
}

// The value that a commit gave to a place; null Value if it did not.
Value NewValue(const Record& commit, std::string_view path) {
  for (const Value& change : commit.Get("changed").items())
    if (change.Get("path").AsString() == path) return change.Get("new");
  return Value();
}

std::string Shortened(const Value& v) {
  std::string text = v.is_string() ? std::string(v.AsString()) : value::ToJson(v);
  return text.size() > 40 ? text.substr(0, 37) + "..." : text;
}

// The changes of an update that a reader wants to see.
std::string ChangesText(const Record& commit) {
  static constexpr std::string_view kTelling[] = {"spec.replicas",
                                                  "spec.nodeName",
                                                  "spec.unschedulable",
                                                  "status.nominatedNodeName",
                                                  "status.phase",
                                                  "status.podIP",
                                                  "status.replicas",
                                                  "status.readyReplicas",
                                                  "status.availableReplicas",
                                                  "status.updatedReplicas",
                                                  "status.currentRevision",
                                                  "status.updateRevision",
                                                  "status.desiredNumberScheduled",
                                                  "status.currentNumberScheduled",
                                                  "status.updatedNumberScheduled",
                                                  "status.numberReady",
                                                  "status.numberAvailable",
                                                  "spec.suspend",
                                                  "status.active",
                                                  "status.succeeded",
                                                  "status.failed",
                                                  "status.completedIndexes",
                                                  "status.lastScheduleTime",
                                                  "metadata.deletionTimestamp",
                                                  "status.observedGeneration"};
  std::string out;
  for (std::string_view path : kTelling) {
    const Value v = NewValue(commit, path);
    if (v.is_null()) continue;
    const std::string_view name = path.substr(path.rfind('.') + 1);
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name, Shortened(v));
  }
  return out;
}

std::string ActorText(std::string_view state) {
  if (state == "kill") return "dies";
  if (state == "lead") return "becomes the leader";
  return state == "lose" ? "leads no more" : state == "stop" ? "ends" : "starts";
}

}  // namespace

std::string Indent(std::string_view text, std::string_view prefix) {
  std::string out;
  while (true) {
    const std::size_t end = text.find('\n');
    out += fmt::format("{}{}", prefix, text.substr(0, end));
    if (end == std::string_view::npos) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

StoryText::StoryText(const std::vector<Record>& events, const api::Kinds& kinds,
                     const StoryStatus& status)
    : kinds_(kinds), status_(status) {
  for (const Record& r : events) {
    if (r.kind == EventKind::kRequest) requests_[r.Int("id")] = &r;
    if (r.kind == EventKind::kCommit && IsOfItsRequest(r, requests_))
      commit_of_.try_emplace(r.Int("request"), &r);
    if (r.kind == EventKind::kWatch && r.Text("state") == "open")
      clients_[fmt::format("{}/{}", r.Text("server"), r.Int("stream"))] = r.Text("client");
    if (r.kind != EventKind::kEvent) continue;
    const std::string key = NotificationKey(r);
    if (!key.empty()) notifications_[key].push_back(&r);
  }
}

namespace {

// "container-starts", or "container-starts fails: WHY".
std::string DescribeStage(const Record& r) {
  if (r.Text("action") == "stages") return fmt::format("leaves {} to Stages", r.Text("pod"));
  constexpr std::string_view kFails = " fails: ";
  const std::string_view result = r.Text("result");
  const std::size_t fails = result.find(kFails);
  if (fails == result.npos) return fmt::format("plays {} for {}", result, r.Text("pod"));
  return fmt::format("fails to play {} for {}: {}", result.substr(0, fails), r.Text("pod"),
                     result.substr(fails + kFails.size()));
}

}  // namespace

std::string StoryText::ObjectText(std::string_view resource, std::string_view ns,
                                  std::string_view name) const {
  if (ns.empty() || ns == "default") return fmt::format("{}/{}", resource, name);
  return fmt::format("{}/{} in {}", resource, name, ns);
}

bool StoryText::IsAct(const Record& r) const {
  if (r.kind == EventKind::kRuntime) return true;
  if (r.kind == EventKind::kCommit) return !IsBackground(r.Text("resource"), r.Text("by"));
  return r.kind == EventKind::kRequest && !api::IsRead(r.Text("verb")) &&
         !IsBackground(r.Text("resource"), r.actor);
}

std::string StoryText::Path(const Record& request) const {
  const api::ResourceInfo* info = kinds_.KnownAs(request.Text("resource"));
  if (info == nullptr) return std::string(request.Text("resource"));
  for (const api::ResourceInfo* const other : kinds_.all()) {
    const bool same = other->group == info->group && other->resource == info->resource;
    if (same && other->version == request.Text("version")) info = other;
  }
  return info->UrlPath(request.Text("namespace"), request.Text("name"),
                       request.Text("subresource"));
}

std::string StoryText::DescribeRequest(const Record& r) const {
  const bool user = r.actor == "kubectl";
  if (!IsAct(r) && !(user && r.Text("verb") != "watch")) return {};
  std::string what = fmt::format("{} {}", Method(r.Text("verb")), Path(r));
  const auto commit = commit_of_.find(r.Int("id"));
  if (r.Text("verb") == "create" && r.Text("subresource").empty() && commit != commit_of_.end())
    what += fmt::format(" ({})", commit->second->Text("name"));
  return what;
}

std::string StoryText::DescribeCommit(const Record& r) const {
  if (!IsAct(r)) return {};
  const std::string_view op = r.Text("op");
  const std::string object =  // the key of the last compaction is of no resource
      r.Text("resource").empty()
          ? std::string(r.Text("key"))
          : ObjectText(r.Text("resource"), r.Text("namespace"), r.Text("name"));
  std::string what = fmt::format("{}s {}, rv {}", op, object, r.Int("rv"));
  std::string changes = op == "update" ? ChangesText(r) : "";
  if (const std::string_view news = status_.Of(r); !news.empty())
    changes += fmt::format("{}{}", changes.empty() ? "" : "; ", news);
  if (!changes.empty()) what += fmt::format(" ({})", changes);
  return what;
}

std::string StoryText::DescribeHandler(const Record& r) const {
  return fmt::format("hears: {} {}, rv {}{}",
                     ObjectText(r.Text("resource"), r.Text("namespace"), r.Text("name")),
                     r.Text("type") == "add"      ? "added"
                     : r.Text("type") == "update" ? "updated"
                                                  : "deleted",
                     r.Int("rv"), r.Get("tombstone").AsBool() ? " (missed: tombstone)" : "");
}

namespace {

// A conversion is told when its answer is there: what was asked, of whom, and what came of it. It
// is nobody's request (an API server's cache asks too), so it has a line whoever asked.
std::string DescribeConversion(const Record& r) {
  if (r.Text("state") != "answer") return {};
  const std::string_view what = r.Text("webhook");  // "default/a to v2"
  const std::size_t to = what.rfind(" to ");
  const std::string_view object = what.substr(0, to);
  const std::string_view version = to == what.npos ? std::string_view() : what.substr(to + 4);
  const std::string at = r.Text("server").empty() ? "" : fmt::format(" at {}", r.Text("server"));
  const std::string by = fmt::format("the webhook of {}{}", r.Text("configuration"), at);
  const std::string after = FormatDuration(Nanoseconds(r.Int("latency")));
  if (r.Text("result") == "converted")
    return fmt::format("has {} converted to {} by {} after {}", object, version, by, after);
  return fmt::format("asks {} for {} at {}, which fails after {}: {}", by, object, version, after,
                     r.Text("message"));
}

}  // namespace

std::string StoryText::DescribeWebhook(const Record& r) const {
  if (r.Text("type") == "converting") return DescribeConversion(r);
  const auto request = requests_.find(r.Int("request"));
  if (request == requests_.end() || !IsAct(*request->second)) return {};
  if (r.Text("state") == "call") {
    const std::string at = r.Text("server").empty() ? "" : fmt::format(" at {}", r.Text("server"));
    return fmt::format("asks {} webhook {}{}{}", r.Text("type"), r.Text("webhook"), at,
                       r.Int("round") == 0 ? "" : " once more");
  }
  const std::string_view message = r.Text("message");
  return fmt::format("has the answer of webhook {} after {}: {}{}{}", r.Text("webhook"),
                     FormatDuration(Nanoseconds(r.Int("latency"))), r.Text("result"),
                     message.empty() ? "" : ": ", message);
}

std::string StoryText::Describe(const Record& r) const {
  switch (r.kind) {
    case EventKind::kRequest:
      return DescribeRequest(r);
    case EventKind::kCommit:
      return DescribeCommit(r);
    case EventKind::kHandler:
      return DescribeHandler(r);
    case EventKind::kResponse: {
      const auto request = requests_.find(r.Int("id"));
      if (request == requests_.end() || !IsAct(*request->second)) return {};
      if (r.Int("code") == 0) return "gets no answer";
      if (r.Int("code") < 400) return {};
      return fmt::format("is answered {} {}", r.Int("code"), r.Text("reason"));
    }
    case EventKind::kRuntime: {
      if (r.Text("action").starts_with("stage")) return DescribeStage(r);
      const std::string_view container = r.Text("container");
      const std::string of = container.empty() ? "" : fmt::format(" of {}", container);
      const std::string result =
          r.Text("result") == "ok" ? "" : fmt::format(": {}", r.Text("result"));
      return fmt::format("{}{} for {}{}", r.Text("action"), of, r.Text("pod"), result);
    }
    case EventKind::kWebhook:
      return DescribeWebhook(r);
    case EventKind::kViolation:
      return fmt::format("VIOLATION of {}: {}", r.Text("oracle"), r.Text("message"));
    case EventKind::kLog:
      if (r.Get("container").is_string())
        return fmt::format("hears {} of {} say: {}", r.Text("container"), r.Text("pod"),
                           r.Text("text"));
      return fmt::format("says: {}", r.Text("text"));
    case EventKind::kActor:
      return ActorText(r.Text("state"));
    default:
      return {};
  }
}

std::string StoryText::CommandLine(const Record& step) const {
  std::string verb(step.Text("verb"));
  const std::string target(step.Text("target"));
  const Value& args = step.Get("args");
  if (verb == "rollout") verb += " " + std::string(args.Get("command").AsString());
  if (verb == "setImage") verb = "set image";
  if (verb == "createJob")
    return fmt::format("kubectl create job {} --from={}", args.Get("name").AsString(), target);
  std::string out = fmt::format("kubectl {} {}", verb, target);
  if (verb == "addNode" || verb == "removeNode") out = fmt::format("{} {}", verb, target);
  if (args.Get("replicas").is_int())
    out += fmt::format(" --replicas={}", args.Get("replicas").AsInt());
  if (!args.Get("for").AsString().empty())
    out += fmt::format(" --for={}", args.Get("for").AsString());
  for (const Value& condition : args.Get("for").items())
    out += fmt::format(" --for={}", condition.AsString());
  if (args.Get("limit").is_int())
    out += fmt::format("   (the first {})", args.Get("limit").AsInt());
  for (const char* flag : {"port", "min", "max"})
    if (args.Get(flag).is_int()) out += fmt::format(" --{}={}", flag, args.Get(flag).AsInt());
  for (const Value::Member& m : args.Get("images").members())
    out += fmt::format(" {}={}", m.name.text(), m.value.AsString());
  for (const Value::Member& m : args.Get("set").members())
    out += m.value.is_null() ? fmt::format(" {}-", m.name.text())
                             : fmt::format(" {}={}", m.name.text(), m.value.AsString());
  return out;
}

std::string StoryText::NotificationKey(const Record& r) const {
  const std::string_view type = r.Text("type");
  if (type == "BOOKMARK" || type == "ERROR") return "";
  std::string_view resource = r.Text("resource"), ns = r.Text("namespace"), name = r.Text("name");
  if (r.Text("server") == "etcd") {
    const auto parts = trace::ObjectOf(r);
    if (!parts) return "";
    resource = parts->resource;
    ns = parts->ns;
    name = parts->name;
  }
  if (resource == "leases" || resource == "events" || resource == "nodes") return "";
  return fmt::format("{}|{}|{}|{}|{}|{}", r.actor, type, resource, ns, name, r.Int("rv"));
}

const std::vector<const Record*>& StoryText::Notifications(const std::string& key) const {
  static const std::vector<const Record*> none;
  const auto it = notifications_.find(key);
  return it == notifications_.end() ? none : it->second;
}

std::string StoryText::Watchers(const std::vector<const Record*>& events) const {
  std::vector<std::string> who;
  for (const Record* n : events) {
    const auto it = clients_.find(
        fmt::format("{}/{}", n->Text("server") == "etcd" ? "etcd" : n->actor, n->Int("stream")));
    if (it != clients_.end() && std::find(who.begin(), who.end(), it->second) == who.end())
      who.push_back(it->second);
  }
  return who.empty() ? "its watchers" : fmt::format("{}", fmt::join(who, ", "));
}

std::string StoryText::DescribeNotification(const Record& r,
                                            const std::vector<const Record*>& all) const {
  std::string_view resource = r.Text("resource"), ns = r.Text("namespace"), name = r.Text("name");
  if (const auto parts = trace::ObjectOf(r); parts && r.Text("server") == "etcd") {
    resource = parts->resource;
    ns = parts->ns;
    name = parts->name;
  }
  return fmt::format("tells {}: {} {}, rv {}", Watchers(all), r.Text("type"),
                     ObjectText(resource, ns, name), r.Int("rv"));
}

}  // namespace ksim::cli
