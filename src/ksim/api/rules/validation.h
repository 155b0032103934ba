// Validation: the rules by which the API server refuses objects, with Kubernetes' words, order and
// cause reasons. Every function returns all errors that it finds, none for a valid object;
// InvalidObject() composes the answer.
//
// Sources: apimachinery pkg/api/validation/objectmeta.go, pkg/util/validation/field/errors.go;
// pkg/apis/core/validation/validation.go, pkg/apis/apps/validation/validation.go, ...
//
// Objects are defaulted and prepared (strategy.h), and their fields have the right types
// (schema.h): a field of a wrong type counts as missing.
#pragma once
#include <string_view>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/kinds.h"
#include "ksim/api/status.h"
#include "ksim/value/value.h"

namespace ksim::api {

using FieldErrors = std::vector<StatusCause>;

// A new object, its name filled in.
FieldErrors ValidateCreate(const ResourceInfo& kind, const value::Value& tree, Compat compat);

// `updated` (prepared; metadata.resourceVersion does not matter here) against what is stored, for
// "" or a subresource ("status", "finalize", "scale").
FieldErrors ValidateUpdate(const ResourceInfo& kind, const value::Value& updated,
                           const value::Value& old, std::string_view subresource, Compat compat);

// A Binding as POSTed to pods/x/binding: target.kind, target.name (API-114).
FieldErrors ValidateBinding(const value::Value& binding);

// 422 for an object of that kind: `ReplicaSet.apps "x" is invalid: ...`.
Status InvalidObject(const ResourceInfo& kind, std::string_view name, FieldErrors errors);

}  // namespace ksim::api
