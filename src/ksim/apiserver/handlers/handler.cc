#include "ksim/apiserver/handlers/handler.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/api/core/kind_service.h"
#include "ksim/apiserver/core/audit_event.h"
#include "ksim/apiserver/handlers/body_limit.h"
#include "ksim/base/check.h"

namespace ksim::apiserver {
namespace {

using api::Verb;

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

// The answer of go-restful's router, which knows the path but not this method of it; client-go and
// the server only pass it on (api/errors NewGenericServerResponse).
api::Status NoSuchRoute() {
  api::Status status =
      api::Unmapped(405, "the server does not allow this method on the requested resource");
  status.reason = "MethodNotAllowed";
  return status;
}

}  // namespace

api::Response ErrorResponse(const api::Status& status) {
  api::Response response;
  response.code = status.code;
  response.status = status;
  return response;
}

api::Status Handler::Admit(RequestContext& rc) {
  const api::Request& request = rc.request();
  rc.user = &authenticator_.Authenticate(request);
  Audit(audit_, AuditStage::kRequestReceived, rc, nullptr);
  rc.PassStage(Stage::kAuthenticate);
  if (!in_flight_.TryEnter(*rc.user, request, &rc.in_flight))
    return rc.EndStage(Stage::kAuthorize, TooManyInFlight());
  if (request.resource == nullptr || !api::IsServed(*request.resource, context_.compat) ||
      !HasSubresource(*request.resource, request.subresource, context_.compat))
    return rc.EndStage(Stage::kAuthorize, api::UnknownPath());
  rc.authorized = authorizer_.Allows(*rc.user, request);
  if (!*rc.authorized) return rc.EndStage(Stage::kAuthorize, NotAuthorized(*rc.user, request));
  rc.PassStage(Stage::kAuthorize);
  if (!PathIsWhole(request) || !SubresourceTakes(request.subresource, request.verb))
    return rc.EndStage(Stage::kDefault, NoSuchRoute());
  // Most bodies are stored as they are, and hashed then at the latest. Hashed here, their parts
  // carry their hashes for every later comparison.
  if (request.verb == Verb::kCreate || request.verb == Verb::kUpdate) request.body.Hash();
  const api::Status fits = CheckBodySize(request);
  if (!fits.ok()) return rc.EndStage(Stage::kDefault, fits);
  return api::Status();
}

sim::Task<api::Response> Handler::RespondWithError(api::Status status) {
  co_return ErrorResponse(status);
}

sim::Task<api::Response> Handler::Handle(RequestContext& rc) {
  switch (rc.request().verb) {
    case Verb::kGet:
      return Get(rc);
    case Verb::kList:
      return List(rc);
    case Verb::kCreate:
      return rc.request().subresource.empty() ? Create(rc) : CreateBindingOrEviction(rc);
    case Verb::kUpdate:
      return Update(rc);
    case Verb::kPatch:
      return Patch(rc);
    case Verb::kDelete:
      return Delete(rc);
    case Verb::kDeleteCollection:
      return DeleteCollection(rc);
    case Verb::kWatch:
      break;
  }
  KSIM_CHECK(false) << "a watch has a way of its own";
  return Get(rc);
}

}  // namespace ksim::apiserver
