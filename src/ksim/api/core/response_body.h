// The body of an answer as a tree: an object, a list of them, or a Status.
//
// Source: apiserver pkg/endpoints/handlers (get.go, delete.go), responsewriters.
#pragma once
#include "ksim/api/request.h"
#include "ksim/value/value.h"

namespace ksim::api {

// Whether the answer to something else than a list is a Status.
bool IsStatusBody(const Response& response);

// {kind: PodList, apiVersion: v1, metadata: {resourceVersion: "7"}, items: []}. The items of
// built-in kinds carry neither kind nor apiVersion, those of custom resources both.
value::Value ListBody(const ResourceInfo& r, const Response& list);

// The body of the answer to a request of that verb.
value::Value ResponseBody(const ResourceInfo& r, Verb verb, const Response& response);

}  // namespace ksim::api
