#include "ksim/cli/informer_caches.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/base/diagnostic.h"
#include "ksim/base/version.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/signals.h"
#include "ksim/cli/trace_input.h"
#include "ksim/fuzz/run.h"
#include "ksim/scenario/runner.h"

namespace ksim::cli {
namespace {

// The number of events of the trace at or before the moment.
std::size_t EventsUpTo(const trace::Trace& trace, const trace::Moment& moment) {
  using Kind = trace::Moment::Kind;
  std::size_t n = 0;
  for (const trace::Record& r : trace.events) {
    const bool commit = r.kind == sim::EventKind::kCommit;
    if (moment.kind == Kind::kTime && r.t > moment.value) break;
    if (moment.kind == Kind::kSeq && static_cast<std::int64_t>(r.seq) > moment.value) break;
    if (moment.kind == Kind::kRevision && commit && r.Int("revision") > moment.value) break;
    ++n;
  }
  return n;
}

std::nullopt_t PrintUnknownProcess(Io& io, const scenario::World& world, const std::string& process,
                                   int* code) {
  const std::vector<std::string> names = world.ProcessesWithCaches();
  const std::string near = Nearest(process, {names.begin(), names.end()});
  std::string hint = "there are: ";
  for (const std::string& name : names) hint += (&name == &names.front() ? "" : ", ") + name;
  if (!near.empty()) hint = fmt::format("did you mean \"{}\"?", near);
  io.Err(fmt::format("--as-seen-by: error: no process \"{}\" has a cache\n      hint: {}\n",
                     process, hint));
  *code = kInvalid;
  return std::nullopt;
}

}  // namespace

std::unique_ptr<scenario::Runner> RunAgainUntil(Io& io, const trace::Trace& trace,
                                                const std::string& path, const std::string& process,
                                                const trace::Moment& moment, const WorldLook& look,
                                                int* code) {
  *code = kInvalid;
  const std::optional<scenario::Scenario> scenario = ScenarioOf(io, trace, path);
  if (!scenario) return nullptr;
  if (trace.header.ksim_version != Version())
    io.Err(fmt::format("{}: warning: made by {}, this is {}: what is run again may differ\n", path,
                       trace.header.ksim_version, Version()));
  // ScenarioOf has seen that there are such options.
  scenario::RunnerOptions options = *fuzz::OptionsOf(*scenario, trace.header);
  const std::size_t wanted = EventsUpTo(trace, moment);
  const bool whole = wanted == trace.events.size() && trace.end;
  const scenario::World* world = nullptr;
  options.stop = [whole, wanted, &world, &look](const sim::Event& e) {
    if (look != nullptr && world != nullptr && e.seq <= wanted) look(*world, e);
    return interrupted != 0 || (!whole && e.seq >= wanted);
  };
  auto runner = std::make_unique<scenario::Runner>(*scenario, std::move(options));
  world = &runner->world();
  {
    const InterruptibleScope stoppable;
    runner->Run();
  }
  world = nullptr;
  if (interrupted != 0) *code = InterruptedCode();
  if (interrupted != 0) return nullptr;
  const std::vector<std::string> names = runner->world().ProcessesWithCaches();
  if (!process.empty() && std::find(names.begin(), names.end(), process) == names.end()) {
    PrintUnknownProcess(io, runner->world(), process, code);
    return nullptr;
  }
  *code = kOk;
  return runner;
}

std::optional<InformerCaches> ReplayInformerCaches(Io& io, const trace::Trace& trace,
                                                   const std::string& path,
                                                   const std::string& process,
                                                   const trace::Moment& moment,
                                                   const trace::State& state, int* code) {
  const std::unique_ptr<scenario::Runner> runner =
      RunAgainUntil(io, trace, path, process, moment, nullptr, code);
  if (runner == nullptr) return std::nullopt;
  scenario::World& world = runner->world();
  const client::InformerFactory* informers = world.InformersOf(process);
  if (informers == nullptr) {
    io.Err(fmt::format("{} was not running then\n", process));
    *code = kNothing;
    return std::nullopt;
  }
  InformerCaches caches;
  caches.state.set_time(state.time());
  for (client::SharedInformer* informer : informers->informers()) {
    const std::string& resource = informer->resource()->known_as();
    caches.resources.push_back(resource);
    for (api::Object& object : informer->lister().List(""))
      caches.state.Put(resource, std::move(object));
  }
  *code = kOk;
  return caches;
}

}  // namespace ksim::cli
