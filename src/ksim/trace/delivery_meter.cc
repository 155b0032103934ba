#include "ksim/trace/delivery_meter.h"

#include <algorithm>

namespace ksim::trace {

void DeliveryMeter::Relist(std::string_view informer, std::int64_t got_rv, std::int64_t items,
                           bool counted) {
  Samples& samples = by_informer_[std::string(informer)];
  if (samples.first_rv < 0) samples.first_rv = got_rv;
  if (!counted) return;
  ++samples.relists;
  samples.items += items;
}

void DeliveryMeter::Call(std::string_view informer, std::int64_t rv, std::int64_t t,
                         std::uint64_t seq) {
  const auto it = by_informer_.find(informer);
  const auto commit = committed_.find(rv);
  if (it == by_informer_.end() || commit == committed_.end()) return;
  if (it->second.first_rv >= 0 && rv > it->second.first_rv)
    it->second.latencies.emplace_back(t - commit->second, seq);
}

std::vector<DeliveryRow> DeliveryMeter::Rows() {
  std::vector<DeliveryRow> rows;
  for (auto& [informer, samples] : by_informer_)
    if (samples.relists > 0 || !samples.latencies.empty()) rows.push_back(RowOf(informer, samples));
  return rows;
}

DeliveryRow DeliveryMeter::RowOf(const std::string& informer, Samples& samples) {
  DeliveryRow row;
  row.informer = informer;
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

}  // namespace ksim::trace
