// WatchEvent, and WatchEvents: the events of a response. The events of one commit are
// one list that the responses of all watches share; a copy costs as much as a pointer. A response
// that writes to an event copies the list first, if others hold it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "ksim/store/key_value.h"
#include "ksim/store/ref.h"

namespace ksim::store {

struct WatchEvent {
  WatchEvent() = default;
  WatchEvent(KeyValue k, KeyValue p, std::uint64_t c)
      : kv(std::move(k)), prev_kv(std::move(p)), cause(c) {}
  bool is_delete() const { return kv.is_tombstone(); }
  bool is_create() const { return kv.is_create(); }
  KeyValue kv;       // of a delete: key and mod_revision only
  KeyValue prev_kv;  // none unless the watch asked for it
  // Not in etcd: seq of the bus event that led here. In the store the `commit`; once a client has
  // taken the response in, the `deliver` of this event.
  std::uint64_t cause = 0;
};

class WatchEvents {
 public:
  using List = absl::InlinedVector<WatchEvent, 1>;

  WatchEvents() = default;  // none
  explicit WatchEvents(List events)
      : shared_(events.empty() ? nullptr : new Shared(std::move(events))) {}

  const WatchEvent* begin() const { return shared_ ? shared_->events.data() : nullptr; }
  const WatchEvent* end() const { return begin() + size(); }
  std::size_t size() const { return shared_ ? shared_->events.size() : 0; }
  bool empty() const { return !shared_; }
  const WatchEvent& operator[](std::size_t i) const { return begin()[i]; }
  const WatchEvent& front() const { return *begin(); }
  const WatchEvent& back() const { return end()[-1]; }

  WatchEvents Slice(std::size_t from, std::size_t to) const {
    return WatchEvents(List(begin() + from, begin() + to));
  }
  WatchEvent& Own(std::size_t i) {
    if (shared_->refs > 1) *this = Slice(0, size());
    return shared_->events[i];
  }

 private:
  struct Shared {
    explicit Shared(List e) : events(std::move(e)) {}
    mutable std::uint32_t refs = 0;
    mutable List events;
    static void Free(const Shared* s) { delete s; }
  };
  Ref<Shared> shared_;
};

}  // namespace ksim::store
