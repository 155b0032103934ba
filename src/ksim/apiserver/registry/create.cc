// Part of registry.h: creation.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_service.h"
#include "ksim/api/core/names.h"
#include "ksim/api/kinds/apiextensions/customresourcedefinition.h"
#include "ksim/api/rules/validation.h"
#include "ksim/api/strategy/strategy.h"
#include "ksim/api/structural/custom_resource.h"
#include "ksim/api/views/volumes.h"
#include "ksim/apiserver/core/event_conversion.h"
#include "ksim/apiserver/registry/registry.h"

namespace ksim::apiserver {

using value::Value;

namespace {

std::string_view MetadataText(const Value& tree, value::Atom field) {
  return tree.Get(api::Fields().metadata).Get(field).AsString();
}

std::string_view NameIn(const Value& tree) { return MetadataText(tree, api::Fields().name); }

// Whoever waits for the first object of its kind begins.
void NoteUse(api::Kinds& kinds, const api::ResourceInfo& resource, const api::Object& object) {
  kinds.NoteObject(resource);
  if (resource.kind == "Pod" && !resource.custom && api::HasEphemeralVolume(object.tree()))
    kinds.NoteObject(api::EphemeralVolumeUse());
}

std::string_view GenerateNameIn(const Value& tree) {
  return MetadataText(tree, api::Fields().generate_name);
}

}  // namespace

std::int64_t Registry::TtlSeconds() const {
  return IsEvent(storage_.storage().resource()) ? context_.event_ttl.whole_seconds() : 0;
}

std::uint64_t Registry::IdentityFor(const Value& tree) const {
  const api::ResourceInfo& r = storage_.storage().resource();
  const std::string_view ns = MetadataText(tree, api::Fields().namespace_);
  const std::string_view name = NameIn(tree);
  if (!name.empty()) return context_.identities.Of(r.known_as(), ns, name);
  const std::optional<api::OwnerReference> owner = api::Object::FromTree(tree).controller();
  const api::ResourceInfo* kind =
      owner ? context_.kinds.ByKind(owner->api_version, owner->kind) : nullptr;
  const std::uint64_t family =
      kind != nullptr
          ? context_.identities.Of(kind->known_as(), kind->namespaced ? ns : "", owner->name)
          : sim::KeyOf(fmt::format("{}/{}/{}", r.known_as(), ns, GenerateNameIn(tree)));
  return context_.identities.NextGenerated(family, r.known_as());
}

sim::Task<api::Result<api::Object>> Registry::Create(RequestContext& rc, Value tree) {
  const bool generated = NameIn(tree).empty() && !GenerateNameIn(tree).empty();
  const int attempts = generated && context_.profile.retry_generate_name ? kNameAttempts : 1;
  api::Result<api::Object> result = api::Object();
  for (int i = 0; i < attempts; ++i) {
    result = co_await CreateOnce(rc, tree);
    if (result.ok() || !api::IsAlreadyExists(result.status())) break;
  }
  co_return result;
}

// Fills in name, uid and times, prepares the object as its kind does, and validates it.
api::Result<Value> Registry::PrepareNew(RequestContext& rc, Value tree) {
  const api::ResourceInfo& r = rc.resource();
  std::string name(NameIn(tree));
  const std::string_view base = GenerateNameIn(tree);
  if (name.empty() && !base.empty())
    name = api::GenerateName(context_.sim.decisions(), r.known_as(), rc.identity, base);
  const std::string uid = api::GenerateUid(context_.sim.decisions(), r.known_as(), rc.identity);
  tree = api::FillSystemFields(tree, name, uid, rc.now());
  tree = api::PrepareForCreate(r, tree, context_.compat);
  api::Result<Value> allocated = AllocateForService(rc, std::move(tree), Value());
  if (!allocated.ok()) return rc.EndStage(Stage::kValidate, allocated.status());
  tree = *std::move(allocated);
  if (rc.user != nullptr)
    tree = api::WithCreator(r, std::move(tree), rc.user->name, rc.user->groups);
  api::FieldErrors errors = api::ValidateCreate(r, tree, context_.compat);
  api::ValidateCustom(r, tree, nullptr, "", context_.compat, &errors);
  if (!errors.empty()) {
    ForgetAllocations(MetadataText(tree, api::Fields().namespace_), name);
    const api::Status invalid = api::InvalidObject(r, name, std::move(errors));
    return rc.EndStage(Stage::kValidate, invalid);
  }
  for (std::string& text : api::WarningsOnCreate(r, tree, context_.compat))
    rc.Warn(std::move(text));
  return tree;
}

sim::Task<api::Result<api::Object>> Registry::CreateOnce(RequestContext& rc, Value tree) {
  // True even if the client gave a name beside generateName (CheckGeneratedNameError).
  const bool generated = !GenerateNameIn(tree).empty();
  api::Result<Value> prepared = PrepareNew(rc, std::move(tree));
  if (!prepared.ok()) co_return prepared.status();
  rc.PassStage(Stage::kValidate);
  if (context_.admission.Judges()) {
    const api::Status refused = co_await AskAboutNew(rc, *prepared);
    if (!refused.ok()) {
      ForgetAllocations(MetadataText(*prepared, api::Fields().namespace_), NameIn(*prepared));
      co_return rc.EndStage(Stage::kStore, refused);
    }
  }
  api::Object object = api::Object::FromTree(*prepared);
  const std::string ns(object.ns());
  const std::string name(object.name());
  WriteContext write = rc.write();
  write.ttl = TtlSeconds();
  if (!write.dry_run) NoteUse(context_.kinds, storage_.storage().resource(), object);
  api::Result<api::Object> stored = co_await storage_.storage().Create(std::move(object), write);
  if (stored.ok()) {
    if (!write.dry_run) context_.identities.Record(rc.resource().known_as(), ns, name, rc.identity);
    if (!write.dry_run) NoteStored(*stored);
    rc.PassStage(Stage::kStore);
    co_return stored;
  }
  ForgetAllocations(ns, name);
  api::Status status = stored.status();
  if (api::IsAlreadyExists(status)) {
    if (generated) status = api::GenerateNameConflict(rc.group_resource(), name);
    status = co_await ExplainExisting(std::move(status), ns, name);
  }
  co_return rc.EndStage(Stage::kStore, status);
}

sim::Task<api::Status> Registry::AskAboutNew(RequestContext& rc, Value tree) {
  Attributes a = AttributesOf(Operation::kCreate, rc);
  a.object = std::move(tree);
  sim::Task<api::Status> judging = context_.admission.Validate(a);
  api::Status refused;
  if (!judging.done()) refused = co_await std::move(judging);
  co_return refused;
}

// The servers learn that there are webhooks, quotas and limit ranges, and which kinds are defined.
void Registry::NoteStored(const api::Object& stored) const {
  context_.admission.NoteStored(storage_.storage().resource());
  if (context_.definitions != nullptr && api::IsDefinition(storage_.storage().resource()))
    context_.definitions->Stored(stored);
}

void Registry::NoteDeleted(const api::Object& deleted) const {
  if (context_.definitions != nullptr && api::IsDefinition(storage_.storage().resource()))
    context_.definitions->Deleted(deleted);
}

// Adds to a 409 that the existing object is being deleted (API-67).
sim::Task<api::Status> Registry::ExplainExisting(api::Status status, SharedText ns,
                                                 SharedText name) {
  api::Result<api::Object> existing = co_await storage_.storage().Get(ns, name, 0);
  if (existing.ok() && existing->deleting())
    status.message = "object is being deleted: " + status.message;
  co_return status;
}

}  // namespace ksim::apiserver
