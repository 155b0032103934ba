#include "ksim/scenario/observers/delivery.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/base/time.h"
#include "ksim/client/core/payloads.h"

namespace ksim::scenario {

RunDelivery::RunDelivery(sim::Bus& bus) {
  bus.Subscribe(sim::Bus::Stage::kWriter,
                {sim::EventKind::kCommit, sim::EventKind::kRelist, sim::EventKind::kHandler},
                [this](const sim::Event& e) { Take(e); });
}

void RunDelivery::Take(const sim::Event& e) {
  if (e.kind == sim::EventKind::kCommit) {
    meter_.Commit(e.revision, e.time.ns());
  } else if (e.kind == sim::EventKind::kRelist) {
    const auto& relist = e.payload.As<client::RelistPayload>();
    meter_.Relist(relist.informer, relist.got_rv, static_cast<std::int64_t>(relist.items), true);
  } else {
    const auto& call = e.payload.As<client::HandlerPayload>();
    const std::int64_t rv = trace::RevisionOfCall(
        call.initial, call.tombstone, call.type == client::HandlerCall::kUpdate,
        call.old_object.resource_version(), call.object.resource_version());
    meter_.Call(call.informer, rv, e.time.ns(), e.seq);
  }
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
