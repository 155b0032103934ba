#include "ksim/fuzz/lost_write.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ksim/fuzz/deeds.h"

namespace ksim::fuzz {
namespace {

using sim::EventKind;
using trace::Record;
using trace::Trace;

// The text that writes which are alike (IsLike) have in common.
std::string LikenessOf(const Record& write) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", write.actor, write.Text("verb"),
                     write.Text("resource"), write.Text("subresource"), write.Text("namespace"),
                     write.Text("name"));
}

// The requests of a trace that led to a commit.
class StoredWrites {
 public:
  explicit StoredWrites(const Trace& trace) {
    for (const Record& r : trace.events)
      if (r.kind == EventKind::kCommit) ids_.insert(r.Int("request"));
    for (const Record& r : trace.events)
      if (r.kind == EventKind::kRequest && Contain(r)) ++like_[LikenessOf(r)];
  }
  bool Contain(const Record& request) const { return ids_.contains(request.Int("id")); }
  // Their number by that actor, with that verb and about that object.
  std::size_t CountLike(const Record& write) const {
    const auto it = like_.find(LikenessOf(write));
    return it == like_.end() ? 0 : it->second;
  }

 private:
  absl::flat_hash_set<std::int64_t> ids_;               // looked up only
  absl::flat_hash_map<std::string, std::size_t> like_;  // looked up only
};

}  // namespace

std::optional<std::size_t> FindLostWrite(const Trace& failing, const Trace& passing) {
  const StoredWrites here(failing), there(passing);
  for (std::size_t i = 0; i < failing.events.size(); ++i) {
    const Record& r = failing.events[i];
    if (r.kind != EventKind::kRequest || !IsDeed(r) || here.Contain(r)) continue;
    const std::size_t stored = here.CountLike(r);
    if (stored >= there.CountLike(r)) continue;
    // A creation does not say the name: the run that passes has more of them.
    if (stored > 0 && !r.Text("name").empty()) continue;
    return i;
  }
  return std::nullopt;
}

}  // namespace ksim::fuzz
