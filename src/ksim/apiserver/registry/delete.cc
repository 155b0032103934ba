// Part of registry.h: deletion.
#include <fmt/format.h>

#include <utility>

#include "ksim/api/kinds/apiextensions/customresourcedefinition.h"
#include "ksim/api/kinds/apiextensions/definition_status.h"
#include "ksim/apiserver/registry/deletion.h"
#include "ksim/apiserver/registry/registry.h"
#include "ksim/value/timestamp.h"

namespace ksim::apiserver {

namespace {

using value::Path;
using value::Value;

// Ends an update that has nothing to store; MarkTransform::outcome() says why.
api::Status Abort() { return api::Unmapped(500, "nothing to update before the deletion"); }

// The webhooks' judgement of a deletion, on the object as it is stored; made anew whenever that has
// changed (rest.AdmissionToValidateObjectDeleteFunc). Without webhooks it never waits.
class DeletionAdmission final : public DeletionCheck {
 public:
  // `options`: as BeforeDelete has filled them in.
  DeletionAdmission(const RegistryContext& context, RequestContext& rc,
                    const api::DeleteOptions& options)
      : context_(context), rc_(rc), options_(options) {}

  sim::Task<void> Prepare(const api::Object& existing) override {
    refusal_ = api::Status();
    // An eviction deletes on its own account.
    const bool asks = rc_.request().subresource.empty() && context_.admission.AsksWebhooks();
    return asks ? Ask(existing) : sim::Task<void>();
  }
  api::Status Check(const api::Object&) override { return refusal_; }

 private:
  sim::Task<void> Ask(const api::Object& existing) {
    Attributes a = AttributesOf(Operation::kDelete, rc_);
    a.name = existing.name();
    a.old = existing.tree();
    a.old_version = existing.resource_version();
    if (rc_.request().verb == api::Verb::kDelete) a.del = &options_;
    sim::Task<api::Status> admitting = context_.admission.Admit(a);
    if (!admitting.done()) refusal_ = co_await std::move(admitting);
    if (!refusal_.ok()) co_return;
    sim::Task<api::Status> judging = context_.admission.Validate(a);
    if (!judging.done()) refusal_ = co_await std::move(judging);
  }

  const RegistryContext& context_;
  RequestContext& rc_;
  const api::DeleteOptions& options_;
  api::Status refusal_;
};

// updateForGracefulDeletionAndFinalizers: the mark that a graceful deletion or a finalizer needs.
class MarkTransform final : public Transform {
 public:
  MarkTransform(const api::ResourceInfo& r, api::DeleteOptions options, VirtualTime now,
                const Profile& profile, DeletionAdmission& admission)
      : resource_(r),
        asked_(std::move(options)),
        now_(now),
        profile_(profile),
        admission_(admission) {}

  enum class Outcome : std::uint8_t { kMarked, kDeleteNow, kAlreadyDeleting, kRefused };
  Outcome outcome() const { return outcome_; }
  bool pending_finalizers() const { return pending_finalizers_; }
  std::int64_t grace() const { return grace_; }  // of the mark made; 0 = over at once
  const api::Object& last_existing() const { return last_existing_; }

  sim::Task<void> Prepare(const api::Object& existing) override {
    return admission_.Prepare(existing);
  }

  api::Result<Value> Apply(const api::Object& existing) override {
    outcome_ = Outcome::kRefused;
    grace_ = 0;
    last_existing_ = api::Object();
    const api::Status refused = admission_.Check(existing);
    if (!refused.ok()) return refused;
    api::DeleteOptions options = asked_;
    api::Result<BeforeDeleteResult> before =
        BeforeDelete(resource_, existing, options, now_, profile_);
    if (!before.ok()) return before.status();
    if (before->grace == Grace::kPending) {
      outcome_ = Outcome::kAlreadyDeleting;
      return Abort();
    }
    api::Object object = before->object;
    const auto finalizers = FinalizersForDeletion(resource_, object, options);
    if (finalizers) object = WithFinalizers(object, *finalizers);
    pending_finalizers_ = !object.finalizers().empty();
    outcome_ = Outcome::kMarked;
    if (before->grace == Grace::kStarted) {
      grace_ = *options.grace_period_seconds;
      last_existing_ = object;
      return object.tree();
    }
    if (pending_finalizers_) return MarkAsDeleting(object, now_).tree();
    outcome_ = Outcome::kDeleteNow;
    return Abort();
  }

