#include "ksim/apiserver/doors/http/routes.h"

#include <optional>
#include <string_view>

#include "fmt/format.h"
#include "ksim/apiserver/doors/http/derived_answers.h"

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

// go-restful's answer to a method that no route of the path has.
api::Status MethodNotAllowed() {
  api::Status status =
      api::Unmapped(405, "the server does not allow this method on the requested resource");
  status.reason = "MethodNotAllowed";
  return status;
}

// Subresources that the pipeline knows; of which resources is its affair.
bool IsServed(std::string_view subresource) {
  for (const std::string_view known : {"", "status", "scale", "binding", "eviction", "finalize",
                                       "approval", "ephemeralcontainers", "resize"}) {
    if (subresource == known) return true;
  }
  return false;
}

api::Status NotServed(const RequestInfo& info) {
  const bool streams =
      info.resource == "pods" && (info.subresource == "exec" || info.subresource == "attach" ||
                                  info.subresource == "portforward");
  const bool proxied =
      info.subresource == "proxy" &&
      (info.resource == "pods" || info.resource == "nodes" || info.resource == "services");
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
  if (changes && !of_object) return MethodNotAllowed();
  if (*verb == api::Verb::kCreate && of_object && info.subresource.empty())
    return MethodNotAllowed();
  if (!IsServed(info.subresource) && DerivedAnswerOf(info) == nullptr) return NotServed(info);
  out->verb = *verb;
  out->subresource = info.subresource;
  out->name = info.name;
  // A namespace's path names it as its own namespace.
  if (out->resource->namespaced) {
    out->ns = info.ns;
  } else if (!info.ns.empty() && info.resource != "namespaces") {
    return api::UnknownPath();
  }
  // An object's path of a namespaced kind has a namespace. A collection's may leave it out, but not
  // to create.
  if (out->resource->namespaced && info.ns.empty() && of_object) return api::UnknownPath();
  return {};
}

}  // namespace ksim::apiserver::http
