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

// Decodes the body of a write to a subresource with a kind of its own: a Scale, Binding or
// Eviction.
api::Result<value::Value> DecodeSubresource(std::string_view kind, std::string_view ns,
                                            const value::Value& body,
                                            std::string_view field_validation, api::Compat compat,
                                            std::vector<std::string>* warnings);

// How to read the result of a patch.
struct PatchedReading {
  PatchedReading(std::string_view validation, api::Compat c, std::vector<std::string>* w)
      : field_validation(validation), compat(c), warnings(w) {}
  std::string_view field_validation;
  api::Compat compat;
  std::vector<std::string>* warnings;
  // The patch, if it was a strategic merge patch: its result has the endpoint's kind whatever the
  // result says.
  const value::Value* strategic_patch = nullptr;
};

// Decodes the result of a patch. A problem for which a body gets 400 gets 422 here; the value of
// its field "patch" is the object's JSON, or a strategic merge patch as Go prints it (patch.go
// applyPatchToCurrentObject).
api::Result<value::Value> DecodePatched(const api::ResourceInfo& r, std::string_view ns,
                                        const value::Value& patched, const PatchedReading& how);
api::Result<value::Value> DecodePatchedScale(std::string_view ns, const value::Value& patched,
                                             const PatchedReading& how);

// 400 unless the object's name is the request's (API-76; rest.go checkName).
api::Status CheckUrlName(const value::Value& tree, std::string_view name);

}  // namespace ksim::apiserver
