#include "ksim/apiserver/doors/http/routes.h"

#include <optional>
#include <string_view>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ksim/apiserver/core/endpoints.h"
#include "ksim/apiserver/doors/http/derived_answers.h"
#include "ksim/apiserver/doors/http/pod_log.h"
#include "ksim/apiserver/doors/http/text.h"
#include "ksim/base/time.h"

namespace ksim::apiserver::http {
namespace {

std::optional<api::Verb> PipelineVerb(std::string_view verb) {
  for (const api::Verb v :
       {api::Verb::kGet, api::Verb::kList, api::Verb::kWatch, api::Verb::kCreate,
        api::Verb::kUpdate, api::Verb::kPatch, api::Verb::kDelete, api::Verb::kDeleteCollection}) {
    if (api::ToString(v) == verb) return v;
  }
  return std::nullopt;
}

api::Status NotServed(const RequestInfo& info) {
  const bool streams =
      info.resource == "pods" && (info.subresource == "exec" || info.subresource == "attach" ||
                                  info.subresource == "portforward");
  const bool proxied =
      info.subresource == "proxy" &&
      (info.resource == "pods" || info.resource == "nodes" || info.resource == "services");
  const bool derived = (info.resource == "pods" && info.subresource == "log") ||
                       (info.resource == "serviceaccounts" && info.subresource == "token");
  if (info.api_group.empty() && derived) return MethodNotAllowed();
  if (!info.api_group.empty() || (!streams && !proxied)) return api::UnknownPath();
  api::Status status = api::Unmapped(
      501, fmt::format("{}/{}: no program runs in a simulated container, so there is nothing to "
                       "connect to",
                       info.resource, info.subresource));
  status.reason = "NotImplemented";
  return status;
}

// The resource at the version of the path; null if that is not served.
const api::ResourceInfo* FindResource(const api::Kinds& kinds, const RequestInfo& info) {
  const api::ResourceInfo* preferred = kinds.ByResource(info.api_group, info.resource);
  if (preferred == nullptr || preferred->version == info.api_version) return preferred;
  for (const api::ResourceInfo* r : kinds.all()) {
    if (r->group == info.api_group && r->resource == info.resource &&
        r->version == info.api_version) {
      return r;
    }
  }
  return nullptr;
}

}  // namespace

bool IsLegacyBinding(const RequestInfo& info) {
  return info.api_prefix == "api" && info.api_version == "v1" && info.resource == "bindings";
}

namespace {

// LegacyBindingREST: the Binding says which pod it is about.
api::Status FindLegacyBinding(const api::Kinds& kinds, const RequestInfo& info, api::Request* out) {
  if (info.ns.empty() || info.parts.size() > 1) return api::UnknownPath();
  if (info.verb != "create") return MethodNotAllowed();
  out->verb = api::Verb::kCreate;
  out->resource = kinds.ByResource("", "pods");
  out->subresource = "binding";
  out->ns = info.ns;
  return {};
}

}  // namespace

api::Status FindRoute(const api::Kinds& kinds, const RequestInfo& info, api::Request* out) {
  if (!info.error.empty() || info.verb == "proxy") return api::UnknownPath();
  if (IsLegacyBinding(info)) return FindLegacyBinding(kinds, info, out);
  out->resource = FindResource(kinds, info);
  if (out->resource == nullptr) return api::UnknownPath();
  // The core group is at /api only, all others at /apis.
  if (info.api_group.empty() != (info.api_prefix == "api")) return api::UnknownPath();
  const std::optional<api::Verb> verb = PipelineVerb(info.verb);
  if (!verb.has_value()) return MethodNotAllowed();
  // An object is made at its collection's path, and changed at its own.
  const bool of_object = info.parts.size() >= 2;
  const bool changes = *verb == api::Verb::kUpdate || *verb == api::Verb::kPatch;
  if (changes && !of_object) {
    // Custom resources have one handler for all paths, which misses the name.
    return out->resource->custom ? api::BadRequest("name must be provided") : MethodNotAllowed();
  }
  if (*verb == api::Verb::kCreate && of_object && info.subresource.empty())
    return MethodNotAllowed();
  const bool derived = IsPodLog(info) || DerivedAnswerOf(info) != nullptr;
  if (!HasSubresource(*out->resource, info.subresource) && !derived) return NotServed(info);
  out->verb = *verb;
  out->subresource = info.subresource;
  out->name = info.name;
  // The storage looks at the name (registry/generic/registry/store.go NamespaceKeyFunc).
  if (const auto problems = PathSegmentProblems(info.name); of_object && !problems.empty()) {
    return api::BadRequest(
        fmt::format("Name parameter invalid: \"{}\": {}", info.name, fmt::join(problems, ";")));
  }
  // A namespace's path names it as its own namespace.
  if (out->resource->namespaced) {
    out->ns = info.ns;
  } else if (!info.ns.empty() && info.resource != "namespaces") {
    return api::UnknownPath();
  }
  // An object's path of a namespaced kind has a namespace. A collection's may leave it out, but not
  // to create.
  if (out->resource->namespaced && info.ns.empty() && of_object) return api::UnknownPath();
  const api::Status has_method = derived ? api::Status() : CheckMethod(*out);
  if (has_method.ok() || !out->resource->custom) return has_method;
  return api::MethodNotSupported({out->resource->group, out->resource->resource}, info.verb);
}

namespace {

// The media types that the route of the verb writes (installer.go Produces).
std::string Representations(api::Verb verb, bool log) {
  std::string all = log ? "text/plain, " : "";
  all += "application/json, application/yaml, application/vnd.kubernetes.protobuf";
  if (verb == api::Verb::kList || verb == api::Verb::kWatch)
    all += ", application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
  return all;
}

// go-restful Route.matchesAccept: a part of the header without its parameters is one of the forms.
bool Matches(std::string_view accept, std::string_view representations) {
  if (accept.empty()) return true;
  while (true) {
    const bool last = accept.find(',') == accept.npos;
    std::string_view part = Cut(accept, ',');
    part = Trim(Cut(part, ';'), " ");
    if (part == "*/*") return true;
    std::string_view rest = representations;
    while (!rest.empty()) {
      if (Trim(Cut(rest, ','), " ") == part) return true;
    }
    if (last || accept.empty()) return false;
  }
}

}  // namespace

api::Status CheckTimeout(const RequestInfo& info, const QueryValues& query) {
  const std::string_view timeout = query.Get("timeout");
  const bool long_running = info.verb == "watch" || info.verb == "proxy" ||
                            info.subresource == "log" || info.subresource == "exec";
  if (timeout.empty() || long_running || ParseDuration(timeout).ok()) return {};
  const bool bare = timeout.find_first_not_of("0123456789.+-") == timeout.npos;
  return api::BadRequest(
      fmt::format("invalid timeout specified in the request URL - time: {}duration \"{}\"",
                  bare ? "missing unit in " : "invalid ", timeout));
}

namespace {

api::Status CheckAccept(const HttpRequest& http, const std::string& representations) {
  if (Matches(http.headers.Get("Accept"), representations)) return {};
  return api::RouterAnswer(
      406, "NotAcceptable",
      fmt::format("406: Not Acceptable\n\nAvailable representations: {}", representations));
}

}  // namespace

api::Status CheckRepresentation(const HttpRequest& http, const RequestInfo& info,
                                const api::Request& request) {
  if (request.resource->custom) return {};
  const std::string all = Representations(request.verb, info.subresource == "log");
  const api::Status accepted = CheckAccept(http, all);
  // go-restful takes a write without a body for one in no form that it knows.
  const bool writes = http.method == "POST" || http.method == "PUT" || http.method == "PATCH";
  if (accepted.ok() || !writes || !http.body.empty()) return accepted;
  return api::RouterAnswer(
      415, "UnsupportedMediaType",
      fmt::format("415: Unsupported Media Type\n\nAvailable representations: {}", all));
}

api::Status CheckAccept(const HttpRequest& http) {
  return CheckAccept(http, Representations(api::Verb::kGet, false));
}

}  // namespace ksim::apiserver::http
