// Part of handler.h: GET of an object, a Scale or a collection.
#include <utility>

#include "ksim/apiserver/handlers/handler.h"
#include "ksim/apiserver/handlers/list_options.h"
#include "ksim/apiserver/registry/scale.h"

namespace ksim::apiserver {

sim::Task<api::Response> Handler::Get(RequestContext& rc) {
  const api::Request& request = rc.request();
  CacheDelegator& storage = resources_.StorageFor(rc.resource());
  api::Result<CacheDelegator::Found> found =
      co_await storage.Get(request.ns, request.name, request.list.resource_version);
  if (!found.ok() && api::IsNotFound(found.status()) && request.subresource == "scale" &&
      context_.profile.scale_404_names_subresource && !rc.resource().custom) {
    // apps/replicaset/storage/storage.go ScaleREST.Get named the subresource; that of StatefulSets
    // did not, and that of ReplicationControllers named another group.
    const api::ResourceInfo& r = rc.resource();
    const api::GroupResource scale(r.group.empty() ? "autoscaling" : r.group,
                                   r.resource + "/scale");
    if (r.resource != "statefulsets") found = api::NotFound(scale, request.name);
  }
  if (!found.ok()) co_return ErrorResponse(rc.EndStage(Stage::kStore, found.status()));
  rc.PassStage(Stage::kStore);
  api::Response response;
  response.from = found->from;
  response.object = found->object;
  if (request.subresource == "scale") response.object = ToScale(rc.resource(), found->object);
  co_return response;
}

sim::Task<api::Response> Handler::List(RequestContext& rc) { return ListAs(rc, rc.request().list); }

sim::Task<api::Response> Handler::ListAs(RequestContext& rc, api::ListOptions options) {
  const api::Request& request = rc.request();
  DropUnknownListOptions(options, context_.profile);
  const api::Status valid = ValidateListOptions(options);
  if (!valid.ok()) co_return ErrorResponse(rc.EndStage(Stage::kValidate, valid));
  api::Result<ListQuery> query =
      ListQuery::Make(rc.resource(), request.ns, request.name, options, context_.profile);
  if (!query.ok()) co_return ErrorResponse(rc.EndStage(Stage::kValidate, query.status()));
  api::Result<ListResult> result = co_await resources_.StorageFor(rc.resource()).List(*query);
  if (!result.ok()) co_return ErrorResponse(rc.EndStage(Stage::kStore, result.status()));
  rc.PassStage(Stage::kStore);
  api::Response response;
  response.from = result->from;
  response.items = std::move(result->items);
  response.list_rv = result->revision;
  response.continue_token = std::move(result->continue_token);
  response.remaining_item_count = result->remaining;
  co_return response;
}

}  // namespace ksim::apiserver
