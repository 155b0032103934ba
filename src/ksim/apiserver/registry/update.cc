// Part of registry.h: update.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "ksim/api/core/profile.h"
#include "ksim/api/rules/validation.h"
#include "ksim/api/strategy/strategy.h"
#include "ksim/api/structural/custom_resource.h"
#include "ksim/apiserver/registry/registry.h"
#include "ksim/apiserver/registry/scale.h"

namespace ksim::apiserver {

using value::Path;
using value::Value;

namespace {

constexpr std::string_view kModified =
    "the object has been modified; please apply your changes to the latest version and try again";

api::Status AbortUpdate() { return api::Unmapped(500, "update ends in a deletion"); }

bool IsNamespace(const api::ResourceInfo& r) {
  return r.group.empty() && r.resource == "namespaces";
}

// ShouldDeleteDuringUpdate; of a namespace also spec.finalizers must be empty.
bool ShouldDelete(const api::ResourceInfo& r, const api::Object& existing, const Value& updated) {
  static const Path kFinalizers{"metadata", "finalizers"};
  static const Path kSpecFinalizers{"spec", "finalizers"};
  static const Path kGrace{"metadata", "deletionGracePeriodSeconds"};
  if (!existing.deleting() || !updated.Get(kFinalizers).empty()) return false;
  if (IsNamespace(r) && !updated.Get(kSpecFinalizers).empty()) return false;
  return existing.Get(kGrace).AsInt() == 0;
}

}  // namespace

// One update as storage's retry loop sees it. Lives in Registry::Update's frame.
class UpdateTransform final : public Transform {
 public:
  UpdateTransform(const RegistryContext& context, Registry& registry, RequestContext& rc,
                  UpdatedObject& updated, bool may_create)
      : context_(context),
        registry_(registry),
        rc_(rc),
        updated_(updated),
        may_create_(may_create) {}

  bool created() const { return created_; }
  // True if the update removed the last finalizer of an object that is being deleted; `doomed` is
  // then the object that the update asked for.
  bool deletes() const { return !doomed_.empty(); }
  const api::Object& doomed() const { return doomed_; }

  // Runs the steps up to admission, which alone may have to wait; if there are webhooks, all steps.
  sim::Task<void> Prepare(const api::Object& existing) override {
    doomed_ = api::Object();
    judged_.reset();
    created_ = existing.empty();
    wanted_ = MakeWanted(existing);
    if (!wanted_.ok()) return sim::Task<void>();
    admitted_ = api::Status();
    attributes_.emplace(AttributesOf(created_ ? Operation::kCreate : Operation::kUpdate, rc_));
    FillAttributes(existing, &*attributes_);
    sim::Task<api::Status> admitting = context_.admission.Admit(*attributes_);
    if (context_.admission.Judges()) return AdmitAndJudge(existing, std::move(admitting));
    return admitting.done() ? sim::Task<void>() : Admit(std::move(admitting));
  }

  api::Result<Value> Apply(const api::Object& existing) override {
    if (!wanted_.ok()) return wanted_.status();
    if (judged_) return *std::exchange(judged_, std::nullopt);
    return Finish(existing);
  }

 private:
  // Takes over the admitted object.
  api::Result<Value> Finish(const api::Object& existing) {
    rc_.EndStage(Stage::kAdmit, admitted_);
    if (!admitted_.ok()) return admitted_;
    if (created_) return PrepareCreate(attributes_->object);
    const api::Status version = CheckVersion(existing, wanted_->resource_version);
    if (!version.ok()) return rc_.EndStage(Stage::kValidate, version);
    return PrepareUpdate(existing, attributes_->object);
  }

  api::Result<WantedObject> MakeWanted(const api::Object& existing) {
    if (created_ && !may_create_) return api::NotFound(rc_.group_resource(), rc_.request().name);
    api::Result<WantedObject> wanted = updated_.Make(existing);
    if (!wanted.ok()) return rc_.EndStage(Stage::kDefault, wanted.status());
    rc_.PassStage(Stage::kDefault);
    return wanted;
  }

