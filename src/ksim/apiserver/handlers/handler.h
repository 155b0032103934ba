// Handler: takes one request through the pipeline: authentication, limits, authorization, then the
// work of its verb. Every stage emits on the bus how it ended.
//
// Source: apiserver pkg/endpoints/handlers, pkg/server/config.go DefaultBuildHandlerChain.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ksim/api/request.h"
#include "ksim/apiserver/audit.h"
#include "ksim/apiserver/cacher/resources.h"
#include "ksim/apiserver/core/request_context.h"
#include "ksim/apiserver/filters/authentication.h"
#include "ksim/apiserver/filters/authorization.h"
#include "ksim/apiserver/filters/max_in_flight.h"
#include "ksim/apiserver/registry/registry.h"

namespace ksim::apiserver {

class Handler {
 public:
  // `authorizer` outlives the handler.
  Handler(const RegistryContext& context, Resources& resources, const Authorizer& authorizer,
          const RequestPolicy& policy, AuditLog* audit)
      : context_(context),
        resources_(resources),
        authenticator_(CredentialGroups(policy, context.profile)),
        authorizer_(authorizer),
        in_flight_(policy.in_flight),
        audit_(audit) {}

  // Checks 401, 429, 403 and then all else, in this order (API-135); an unknown path is 404.
  api::Status Admit(RequestContext& rc);
  // Everything but watches.
  sim::Task<api::Response> Handle(RequestContext& rc);

 private:
  sim::Task<api::Response> Get(RequestContext& rc);
  sim::Task<api::Response> List(RequestContext& rc);
  sim::Task<api::Response> ListAs(RequestContext& rc, api::ListOptions options);
  sim::Task<api::Response> Create(RequestContext& rc);
  // Creates a Binding or an Eviction of one pod.
  sim::Task<api::Response> CreateBindingOrEviction(RequestContext& rc);
  sim::Task<api::Response> Update(RequestContext& rc);
  sim::Task<api::Response> Patch(RequestContext& rc);
  sim::Task<api::Response> Delete(RequestContext& rc);
  sim::Task<api::Response> DeleteCollection(RequestContext& rc);
  sim::Task<api::Status> DeleteEach(RequestContext& rc, const std::vector<api::Object>& objects);
  sim::Task<api::Status> AdmitDeletion(RequestContext& rc, SharedText name);
  sim::Task<api::Response> RunUpdate(RequestContext& rc, std::unique_ptr<UpdatedObject> updated);
  sim::Task<api::Response> RespondWithError(api::Status status);

  const RegistryContext& context_;
  Resources& resources_;
  Authenticator authenticator_;
  const Authorizer& authorizer_;
  MaxInFlight in_flight_;
  AuditLog* audit_;
};

api::Response ErrorResponse(const api::Status& status);

}  // namespace ksim::apiserver
