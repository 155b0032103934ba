// KeptLogs: what the containers of a run have printed, run by run, for clients that ask for the log
// of a pod while the cluster runs. It listens to the nodes' events and keeps all of it.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/apiserver/core/container_log.h"
#include "ksim/sim/simulation.h"

namespace ksim::scenario {

class KeptLogs final : public apiserver::NodeLogs {
 public:
  // Before the cluster starts. `sim` outlives it.
  explicit KeptLogs(sim::Simulation& sim);
  KeptLogs(const KeptLogs&) = delete;
  KeptLogs& operator=(const KeptLogs&) = delete;

  std::vector<apiserver::LogLine> Lines(const api::Object& pod, std::string_view container,
                                        const apiserver::LogRun& run) const override;
  bool Follow(const api::Object& pod, std::string_view container, const apiserver::LogRun& run,
              std::weak_ptr<Follower> follower) override;

 private:
  struct Run {
    VirtualTime started;
    bool over = false;
    std::vector<apiserver::LogLine> lines;
    mutable std::vector<std::weak_ptr<Follower>> followers;
  };
  void OnRuntime(const sim::Event& e);
  void OnLine(const sim::Event& e);
  // Null: none began in that second.
  const Run* Find(const api::Object& pod, std::string_view container,
                  const apiserver::LogRun& run) const;

  std::map<std::pair<std::string, std::string>, std::vector<Run>> runs_;  // by uid, container
};

}  // namespace ksim::scenario
