// The subsets of Endpoints in their canonical form, and equality that forgives what nobody means.
//
// Source: pkg/api/v1/endpoints/util.go.
#pragma once
#include <vector>

#include "ksim/controllers/common/profile.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

// RepackSubsets: addresses that have the same ports share a subset, and an address that is not
// ready anywhere at a port is not ready there. A null or empty list gives an empty one.
value::Value RepackSubsets(const value::Value& subsets, const Profile& profile);

// Equal but for the versions of the objects that addresses stand for.
bool SameSubsets(const value::Value& a, const value::Value& b);

}  // namespace ksim::controllers
