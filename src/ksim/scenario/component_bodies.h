// The bodies of ksim's own components: controllers, the scheduler, a kubelet.
#pragma once
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "ksim/kubelet/kubelet.h"
#include "ksim/scenario/component.h"
#include "ksim/scheduler/scheduler.h"

namespace ksim::scenario {

// The controllers of one process.
class ControllerBody : public Component::Body {
 public:
  explicit ControllerBody(std::vector<std::unique_ptr<controllers::Controller>> c)
      : controllers_(std::move(c)) {
    for (const auto& controller : controllers_) controller->Start();
  }
  bool HasWorkAhead(const controllers::Heartbeats& heartbeats) const override {
    return std::any_of(controllers_.begin(), controllers_.end(),
                       [&heartbeats](const auto& c) { return c->HasWorkAhead(heartbeats); });
  }

 private:
  std::vector<std::unique_ptr<controllers::Controller>> controllers_;
};

class SchedulerBody : public Component::Body {
 public:
  SchedulerBody(sim::Process& process, client::Connection& connection,
                client::InformerFactory& informers, const scheduler::SchedulerOptions& options)
      : scheduler_(process, connection, informers, options) {
    scheduler_.Start();
  }

 private:
  scheduler::Scheduler scheduler_;
};

class KubeletBody : public Component::Body {
 public:
  KubeletBody(sim::Process& process, client::Connection& connection,
              client::InformerFactory& informers, kubelet::Runtime& runtime,
              const kubelet::NodeOptions& options)
      : kubelet_(process, connection, informers, runtime, options) {
    kubelet_.Start();
  }

 private:
  kubelet::Kubelet kubelet_;
};

}  // namespace ksim::scenario
