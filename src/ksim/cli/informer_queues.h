// The lengths of informers' queues at a moment of a trace, and every change of them up to there. A
// trace does not hold them, so the scenario is run again.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ksim/cli/io.h"
#include "ksim/client/cache/informer_queues.h"
#include "ksim/sim/bus.h"
#include "ksim/trace/state.h"
#include "ksim/trace/trace.h"

namespace ksim::cli {

struct ProcessQueues {
  std::string process;
  std::vector<client::InformerQueues> informers;
  friend bool operator==(const ProcessQueues&, const ProcessQueues&) = default;
};

// Called when a queue has another length than after the event before.
using QueuesLook = std::function<void(const sim::Event& e, const std::vector<ProcessQueues>& before,
                                      const std::vector<ProcessQueues>& now)>;

// The queues after the events of the trace up to the moment, of `process` or of all ("").
// `look`: null if only the moment counts. Nullopt with the complaint printed and `code` set, as in
// ReplayInformerCaches.
std::optional<std::vector<ProcessQueues>> ReplayInformerQueues(Io& io, const trace::Trace& trace,
                                                               const std::string& path,
                                                               const std::string& process,
                                                               const trace::Moment& moment,
                                                               const QueuesLook& look, int* code);

}  // namespace ksim::cli
