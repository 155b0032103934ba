#include "ksim/scenario/delivery.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/base/time.h"
#include "ksim/client/core/payloads.h"

namespace ksim::scenario {
std::vector<InformerDelivery> DeliveryOf(const std::vector<sim::Event>& events) {
  trace::DeliveryMeter meter;
  for (const sim::Event& e : events) {
    if (e.kind == sim::EventKind::kCommit) {
      meter.Commit(e.revision, e.time.ns());
    } else if (e.kind == sim::EventKind::kRelist) {
      const auto& relist = e.payload.As<client::RelistPayload>();
      meter.Relist(relist.informer, relist.got_rv, static_cast<std::int64_t>(relist.items), true);
    } else if (e.kind == sim::EventKind::kHandler) {
      const auto& call = e.payload.As<client::HandlerPayload>();
      const std::int64_t rv = trace::RevisionOfCall(
          call.initial, call.tombstone, call.type == client::HandlerCall::kUpdate,
          call.old_object.resource_version(), call.object.resource_version());
      meter.Call(call.informer, rv, e.time.ns(), e.seq);
    }
  }
  return meter.Rows();
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
    const auto text = [&](std::int64_t ns) {
      return d.calls == 0 ? std::string("-") : FormatDuration(Duration(ns));
    };
    out += row(d.informer, d.calls, text(d.p50), text(d.p99), text(d.max), d.relists, d.items);
  }
  return out;
}

}  // namespace ksim::scenario
