// The scale subresource: an autoscaling/v1 Scale made from an object, and put back into it.
//
// Source: pkg/registry/apps/replicaset/storage/storage.go ScaleREST, scaleFromReplicaSet.
#pragma once
#include "ksim/api/kinds.h"
#include "ksim/api/object.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/registry/updated_object.h"

namespace ksim::apiserver {

api::Object ToScale(const api::ResourceInfo& r, const api::Object& object);

// The object with the Scale's replicas and resourceVersion. 422 for negative replicas, 409 for
// another object's uid.
api::Result<api::Object> FromScale(const api::ResourceInfo& r, const api::Object& object,
                                   const value::Value& scale);

}  // namespace ksim::apiserver
