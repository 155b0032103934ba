#include "ksim/controllers/endpointutil/endpoint_set.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace ksim::controllers {

using value::Value;

namespace {

std::string IdentityOf(const Value& endpoint) {
  const Value& target = endpoint.Get("targetRef");
  std::vector<std::string_view> addresses;
  for (const Value& address : endpoint.Get("addresses").items())
    addresses.push_back(address.AsString());
  std::sort(addresses.begin(), addresses.end());
  std::string identity;
  for (const std::string_view part :
       {target.Get("namespace").AsString(), target.Get("name").AsString(),
        endpoint.Get("hostname").AsString()})
    identity.append(part).push_back('\0');
  for (const std::string_view address : addresses) identity.append(address).push_back('\0');
  return identity;
}

}  // namespace

void EndpointSet::Insert(const Value& endpoint) { endpoints_[IdentityOf(endpoint)] = endpoint; }

void EndpointSet::Delete(const Value& endpoint) { endpoints_.erase(IdentityOf(endpoint)); }

const Value* EndpointSet::Find(const Value& endpoint) const {
  const auto it = endpoints_.find(IdentityOf(endpoint));
  return it == endpoints_.end() ? nullptr : &it->second;
}

Value EndpointSet::PopFirst() {
  Value first = std::move(endpoints_.begin()->second);
  endpoints_.erase(endpoints_.begin());
  return first;
}

bool EqualBeyondIdentity(const Value& a, const Value& b) {
  for (const char* field : {"nodeName", "zone"})
    if (a.Get(field) != b.Get(field)) return false;
  for (const char* condition : {"ready", "serving", "terminating"})
    if (a.Get("conditions").Get(condition) != b.Get("conditions").Get(condition)) return false;
  return WithoutTargetVersion(a).Get("targetRef") == WithoutTargetVersion(b).Get("targetRef");
}

Value WithoutTargetVersion(const Value& address) {
  static const value::Path kVersion{"targetRef", "resourceVersion"};
  return address.Erase(kVersion);
}

}  // namespace ksim::controllers
