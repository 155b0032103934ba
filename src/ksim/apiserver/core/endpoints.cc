#include "ksim/apiserver/core/endpoints.h"

#include "ksim/api/core/kind_service.h"

namespace ksim::apiserver {
namespace {

using api::Verb;

bool SubresourceTakes(std::string_view sub, Verb verb) {
  if (sub.empty()) return true;
  if (sub == "binding" || sub == "eviction") return verb == Verb::kCreate;
  if (sub == "finalize") return verb == Verb::kUpdate;
  return verb == Verb::kGet || verb == Verb::kUpdate || verb == Verb::kPatch;
}

// No route deletes all namespaces: their storage has no such method.
bool HasCollectionDelete(const api::ResourceInfo& r) {
  return !r.group.empty() || r.resource != "namespaces";
}

// False for a request without a path: for an object without a name, or for a namespaced object
// without a namespace.
bool PathIsWhole(const api::Request& request) {
  switch (request.verb) {
    case Verb::kList:
    case Verb::kWatch:
      return true;
    case Verb::kCreate:
      if (request.subresource.empty()) return !request.resource->namespaced || !request.ns.empty();
      break;
    case Verb::kDeleteCollection:
      return HasCollectionDelete(*request.resource) &&
             (!request.resource->namespaced || !request.ns.empty());
    default:
      break;
  }
  return !request.name.empty() && (!request.resource->namespaced || !request.ns.empty());
}

}  // namespace

bool HasSubresource(const api::ResourceInfo& r, std::string_view sub, api::Compat compat) {
  if (sub.empty()) return true;
  if (sub == "status") return r.has_status;
  if (sub == "scale") return r.has_scale;
  const bool pods = r.group.empty() && r.resource == "pods";
  if (sub == "binding" || sub == "eviction" || sub == "ephemeralcontainers") return pods;
  if (sub == "resize") return pods && api::HasPodResize(compat);
  if (sub == "finalize") return r.group.empty() && r.resource == "namespaces";
  if (sub == "approval") return api::HasApproval(r);
  return false;
}

bool HasSubresource(const api::ResourceInfo& r, std::string_view sub) {
  for (const api::Compat compat : api::kCompats) {
    if (HasSubresource(r, sub, compat)) return true;
  }
  return false;
}

api::Status MethodNotAllowed() {
  return api::RouterAnswer(405, "MethodNotAllowed",
                           "the server does not allow this method on the requested resource");
}

api::Status CheckMethod(const api::Request& request) {
  const bool has = PathIsWhole(request) && SubresourceTakes(request.subresource, request.verb);
  return has ? api::Status() : MethodNotAllowed();
}

}  // namespace ksim::apiserver
