// EndpointSet: endpoints of EndpointSlices, each known by its addresses, its host name and the
// object that it stands for, so that one whose conditions change is still the same.
//
// Upstream walks its sets in no order; here they are in the order of namespace and name.
//
// Source: endpointslice util/endpointset.go; util/controller_utils.go EndpointsEqualBeyondHash.
#pragma once
#include <cstddef>
#include <string>

#include "absl/container/btree_map.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

class EndpointSet {
 public:
  EndpointSet() = default;
  void Insert(const value::Value& endpoint);
  void Delete(const value::Value& endpoint);
  // The endpoint of the same identity; null pointer if there is none.
  const value::Value* Find(const value::Value& endpoint) const;
  value::Value PopFirst();
  bool empty() const { return endpoints_.empty(); }
  std::size_t size() const { return endpoints_.size(); }

 private:
  absl::btree_map<std::string, value::Value> endpoints_;
};

// Equal in all but hints and what tells them apart: node, zone, conditions, target.
bool EqualBeyondIdentity(const value::Value& a, const value::Value& b);

// A reference without the version of the object, which nobody compares.
value::Value WithoutTargetVersion(const value::Value& address);

}  // namespace ksim::controllers