 private:
  const api::ResourceInfo& resource_;
  api::DeleteOptions asked_;
  VirtualTime now_;
  const Profile& profile_;
  DeletionAdmission& admission_;
  Outcome outcome_ = Outcome::kRefused;
  bool pending_finalizers_ = false;
  std::int64_t grace_ = 0;
  api::Object last_existing_;
};

// Storage of namespaces and of definitions: the first delete starts the termination.
class TerminateTransform final : public Transform {
 public:
  TerminateTransform(const api::ResourceInfo& r, api::DeleteOptions options, VirtualTime now,
                     DeletionAdmission& admission)
      : resource_(r), options_(std::move(options)), now_(now), admission_(admission) {}

  sim::Task<void> Prepare(const api::Object& existing) override {
    return admission_.Prepare(existing);
  }

  api::Result<Value> Apply(const api::Object& existing) override {
    const api::Status refused = admission_.Check(existing);
    if (!refused.ok()) return refused;
    if (api::IsDefinition(resource_)) return api::MarkedForDeletion(existing.tree(), now_);
    static const Path kDeletionTimestamp{"metadata", "deletionTimestamp"};
    static const Path kPhase{"status", "phase"};
    Value tree = existing.tree();
    if (!existing.deleting()) tree = tree.Set(kDeletionTimestamp, value::TimestampValue(now_));
    tree = tree.Set(kPhase, Value::Of("Terminating"));
    api::Object object = api::Object::FromTree(std::move(tree), existing.resource_version());
    const auto finalizers = FinalizersForDeletion(resource_, object, options_);
    if (finalizers) object = WithFinalizers(object, *finalizers);
    return object.tree();
  }

