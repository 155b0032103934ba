// Routes: from a request's path and method to the request that the server's pipeline takes, or to
// the answer that go-restful's router gives where there is no such route.
//
// Source: apiserver pkg/endpoints/installer.go, pkg/server/handler.go serviceErrorHandler.
#pragma once
#include "ksim/api/kinds.h"
#include "ksim/api/request.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/doors/http/message.h"
#include "ksim/apiserver/doors/http/request_info.h"

namespace ksim::apiserver::http {

// Sets the verb, resource, subresource, namespace and name of `out`. 404 for a group, version or
// resource that is not served, 405 for a method that the path does not have.
api::Status FindRoute(const api::Kinds& kinds, const RequestInfo& info, api::Request* out);

// Whether it is POST /api/v1/namespaces/NAMESPACE/bindings, whose body has the name of the pod.
bool IsLegacyBinding(const RequestInfo& info);
// 400 for a `timeout` that is no duration; watches and streams have none (request_deadline.go).
api::Status CheckTimeout(const RequestInfo& info, const QueryValues& query);

// 406 for a request that accepts no form which its route writes. The handler of custom resources
// looks at that itself, later.
api::Status CheckRepresentation(const HttpRequest& http, const RequestInfo& info,
                                const api::Request& request);
// The same for a document about a group.
api::Status CheckAccept(const HttpRequest& http);

}  // namespace ksim::apiserver::http
