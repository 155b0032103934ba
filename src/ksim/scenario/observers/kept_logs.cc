#include "ksim/scenario/observers/kept_logs.h"

#include <utility>

#include "ksim/kubelet/runtime/payloads.h"
#include "ksim/kubelet/runtime/printed_lines.h"

namespace ksim::scenario {

using apiserver::LogLine;
using apiserver::LogRun;

KeptLogs::KeptLogs(sim::Simulation& sim) {
  sim.bus().Subscribe(sim::Bus::Stage::kWriter, {sim::EventKind::kRuntime, sim::EventKind::kLog},
                      [this](const sim::Event& e) {
                        if (e.kind == sim::EventKind::kRuntime) {
                          OnRuntime(e);
                        } else {
                          OnLine(e);
                        }
                      });
}

void KeptLogs::OnRuntime(const sim::Event& e) {
  const auto* payload = dynamic_cast<const kubelet::RuntimePayload*>(e.payload.get());
  if (payload == nullptr) return;
  const bool ends = payload->action == "exit" || payload->action == "kill";
  if (!ends && payload->action != "start") return;
  std::vector<Run>& runs = runs_[{payload->uid, payload->container}];
  if (!ends) {
    runs.emplace_back().started = e.time;
    return;
  }
  if (runs.empty()) return;
  runs.back().over = true;
  for (const std::weak_ptr<Follower>& one : std::exchange(runs.back().followers, {}))
    if (const std::shared_ptr<Follower> follower = one.lock()) follower->End();
}

// A guest's lines are no container's.
void KeptLogs::OnLine(const sim::Event& e) {
  const auto* payload = dynamic_cast<const kubelet::PrintedLine*>(e.payload.get());
  if (payload == nullptr) return;
  std::vector<Run>& runs = runs_[{payload->uid, payload->container}];
  if (runs.empty()) return;
  Run& run = runs.back();
  run.lines.emplace_back(e.time, payload->text);
  std::erase_if(run.followers, [](const auto& one) { return one.expired(); });
  const std::vector<std::weak_ptr<Follower>> followers = run.followers;
  for (const std::weak_ptr<Follower>& one : followers)
    if (const std::shared_ptr<Follower> follower = one.lock()) follower->Take(run.lines.back());
}

const KeptLogs::Run* KeptLogs::Find(const api::Object& pod, std::string_view container,
                                    const LogRun& run) const {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const auto found = runs_.find({std::string(pod.uid()), std::string(container)});
  if (found == runs_.end()) return nullptr;
  const Run* chosen = nullptr;
  for (const Run& one : found->second) {
    const bool same_second = one.started.ns() / kSecond == run.started.ns() / kSecond;
    const bool newest = &one == &found->second.back();
    if (same_second && (!run.ended || (one.over && !newest))) chosen = &one;
  }
  return chosen;
}

std::vector<LogLine> KeptLogs::Lines(const api::Object& pod, std::string_view container,
                                     const LogRun& run) const {
  const Run* const found = Find(pod, container, run);
  return found == nullptr ? std::vector<LogLine>() : found->lines;
}

bool KeptLogs::Follow(const api::Object& pod, std::string_view container, const LogRun& run,
                      std::weak_ptr<Follower> follower) {
  const Run* const found = Find(pod, container, run);
  if (found == nullptr || found->over) return false;
  found->followers.push_back(std::move(follower));
  return true;
}

}  // namespace ksim::scenario
