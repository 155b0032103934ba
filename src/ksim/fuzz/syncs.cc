#include "ksim/fuzz/syncs.h"

#include <algorithm>

#include "ksim/fuzz/deeds.h"
#include "ksim/trace/diff.h"

namespace ksim::fuzz {

using sim::EventKind;
using trace::Record;

Sync Syncs::Of(std::size_t deed) const {
  for (const std::size_t i : trace::CauseChain(trace_, deed))
    if (at(i).kind == EventKind::kReconcile && at(i).actor == at(deed).actor) return From(i);
  return Last(at(deed).actor, "", deed);
}

Sync Syncs::Last(std::string_view actor, std::string_view key, std::size_t before) const {
  for (std::size_t i = std::min(before, trace_.events.size()); i-- > 0;) {
    const Record& r = at(i);
    if (r.kind != EventKind::kReconcile || r.Text("state") != "begin" || r.actor != actor) continue;
    if (key.empty() || r.Text("key") == key) return From(i);
  }
  return {};
}

std::string Syncs::KeyOf(const Sync& sync) const {
  return sync.begin == Sync::kNone ? "" : std::string(at(sync.begin).Text("key"));
}

std::vector<std::size_t> Syncs::DeedsOf(const Sync& sync) const {
  std::vector<std::size_t> out;
  for (std::size_t i = sync.begin; i < std::min(sync.end, trace_.events.size()); ++i)
    if (IsDeed(at(i)) && at(i).actor == at(sync.begin).actor && Of(i).begin == sync.begin)
      out.push_back(i);
  return out;
}

// The sync that an event, its begin or its end, belongs to.
Sync Syncs::From(std::size_t i) const {
  Sync sync;
  sync.begin = i;
  const Record& begin = at(i);
  if (begin.Text("state") != "begin") return Last(begin.actor, begin.Text("key"), i);
  for (std::size_t j = i + 1; j < trace_.events.size(); ++j) {
    const Record& r = at(j);
    if (r.kind != EventKind::kReconcile || r.actor != begin.actor) continue;
    if (r.Text("key") != begin.Text("key")) continue;
    if (r.Text("state") != "begin") sync.end = j;
    break;
  }
  return sync;
}

}  // namespace ksim::fuzz
