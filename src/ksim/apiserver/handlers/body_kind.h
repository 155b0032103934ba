// Body kind: checks that the apiVersion and kind of a body agree with the endpoint that it was sent
// to.
//
// Source: apimachinery pkg/runtime/scheme.go, pkg/runtime/serializer/json; apiserver
// pkg/endpoints/handlers/rest.go transformDecodeError.
#pragma once
#include <string>
#include <string_view>

#include "ksim/api/kinds.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/core/subresource_kind.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {

// The Go package of the internal types of a group: core, apps.
std::string_view InternalPackage(std::string_view api_version);

// A body whose apiVersion and kind are those of an endpoint, filled in if they were missing; else
// `problem` says why they are not, in the words of apimachinery's Scheme and serializers.
struct TypedBody {
  TypedBody() = default;
  value::Value tree;
  std::string problem;
};
TypedBody WithType(const api::ResourceInfo& info, const value::Value& body);

// Sets the kind's apiVersion and kind, which the object mostly has already.
value::Value WithOwnType(const api::ResourceInfo& info, const value::Value& object);

// 400 for a body that cannot be read as a `wanted` (rest.go transformDecodeError).
api::Status CannotBeHandled(const value::Value& body, std::string_view api_version,
                            std::string_view wanted, std::string_view why);

}  // namespace ksim::apiserver
