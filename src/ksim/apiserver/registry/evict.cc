// Part of registry.h: pods/eviction, a deletion that says why, and that a disruption budget may
// forbid. The server reads and writes budgets through its own pipeline.
//
// Source: pkg/registry/core/pod/storage/eviction.go EvictionREST.Create, addConditionAndDeletePod,
// canIgnorePDB, shouldEnforceResourceVersion, EvictionsRetry.
#include <string>
#include <utility>
#include <vector>

#include "ksim/api/conditions.h"
#include "ksim/api/pod.h"
#include "ksim/apiserver/registry/budget_check.h"
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

sim::Task<api::Status> Registry::Evict(RequestContext& rc, Value eviction) {
  const Value asked = eviction.Get("deleteOptions");
  if (!asked.Get("dryRun").empty()) rc.MakeDryRun();
  if (context_.admission.AsksWebhooks()) {
    const api::Status refused = co_await AskAboutNew(rc, eviction);
    if (!refused.ok()) co_return rc.EndStage(Stage::kStore, refused);
  }
  const api::DeleteOptions given = OptionsOf(asked);
  api::Object guarded;
  api::Status status = co_await EvictUnguarded(rc, given, &guarded);
  if (status.ok() && !guarded.empty()) status = co_await EvictGuarded(rc, given, guarded);
  if (status.ok()) status.code = 201;
  co_return status;
}

// A pod that no budget would protect is deleted at the version that was read. If it has changed
// since, it may have become ready, so it is read again.
sim::Task<api::Status> Registry::EvictUnguarded(RequestContext& rc, const api::DeleteOptions& given,
                                                api::Object* guarded) {
  const SharedText ns = rc.request().ns, name = rc.request().name;
  for (int tries = 1;; ++tries) {
    api::Result<api::Object> pod = co_await storage_.storage().Get(ns, name, 0);
    if (!pod.ok()) co_return rc.EndStage(Stage::kStore, pod.status());
    const api::PodView view(*pod);
    const bool over = view.terminal() || pod->deleting();
    if (!over && view.phase() != "Pending") {
      *guarded = *pod;
      co_return api::Status();
    }
    api::DeleteOptions options = given;
    if (!over && !given.resource_version)
      options.resource_version = std::to_string(pod->resource_version());
    const api::Status status = co_await MarkAndDelete(rc, options);
    const bool again = api::IsConflict(status) && !given.resource_version;
    if (!again || tries == kTries) co_return status;
    co_await PauseEviction(rc);
  }
}

// Several budgets for one pod are refused with a Status that upstream sends with the code 201; both
// clients here and client-go take it for the error that it says it is.
sim::Task<api::Status> Registry::EvictGuarded(RequestContext& rc, api::DeleteOptions given,
                                              api::Object pod) {
  // 1. Finds the budget.
  const api::ResourceInfo* budgets = context_.kinds.ByResource("policy", "poddisruptionbudgets");
  api::Request list;
  list.event = rc.request().event;
  list.verb = api::Verb::kList;
  list.resource = budgets;
  list.ns = std::string(pod.ns());
  const api::Response listed = co_await context_.loopback->Do(std::move(list));
  if (listed.code >= 400) co_return rc.EndStage(Stage::kStore, listed.status);
  const std::vector<api::Object> matching = BudgetsOf(pod, listed.items);
  if (matching.size() > 1)
    co_return rc.EndStage(Stage::kStore,
                          api::Unmapped(500,
                                        "This pod has more than one PodDisruptionBudget, which the "
                                        "eviction subresource does not support."));

  // 2. Takes a disruption of it, unless the pod does not count as healthy anyway. In that case it
  // must not become ready until it is deleted.
  api::DeleteOptions options = given;
  bool unhealthy = false;
  if (!matching.empty()) {
    unhealthy = !api::PodView(pod).ready() && AllowsUnhealthy(matching[0], context_.profile);
    if (unhealthy) {
      options.resource_version = std::to_string(pod.resource_version());
    } else {
      const api::Status taken = co_await TakeFromBudget(rc, matching[0]);
      if (!taken.ok()) co_return rc.EndStage(Stage::kStore, taken);
    }
  }

  // 3. Deletes the pod.
  const api::Status status = co_await MarkAndDelete(rc, options);
  if (unhealthy && api::IsConflict(status) && !given.resource_version)
    co_return StillProcessed(matching[0].name());
  co_return status;
}

// Writes the budget with one disruption less; if somebody else has written it meanwhile, reads it
// and tries again.
sim::Task<api::Status> Registry::TakeFromBudget(RequestContext& rc, api::Object budget) {
  const api::ResourceInfo* budgets = context_.kinds.ByResource("policy", "poddisruptionbudgets");
  for (int tries = 1;; ++tries) {
    api::Result<api::Object> taken =
        TakeDisruption(budget, rc.request().name.view(), rc.now(), context_.profile);
    if (!taken.ok() || rc.request().dry_run) co_return taken.status();
    api::Request update;
    update.event = rc.request().event;
    update.verb = api::Verb::kUpdate;
    update.resource = budgets;
    update.subresource = "status";
    update.ns = std::string(budget.ns());
    update.name = std::string(budget.name());
    update.body = taken->tree();
    update.body_version = taken->resource_version();
    const api::Response written = co_await context_.loopback->Do(std::move(update));
    if (written.code < 400) co_return api::Status();
    if (!api::IsConflict(written.status) || tries == kTries) co_return written.status;
    co_await PauseEviction(rc);
    api::Request get;
    get.event = rc.request().event;
    get.verb = api::Verb::kGet;
    get.resource = budgets;
    get.ns = std::string(budget.ns());
    get.name = std::string(budget.name());
    const api::Response read = co_await context_.loopback->Do(std::move(get));
    if (read.code >= 400) co_return read.status;
    budget = read.object;
  }
}

sim::Task<void> Registry::PauseEviction(RequestContext& rc) {
  const sim::SiteId site = context_.sim.decisions().Site("eviction/retry");
  const std::uint64_t key =
      context_.identities.Of(rc.resource().known_as(), rc.request().ns, rc.request().name);
  const Duration more =
      context_.sim.decisions().DrawDuration(site, key, Duration(), Milliseconds(50));
  co_await context_.sim.Sleep(kPause + more, sim::TimerKind::kWork, "eviction retry");
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
