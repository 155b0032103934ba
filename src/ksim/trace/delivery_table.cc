#include "ksim/trace/delivery_table.h"

namespace ksim::trace {

std::vector<DeliveryRow> DeliveryRows(const Excerpt& excerpt) {
  DeliveryMeter meter;
  for (std::size_t i = 0; i < excerpt.last(); ++i) {
    const Record& r = excerpt.trace().events[i];
    const bool shown = excerpt.Shows(r);
    if (r.kind == sim::EventKind::kCommit) {
      meter.Commit(r.Int("revision"), r.t);
    } else if (r.kind == sim::EventKind::kRelist) {
      meter.Relist(r.Text("informer"), r.Int("gotRv"), r.Int("items"), shown);
    } else if (r.kind == sim::EventKind::kHandler && shown) {
      const std::int64_t rv =
          RevisionOfCall(r.Get("initial").AsBool(), r.Get("tombstone").AsBool(),
                         r.Text("type") == "update", r.Int("oldRv"), r.Int("rv"));
      meter.Call(r.Text("informer"), rv, r.t, r.seq);
    }
  }
  return meter.Rows();
}

}  // namespace ksim::trace
