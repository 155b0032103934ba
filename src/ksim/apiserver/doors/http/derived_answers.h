// DerivedAnswers: the answers of subresources that the door makes of the object itself: a token of
// a service account. The door asks the pipeline for the object first, so that such a request
// travels and fails as any other. pod_log.h has another one, which may go on for long.
//
// Sources: pkg/registry/core/serviceaccount/storage/token.go.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "ksim/api/object.h"
#include "ksim/apiserver/doors/http/message.h"
#include "ksim/apiserver/doors/http/request_info.h"
#include "ksim/apiserver/doors/http/url.h"
#include "ksim/base/time.h"

namespace ksim::apiserver::http {

using DerivedAnswer = HttpResponse (*)(const HttpRequest&, const Url&, const api::Object&,
                                       VirtualTime now);
// Null for a request that the pipeline answers.
DerivedAnswer DerivedAnswerOf(const RequestInfo& info);

// A TokenRequest with its token, which stands for the service account and never expires.
HttpResponse ServiceAccountToken(const HttpRequest& http, const Url& url,
                                 const api::Object& account, VirtualTime now);

// The user whose token this is; nullopt for one that was never given out.
std::optional<std::string> UserOfToken(std::string_view token);

}  // namespace ksim::apiserver::http
