// Requests and responses of etcd's KV service: Range, Put, DeleteRange, Txn, Compact. Field names
// and meanings are those of api/etcdserverpb/rpc.proto.
//
// Ranges: `range_end` empty = the single key; one zero byte = every key >= `key`; else
// [key, range_end). kFromKey spells the second.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ksim/base/internal/shared_text.h"
#include "ksim/sim/bus.h"
#include "ksim/store/key_value.h"

namespace ksim::store {

inline constexpr std::string_view kFromKey{"\0", 1};

// The end of the range of all keys that begin with `prefix`; kFromKey if there is none (all bytes
// are 0xff, or the prefix is empty). clientv3.GetPrefixRangeEnd.
std::string PrefixEnd(std::string_view prefix);

// The actor and request that a write is made for; they go into the `commit` and `compact` events.
struct WriteOrigin {
  WriteOrigin() = default;
  WriteOrigin(sim::ActorId actor, std::uint64_t request_id) : by(actor), request(request_id) {}
  sim::ActorId by;            // the actor that asked; empty = the store's own process
  std::uint64_t request = 0;  // id of the API request that led to it; 0 = none
};

struct ResponseHeader {
  Revision revision = 0;
  // Not in etcd: seq of the last `commit` event the request led to, 0 if it changed nothing.
  std::uint64_t commit = 0;
};

enum class SortOrder : std::uint8_t { kNone, kAscend, kDescend };
enum class SortTarget : std::uint8_t { kKey, kVersion, kCreate, kMod, kValue };

struct RangeRequest {
  RangeRequest() = default;
  RangeRequest(SharedText k, SharedText end = {}) : key(std::move(k)), range_end(std::move(end)) {}
  SharedText key, range_end;
  std::int64_t limit = 0;  // <= 0: none
  Revision revision = 0;   // <= 0: latest
  SortOrder sort_order = SortOrder::kNone;
  SortTarget sort_target = SortTarget::kKey;
  bool keys_only = false, count_only = false;
  Revision min_mod_revision = 0, max_mod_revision = 0;  // inclusive; 0 = off
  Revision min_create_revision = 0, max_create_revision = 0;
};
struct RangeResponse {
  RangeResponse() = default;
  ResponseHeader header;  // the store's revision, not the one asked for
  std::vector<KeyValue> kvs;
  bool more = false;
  std::int64_t count = 0;  // keys in the interval, whatever limit and revision filters say
};

struct PutRequest {
  PutRequest() = default;
  PutRequest(SharedText k, value::Value v) : key(std::move(k)), value(std::move(v)) {}
  SharedText key;
  value::Value value;
  LeaseId lease = 0;
  bool prev_kv = false, ignore_value = false, ignore_lease = false;
  WriteOrigin origin;  // of a plain put; within a Txn the Txn's counts
};
struct PutResponse {
  PutResponse() = default;
  ResponseHeader header;
  KeyValue prev_kv;  // none unless asked for and there was one
};

struct DeleteRangeRequest {
  DeleteRangeRequest() = default;
  DeleteRangeRequest(SharedText k, SharedText end = {})
      : key(std::move(k)), range_end(std::move(end)) {}
  SharedText key, range_end;
  bool prev_kv = false;
  WriteOrigin origin;  // as in PutRequest
};
struct DeleteRangeResponse {
  DeleteRangeResponse() = default;
  ResponseHeader header;
  std::int64_t deleted = 0;
  std::vector<KeyValue> prev_kvs;
};

struct Compare {
  enum class Target : std::uint8_t { kVersion, kCreate, kMod, kLease, kValue };
  enum class Result : std::uint8_t { kEqual, kNotEqual, kGreater, kLess };
  Compare() = default;
  Compare(SharedText k, Target t, Result r, std::int64_t operand)
      : key(std::move(k)), target(t), result(r), number(operand) {}
  Compare(SharedText k, Result r, value::Value operand)
      : key(std::move(k)), target(Target::kValue), result(r), value(std::move(operand)) {}
  static Compare ModRevisionIs(SharedText key, Revision revision) {  // 0: must not exist
    return Compare(std::move(key), Target::kMod, Result::kEqual, revision);
  }
  SharedText key, range_end;
  Target target = Target::kVersion;
  Result result = Result::kEqual;  // stored RESULT operand
  std::int64_t number = 0;         // operand of all targets but kValue
  value::Value value;              // operand of kValue
};

struct RequestOp;
struct TxnRequest {
  TxnRequest();
  TxnRequest(const TxnRequest&);
  TxnRequest(TxnRequest&&) noexcept;
  TxnRequest& operator=(TxnRequest) noexcept;
  ~TxnRequest();
  std::vector<Compare> compare;
  std::vector<RequestOp> success, failure;
  WriteOrigin origin;
};
struct RequestOp {
  RequestOp() = default;
  RequestOp(RangeRequest r) : request(std::move(r)) {}        // NOLINT: implicit on purpose
  RequestOp(PutRequest r) : request(std::move(r)) {}          // NOLINT
  RequestOp(DeleteRangeRequest r) : request(std::move(r)) {}  // NOLINT
  RequestOp(TxnRequest r) : request(std::move(r)) {}          // NOLINT
  std::variant<std::monostate, RangeRequest, PutRequest, DeleteRangeRequest, TxnRequest> request;
};

struct ResponseOp;
struct TxnResponse {
  TxnResponse();
  TxnResponse(const TxnResponse&);
  TxnResponse(TxnResponse&&) noexcept;
  TxnResponse& operator=(TxnResponse) noexcept;
  ~TxnResponse();
  ResponseHeader header;  // of a nested one: revision 0
  bool succeeded = false;
  std::vector<ResponseOp> responses;  // one for each op of the list that ran, in order
};
struct ResponseOp {
  ResponseOp() = default;
  ResponseOp(RangeResponse r) : response(std::move(r)) {}        // NOLINT: implicit on purpose
  ResponseOp(PutResponse r) : response(std::move(r)) {}          // NOLINT
  ResponseOp(DeleteRangeResponse r) : response(std::move(r)) {}  // NOLINT
  ResponseOp(TxnResponse r) : response(std::move(r)) {}          // NOLINT
  const RangeResponse& range() const { return std::get<RangeResponse>(response); }
  const PutResponse& put() const { return std::get<PutResponse>(response); }
  const DeleteRangeResponse& delete_range() const {
    return std::get<DeleteRangeResponse>(response);
  }
  const TxnResponse& txn() const { return std::get<TxnResponse>(response); }
  std::variant<std::monostate, RangeResponse, PutResponse, DeleteRangeResponse, TxnResponse>
      response;
};

// The two transactions an API server writes with (client/v3/kubernetes/client.go): the write
// happens only if the key's mod_revision is `expected` (0: the key must not exist); otherwise, with
// get_on_failure, responses[0] is the range of the key.
TxnRequest OptimisticPut(PutRequest put, Revision expected, bool get_on_failure);
TxnRequest OptimisticDelete(SharedText key, Revision expected, bool get_on_failure);

struct CompactRequest {
  CompactRequest() = default;
  CompactRequest(Revision r, WriteOrigin o) : revision(r), origin(o) {}
  Revision revision = 0;
  WriteOrigin origin;
};
struct CompactResponse {
  CompactResponse() = default;
  ResponseHeader header;
};

}  // namespace ksim::store
