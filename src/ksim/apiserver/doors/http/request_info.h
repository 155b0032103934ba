// RequestInfo: what a request asks for, read from its method and its path alone. Whether there is
// such a resource is the router's affair.
//
// Source: apiserver pkg/endpoints/request/requestinfo.go (RequestInfoFactory.NewRequestInfo, with
// the prefixes api and apis).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/apiserver/doors/http/url.h"

namespace ksim::apiserver::http {

struct RequestInfo {
  bool is_resource_request = false;
  std::string path;
  // The verb of a resource request (get, list, watch, create, update, patch, delete,
  // deletecollection, proxy; "" for an unknown method), else the method in lower case.
  std::string verb;
  std::string api_prefix;   // api, apis
  std::string api_group;    // "": core
  std::string api_version;  // v1
  std::string ns, resource, subresource, name;
  std::vector<std::string> parts;  // from the resource on
  // Why the path is that of no request, though it begins like one; "" if it can be one.
  std::string error;
};

RequestInfo ReadRequestInfo(std::string_view method, const Url& url);

// Why a name cannot be a segment of a path; empty if it can (apimachinery pkg/api/validation/path
// IsValidPathSegmentName).
std::vector<std::string> PathSegmentProblems(std::string_view name);

}  // namespace ksim::apiserver::http
