#include "ksim/store/kv_request.h"

namespace ksim::store {

TxnRequest::TxnRequest() = default;
TxnRequest::TxnRequest(const TxnRequest&) = default;
TxnRequest::TxnRequest(TxnRequest&&) noexcept = default;
TxnRequest::~TxnRequest() = default;
TxnRequest& TxnRequest::operator=(TxnRequest o) noexcept {
  compare.swap(o.compare);
  success.swap(o.success);
  failure.swap(o.failure);
  origin = o.origin;
  return *this;
}

TxnResponse::TxnResponse() = default;
TxnResponse::TxnResponse(const TxnResponse&) = default;
TxnResponse::TxnResponse(TxnResponse&&) noexcept = default;
TxnResponse::~TxnResponse() = default;
TxnResponse& TxnResponse::operator=(TxnResponse o) noexcept {
  header = o.header;
  succeeded = o.succeeded;
  responses.swap(o.responses);
  return *this;
}

std::string PrefixEnd(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && static_cast<unsigned char>(end.back()) == 0xff) end.pop_back();
  if (end.empty()) return std::string(kFromKey);
  end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  return end;
}

namespace {

TxnRequest Optimistic(const SharedText& key, Revision expected, RequestOp op, bool get_on_failure) {
  TxnRequest txn;
  txn.compare.reserve(1);
  txn.success.reserve(1);
  txn.compare.push_back(Compare::ModRevisionIs(key, expected));
  txn.success.push_back(std::move(op));
  if (!get_on_failure) return txn;
  txn.failure.reserve(1);
  txn.failure.emplace_back(RangeRequest(key));
  return txn;
}

}  // namespace

TxnRequest OptimisticPut(PutRequest put, Revision expected, bool get_on_failure) {
  const SharedText key = put.key;
  const WriteOrigin origin = put.origin;
  TxnRequest txn = Optimistic(key, expected, RequestOp(std::move(put)), get_on_failure);
  txn.origin = origin;
  return txn;
}

TxnRequest OptimisticDelete(SharedText key, Revision expected, bool get_on_failure) {
  return Optimistic(key, expected, RequestOp(DeleteRangeRequest(key)), get_on_failure);
}

}  // namespace ksim::store
