// InProcessDoor: the door for clients of the same simulation. A client calls it once its message
// has arrived (the network is the client's affair); the answer and the events of a watch go back
// through the callbacks that came with the message.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "ksim/api/request.h"
#include "ksim/apiserver/doors/pipeline.h"
#include "ksim/sim/simulation.h"

namespace ksim::apiserver {

class InProcessDoor final : public api::Endpoint {
 public:
  InProcessDoor(sim::Simulation& sim, Pipeline& pipeline) : sim_(sim), pipeline_(pipeline) {}

  const std::string& name() const override { return pipeline_.name(); }
  bool accepting() const override { return pipeline_.accepting(); }
  void Accept(api::Request request, Pipeline::Reply reply,
              std::shared_ptr<api::WatchSink> sink) override;
  void CloseWatch(std::uint64_t stream) override { pipeline_.CloseWatch(stream); }
  void ResumeWatch(std::uint64_t stream) override { pipeline_.ResumeWatch(stream); }

 private:
  sim::Simulation& sim_;
  Pipeline& pipeline_;
};

}  // namespace ksim::apiserver
