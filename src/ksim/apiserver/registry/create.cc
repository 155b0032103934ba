#include <fmt/format.h>

#include <optional>
#include <utility>

#include "ksim/api/core/names.h"
#include "ksim/api/kinds/apiextensions/customresourcedefinition.h"
#include "ksim/api/rules/validation.h"
#include "ksim/api/strategy/strategy.h"
#include "ksim/apiserver/core/event_conversion.h"
#include "ksim/apiserver/registry/registry.h"

namespace ksim::apiserver {

using value::Path;
using value::Value;

namespace {

const Path kName{"metadata", "name"};
const Path kGenerateName{"metadata", "generateName"};
const Path kNamespace{"metadata", "namespace"};

}  // namespace

std::int64_t Registry::TtlSeconds() const {
  return IsEvent(storage_.storage().resource()) ? context_.event_ttl.whole_seconds() : 0;
}

std::uint64_t Registry::IdentityFor(const Value& tree) const {
  const api::ResourceInfo& r = storage_.storage().resource();
  const std::string_view ns = tree.Get(kNamespace).AsString();
  const std::string_view name = tree.Get(kName).AsString();
  if (!name.empty()) return context_.identities.Of(r.resource, ns, name);
  const std::optional<api::OwnerReference> owner = api::Object::FromTree(tree).controller();
  const api::ResourceInfo* kind =
      owner ? context_.kinds.ByKind(owner->api_version, owner->kind) : nullptr;
  const std::uint64_t family =
      kind != nullptr
          ? context_.identities.Of(kind->resource, kind->namespaced ? ns : "", owner->name)
          : sim::KeyOf(fmt::format("{}/{}/{}", r.resource, ns, tree.Get(kGenerateName).AsString()));
  return context_.identities.NextGenerated(family, r.resource);
}

sim::Task<api::Result<api::Object>> Registry::Create(RequestContext& rc, Value tree) {
  const bool generated =
      tree.Get(kName).AsString().empty() && !tree.Get(kGenerateName).AsString().empty();
  const int attempts = generated && context_.profile.retry_generate_name ? kNameAttempts : 1;
  api::Result<api::Object> result = api::Object();
  for (int i = 0; i < attempts; ++i) {
    result = co_await CreateOnce(rc, tree);
    if (result.ok() || !api::IsAlreadyExists(result.status())) break;
  }
  co_return result;
}

// Name, uid and times, the kind's own preparation, validation.
api::Result<Value> Registry::PrepareNew(RequestContext& rc, Value tree) {
  const api::ResourceInfo& r = rc.resource();
  std::string name(tree.Get(kName).AsString());
  const std::string_view base = tree.Get(kGenerateName).AsString();
  if (name.empty() && !base.empty())
    name = api::GenerateName(context_.sim.decisions(), r.resource, rc.identity, base);
  const std::string uid = api::GenerateUid(context_.sim.decisions(), r.resource, rc.identity);
  tree = api::FillSystemFields(tree, name, uid, rc.now());
  tree = api::PrepareForCreate(r, tree, context_.compat);
  api::FieldErrors errors = api::ValidateCreate(r, tree, context_.compat);
  if (!errors.empty()) {
    const api::Status invalid = api::InvalidObject(r, name, std::move(errors));
    return rc.Check(Stage::kValidate, invalid);
  }
  for (std::string& text : api::WarningsOnCreate(r, tree, context_.compat))
    rc.Warn(std::move(text));
  return tree;
}

sim::Task<api::Result<api::Object>> Registry::CreateOnce(RequestContext& rc, Value tree) {
  // Also of a name that the client gave beside the base (CheckGeneratedNameError).
  const bool generated = !tree.Get(kGenerateName).AsString().empty();
  api::Result<Value> prepared = PrepareNew(rc, std::move(tree));
  if (!prepared.ok()) co_return prepared.status();
  rc.Passed(Stage::kValidate);
  api::Object object = api::Object::FromTree(*prepared);
  const std::string ns(object.ns());
  const std::string name(object.name());
  WriteContext write = rc.write();
  write.ttl = TtlSeconds();
  api::Result<api::Object> stored = co_await storage_.storage().Create(std::move(object), write);
  if (stored.ok()) {
    if (!write.dry_run) context_.identities.Record(rc.resource().resource, ns, name, rc.identity);
    if (!write.dry_run) Serve(*stored);
    rc.Passed(Stage::kStore);
    co_return stored;
  }
  api::Status status = stored.status();
  if (api::IsAlreadyExists(status)) {
    if (generated) status = api::GenerateNameConflict(rc.group_resource(), name);
    status = co_await ExplainExisting(std::move(status), ns, name);
  }
  co_return rc.Check(Stage::kStore, status);
}

// A definition that is stored is served from now on, by every server.
void Registry::Serve(const api::Object& stored) const {
  if (!api::IsDefinition(storage_.storage().resource())) return;
  const auto added = context_.kinds.AddFromCrd(stored.tree());
  static_cast<void>(added);  // validation has seen to the names
}

// The one that is in the way may be on its way out (API-67).
sim::Task<api::Status> Registry::ExplainExisting(api::Status status, SharedText ns,
                                                 SharedText name) {
  api::Result<api::Object> existing = co_await storage_.storage().Get(ns, name, 0);
  if (existing.ok() && existing->deleting())
    status.message = "object is being deleted: " + status.message;
  co_return status;
}

}  // namespace ksim::apiserver
