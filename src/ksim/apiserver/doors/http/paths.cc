#include "ksim/apiserver/doors/http/paths.h"

#include <string_view>

#include "fmt/format.h"
#include "ksim/apiserver/doors/http/answers.h"
#include "ksim/apiserver/doors/http/bodies.h"
#include "ksim/apiserver/doors/http/discovery.h"
#include "ksim/apiserver/doors/http/negotiation.h"
#include "ksim/apiserver/doors/http/openapi.h"
#include "ksim/apiserver/doors/http/text.h"

namespace ksim::apiserver::http {

using value::Value;

HttpResponse PlainText(int code, std::string text) {
  HttpResponse response;
  response.code = code;
  response.headers.Add("Content-Type", "text/plain; charset=utf-8");
  response.headers.Add("X-Content-Type-Options", "nosniff");
  response.body = std::move(text);
  return response;
}

HttpResponse PageNotFound() { return PlainText(404, "404 page not found\n"); }

HttpResponse Paths::Serve(const HttpRequest& http, const Url& url) {
  std::string_view rest = Trim(url.path, "/");
  const std::string_view first = Cut(rest, '/');
  const std::string_view group = first == "apis" ? Cut(rest, '/') : std::string_view();
  Value tree;
  OutputType type;
  std::string media_type;
  if (first == "healthz" || first == "livez" || first == "readyz") return PlainText(200, "ok");
  if (first == "version") {
    tree = VersionInfo(compat_);
  } else if ((first == "api" || first == "apis") && rest.empty() && group.empty()) {
    // Aggregated discovery for who asks for it (from 1.26 on).
    for (const AcceptClause& clause : ParseAccept(http.headers.Get("Accept"))) {
      if (clause.Parameter("as") != "APIGroupDiscoveryList" ||
          clause.Parameter("g") != "apidiscovery.k8s.io") {
        continue;
      }
      const std::string_view version = clause.Parameter("v");
      if (version != "v2" && version != "v2beta1") continue;
      tree = AggregatedDiscovery(kinds_, first == "api", version);
      media_type = fmt::format(
          "application/json;g=apidiscovery.k8s.io;v={};as=APIGroupDiscoveryList", version);
      break;
    }
    if (tree.is_null()) tree = first == "api" ? ApiVersions() : ApiGroupList(kinds_);
  } else if (first == "api") {
    tree = ApiResourceList(kinds_, "", rest);
  } else if (first == "apis" && rest.empty()) {
    tree = ApiGroup(kinds_, group);
  } else if (first == "apis") {
    tree = ApiResourceList(kinds_, group, rest);
  } else if (first == "openapi" && rest == "v3") {
    tree = OpenApiIndex(kinds_);
  } else if (first == "openapi" && rest.starts_with("v3/")) {
    rest.remove_prefix(3);
    const bool core = Cut(rest, '/') == "api";
    const std::string_view named = core ? std::string_view() : Cut(rest, '/');
    tree = OpenApiDocument(kinds_, named, rest);
  }
  if (tree.is_null()) return PageNotFound();
  const auto output =
      NegotiateOutput(http, url.query, CustomMediaTypes(), Transforms::kNone, false);
  if (media_type.empty() && !output.ok()) return StatusResponse(output.status(), nullptr);
  const bool json = !output.ok() || output->media->encoding == Encoding::kJson;
  HttpResponse response;
  response.headers.Add("Cache-Control", "no-cache, private");
  response.headers.Add("Content-Type", !media_type.empty() ? media_type : output->media->text());
  response.body =
      Encode(tree, json ? Encoding::kJson : Encoding::kYaml, output.ok() && output->pretty);
  return response;
}

}  // namespace ksim::apiserver::http
