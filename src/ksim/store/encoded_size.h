// How many bytes a request or a response would take in etcd's protobuf encoding. Exact for byte
// strings; a document tree counts as its JSON text, estimated while it is far from any limit.
#pragma once
#include <cstddef>

#include "ksim/store/kv_request.h"
#include "ksim/store/watch_request.h"

namespace ksim::store {

std::size_t EncodedSize(const RangeRequest& r);
std::size_t EncodedSize(const PutRequest& r);
std::size_t EncodedSize(const DeleteRangeRequest& r);
std::size_t EncodedSize(const TxnRequest& r);
std::size_t EncodedSize(const WatchEvent& e);  // as a field of a response
std::size_t EncodedSize(const WatchResponse& r);

// The same within the raft log entry that a write becomes (etcdserverpb.InternalRaftRequest).
std::size_t RaftSize(std::size_t request_bytes);

std::size_t EncodedSize(const value::Value& v);

}  // namespace ksim::store
