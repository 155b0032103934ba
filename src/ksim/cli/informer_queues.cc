#include "ksim/cli/informer_queues.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/cli/informer_caches.h"
#include "ksim/scenario/runner.h"

namespace ksim::cli {
namespace {

// The queues of those processes that run, of one if `process` names it.
std::vector<ProcessQueues> QueuesOfProcesses(const scenario::World& world,
                                             const std::string& process) {
  std::vector<ProcessQueues> all;
  for (const std::string& name : world.ProcessesWithCaches()) {
    const client::InformerFactory* informers = world.InformersOf(name);
    if (informers == nullptr || (!process.empty() && name != process)) continue;
    all.push_back({name, client::QueuesOf(*informers)});
  }
  return all;
}

}  // namespace

std::optional<std::vector<ProcessQueues>> ReplayInformerQueues(Io& io, const trace::Trace& trace,
                                                               const std::string& path,
                                                               const std::string& process,
                                                               const trace::Moment& moment,
                                                               const QueuesLook& look, int* code) {
  std::vector<ProcessQueues> last;
  const auto compare = [&](const scenario::World& world, const sim::Event& e) {
    if (look == nullptr) return;
    std::vector<ProcessQueues> now = QueuesOfProcesses(world, process);
    if (now == last) return;
    look(e, last, now);
    last = std::move(now);
  };
  const std::unique_ptr<scenario::Runner> runner =
      RunAgainUntil(io, trace, path, process, moment, compare, code);
  if (runner == nullptr) return std::nullopt;
  return QueuesOfProcesses(runner->world(), process);
}

}  // namespace ksim::cli
