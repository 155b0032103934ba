#include "ksim/trace/delivery_table.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace ksim::trace {
namespace {

struct Samples {
  std::vector<std::pair<std::int64_t, std::uint64_t>> latencies;  // and seq
  std::int64_t first_rv = -1;                                     // of the first list
  std::uint64_t relists = 0;
  std::int64_t items = 0;
};

// The revision whose commit a call is about; 0 if it is about none.
std::int64_t RevisionOf(const Record& call) {
  if (call.Get("initial").AsBool() || call.Get("tombstone").AsBool()) return 0;
  const bool same = call.Text("type") == "update" && call.Int("oldRv") == call.Int("rv");
  return same ? 0 : call.Int("rv");
}

DeliveryRow RowOf(std::string informer, Samples& samples) {
  DeliveryRow row;
  row.informer = std::move(informer);
  row.calls = samples.latencies.size();
  row.relists = samples.relists;
  row.items = samples.items;
  if (row.calls == 0) return row;
  std::sort(samples.latencies.begin(), samples.latencies.end());
  const auto rank = [&](std::size_t percent) {
    return samples.latencies[std::max<std::size_t>((row.calls * percent + 99) / 100, 1) - 1].first;
  };
  row.p50 = rank(50);
  row.p99 = rank(99);
  row.max = samples.latencies.back().first;
  const auto first = std::lower_bound(samples.latencies.begin(), samples.latencies.end(),
                                      std::pair<std::int64_t, std::uint64_t>(row.max, 0));
  row.slowest = first->second;
  return row;
}

}  // namespace

std::vector<DeliveryRow> DeliveryRows(const Excerpt& excerpt) {
  std::map<std::string, Samples, std::less<>> by_informer;
  std::unordered_map<std::int64_t, std::int64_t> committed;  // revision -> time
  for (std::size_t i = 0; i < excerpt.last(); ++i) {
    const Record& r = excerpt.trace().events[i];
    const bool shown = excerpt.Shows(r);
    if (r.kind == sim::EventKind::kCommit) committed.try_emplace(r.Int("revision"), r.t);
    if (r.kind == sim::EventKind::kRelist) {
      Samples& samples = by_informer[std::string(r.Text("informer"))];
      if (samples.first_rv < 0) samples.first_rv = r.Int("gotRv");
      if (shown) ++samples.relists;
      if (shown) samples.items += r.Int("items");
    }
    if (r.kind != sim::EventKind::kHandler || !shown) continue;
    const auto it = by_informer.find(r.Text("informer"));
    const std::int64_t rv = RevisionOf(r);
    const auto commit = committed.find(rv);
    if (it == by_informer.end() || commit == committed.end()) continue;
    if (it->second.first_rv >= 0 && rv > it->second.first_rv)
      it->second.latencies.emplace_back(r.t - commit->second, r.seq);
  }
  std::vector<DeliveryRow> rows;
  for (auto& [informer, samples] : by_informer)
    if (samples.relists > 0 || !samples.latencies.empty()) rows.push_back(RowOf(informer, samples));
  return rows;
}

}  // namespace ksim::trace
