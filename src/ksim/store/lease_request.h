// Requests and responses of etcd's Lease service. TTLs are whole seconds.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ksim/store/kv_request.h"

namespace ksim::store {

struct LeaseGrantRequest {
  LeaseGrantRequest() = default;
  LeaseGrantRequest(LeaseId i, std::int64_t seconds) : id(i), ttl(seconds) {}
  LeaseId id = 0;  // 0: the store picks one
  std::int64_t ttl = 0;
};
struct LeaseGrantResponse {
  LeaseGrantResponse() = default;
  ResponseHeader header;
  LeaseId id = 0;
  std::int64_t ttl = 0;  // as granted: raised to the minimum
};

struct LeaseRevokeRequest {
  LeaseRevokeRequest() = default;
  LeaseRevokeRequest(LeaseId i, WriteOrigin o) : id(i), origin(o) {}
  LeaseId id = 0;
  WriteOrigin origin;
};
struct LeaseRevokeResponse {
  LeaseRevokeResponse() = default;
  ResponseHeader header;
};

struct LeaseKeepAliveRequest {
  LeaseKeepAliveRequest() = default;
  explicit LeaseKeepAliveRequest(LeaseId i) : id(i) {}
  LeaseId id = 0;
};
struct LeaseKeepAliveResponse {
  LeaseKeepAliveResponse() = default;
  ResponseHeader header;
  LeaseId id = 0;
  std::int64_t ttl = 0;  // 0: no such lease
};

struct LeaseTimeToLiveRequest {
  LeaseTimeToLiveRequest() = default;
  LeaseTimeToLiveRequest(LeaseId i, bool with_keys) : id(i), keys(with_keys) {}
  LeaseId id = 0;
  bool keys = false;
};
struct LeaseTimeToLiveResponse {
  LeaseTimeToLiveResponse() = default;
  ResponseHeader header;
  LeaseId id = 0;
  std::int64_t ttl = -1;  // whole seconds left; -1: no such lease
  std::int64_t granted_ttl = 0;
  std::vector<std::string> keys;  // sorted
};

struct LeaseLeasesRequest {
  LeaseLeasesRequest() = default;
};
struct LeaseLeasesResponse {
  LeaseLeasesResponse() = default;
  ResponseHeader header;
  std::vector<LeaseId> ids;  // sorted
};

}  // namespace ksim::store
