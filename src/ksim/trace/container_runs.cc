#include "ksim/trace/container_runs.h"

#include <algorithm>

namespace ksim::trace {

ContainerRuns::ContainerRuns(const Trace& trace, std::size_t events) {
  for (std::size_t i = 0; i < std::min(events, trace.events.size()); ++i) {
    const Record& r = trace.events[i];
    const bool printed = r.kind == sim::EventKind::kLog && r.Get("container").is_string();
    if (!printed && r.kind != sim::EventKind::kRuntime) continue;
    const std::string_view action = printed ? "" : r.Text("action");
    std::vector<ContainerRun>& runs =
        runs_[{std::string(r.Text("uid")), std::string(r.Text("container"))}];
    if (action == "start") {
      runs.emplace_back().started = VirtualTime(r.t);
    } else if (!runs.empty() && printed) {
      runs.back().lines.push_back({VirtualTime(r.t), std::string(r.Text("text"))});
    } else if (!runs.empty() && (action == "exit" || action == "kill")) {
      runs.back().over = true;
    }
  }
}

const std::vector<ContainerRun>& ContainerRuns::Of(std::string_view uid,
                                                   std::string_view container) const {
  static const std::vector<ContainerRun> none;  // NOLINT(ksim-static): one empty list
  const auto it = runs_.find({std::string(uid), std::string(container)});
  return it == runs_.end() ? none : it->second;
}

}  // namespace ksim::trace
