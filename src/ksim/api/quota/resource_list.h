// ResourceList: amounts by the names of resources, as quotas and limits hold them, and the
// arithmetic that both need. Quantities keep their format, which an object shows.
//
// Source: apiserver pkg/quota/v1/resources.go.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/value/quantity.h"
#include "ksim/value/value.h"

namespace ksim::api {

using ResourceList = std::map<std::string, value::Quantity, std::less<>>;

// Reads {cpu: "1", ...}; what cannot be read counts as 0.
ResourceList ResourceListOf(const value::Value& tree);
value::Value ToTree(const ResourceList& list);

ResourceList Add(ResourceList a, const ResourceList& b);
// a - b, at least 0; names of both.
ResourceList SubtractNonNegative(const ResourceList& a, const ResourceList& b);
ResourceList WithoutZeros(ResourceList list);
// The entries whose names are among `names`.
ResourceList Mask(const ResourceList& list, const std::vector<std::string>& names);
std::vector<std::string> NamesOf(const ResourceList& list);  // sorted
bool Equal(const ResourceList& a, const ResourceList& b);    // by amounts
// The names in both of which `a` has more than `b`.
std::vector<std::string> Exceeded(const ResourceList& a, const ResourceList& b);

// "cpu=1,memory=1Gi", by name; "cpu,memory".
std::string PrettyPrint(const ResourceList& list);
std::string PrettyPrintNames(std::vector<std::string> names);

}  // namespace ksim::api
