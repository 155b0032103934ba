// Decoding: from a request's body to the object that admission sees.
//
// Source: apiserver pkg/endpoints/handlers (create.go, update.go, rest.go),
// pkg/registry/rest/meta.go.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/kinds.h"
#include "ksim/api/request.h"
#include "ksim/api/status.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {

// The body as an object of the kind: apiVersion and kind agree with the endpoint or are missing
// (API-70), fields have their types, the namespace is the request's (API-62), defaults are filled
// in. 400 otherwise.
api::Result<value::Value> DecodeObject(const api::ResourceInfo& r, std::string_view ns,
                                       const value::Value& body, std::string_view field_validation,
                                       api::Compat compat, std::vector<std::string>* warnings);

// 400 unless the object's name is the request's (handlers/rest.go checkName; API-76).
api::Status CheckUrlName(const value::Value& tree, std::string_view name);
// The same, but fills in a missing one.
api::Result<value::Value> WithUrlName(value::Value tree, std::string_view name);

}  // namespace ksim::apiserver
