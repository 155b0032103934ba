// Runs of a trace's scenario up to a moment, for what the trace does not hold.
// --as-seen-by: what one process had in the caches of its informers at a moment. A trace holds what
// was delivered, not what was in a cache, so the scenario is run again up to there.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ksim/cli/io.h"
#include "ksim/scenario/runner.h"
#include "ksim/sim/bus.h"
#include "ksim/trace/state.h"
#include "ksim/trace/trace.h"

namespace ksim::cli {

struct InformerCaches {
  trace::State state;
  std::vector<std::string> resources;  // that the process keeps in caches, sorted
};

// The objects in the caches of `process` after the events of the trace up to the moment; `state`
// is that of the store then, and gives the time. Nullopt with the complaint printed and `code` set:
// 2 for an unknown process or a trace that cannot be run again, 5 when the process was not running,
// 130 or 143 when a signal came first.
std::optional<InformerCaches> ReplayInformerCaches(Io& io, const trace::Trace& trace,
                                                   const std::string& path,
                                                   const std::string& process,
                                                   const trace::Moment& moment,
                                                   const trace::State& state, int* code);

// Called after each event of the run up to the moment.
using WorldLook = std::function<void(const scenario::World& world, const sim::Event& e)>;

// Runs the scenario again up to the moment and leaves it there; `process`, unless it is "", must be
// one that has caches. Null with the complaint printed and `code` set.
std::unique_ptr<scenario::Runner> RunAgainUntil(Io& io, const trace::Trace& trace,
                                                const std::string& path, const std::string& process,
                                                const trace::Moment& moment, const WorldLook& look,
                                                int* code);

}  // namespace ksim::cli
