// KeyRange: the keys that (key, range_end) of a request select. Views: lives no longer than the
// request. Source: server/etcdserver/txn/delete.go mkGteRange, mvcc/index.go unsafeVisit.
#pragma once
#include <string_view>

#include "ksim/store/kv_request.h"

namespace ksim::store {

class KeyRange {
 public:
  KeyRange(std::string_view key, std::string_view range_end)
      : first_(key),
        end_(range_end),
        single_(range_end.empty()),
        unbounded_(range_end == kFromKey) {}

  bool single() const { return single_; }        // exactly first()
  bool unbounded() const { return unbounded_; }  // every key >= first()
  std::string_view first() const { return first_; }
  std::string_view end() const { return end_; }
  // An interval whose end is not after its start. Holds nothing.
  bool inverted() const { return !single_ && !unbounded_ && first_ >= end_; }
  bool BelowEnd(std::string_view key) const { return unbounded_ || key < end_; }
  bool Contains(std::string_view key) const {
    if (single_) return key == first_;
    return key >= first_ && BelowEnd(key);
  }

 private:
  std::string_view first_, end_;
  bool single_, unbounded_;
};

}  // namespace ksim::store
