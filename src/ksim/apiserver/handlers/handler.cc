#include "ksim/apiserver/handlers/handler.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/api/core/definition.h"
#include "ksim/api/core/kind_service.h"
#include "ksim/apiserver/core/audit_event.h"
#include "ksim/apiserver/core/endpoints.h"
#include "ksim/apiserver/handlers/body_limit.h"
#include "ksim/base/check.h"

namespace ksim::apiserver {
using api::Verb;
using value::Value;

api::Response ErrorResponse(const api::Status& status) {
  api::Response response;
  response.code = status.code;
  response.status = status;
  return response;
}

namespace {

void WarnOfDeprecation(RequestContext& rc) {
  const api::ResourceInfo& r = rc.resource();
  if (r.definition != nullptr && !r.definition->deprecation.empty())
    rc.Warn(r.definition->deprecation);
}

// crdHandler.ServeHTTP: what a definition says of every request for its kind.
api::Status CheckDefinition(RequestContext& rc, const Profile& profile) {
  const api::ResourceInfo& r = rc.resource();
  if (r.definition == nullptr) return api::Status();
  WarnOfDeprecation(rc);
  const bool creates = rc.request().verb == Verb::kCreate && rc.request().subresource.empty();
  if (!creates || !r.definition->terminating) return api::Status();
  constexpr std::string_view kWhy =
      "create not allowed while custom resource definition is terminating";
  if (profile.terminating_kinds_forbid) {
    const std::string_view name = rc.request().body.Get("metadata").Get("name").AsString();
    return api::Forbidden(rc.group_resource(), name, kWhy);
  }
  api::Status refused = api::MethodNotSupported(rc.group_resource(), "create");
  refused.message = kWhy;
  return refused;
}

}  // namespace

api::Status Handler::Admit(RequestContext& rc) {
  const api::Request& request = rc.request();
  rc.user = &authenticator_.Authenticate(request);
  Audit(audit_, AuditStage::kRequestReceived, rc, nullptr);
  rc.PassStage(Stage::kAuthenticate);
  if (!in_flight_.TryEnter(*rc.user, request, &rc.in_flight))
    return rc.EndStage(Stage::kAuthorize, TooManyInFlight());
  if (request.resource == nullptr || !api::IsServed(*request.resource, context_.compat))
    return rc.EndStage(Stage::kAuthorize, api::UnknownPath());
  const bool known = HasSubresource(*request.resource, request.subresource, context_.compat);
  if (!known && !request.resource->defined)
    return rc.EndStage(Stage::kAuthorize, api::UnknownPath());
  Decision decision = authorizer_.Authorize(*rc.user, request);
  rc.authorized = decision.allowed;
  rc.authorization_reason = std::move(decision.reason);
  if (!decision.allowed)
    return rc.EndStage(Stage::kAuthorize,
                       NotAuthorized(*rc.user, request, rc.authorization_reason));
  rc.PassStage(Stage::kAuthorize);
  if (!known) {  // crdHandler.ServeHTTP
    WarnOfDeprecation(rc);
    return rc.EndStage(Stage::kDefault, api::NotFound(rc.group_resource(), request.name));
  }
  const api::Status has_method = CheckMethod(request);
  if (!has_method.ok()) return rc.EndStage(Stage::kDefault, has_method);
  const api::Status defined = CheckDefinition(rc, context_.profile);
  if (!defined.ok()) return rc.EndStage(Stage::kDefault, defined);
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