  void FillAttributes(const api::Object& existing, Attributes* a) {
    a->object = wanted_->tree;
    a->old = existing.tree();
    a->object_version = wanted_->resource_version;
    a->old_version = existing.empty() ? 0 : existing.resource_version();
    if (created_) a->identity = rc_.identity = registry_.IdentityFor(wanted_->tree);
    if (IsScale() && context_.admission.Judges()) ShowScales(a);
  }

  // At the subresource scale, webhooks see the Scale of an object.
  bool IsScale() const { return rc_.request().subresource == "scale"; }
  void ShowScales(Attributes* a) const {
    const auto scale = [this](const Value& tree, std::int64_t version) {
      return ToScale(rc_.resource(), api::Object::FromTree(tree, version)).tree();
    };
    a->object = scale(a->object, a->object_version);
    if (!a->old.is_null()) a->old = scale(a->old, a->old_version);
  }

  sim::Task<void> AdmitAndJudge(const api::Object& existing, sim::Task<api::Status> admitting) {
    Attributes& a = *attributes_;
    const Value shown = a.object;
    if (!admitting.done()) admitted_ = co_await std::move(admitting);
    if (admitted_.ok()) admitted_ = TakeFromWebhooks(shown);
    judged_ = Finish(existing);
    const bool good = judged_->ok() || deletes();
    if (!good) co_return;
    // Asks the validating plugins about the object as it would be stored.
    Attributes final = AttributesOf(a.operation, rc_);
    final.object = deletes() ? doomed_.tree() : judged_->value();
    final.old = existing.tree();
    final.object_version = a.object_version;
    final.old_version = a.old_version;
    if (IsScale()) ShowScales(&final);
    sim::Task<api::Status> judging = context_.admission.Validate(final);
    api::Status refused;
    if (!judging.done()) refused = co_await std::move(judging);
    if (refused.ok()) co_return;
    doomed_ = api::Object();
    judged_ = api::Result<Value>(std::move(refused));
  }

  // The object as the mutating webhooks have left it, which were shown `shown`.
  api::Status TakeFromWebhooks(const Value& shown) {
    Attributes& a = *attributes_;
    if (IsScale()) {
      const Value scale = a.object;
      a.object = wanted_->tree;
      if (scale == shown) return api::Status();
      const auto whole = api::Object::FromTree(wanted_->tree, wanted_->resource_version);
      const auto scaled = FromScale(
          rc_.resource(), whole, api::Object::FromTree(scale, wanted_->resource_version).ToTree());
      if (!scaled.ok()) return scaled.status();
      a.object = scaled.value().tree();
      return api::Status();
    }
    std::string warning;
    if (a.object != shown) a.object = api::DedupOwnerReferences(a.object, true, &warning);
    if (!warning.empty()) rc_.Warn(std::move(warning));
    return api::Status();
  }

  sim::Task<void> Admit(sim::Task<api::Status> admitting) {
    admitted_ = co_await std::move(admitting);
  }

  // API-77.
  api::Status CheckVersion(const api::Object& existing, std::int64_t asked) const {
    const api::ResourceInfo& r = rc_.resource();
    // customresource/etcd.go scaleUpdatedObjectInfo: a Scale without a version keeps the object's.
    const bool custom_scale = r.custom && rc_.request().subresource == "scale";
    if (asked == 0 && (r.unconditional_update || custom_scale)) return api::Status();
    if (asked == 0) {
      const char* zero = api::ProfileOf(context_.compat).bad_values_as_json ? "0" : "0x0";
      return api::Invalid(
          r.group, r.resource, rc_.request().name,
          {api::StatusCause("FieldValueInvalid",
                            fmt::format("Invalid value: {}: must be specified for an update", zero),
                            "metadata.resourceVersion")});
    }
    if (asked == existing.resource_version()) return api::Status();
    return api::Conflict(rc_.group_resource(), rc_.request().name, kModified);
  }

  api::Result<Value> PrepareCreate(const Value& admitted) {
    api::Result<Value> prepared = registry_.PrepareNew(rc_, api::ClearSystemFields(admitted));
    if (prepared.ok()) rc_.PassStage(Stage::kValidate);
    return prepared;
  }

