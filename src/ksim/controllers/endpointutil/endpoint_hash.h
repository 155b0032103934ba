// The order in which upstream's endpoints controllers put ports and subsets: that of hashes over
// the text of Go's structs. Which of two ports comes first is seen in every Service of two ports.
//
// Sources: endpointslice util/controller_utils.go portsInOrder; pkg/api/v1/endpoints/util.go
// portsByHash, subsetsByHash; davecgh/go-spew's format %#v.
#pragma once
#include <string>
#include <vector>

#include "ksim/controllers/common/profile.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

// The texts of a discovery.EndpointPort, of a core EndpointPort and of an EndpointSubset.
std::string SlicePortText(const value::Value& port);
std::string EndpointPortText(const value::Value& port);
std::string EndpointAddressText(const value::Value& address);
std::string EndpointSubsetText(const value::Value& subset);

// Sorts by the hashes of their texts: MD5, or FNV-1a from Profile::orders_endpoints_by_fnv on.
void SortByHash(std::string (*text)(const value::Value&), const Profile& profile,
                std::vector<value::Value>* items);

// The ports of a slice in that order, and what tells sets of ports apart (NewPortMapKey).
value::Value SortedSlicePorts(const value::Value& ports, const Profile& profile);
std::string PortMapKey(const value::Value& sorted_ports);
// The same of a slice in the cache, in which an empty list is not there.
std::string PortMapKeyOfCached(const value::Value& sorted_ports, const Profile& profile);

}  // namespace ksim::controllers
