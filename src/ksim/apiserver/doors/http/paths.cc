#include "ksim/apiserver/doors/http/paths.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "ksim/apiserver/core/endpoints.h"
#include "ksim/apiserver/doors/http/answers.h"
#include "ksim/apiserver/doors/http/bodies.h"
#include "ksim/apiserver/doors/http/discovery.h"
#include "ksim/apiserver/doors/http/gzip.h"
#include "ksim/apiserver/doors/http/negotiation.h"
#include "ksim/apiserver/doors/http/openapi.h"
#include "ksim/apiserver/doors/http/routes.h"
#include "ksim/apiserver/doors/http/text.h"

namespace ksim::apiserver::http {
namespace {

using value::Value;

// The checks of /healthz, /livez and /readyz.
constexpr std::string_view kChecks[] = {"ping", "log", "etcd", "informer-sync"};

// A check alone is answered without http.Error's header.
HttpResponse CheckOk() {
  HttpResponse response = PlainText(200, "ok");
  response.headers.Remove("X-Content-Type-Options");
  return response;
}

// healthz.go: handleRootHealth, adaptCheckToHandler
HttpResponse Health(std::string_view kind, std::string_view check, const Url& url) {
  if (!check.empty()) {
    for (const std::string_view known : kChecks) {
      if (check == known) return CheckOk();
    }
    return PageNotFound();
  }
  if (url.query.Find("verbose") == nullptr) return PlainText(200, "ok");
  std::string text;
  for (const std::string_view known : kChecks) text += fmt::format("[+]{} ok\n", known);
  return PlainText(200, text + fmt::format("{} check passed\n", kind));
}

// True if the client has the document already.
bool IsKnown(const HttpRequest& http, std::string_view etag) {
  std::string_view known = http.headers.Get("If-None-Match");
  while (!known.empty()) {
    std::string_view one = Trim(Cut(known, ','), " ");
    if (one.starts_with("W/")) one.remove_prefix(2);
    if (one == etag || one == "*") return true;
  }
  return false;
}

// A document that clients keep. Its text is made only if it is needed.
HttpResponse Kept(const HttpRequest& http, const Value& tree, std::string content_type) {
  const std::string etag = fmt::format("\"{}\"", OpenApiHash(tree));
  HttpResponse response;
  response.headers.Add("Cache-Control", "no-cache, private");
  response.headers.Add("Etag", etag);
  response.headers.Add("Vary", "Accept");
  if (IsKnown(http, etag)) {
    response.code = 304;
    return response;
  }
  response.headers.Add("Content-Type", content_type);
  response.body = Encode(tree, Encoding::kJson, false);
  return response;
}

// The paths of the documents (handler3 HandleDiscovery: http.ServeContent guesses the type).
HttpResponse OpenApiV3Index(const Value& tree) {
  HttpResponse response;
  response.headers.Add("Accept-Ranges", "bytes");
  response.headers.Add("Cache-Control", "no-cache, private");
  response.headers.Add("Content-Type", "text/plain; charset=utf-8");
  response.body = Encode(tree, Encoding::kJson, false);
  return response;
}

// A group's OpenAPI v3. A hash that is no longer right leads to the one that is (handler3
// HandleGroupVersion).
HttpResponse OpenApiV3(const HttpRequest& http, const Url& url, const Value& tree) {
  const std::string_view asked = url.query.Get("hash");
  const std::string hash = OpenApiHash(tree);
  if (!asked.empty() && asked != hash) {
    HttpResponse response;
    response.code = 301;
    response.headers.Add("Location", fmt::format("{}?hash={}", url.path, hash));
    return response;
  }
  HttpResponse response = Kept(http, tree, "application/json");
  response.headers.Add("Accept-Ranges", "bytes");
  if (!asked.empty()) response.headers.Set("Cache-Control", "public, immutable");
  return response;
}

// The version of aggregated discovery that the client asks for (from 1.26 on).
std::optional<std::string> AskedAggregation(const HttpRequest& http) {
  for (const AcceptClause& clause : ParseAccept(http.headers.Get("Accept"))) {
    if (clause.Parameter("as") != "APIGroupDiscoveryList" ||
        clause.Parameter("g") != "apidiscovery.k8s.io") {
      continue;
    }
    const std::string_view version = clause.Parameter("v");
    if (version == "v2" || version == "v2beta1") return std::string(version);
  }
  return std::nullopt;
}

// A tree in the form that is asked for; 404 for none.
HttpResponse Negotiated(const HttpRequest& http, const Url& url, const Value& tree,
                        std::span<const MediaType> types = BuiltinMediaTypes()) {
  if (tree.is_null()) return PageNotFound();
  const auto output = NegotiateOutput(http, url.query, types, Transforms::kNone, false);
  if (!output.ok()) return StatusResponse(output.status(), nullptr);
  HttpResponse response;
  response.headers.Add("Cache-Control", "no-cache, private");
  response.headers.Add("Content-Type", output->media->text());
  response.body = Encode(tree, output->media->encoding, output->pretty);
  return response;
}

// The router's answer below a group that there is: of a version or a method that there is not.
HttpResponse Refused(const HttpRequest& http, const Url& url, const api::Status& status) {
  const auto type = NegotiateOutput(http, url.query, BuiltinMediaTypes(), Transforms::kNone, false);
  return StatusResponse(status, type.ok() ? &*type : nullptr);
}

}  // namespace

HttpResponse PlainText(int code, std::string text) {
  HttpResponse response;
  response.code = code;
  response.headers.Add("Cache-Control", "no-cache, private");
  response.headers.Add("Content-Type", "text/plain; charset=utf-8");
  response.headers.Add("X-Content-Type-Options", "nosniff");
  response.body = std::move(text);
  return response;
}

HttpResponse PageNotFound() { return PlainText(404, "404 page not found\n"); }

HttpResponse Paths::Serve(const HttpRequest& http, const Url& url) const {
  std::string_view rest = Trim(url.path, "/");
  const std::string_view first = Cut(rest, '/');
  if (first == "healthz" || first == "livez" || first == "readyz") return Health(first, rest, url);
  if (first.empty()) return Negotiated(http, url, Index(Served()), CustomMediaTypes().first(1));
  if (first == "version")
    return Negotiated(http, url, VersionInfo(compat_), CustomMediaTypes().first(1));
  if (first == "openapi") return OpenApi(http, url, rest);
  if (first != "api" && first != "apis") return PageNotFound();
  HttpResponse response = Discovery(http, url, first, rest);
  if (AcceptsGzip(http.headers.Get("Accept-Encoding"))) CompressObject(&response);
  return response;
}

HttpResponse Paths::Discovery(const HttpRequest& http, const Url& url, std::string_view first,
                              std::string_view rest) const {
  if (rest.empty()) {
    if (const auto version = AskedAggregation(http)) {
      // pkg/endpoints/discovery/aggregated/etag.go ServeHTTPWithETag
      HttpResponse kept =
          Kept(http, AggregatedDiscovery(Served(), first == "api", *version),
               fmt::format("application/json;g=apidiscovery.k8s.io;v={};as=APIGroupDiscoveryList",
                           *version));
      kept.headers.Set("Cache-Control", "public");
      return kept;
    }
    if (first == "api" && http.method != "GET") return Refused(http, url, MethodNotAllowed());
    if (const api::Status s = CheckAccept(http); first == "api" && !s.ok())
      return Refused(http, url, s);
    return Negotiated(http, url, first == "api" ? ApiVersions() : ApiGroupList(Served()));
  }
  const std::string_view group = first == "apis" ? Cut(rest, '/') : std::string_view();
  const Value about = first == "apis" ? ApiGroup(Served(), group) : ApiVersions();
  if (about.is_null()) return PageNotFound();
  if (first == "apis" && rest.empty()) return Negotiated(http, url, about);
  const bool core = group.empty();
  const Value tree = core && rest != "v1" ? Value() : ApiResourceList(Served(), group, rest);
  if (tree.is_null()) return Refused(http, url, api::UnknownPath());
  if (http.method != "GET") return Refused(http, url, MethodNotAllowed());
  if (const api::Status s = CheckAccept(http); !s.ok()) return Refused(http, url, s);
  return Negotiated(http, url, tree);
}

HttpResponse Paths::OpenApi(const HttpRequest& http, const Url& url, std::string_view rest) const {
  const std::string_view version = Cut(rest, '/');
  if (version == "v2" && rest.empty()) {
    const auto output =
        NegotiateOutput(http, url.query, CustomMediaTypes(), Transforms::kNone, false);
    if (!output.ok()) return StatusResponse(output.status(), nullptr);
    HttpResponse response = Kept(http, OpenApiV2(Served()), "application/json");
    CompressDocument(http.headers.Get("Accept-Encoding"), &response);
    return response;
  }
  if (version != "v3") return PageNotFound();
  if (rest.empty()) return OpenApiV3Index(OpenApiIndex(Served()));
  const bool core = Cut(rest, '/') == "api";
  const std::string_view group = core ? std::string_view() : Cut(rest, '/');
  const Value tree = OpenApiDocument(Served(), group, rest);
  if (!tree.is_null()) return OpenApiV3(http, url, tree);
  HttpResponse nothing = EmptyAnswer(api::Response());
  nothing.code = 404;
  return nothing;
}

}  // namespace ksim::apiserver::http
