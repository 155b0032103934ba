// Routes: from a request's path and method to the request that the server's pipeline takes, or to
// the answer that go-restful's router gives where there is no such route.
//
// Source: apiserver pkg/endpoints/installer.go, pkg/server/handler.go serviceErrorHandler.
#pragma once
#include "ksim/api/kinds.h"
#include "ksim/api/request.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/doors/http/request_info.h"

namespace ksim::apiserver::http {

// Sets the verb, resource, subresource, namespace and name of `out`. 404 for a group, version or
// resource that is not served, 405 for a method that the resource does not have. What a resource
// offers in detail (subresources, deletion of collections) is the pipeline's affair.
api::Status FindRoute(const api::Kinds& kinds, const RequestInfo& info, api::Request* out);

// Whether it is POST /api/v1/namespaces/NAMESPACE/bindings, whose body has the name of the pod.
bool IsLegacyBinding(const RequestInfo& info);

}  // namespace ksim::apiserver::http
