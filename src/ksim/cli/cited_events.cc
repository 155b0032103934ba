#include "ksim/cli/cited_events.h"

#include <set>
#include <utility>

#include "ksim/scenario/runner.h"
#include "ksim/trace/events.h"

namespace ksim::cli {

void CitedEvents::Take(const sim::Event& e) {
  last_seq_ = e.seq;
  if (latest_.size() < kLatest)
    latest_.push_back(e);
  else
    latest_[(e.seq - 1) % kLatest] = e;
  if (e.kind != sim::EventKind::kViolation) return;
  const std::uint64_t first = e.payload.As<trace::ViolationPayload>().violation.first;
  if (const sim::Event* there = Latest(first)) cited_.emplace(first, *there);
}

const sim::Event* CitedEvents::Latest(std::uint64_t seq) const {
  if (seq == 0 || seq > last_seq_) return nullptr;
  const sim::Event& there = latest_[(seq - 1) % kLatest];
  return there.seq == seq ? &there : nullptr;
}

void CitedEvents::Fetch(const scenario::Scenario& scenario,
                        const std::vector<trace::Violation>& violations,
                        const std::function<bool()>& interrupted) {
  std::set<std::uint64_t> missing;
  for (const trace::Violation& v : violations) {
    if (cited_.contains(v.first)) continue;
    if (const sim::Event* there = Latest(v.first))
      cited_.emplace(v.first, *there);
    else if (v.first != 0 && v.first <= last_seq_)
      missing.insert(v.first);
  }
  if (missing.empty() || interrupted()) return;
  scenario::RunnerOptions options;
  options.record = options.world.digest = false;
  options.world.interrupted = interrupted;
  options.stop = [&](const sim::Event& e) {
    if (missing.contains(e.seq)) cited_.emplace(e.seq, e);
    return e.seq >= *missing.rbegin() || interrupted();
  };
  scenario::Runner(scenario, std::move(options)).Run();
}

const sim::Event* CitedEvents::Find(std::uint64_t seq) const {
  const auto it = cited_.find(seq);
  return it == cited_.end() ? nullptr : &it->second;
}

}  // namespace ksim::cli
