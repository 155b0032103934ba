#include "ksim/fuzz/fault_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "ksim/fault/event_trigger.h"
#include "ksim/fuzz/strategy.h"
#include "ksim/scenario/runner.h"
#include "ksim/sim/network.h"

namespace ksim::fuzz {
namespace {

using scenario::FaultSpec;
using scenario::Scenario;
using value::Value;

// Answers with the decisions and remembers which event had been emitted last when it did.
class LocatingStrategy : public sim::Strategy {
 public:
  explicit LocatingStrategy(const std::vector<sim::Decision>& decisions) {
    for (const sim::Decision& d : decisions) answers_[{d.site, d.key}] = d.answer;
  }
  std::string_view name() const override { return "locating"; }
  void Watch(sim::Simulation* sim) { sim_ = sim; }
  std::uint32_t Answer(std::string_view site, std::uint64_t key, std::uint32_t n) override {
    const auto it = answers_.find({std::string(site), key});
    if (it == answers_.end() || it->second >= n) return 0;
    if (sim_ != nullptr) seen_.try_emplace(it->first, sim_->bus().last_seq());
    return it->second;
  }
  // 0: it was never asked.
  std::uint64_t SeqOf(const sim::Decision& d) const {
    const auto it = seen_.find({d.site, d.key});
    return it == seen_.end() ? 0 : it->second;
  }

 private:
  using Question = std::pair<std::string, std::uint64_t>;
  sim::Simulation* sim_ = nullptr;
  std::map<Question, std::uint32_t> answers_;
  std::map<Question, std::uint64_t> seen_;
};

// The commit that led to an event; the event itself if none did.
std::uint64_t CommitBehind(const std::vector<sim::Event>& events, std::uint64_t seq) {
  for (std::uint64_t at = seq; at != 0; at = events[at - 1].cause)
    if (events[at - 1].kind == sim::EventKind::kCommit) return at;
  return seq;
}

// delay/SERVER/CLIENT/RESOURCE of an event on a watch, as a hold of the stream.
std::optional<FaultSpec> HoldFor(const sim::Decision& d, std::uint64_t seq,
                                 const std::vector<sim::Event>& events) {
  if (seq == 0 || seq > events.size() || events[seq - 1].kind != sim::EventKind::kEvent)
    return std::nullopt;
  const std::size_t from = d.site.find('/');
  const std::size_t to = d.site.find('/', from + 1);
  const std::size_t resource = d.site.rfind('/');
  if (to == std::string::npos || resource <= to) return std::nullopt;
  if (d.site.substr(from + 1, to - from - 1) == "etcd") return std::nullopt;
  FaultSpec spec;
  spec.verb = "holdStream";
  spec.when = fault::TriggerOf(events, CommitBehind(events, seq));
  spec.args = value::Obj({{"client", Value::Of(d.site.substr(to + 1, resource - to - 1))},
                          {"resource", Value::Of(d.site.substr(resource + 1))},
                          {"for", Value::Of(FormatDuration(sim::kExtraDelays[d.answer]))}});
  return spec;
}

}  // namespace

Scenario WithScriptedFaults(const Scenario& scenario, const std::vector<sim::Decision>& decisions) {
  const auto locating = std::make_shared<LocatingStrategy>(decisions);
  Scenario plain = scenario;
  plain.overrides.clear();
  scenario::RunnerOptions options;
  options.world.strategy = locating;
  for (const sim::Decision& d : decisions)  // what only overrides can say, and what draws faults
    if (KindOf(d.site) != "delay") options.world.overrides.push_back({d.site, d.key, d.answer});
  scenario::Runner runner(plain, std::move(options));
  locating->Watch(&runner.world().sim());
  runner.Run();
  Scenario out = plain;
  for (FaultSpec& spec : runner.DrawnScript()) out.faults.push_back(std::move(spec));
  for (const sim::Decision& d : decisions) {
    if (KindOf(d.site).starts_with("fault.")) continue;
    std::optional<FaultSpec> hold;
    if (KindOf(d.site) == "delay") hold = HoldFor(d, locating->SeqOf(d), runner.events());
    if (hold)
      out.faults.push_back(*std::move(hold));
    else
      out.overrides.push_back({d.site, d.key, d.answer});
  }
  return out;
}

}  // namespace ksim::fuzz
