#include "ksim/store/range.h"

#include <algorithm>
#include <compare>
#include <string>
#include <utility>

#include "ksim/store/errors.h"

namespace ksim::store {
namespace {

bool HasRevisionFilters(const RangeRequest& r) {
  return r.min_mod_revision != 0 || r.max_mod_revision != 0 || r.min_create_revision != 0 ||
         r.max_create_revision != 0;
}

bool Passes(const RangeRequest& r, const KeyValue& kv) {
  const Revision mod = kv.mod_revision();
  const Revision create = kv.create_revision();
  return (r.max_mod_revision == 0 || mod <= r.max_mod_revision) &&
         (r.min_mod_revision == 0 || mod >= r.min_mod_revision) &&
         (r.max_create_revision == 0 || create <= r.max_create_revision) &&
         (r.min_create_revision == 0 || create >= r.min_create_revision);
}

// Keys come in ascending order, so these orders need all of them only if it is another one. Note
// that a sort target without an order is cut in key order first (STORE-24).
bool CutsInKeyOrder(const RangeRequest& r) {
  const bool key_order = r.sort_order == SortOrder::kNone ||
                         (r.sort_target == SortTarget::kKey && r.sort_order == SortOrder::kAscend);
  return r.limit > 0 && key_order && !HasRevisionFilters(r);
}

void Collect(const Mvcc& mvcc, const RangeRequest& r, RangeResponse* response) {
  const bool cut = CutsInKeyOrder(r);
  const bool filter = HasRevisionFilters(r);
  const auto wanted = static_cast<std::size_t>(r.limit) + 1;  // one more tells `more`
  mvcc.index().VisitRange(KeyRange(r.key, r.range_end), [&](const KeyHistory& history) {
    const KeyValue* kv = r.revision > 0 ? history.At(r.revision) : history.Live();
    if (kv == nullptr) return true;
    ++response->count;
    if (r.count_only || (cut && response->kvs.size() == wanted)) return true;
    if (!filter || Passes(r, *kv)) response->kvs.push_back(*kv);
    return true;
  });
}

std::int64_t SortNumber(const KeyValue& kv, SortTarget target) {
  switch (target) {
    case SortTarget::kVersion:
      return kv.version();
    case SortTarget::kCreate:
      return kv.create_revision();
    case SortTarget::kMod:
      return kv.mod_revision();
    default:
      return 0;
  }
}

// Stable, so that ties stay in key order in both directions (STORE-25).
template <class T, class Less>
void SortStable(std::vector<T>* items, SortOrder order, Less less) {
  if (order == SortOrder::kDescend) {
    std::stable_sort(items->begin(), items->end(),
                     [&](const T& a, const T& b) { return less(b, a); });
  } else {
    std::stable_sort(items->begin(), items->end(), less);
  }
}

void SortByValue(std::vector<KeyValue>* kvs, SortOrder order) {
  SortStable(kvs, order, [](const KeyValue& a, const KeyValue& b) {
    return CompareBytes(a.value(), b.value()) < 0;
  });
}

void Sort(const RangeRequest& r, std::vector<KeyValue>* kvs) {
  if (r.sort_target == SortTarget::kKey) {
    if (r.sort_order == SortOrder::kDescend) std::reverse(kvs->begin(), kvs->end());
    return;
  }
  if (r.sort_target == SortTarget::kValue) return SortByValue(kvs, r.sort_order);
  SortStable(kvs, r.sort_order, [&](const KeyValue& a, const KeyValue& b) {
    return SortNumber(a, r.sort_target) < SortNumber(b, r.sort_target);
  });
}

}  // namespace

absl::StatusOr<RangeResponse> ExecuteRange(const Mvcc& mvcc, const RangeRequest& request,
                                           Revision current) {
  if (request.revision > current) return FutureRevisionError();
  if (request.revision > 0 && request.revision < mvcc.compact_revision()) return CompactedError();
  RangeResponse response;
  response.header.revision = current;
  Collect(mvcc, request, &response);
  Sort(request, &response.kvs);
  if (request.limit > 0 && response.kvs.size() > static_cast<std::size_t>(request.limit)) {
    response.kvs.resize(static_cast<std::size_t>(request.limit));
    response.more = true;
  }
  if (request.keys_only) {
    for (KeyValue& kv : response.kvs) kv = kv.WithoutValue();
  }
  return response;
}

}  // namespace ksim::store