  api::Result<Value> PrepareUpdate(const api::Object& existing, const Value& admitted) {
    const api::ResourceInfo& r = rc_.resource();
    const std::string_view sub = rc_.request().subresource;
    Value tree = api::PrepareForUpdate(r, existing.tree(), admitted, sub, context_.compat);
    if (sub.empty()) {
      api::Result<Value> allocated =
          registry_.AllocateForService(rc_, std::move(tree), existing.tree());
      if (!allocated.ok()) return rc_.EndStage(Stage::kValidate, allocated.status());
      tree = *std::move(allocated);
    }
    api::FieldErrors errors = api::ValidateUpdate(r, tree, existing.tree(), sub, context_.compat);
    std::vector<std::string> warnings;
    api::ValidateCustom(r, tree, &existing.tree(), sub, context_.compat, &errors, &warnings);
    for (std::string& text : warnings) rc_.Warn(std::move(text));
    if (!errors.empty()) {
      const api::Status invalid = api::InvalidObject(r, existing.name(), std::move(errors));
      return rc_.EndStage(Stage::kValidate, invalid);
    }
    for (std::string& text : api::WarningsOnUpdate(r, tree, existing.tree(), sub, context_.compat))
      rc_.Warn(std::move(text));
    rc_.PassStage(Stage::kValidate);
    if (ShouldDelete(r, existing, tree)) {
      doomed_ = api::Object::FromTree(tree, existing.resource_version());
      return AbortUpdate();
    }
    return tree;
  }

  const RegistryContext& context_;
  Registry& registry_;
  RequestContext& rc_;
  UpdatedObject& updated_;
  bool may_create_;
  bool created_ = false;
  api::Result<WantedObject> wanted_ = WantedObject();
  std::optional<Attributes> attributes_;  // of the wanted object, as admission has changed it
  api::Status admitted_;
  std::optional<api::Result<Value>> judged_;  // the outcome, where plugins had to judge
  api::Object doomed_;
};

sim::Task<api::Result<UpdateResult>> Registry::Update(RequestContext& rc, UpdatedObject& updated) {
  const api::Request& request = rc.request();
  const bool applies =
      request.verb == api::Verb::kPatch && request.patch_type == api::PatchType::kApply;
  const bool puts = request.verb == api::Verb::kUpdate && rc.resource().create_on_update;
  const bool may_create = request.subresource.empty() && (applies || puts);
  UpdateTransform transform(context_, *this, rc, updated, may_create);
  WriteContext write = rc.write();
  write.ttl = TtlSeconds();
  const Preconditions preconditions = updated.preconditions();
  api::Object suggestion = storage_.Suggestion(request.ns, request.name);
  api::Result<api::Object> stored = co_await storage_.storage().GuaranteedUpdate(
      request.ns, request.name, preconditions, may_create, transform, suggestion, write);
  if (stored.ok()) {
    if (transform.created() && !write.dry_run)
      context_.identities.Record(rc.resource().known_as(), request.ns, request.name, rc.identity);
    if (!write.dry_run) NoteStored(*stored);
    rc.PassStage(Stage::kStore);
    co_return UpdateResult(*std::move(stored), transform.created());
  }
  ForgetAllocations(request.ns, request.name);
  if (!transform.deletes()) {
    const bool missing = preconditions.uid && api::IsNotFound(stored.status());
    if (missing && !context_.profile.missing_object_keeps_404)
      // Before a missing object was looked for, nothing was compared with the uid.
      stored = storage_.storage().CheckPreconditions(preconditions, api::Object(), request.ns,
                                                     request.name);
    co_return rc.EndStage(Stage::kStore, stored.status());
  }
  // deleteWithoutFinalizers: the answer is the same if another client was faster.
  api::Result<api::Object> deleted = co_await storage_.storage().Delete(
      request.ns, request.name, preconditions, nullptr, suggestion, write);
  if (!deleted.ok() && !api::IsNotFound(deleted.status()))
    co_return rc.EndStage(Stage::kStore, deleted.status());
  if (!write.dry_run) NoteDeleted(transform.doomed());
  rc.PassStage(Stage::kStore);
  co_return UpdateResult(transform.doomed(), false);
}

}  // namespace ksim::apiserver
