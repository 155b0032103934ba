// Syncs: the syncs of the controllers of a trace, and what each wrote.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/trace/trace.h"

namespace ksim::fuzz {

// A sync of a controller: indices of its two events.
struct Sync {
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t begin = kNone;  // none: there is no such sync
  std::size_t end = kNone;    // none: the run, or the process, ended before
};

class Syncs {
 public:
  // The trace outlives it.
  explicit Syncs(const trace::Trace& trace) : trace_(trace) {}

  const trace::Record& at(std::size_t i) const { return trace_.events[i]; }

  // The sync that did it.
  Sync Of(std::size_t deed) const;
  // The last one of an actor, on a key or on any (""), that began before an event.
  Sync Last(std::string_view actor, std::string_view key, std::size_t before) const;
  // "default/web"; "" without a sync.
  std::string KeyOf(const Sync& sync) const;
  // The deeds of a sync, in order.
  std::vector<std::size_t> DeedsOf(const Sync& sync) const;

 private:
  Sync From(std::size_t i) const;

  const trace::Trace& trace_;
};

}  // namespace ksim::fuzz
