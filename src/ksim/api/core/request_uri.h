// The path and query that stand for a request over HTTP: /api/v1/namespaces/default/pods?limit=500.
//
// Sources: apiserver pkg/endpoints/request/requestinfo.go, apimachinery pkg/apis/meta/v1/types.go
// for the parameters, net/url Values.Encode for their order and escapes.
#pragma once
#include <string>

#include "ksim/api/request.h"

namespace ksim::api {

// Options that travel in a body or a header (those of a delete, a patch's type) are not in it. "/"
// for a request about no resource.
std::string RequestUri(const Request& request);

}  // namespace ksim::api
