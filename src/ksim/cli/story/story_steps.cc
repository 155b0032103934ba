#include "ksim/cli/story/story_steps.h"

#include <fmt/format.h>

#include <string>

namespace ksim::cli {
namespace {

using sim::EventKind;
using trace::Record;

constexpr std::string_view kHeadings[] = {
    "",
    "The components list what there is and watch it",
    "The user asks",
    "The API server writes it to etcd",
    "etcd tells the API server, and that tells who watches",
    "A controller hears of it",
    "The controller acts",
    "Its pods are written to etcd, and those who watch are told",
    "The scheduler binds each pod to a node",
    "The binding is written to etcd",
    "The kubelet of that node is told",
    "The kubelet starts the containers",
    "The pods are running, and everybody hears of it",
    "The scheduler finds no node for a pod, and says so in its status"};

enum class Who { kUser, kScheduler, kKubelet, kController, kOther };

Who WhoIs(std::string_view actor) {
  const std::string_view process = actor.substr(0, actor.find('/'));
  if (process == "kubectl") return Who::kUser;
  if (process == "kube-scheduler") return Who::kScheduler;
  if (process == "kubelet") return Who::kKubelet;
  return actor.find('/') != std::string_view::npos ? Who::kController : Who::kOther;
}

bool MakesRunning(const Record& commit) {
  for (const value::Value& change : commit.Get("changed").items())
    if (change.Get("path").AsString() == "status.phase")
      return change.Get("new").AsString() == "Running";
  return false;
}

}  // namespace

std::string_view StorySteps::Heading(int step) { return kHeadings[step]; }

bool IsOfItsRequest(const Record& commit, const std::map<std::int64_t, const Record*>& requests) {
  const auto request = requests.find(commit.Int("request"));
  return request != requests.end() && request->second->Text("resource") == commit.Text("resource");
}

StorySteps::StorySteps(const std::vector<Record>& events, const std::set<std::int64_t>& bookmarks,
                       const StoryStatus& status)
    : status_(status), told_kubelets_(bookmarks) {
  std::set<std::string> kubelets;  // server/stream of their watches
  const auto stream = [](std::string_view server, const Record& r) {
    return fmt::format("{}/{}", server, r.Int("stream"));
  };
  for (const Record& r : events) {
    if (r.kind == EventKind::kRequest) requests_[r.Int("id")] = &r;
    if (r.kind == EventKind::kCommit) {
      commits_[r.Int("revision")] = &r;
      if (IsOfItsRequest(r, requests_)) commit_of_.try_emplace(r.Int("request"), &r);
    }
    if (r.kind == EventKind::kWatch && WhoIs(r.Text("client")) == Who::kKubelet)
      kubelets.insert(stream(r.Text("server"), r));
    if (r.kind == EventKind::kEvent && kubelets.contains(stream(r.actor, r)))
      told_kubelets_.insert(r.Int("rv"));
  }
}

const Record* StorySteps::CommitAt(std::int64_t revision) const {
  const auto it = commits_.find(revision);
  return it == commits_.end() ? nullptr : it->second;
}

int StorySteps::OfRequest(const Record& r) const {
  const auto commit = commit_of_.find(r.Int("id"));
  const int written = commit == commit_of_.end() ? 0 : OfCommit(*commit->second);
  switch (WhoIs(r.actor)) {
    case Who::kUser:
      return 2;
    case Who::kController:
      return r.Text("resource") == "pods" ? 6 : 0;
    case Who::kScheduler:
      return r.Text("subresource") == "binding" ? 8 : written == kNoNode ? kNoNode : 0;
    case Who::kKubelet:
      return written;
    case Who::kOther:
      return 0;
  }
  return 0;
}

int StorySteps::OfCommit(const Record& r) const {
  const bool pod = r.Text("resource") == "pods";
  const auto request = requests_.find(r.Int("request"));
  switch (WhoIs(r.Text("by"))) {
    case Who::kUser:
      return 3;
    case Who::kController:
      return pod && r.Text("op") == "create" ? 7 : 0;
    case Who::kScheduler:
      if (request != requests_.end() && request->second->Text("subresource") == "binding") return 9;
      return status_.IsUnscheduled(r) ? kNoNode : 0;
    case Who::kKubelet:
      if (pod && MakesRunning(r)) return 12;
      return pod && status_.IsOnItsWay(r) ? 11 : 0;
    case Who::kOther:
      return 0;
  }
  return 0;
}

int StorySteps::OfNotification(const Record& r) const {
  const Record* commit = CommitAt(r.Int("rv"));
  const int step = commit == nullptr ? 0 : OfCommit(*commit);
  if (step == 3) return 4;
  if (step == 9) return told_kubelets_.contains(r.Int("rv")) ? 10 : 0;
  return step == kNoNode ? 0 : step;
}

int StorySteps::OfHandler(const Record& r) const {
  const Record* commit = CommitAt(r.Int("rv"));
  if (commit == nullptr) return 0;
  const Who who = WhoIs(r.Text("listener"));
  if (who == Who::kController && WhoIs(commit->Text("by")) == Who::kUser) return 5;
  return who == Who::kKubelet && OfCommit(*commit) == 9 ? 10 : 0;
}

int StorySteps::Of(const Record& r) const {
  switch (r.kind) {
    case EventKind::kRequest:
      return OfRequest(r);
    case EventKind::kCommit:
      return OfCommit(r);
    case EventKind::kEvent:
      return OfNotification(r);
    case EventKind::kHandler:
      return OfHandler(r);
    case EventKind::kRuntime: {
      const std::string_view action = r.Text("action");
      const bool starts =
          action == "sandbox" || action == "pull" || action == "create" || action == "start";
      return starts ? 11 : 0;
    }
    default:
      return 0;
  }
}

}  // namespace ksim::cli
