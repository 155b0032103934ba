#include "ksim/scenario/delivery.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ksim/client/events.h"

namespace ksim::scenario {
namespace {

struct Samples {
  std::vector<Duration> latencies;
  std::uint64_t relists = 0;
  std::uint64_t items = 0;
  std::int64_t first_rv = -1;  // of the first list; -1 before it
};

// The revision whose commit a call is about; 0 if it is about none.
std::int64_t RevisionOf(const client::HandlerPayload& call) {
  const std::int64_t rv = call.object.resource_version();
  if (call.initial || call.tombstone) return 0;
  const bool update = call.type == client::HandlerCall::kUpdate;
  return update && call.old_object.resource_version() == rv ? 0 : rv;
}

// `sorted` is not empty.
Duration NearestRank(const std::vector<Duration>& sorted, std::size_t percent) {
  const std::size_t rank = (sorted.size() * percent + 99) / 100;
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace

std::vector<InformerDelivery> DeliveryOf(const std::vector<sim::Event>& events) {
  std::map<std::string, Samples> by_informer;
  std::vector<VirtualTime> committed;  // by revision
  for (const sim::Event& e : events) {
    if (e.kind == sim::EventKind::kCommit && e.revision > 0) {
      const auto index = static_cast<std::size_t>(e.revision);
      if (committed.size() <= index) committed.resize(index + 1);
      committed[index] = e.time;
    } else if (e.kind == sim::EventKind::kRelist) {
      const auto& relist = e.payload.As<client::RelistPayload>();
      Samples& samples = by_informer[*relist.informer];
      if (samples.first_rv < 0) samples.first_rv = relist.got_rv;
      ++samples.relists;
      samples.items += relist.items;
    } else if (e.kind == sim::EventKind::kHandler) {
      const auto& call = e.payload.As<client::HandlerPayload>();
      const std::int64_t rv = RevisionOf(call);
      Samples& samples = by_informer[*call.informer];
      const bool known = rv > 0 && static_cast<std::size_t>(rv) < committed.size();
      if (!known || samples.first_rv < 0 || rv <= samples.first_rv) continue;
      samples.latencies.push_back(e.time - committed[static_cast<std::size_t>(rv)]);
    }
  }
  std::vector<InformerDelivery> out;
  for (auto& [name, samples] : by_informer) {
    InformerDelivery delivery;
    delivery.informer = name;
    delivery.calls = samples.latencies.size();
    delivery.relists = samples.relists;
    delivery.items_listed = samples.items;
    std::sort(samples.latencies.begin(), samples.latencies.end());
    if (!samples.latencies.empty()) {
      delivery.p50 = NearestRank(samples.latencies, 50);
      delivery.p99 = NearestRank(samples.latencies, 99);
      delivery.max = samples.latencies.back();
    }
    out.push_back(std::move(delivery));
  }
  return out;
}

std::string DeliveryTable(const std::vector<InformerDelivery>& delivery) {
  if (delivery.empty()) return "";
  std::size_t width = 8;
  for (const InformerDelivery& d : delivery) width = std::max(width, d.informer.size());
  const auto row = [&](std::string_view informer, const auto&... columns) {
    return fmt::format("{:<{}}   {:>6}   {:>12}   {:>12}   {:>12}   {:>7}   {:>5}\n", informer,
                       width, columns...);
  };
  std::string out = row("INFORMER", "CALLS", "P50", "P99", "MAX", "RELISTS", "ITEMS");
  for (const InformerDelivery& d : delivery) {
    const auto text = [&](Duration value) {
      return d.calls == 0 ? std::string("-") : FormatDuration(value);
    };
    out +=
        row(d.informer, d.calls, text(d.p50), text(d.p99), text(d.max), d.relists, d.items_listed);
  }
  return out;
}

}  // namespace ksim::scenario
