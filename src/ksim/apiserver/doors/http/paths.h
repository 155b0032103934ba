// Paths: the answers to paths that name no resource, which are the same whatever the cluster holds:
// discovery, OpenAPI, the version.
//
// Sources: apiserver pkg/server/{genericapiserver,handler}.go, pkg/server/routes, kube-openapi
// pkg/handler3/handler.go.
#pragma once
#include <string>
#include <string_view>
#include <utility>

#include "ksim/api/compat.h"
#include "ksim/api/core/kind_service.h"
#include "ksim/api/kinds.h"
#include "ksim/apiserver/doors/http/message.h"
#include "ksim/apiserver/doors/http/url.h"

namespace ksim::apiserver::http {

class Paths {
 public:
  // `kinds` outlives it.
  Paths(const api::Kinds& kinds, api::Compat compat) : kinds_(kinds), compat_(compat) {}

  HttpResponse Serve(const HttpRequest& request, const Url& url) const;

 private:
  api::ServedKinds Served() const { return {kinds_, compat_}; }
  HttpResponse Discovery(const HttpRequest& request, const Url& url, std::string_view first,
                         std::string_view rest) const;
  HttpResponse OpenApi(const HttpRequest& request, const Url& url, std::string_view rest) const;

  const api::Kinds& kinds_;
  const api::Compat compat_;
};

// "404 page not found", as net/http has it.
HttpResponse PageNotFound();
// A line of text.
HttpResponse PlainText(int code, std::string text);

}  // namespace ksim::apiserver::http
