// Component statuses: /api/v1/componentstatuses, which no store holds. A real server asks the
// scheduler and the controller manager of its own machine; the door knows of none and calls all
// healthy.
//
// Source: pkg/registry/core/componentstatus/rest.go.
#pragma once
#include <optional>

#include "ksim/apiserver/doors/http/message.h"
#include "ksim/apiserver/doors/http/request_info.h"

namespace ksim::apiserver::http {

// Nothing for a request that is about something else.
std::optional<HttpResponse> ServeComponentStatus(const HttpRequest& http, const Url& url,
                                                 const RequestInfo& info);

}  // namespace ksim::apiserver::http
