// RequestReader: turns an HTTP request into the request of the server's pipeline, and into the form
// that its answer is to have.
//
// Source: apiserver pkg/endpoints/handlers/{get,create,update,patch,delete}.go.
#pragma once
#include "ksim/api/compat.h"
#include "ksim/api/request.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/doors/http/bodies.h"
#include "ksim/apiserver/doors/http/message.h"
#include "ksim/apiserver/doors/http/negotiation.h"
#include "ksim/apiserver/doors/http/url.h"

namespace ksim::apiserver::http {

// The most bytes that a server reads of a body (apiserver server/config.go MaxRequestBodyBytes).
inline constexpr std::size_t kMaxRequestBodyBytes = std::size_t{3} << 20;

// AnswerForm keeps of a request what its answer needs.
struct AnswerForm {
  const api::ResourceInfo* resource = nullptr;
  api::Verb verb = api::Verb::kGet;
  api::Compat compat = api::kDefaultCompat;
  OutputType type;
  TableOptions table;
  bool gzip = false;  // its client accepts that
};

// Fills in the options and the body of `request`, whose route is known. A request that is refused
// before the pipeline sees it comes back as a Status.
api::Status ReadRequest(const HttpRequest& http, const Url& url, AnswerForm* form,
                        api::Request* request);

}  // namespace ksim::apiserver::http
