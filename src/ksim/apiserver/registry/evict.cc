// Part of registry.h: pods/eviction, a deletion that says why. There are no disruption budgets to
// forbid it.
//
// Source: pkg/registry/core/pod/storage/eviction.go EvictionREST.Create, addConditionAndDeletePod,
// canIgnorePDB, shouldEnforceResourceVersion, EvictionsRetry.
#include <string>
#include <utility>

#include "ksim/api/conditions.h"
#include "ksim/api/pod.h"
#include "ksim/apiserver/registry/deletion.h"
#include "ksim/apiserver/registry/registry.h"

namespace ksim::apiserver {

namespace {

using value::Value;

constexpr int kTries = 20;
constexpr Duration kPause = Milliseconds(500);  // and up to a tenth more

// Sets the condition DisruptionTarget.
class DisruptionTransform final : public Transform {
 public:
  DisruptionTransform(const api::ResourceInfo& r, const api::DeleteOptions& options,
                      VirtualTime now)
      : resource_(r), options_(options), now_(now) {}

  api::Result<Value> Apply(const api::Object& pod) override {
    static const value::Path kConditions{"status", "conditions"};
    const api::Status refused = CheckPreconditions(resource_, pod, options_);
    if (!refused.ok()) return refused;
    Value condition = api::MakeCondition("DisruptionTarget", "True", "EvictionByEvictionAPI",
                                         "Eviction API: evicting");
    return pod.tree().Set(kConditions,
                          api::UpdateCondition(pod.Get(kConditions), std::move(condition), now_));
  }

 private:
  const api::ResourceInfo& resource_;
  const api::DeleteOptions& options_;
  VirtualTime now_;
};

api::DeleteOptions OptionsOf(const Value& tree) {
  api::DeleteOptions options;
  const Value& grace = tree.Get("gracePeriodSeconds");
  if (grace.is_int()) options.grace_period_seconds = grace.AsInt();
  options.propagation_policy = std::string(tree.Get("propagationPolicy").AsString());
  const Value& orphan = tree.Get("orphanDependents");
  if (orphan.is_bool()) options.orphan_dependents = orphan.AsBool();
  const Value& preconditions = tree.Get("preconditions");
  const std::string_view uid = preconditions.Get("uid").AsString();
  if (!uid.empty()) options.uid = std::string(uid);
  const std::string_view version = preconditions.Get("resourceVersion").AsString();
  if (!version.empty()) options.resource_version = std::string(version);
  return options;
}

}  // namespace

// A pod that no budget would protect is deleted at the version that was read. If it has changed
// since, it may have become ready, so it is read again.
sim::Task<api::Status> Registry::Evict(RequestContext& rc, Value eviction) {
  const Value asked = eviction.Get("deleteOptions");
  if (!asked.Get("dryRun").empty()) rc.MakeDryRun();
  if (context_.admission.AsksWebhooks()) {
    const api::Status refused = co_await AskAboutNew(rc, eviction);
    if (!refused.ok()) co_return rc.EndStage(Stage::kStore, refused);
  }
  const api::DeleteOptions given = OptionsOf(asked);
  const SharedText ns = rc.request().ns, name = rc.request().name;
  const sim::SiteId site = context_.sim.decisions().Site("eviction/retry");
  api::Status status;
  for (int tries = 1;; ++tries) {
    // Reads the pod and decides whether to delete only this version.
    api::Result<api::Object> pod = co_await storage_.storage().Get(ns, name, 0);
    if (!pod.ok()) co_return rc.EndStage(Stage::kStore, pod.status());
    const api::PodView view(*pod);
    const bool over = view.terminal() || pod->deleting();
    const bool unguarded = over || view.phase() == "Pending";
    api::DeleteOptions options = given;
    if (unguarded && !over && !given.resource_version)
      options.resource_version = std::to_string(pod->resource_version());
    // Deletes it, or pauses and tries again.
    status = co_await MarkAndDelete(rc, options);
    const bool again = api::IsConflict(status) && unguarded && !given.resource_version;
    if (!again || tries == kTries) break;
    const std::uint64_t key = context_.identities.Of(rc.resource().resource, ns, name);
    const Duration more =
        context_.sim.decisions().DrawDuration(site, key, Duration(), Milliseconds(50));
    co_await context_.sim.Sleep(kPause + more, sim::TimerKind::kWork, "eviction retry");
  }
  if (status.ok()) status.code = 201;
  co_return status;
}

sim::Task<api::Status> Registry::MarkAndDelete(RequestContext& rc, api::DeleteOptions options) {
  const api::Request& request = rc.request();
  if (context_.profile.pod_disruption_conditions && !request.dry_run) {
    const Preconditions none;
    DisruptionTransform transform(rc.resource(), options, rc.now());
    api::Object suggestion = storage_.Suggestion(request.ns, request.name);
    api::Result<api::Object> marked = co_await storage_.storage().GuaranteedUpdate(
        request.ns, request.name, none, false, transform, suggestion, rc.write());
    if (!marked.ok()) co_return rc.EndStage(Stage::kStore, marked.status());
    if (options.resource_version)
      options.resource_version = std::to_string(marked->resource_version());
  }
  const api::Status valid = ValidateDeleteOptions(options);
  if (!valid.ok()) co_return rc.EndStage(Stage::kValidate, valid);
  const SharedText ns = request.ns, name = request.name;
  api::Result<DeleteResult> deleted = co_await Delete(rc, ns, name, options);
  if (!deleted.ok()) co_return deleted.status();
  co_return api::Status();
}

}  // namespace ksim::apiserver
