#include "ksim/store/encoded_size.h"

#include <cstdint>

#include "ksim/value/json.h"
#include "ksim/value/text_size.h"

namespace ksim::store {
namespace {

// From here on a tree is measured exactly: an escape makes at most six bytes of one, so below it
// an estimate cannot hide that a limit is passed.
constexpr std::size_t kMeasureFrom = 256 * 1024;

constexpr std::size_t VarintSize(std::uint64_t n) {
  std::size_t bytes = 1;
  for (; n >= 0x80; n >>= 7) ++bytes;
  return bytes;
}

// Every field has a number below 16, so its tag is one byte. Zero values are left out.
constexpr std::size_t NumberField(std::int64_t n) {
  return n == 0 ? 0 : 1 + VarintSize(static_cast<std::uint64_t>(n));
}
constexpr std::size_t MessageField(std::size_t bytes) { return 1 + VarintSize(bytes) + bytes; }
constexpr std::size_t BytesField(std::size_t bytes) { return bytes == 0 ? 0 : MessageField(bytes); }
constexpr std::size_t FlagField(bool b) { return b ? 2 : 0; }

std::size_t KeyValueSize(const KeyValue& kv) {
  return BytesField(kv.key().size()) + NumberField(kv.create_revision()) +
         NumberField(kv.mod_revision()) + NumberField(kv.version()) +
         BytesField(EncodedSize(kv.value())) + NumberField(kv.lease());
}

std::size_t CompareSize(const Compare& c) {
  const std::size_t operand = c.target == Compare::Target::kValue ? BytesField(EncodedSize(c.value))
                                                                  : NumberField(c.number);
  const std::size_t range_end = c.range_end.empty() ? 0 : 1 + BytesField(c.range_end.size());
  return NumberField(static_cast<int>(c.result)) + NumberField(static_cast<int>(c.target)) +
         BytesField(c.key.size()) + operand + range_end;
}

std::size_t OpSize(const RequestOp& op) {
  return std::visit(
      [](const auto& request) -> std::size_t {
        if constexpr (std::is_same_v<std::decay_t<decltype(request)>, std::monostate>) {
          return 0;
        } else {
          return MessageField(EncodedSize(request));
        }
      },
      op.request);
}

}  // namespace

std::size_t EncodedSize(const value::Value& v) {
  if (v.is_null() || v.is_string()) return v.AsString().size();
  v.Hash();  // as the commit's event will: what has one is measured but once
  const std::size_t estimate = value::TextSizeBound(v);
  return estimate < kMeasureFrom ? estimate : value::ToJson(v).size();
}

std::size_t EncodedSize(const RangeRequest& r) {
  return BytesField(r.key.size()) + BytesField(r.range_end.size()) + NumberField(r.limit) +
         NumberField(r.revision) + NumberField(static_cast<int>(r.sort_order)) +
         NumberField(static_cast<int>(r.sort_target)) + FlagField(r.keys_only) +
         FlagField(r.count_only) + NumberField(r.min_mod_revision) +
         NumberField(r.max_mod_revision) + NumberField(r.min_create_revision) +
         NumberField(r.max_create_revision);
}

std::size_t EncodedSize(const PutRequest& r) {
  return BytesField(r.key.size()) + BytesField(EncodedSize(r.value)) + NumberField(r.lease) +
         FlagField(r.prev_kv) + FlagField(r.ignore_value) + FlagField(r.ignore_lease);
}

std::size_t EncodedSize(const DeleteRangeRequest& r) {
  return BytesField(r.key.size()) + BytesField(r.range_end.size()) + FlagField(r.prev_kv);
}

std::size_t EncodedSize(const TxnRequest& r) {
  std::size_t bytes = 0;
  for (const Compare& c : r.compare) bytes += MessageField(CompareSize(c));
  for (const RequestOp& op : r.success) bytes += MessageField(OpSize(op));
  for (const RequestOp& op : r.failure) bytes += MessageField(OpSize(op));
  return bytes;
}

std::size_t EncodedSize(const WatchEvent& e) {
  const std::size_t prev = e.prev_kv ? MessageField(KeyValueSize(e.prev_kv)) : 0;
  return MessageField(FlagField(e.is_delete()) + MessageField(KeyValueSize(e.kv)) + prev);
}

std::size_t EncodedSize(const WatchResponse& r) {
  constexpr std::size_t kHeader = 40;  // cluster and member ids, revision, term
  std::size_t bytes = kHeader + NumberField(r.watch_id) + FlagField(r.created) +
                      FlagField(r.canceled) + NumberField(r.compact_revision) +
                      BytesField(r.cancel_reason.size()) + FlagField(r.fragment);
  for (const WatchEvent& e : r.events) bytes += EncodedSize(e);
  return bytes;
}

// A header with a ten-byte request id (field 100: a tag of two bytes), then the request.
std::size_t RaftSize(std::size_t request_bytes) { return 14 + MessageField(request_bytes); }

}  // namespace ksim::store
