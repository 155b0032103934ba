// Events of a running simulation as records of a trace.
#pragma once
#include "ksim/sim/bus.h"
#include "ksim/trace/record.h"

namespace ksim::trace {

struct RenderOptions {
  RenderOptions() = default;
  bool objects = false;  // --trace-objects: whole objects, for human readers
};

Record Render(const sim::Event& event, const RenderOptions& options);

// Keeps every event of a run in order; rendered on demand. Must live as long as the bus is used.
class Recorder {
 public:
  explicit Recorder(sim::Bus& bus) {
    events_.reserve(kUsualEvents);
    bus.Subscribe(sim::Bus::Stage::kWriter, [this](const sim::Event& e) { events_.push_back(e); });
  }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  const std::vector<sim::Event>& events() const { return events_; }
  std::vector<Record> Records(const RenderOptions& options) const;

 private:
  static constexpr std::size_t kUsualEvents = 1024;  // of a small scenario
  std::vector<sim::Event> events_;
};

}  // namespace ksim::trace
