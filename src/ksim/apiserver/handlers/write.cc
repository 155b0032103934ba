// Part of handler.h: the verbs that write.
#include <fmt/format.h>

#include <utility>

#include "ksim/api/strategy/strategy.h"
#include "ksim/apiserver/apply/field_manager.h"
#include "ksim/apiserver/handlers/body_flaws.h"
#include "ksim/apiserver/handlers/decode.h"
#include "ksim/apiserver/handlers/handler.h"
#include "ksim/apiserver/handlers/updates.h"
#include "ksim/apiserver/registry/deletion.h"
#include "ksim/apiserver/registry/scale.h"

namespace ksim::apiserver {

using value::Path;
using value::Value;

namespace {

// An object that webhooks have changed: its owners once more, and its namespace
// (rest.BeforeCreate).
api::Status CheckAdmittedObject(Attributes* a, RequestContext* rc) {
  static const Path kNamespace{"metadata", "namespace"};
  std::string warning;
  a->object = api::DedupOwnerReferences(a->object, true, &warning);
  if (!warning.empty()) rc->Warn(std::move(warning));
  if (!a->resource.namespaced) {
    a->object = a->object.Erase(kNamespace);
  } else if (a->ns != a->object.Get(kNamespace).AsString()) {
    return api::BadRequest(
        "the namespace of the provided object does not match the namespace sent on the request");
  }
  return api::Status();
}

}  // namespace

sim::Task<api::Response> Handler::Create(RequestContext& rc) {
  // Decodes and defaults the body.
  const api::Request& request = rc.request();
  const api::Status options = ValidateWriteOptions(request, context_.compat);
  if (!options.ok()) co_return ErrorResponse(rc.EndStage(Stage::kDefault, options));
  Registry registry(context_, resources_.StorageFor(rc.resource()));
  const std::size_t warned = rc.warnings.size();
  api::Result<Value> decoded = ReadableBody(request, rc.resource().kind);
  if (decoded.ok())
    decoded = DecodeObject(rc.resource(), request.ns, request.body, request.field_validation,
                           context_.compat, &rc.warnings);
  decoded = TellDuplicates(request, rc.resource(), std::move(decoded), warned, &rc.warnings);
  if (!decoded.ok()) co_return ErrorResponse(rc.EndStage(Stage::kDefault, decoded.status()));
  std::string warning;
  Value tree = api::DedupOwnerReferences(api::ClearSystemFields(*decoded), false, &warning);
  if (!warning.empty()) rc.warnings.push_back(warning);
  if (request.tracks_fields || IsTracked(Value(), tree))
    tree = FieldManager(request, rc.now(), context_.compat).Update(Value(), tree);
  rc.PassStage(Stage::kDefault);

  // Admits the object.
  rc.identity = registry.IdentityFor(tree);
  Attributes attributes = AttributesOf(Operation::kCreate, rc);
  attributes.object = std::move(tree);
  sim::Task<api::Status> admitting = context_.admission.Admit(attributes);
  api::Status admitted;
  if (!admitting.done()) admitted = co_await std::move(admitting);
  // A webhook may have done anything to it.
  if (admitted.ok() && attributes.reinvocation != nullptr)
    admitted = CheckAdmittedObject(&attributes, &rc);
  rc.EndStage(Stage::kAdmit, admitted);
  if (!admitted.ok()) co_return ErrorResponse(admitted);
  // Validates and stores it.
  api::Result<api::Object> created = co_await registry.Create(rc, attributes.object);
  if (!created.ok()) co_return ErrorResponse(created.status());
  api::Response response;
  response.code = 201;
  response.object = *std::move(created);
  co_return response;
}

sim::Task<api::Response> Handler::CreateBindingOrEviction(RequestContext& rc) {
  static const Path kName{"metadata", "name"};
  const api::Request& request = rc.request();
  const bool eviction = request.subresource == "eviction";
  const std::string what = eviction ? "Eviction" : "Binding";
  api::Result<Value> named = ReadableBody(request, what);
  if (named.ok())
    named = DecodeSubresource(what, request.ns, request.body, request.field_validation,
                              context_.compat, &rc.warnings);
  if (named.ok() && named->Get(kName).AsString() != request.name)
    named = api::BadRequest("name in URL does not match name in " + what + " object");
  if (!named.ok()) co_return ErrorResponse(rc.EndStage(Stage::kDefault, named.status()));
  rc.PassStage(Stage::kDefault);
  Attributes attributes = AttributesOf(Operation::kCreate, rc);
  attributes.object = *std::move(named);
  sim::Task<api::Status> admitting = context_.admission.Admit(attributes);
  api::Status admitted;
  if (!admitting.done()) admitted = co_await std::move(admitting);
  rc.EndStage(Stage::kAdmit, admitted);
  if (!admitted.ok()) co_return ErrorResponse(admitted);
  Registry registry(context_, resources_.StorageFor(rc.resource()));
  api::Response response;
  if (eviction) {
    response.status = co_await registry.Evict(rc, attributes.object);
  } else {
    response.status = co_await registry.Bind(rc, attributes.object);
  }
  response.code = response.status.code;
  co_return response;
}

sim::Task<api::Response> Handler::RunUpdate(RequestContext& rc,
                                            std::unique_ptr<UpdatedObject> updated) {
  Registry registry(context_, resources_.StorageFor(rc.resource()));
  api::Result<UpdateResult> result = co_await registry.Update(rc, *updated);
  if (!result.ok()) co_return ErrorResponse(result.status());
  api::Response response;
  response.code = result->created ? 201 : 200;
  response.object = result->object;
  if (rc.request().subresource == "scale") response.object = ToScale(rc.resource(), result->object);
  co_return response;
}

sim::Task<api::Response> Handler::Update(RequestContext& rc) {
  auto put = std::make_unique<PutUpdate>(rc, context_.compat);
  api::Status decoded = ValidateWriteOptions(rc.request(), context_.compat);
  if (decoded.ok()) decoded = put->Decode();
  if (!decoded.ok()) return RespondWithError(rc.EndStage(Stage::kDefault, decoded));
  return RunUpdate(rc, std::move(put));
}

sim::Task<api::Response> Handler::Patch(RequestContext& rc) {
  api::Status supported = CheckPatchType(rc.resource(), rc.request());
  if (supported.ok()) supported = ValidateWriteOptions(rc.request(), context_.compat);
  if (!supported.ok()) return RespondWithError(rc.EndStage(Stage::kDefault, supported));
  return RunUpdate(rc, std::make_unique<PatchUpdate>(rc, context_.compat));
}

sim::Task<api::Status> Handler::AdmitDeletion(RequestContext& rc, SharedText name) {
  Attributes attributes = AttributesOf(Operation::kDelete, rc);
  attributes.name = std::move(name);
  sim::Task<api::Status> admitting = context_.admission.Admit(attributes);
  api::Status admitted;
  if (!admitting.done()) admitted = co_await std::move(admitting);
  co_return rc.EndStage(Stage::kAdmit, admitted);
}

namespace {

// pkg/registry/batch/job/storage/storage.go REST.Delete, DeleteCollection.
void WarnOfOrphans(RequestContext& rc) {
  const api::DeleteOptions& options = rc.request().del;
  const bool jobs = rc.resource().group == "batch" && rc.resource().resource == "jobs";
  if (!jobs || !options.propagation_policy.empty() || options.orphan_dependents) return;
  rc.warnings.push_back(
      "child pods are preserved by default when jobs are deleted; set "
      "propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress "
      "this warning");
}

}  // namespace

namespace {

// The options of a request to delete, and what a door found wrong with them.
api::Status CheckDeleteOptions(const api::Request& request, api::Compat compat) {
  const bool empty_policy = request.flaws != nullptr && request.flaws->empty_policy;
  std::vector<api::StatusCause> causes = DeleteOptionsErrors(request.del, empty_policy);
  CheckDryRun(request, compat, &causes);
  if (causes.empty()) return api::Status();
  return api::Invalid("meta.k8s.io", "DeleteOptions", "", std::move(causes));
}

}  // namespace

sim::Task<api::Response> Handler::Delete(RequestContext& rc) {
  const api::Request& request = rc.request();
  const api::Status valid = CheckDeleteOptions(request, context_.compat);
  if (!valid.ok()) co_return ErrorResponse(rc.EndStage(Stage::kValidate, valid));
  WarnOfOrphans(rc);
  const api::Status admitted = co_await AdmitDeletion(rc, request.name);
  if (!admitted.ok()) co_return ErrorResponse(admitted);
  Registry registry(context_, resources_.StorageFor(rc.resource()));
  api::Result<DeleteResult> result =
      co_await registry.Delete(rc, request.ns, request.name, request.del);
  if (!result.ok()) co_return ErrorResponse(result.status());
  api::Response response;
  // 202 only where an old client asked for its dependents to go and the object is still there.
  if (!result->gone && request.del.orphan_dependents && !*request.del.orphan_dependents)
    response.code = 202;
  if (result->gone && !ReturnsDeletedObject(rc.resource())) {
    response.status =
        api::Success(rc.group_resource(), result->object.name(), result->object.uid());
  } else {
    response.object = result->object;
  }
  co_return response;
}

namespace {

constexpr std::int64_t kCollectionPage = 10000;  // store.go deleteCollectionPageSize

}  // namespace

sim::Task<api::Status> Handler::DeleteEach(RequestContext& rc,
                                           const std::vector<api::Object>& objects) {
  Registry registry(context_, resources_.StorageFor(rc.resource()));
  for (const api::Object& object : objects) {
    const api::Status admitted = co_await AdmitDeletion(rc, std::string(object.name()));
    if (!admitted.ok()) co_return admitted;
    api::Result<DeleteResult> deleted = co_await registry.Delete(
        rc, std::string(object.ns()), std::string(object.name()), rc.request().del);
    if (!deleted.ok() && !api::IsNotFound(deleted.status())) co_return deleted.status();
  }
  co_return api::Status();
}

// Lists and deletes page by page, unless the client sets a limit of its own: then that is all. The
// answer is the first page's list with the objects of all.
sim::Task<api::Response> Handler::DeleteCollection(RequestContext& rc) {
  const api::Status valid = CheckDeleteOptions(rc.request(), context_.compat);
  if (!valid.ok()) co_return ErrorResponse(rc.EndStage(Stage::kValidate, valid));
  WarnOfOrphans(rc);
  api::ListOptions options = rc.request().list;
  const bool pages = context_.profile.deletes_collection_in_pages && options.limit == 0;
  if (pages) options.limit = kCollectionPage;
  api::Response all = co_await ListAs(rc, options);
  if (all.code >= 400) co_return all;
  api::Status deleted = co_await DeleteEach(rc, all.items);
  options.continue_token = all.continue_token;
  while (deleted.ok() && pages && !options.continue_token.empty()) {
    options.resource_version = {};
    options.resource_version_match = {};
    api::Response page = co_await ListAs(rc, options);
    if (page.code >= 400) co_return page;
    deleted = co_await DeleteEach(rc, page.items);
    options.continue_token = page.continue_token;
    for (api::Object& object : page.items) all.items.push_back(std::move(object));
  }
  if (!deleted.ok()) co_return ErrorResponse(deleted);
  co_return all;
}

}  // namespace ksim::apiserver