 private:
  const api::ResourceInfo& resource_;
  api::DeleteOptions options_;
  VirtualTime now_;
  DeletionAdmission& admission_;
};

Preconditions PreconditionsOf(const api::DeleteOptions& options) {
  Preconditions p;
  p.uid = options.uid;
  p.resource_version = options.resource_version;
  return p;
}

DeleteResult MakeResult(api::Object object, bool gone) {
  DeleteResult result;
  result.object = std::move(object);
  result.gone = gone;
  return result;
}

}  // namespace

sim::Task<api::Result<DeleteResult>> Registry::Delete(RequestContext& rc, SharedText ns,
                                                      SharedText name, api::DeleteOptions options) {
  api::Result<api::Object> found = co_await storage_.storage().Get(ns, name, 0);
  if (!found.ok()) co_return rc.EndStage(Stage::kStore, found.status());
  const api::ResourceInfo& r = storage_.storage().resource();
  api::Result<DeleteResult> result = DeleteResult();
  const bool in_two_steps = (r.group.empty() && r.resource == "namespaces") || api::IsDefinition(r);
  if (in_two_steps) {
    result = co_await Terminate(rc, name, std::move(options), *found);
  } else {
    result = co_await DeleteFound(rc, std::move(options), *found);
  }
  if (!result.ok()) co_return rc.EndStage(Stage::kStore, result.status());
  rc.PassStage(Stage::kStore);
  co_return result;
}

sim::Task<api::Result<DeleteResult>> Registry::DeleteFound(RequestContext& rc,
                                                           api::DeleteOptions options,
                                                           api::Object found) {
  // Decides whether the object must be marked first.
  Storage& storage = storage_.storage();
  const api::ResourceInfo& r = storage.resource();
  const std::string ns(found.ns());
  const std::string name(found.name());
  Preconditions preconditions = PreconditionsOf(options);
  api::Result<BeforeDeleteResult> before =
      BeforeDelete(r, found, options, rc.now(), context_.profile);
  if (!before.ok()) co_return before.status();
  if (before->grace == Grace::kPending) co_return MakeResult(before->object, false);

  api::Object suggestion = storage_.Suggestion(ns, name);
  DeletionAdmission admission(context_, rc, options);
  MarkTransform mark(r, options, rc.now(), context_.profile, admission);
  const bool must_mark = before->grace == Grace::kStarted || !found.finalizers().empty() ||
                         FinalizersForDeletion(r, found, options).has_value();
  // Marks it; an object that waits for a grace period or a finalizer is left at that.
  api::Object marked;
  if (must_mark) {
    WriteContext write = rc.write();
    write.ttl = TtlSeconds();
    api::Result<api::Object> stored =
        co_await storage.GuaranteedUpdate(ns, name, preconditions, false, mark, suggestion, write);
    if (!stored.ok()) {
      if (mark.outcome() == MarkTransform::Outcome::kAlreadyDeleting)
        co_return MakeResult(before->object, false);
      if (mark.outcome() != MarkTransform::Outcome::kDeleteNow) co_return stored.status();
    } else {
      marked = *stored;
      if (mark.pending_finalizers() || mark.grace() > 0) co_return MakeResult(marked, false);
      if (preconditions.resource_version)
        preconditions.resource_version = std::to_string(marked.resource_version());
      if (rc.request().dry_run) co_return MakeResult(marked, true);
    }
  }
  // Removes it from storage.
  suggestion = storage_.Suggestion(ns, name);
  api::Result<api::Object> deleted =
      co_await storage.Delete(ns, name, preconditions, &admission, suggestion, rc.write());
  if (deleted.ok()) {
    const bool service = r.group.empty() && r.resource == "services";
    if (service && !rc.request().dry_run) co_await DeleteEndpointsOf(rc, ns, name);
    if (!rc.request().dry_run) NoteDeleted(*deleted);
    co_return MakeResult(*deleted, true);
  }
  // Another client has finished the deletion since the mark.
  if (api::IsNotFound(deleted.status()) && !mark.last_existing().empty())
    co_return MakeResult(mark.last_existing(), true);
  co_return deleted.status();
}

sim::Task<void> Registry::DeleteEndpointsOf(RequestContext& rc, std::string ns, std::string name) {
  if (context_.loopback == nullptr) co_return;
  api::Request request;
  request.verb = api::Verb::kDelete;
  request.resource = context_.kinds.ByResource("", "endpoints");
  request.ns = std::move(ns);
  request.name = std::move(name);
  request.event = rc.request().event;
  co_await context_.loopback->Do(std::move(request));
}

sim::Task<api::Result<DeleteResult>> Registry::Terminate(RequestContext& rc, SharedText name,
                                                         api::DeleteOptions options,
                                                         api::Object found) {
  static const Path kSpecFinalizers{"spec", "finalizers"};
  const auto conflict = [&](std::string_view field, std::string_view wanted, std::string_view is) {
    return api::Conflict(rc.group_resource(), name,
                         fmt::format("Precondition failed: {0} in precondition: {1}, {0} in object "
                                     "meta: {2}",
                                     field, wanted, is));
  };
  if (options.uid && *options.uid != found.uid())
    co_return conflict("UID", *options.uid, found.uid());
  const std::string rv = std::to_string(found.resource_version());
  if (options.resource_version && *options.resource_version != rv)
    co_return conflict("ResourceVersion", *options.resource_version, rv);
  options.uid = std::string(found.uid());
  if (found.deleting()) {
    if (!found.Get(kSpecFinalizers).empty()) co_return MakeResult(found, false);
    co_return co_await DeleteFound(rc, std::move(options), std::move(found));
  }
  DeletionAdmission admission(context_, rc, options);
  TerminateTransform terminate(rc.resource(), options, rc.now(), admission);
  const Preconditions preconditions = PreconditionsOf(options);
  api::Object suggestion = storage_.Suggestion("", name);
  api::Result<api::Object> stored = co_await storage_.storage().GuaranteedUpdate(
      "", name, preconditions, false, terminate, suggestion, rc.write());
  if (!stored.ok()) co_return stored.status();
  if (!rc.request().dry_run) NoteStored(*stored);
  co_return MakeResult(*stored, false);
}

}  // namespace ksim::apiserver
