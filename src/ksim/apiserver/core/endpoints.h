// Endpoints: the paths that the API server has, and the methods of each. A request to any other is
// answered by its router, before anything of the request is read.
//
// Source: apiserver pkg/endpoints/installer.go registerResourceHandlers.
#pragma once
#include "ksim/api/compat.h"
#include "ksim/api/request.h"
#include "ksim/api/status.h"

namespace ksim::apiserver {

// True if objects of the request's resource have its subresource ("" is the object itself).
bool HasSubresource(const api::ResourceInfo& resource, std::string_view subresource,
                    api::Compat compat);
// The same in any version.
bool HasSubresource(const api::ResourceInfo& resource, std::string_view subresource);

// 405: the path has no such method. client-go and the server only pass it on.
api::Status MethodNotAllowed();

// MethodNotAllowed for a request to a path that is not whole, or does not have the method. Its
// resource has the subresource.
api::Status CheckMethod(const api::Request& request);

}  // namespace ksim::apiserver
