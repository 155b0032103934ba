#include "ksim/controllers/disruption/disruption_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/api/conditions.h"
#include "ksim/api/pod.h"
#include "ksim/base/status.h"
#include "ksim/controllers/common/label_index.h"
#include "ksim/controllers/common/label_selector_text.h"
#include "ksim/controllers/common/manager_client.h"
#include "ksim/controllers/disruption/budget_status.h"
#include "ksim/value/selector.h"

namespace ksim::controllers {

using value::Value;

namespace {

constexpr Duration kStaleTimeout = Minutes(2);  // stalePodDisruptionTimeout
constexpr std::string_view kTarget = "DisruptionTarget";

std::unique_ptr<client::RateLimiter> Limiter(const ControllerContext& context) {
  return client::DefaultControllerRateLimiter(context.process);
}

}  // namespace

DisruptionController::DisruptionController(ControllerContext context)
    : context_(std::move(context)),
      profile_(controllers::ProfileOf(context_.env().compat)),
      budget_resource_(context_.Resource("policy", "poddisruptionbudgets")),
      pod_resource_(context_.Resource("", "pods")),
      client_(context_.connection, context_.actor(),
              ManagerClient(context_, "disruption-controller")),
      recorder_(context_.connection, context_.actor(), "controllermanager", "",
                client::EventRecorder::Api::kCore, client_.options()),
      budget_informer_(context_.informers.For(budget_resource_)),
      pod_informer_(context_.informers.For(pod_resource_)),
      scales_(context_, client_),
      queue_(context_.process, Limiter(context_)),
      recheck_(context_.process, Limiter(context_)),
      stale_(context_.process, Limiter(context_)) {}

DisruptionController::~DisruptionController() = default;

void DisruptionController::Start() {
  budget_handlers_.add = [this](const api::Object& budget, bool) { queue_.Add(budget.key()); };
  budget_handlers_.update = [this](const api::Object&, const api::Object& budget) {
    queue_.Add(budget.key());
  };
  budget_handlers_.del = [this](const client::Deleted& d) { queue_.Add(d.object.key()); };
  pod_handlers_.add = [this](const api::Object& pod, bool) { AddPod(pod); };
  pod_handlers_.update = [this](const api::Object&, const api::Object& pod) { AddPod(pod); };
  pod_handlers_.del = [this](const client::Deleted& d) {
    const api::Object budget = BudgetOf(d.object);
    if (!budget.empty()) queue_.Add(budget.key());
  };
  AddLabelIndex(pod_informer_);
  pod_informer_.AddHandler(context_.actor(), &pod_handlers_);
  budget_informer_.AddHandler(context_.actor(), &budget_handlers_);
  loop_ =
      std::make_unique<client::ReconcileLoop>(context_.connection, context_.name, queue_, *this);
  std::vector<client::SharedInformer*> wait_for = scales_.informers();
  wait_for.push_back(&pod_informer_);
  wait_for.push_back(&budget_informer_);
  loop_->Start(1, std::move(wait_for));
  context_.process.Spawn(RecheckWorker(), context_.name);
  context_.process.Spawn(StaleWorker(), context_.name);
}

void DisruptionController::AddPod(const api::Object& pod) {
  const api::Object budget = BudgetOf(pod);
  if (!budget.empty()) queue_.Add(budget.key());
  const std::optional<Duration> stale = StaleAfter(pod);
  if (stale) stale_.AddAfter(pod.key(), *stale);
}

// getPdbForPod. Which of several it is upstream leaves open; here the first by name.
api::Object DisruptionController::BudgetOf(const api::Object& pod) {
  std::vector<api::Object> matching;
  for (const api::Object& budget : budget_informer_.lister().List(pod.ns())) {
    const auto selector = value::LabelSelector::FromObject(budget.spec().Get("selector"));
    if (selector.ok() && selector->Matches(pod.labels())) matching.push_back(budget);
  }
  if (matching.empty()) return {};
  if (matching.size() > 1)
    recorder_.Event(
        pod, "Warning", "MultiplePodDisruptionBudgets",
        fmt::format(
            "Pod \"{}\"/\"{}\" matches multiple PodDisruptionBudgets.  Chose \"{}\" arbitrarily.",
            pod.ns(), pod.name(), matching[0].name()));
  return matching[0];
}

std::vector<api::Object> DisruptionController::PodsOf(const api::Object& budget) const {
  const auto selector = value::LabelSelector::FromObject(budget.spec().Get("selector"));
  if (!selector.ok()) return {};
  return ListSelected(pod_informer_.lister(), budget.ns(), *selector);
}

// --- sync --------------------------------------------------------------------------------------

sim::Task<client::ReconcileResult> DisruptionController::Reconcile(std::string key) {
  const absl::StatusOr<client::ObjectKey> id = client::SplitKey(key);
  if (!id.ok()) co_return client::ReconcileResult::Error(std::string(Message(id.status())));
  const api::Object budget = budget_informer_.lister().Get(id->ns, id->name);
  if (budget.empty()) co_return client::ReconcileResult::Done();
  bool conflict = false;
  const std::string error = co_await TrySync(budget, &conflict);
  if (error.empty()) co_return client::ReconcileResult::Done();
  if (conflict) co_return client::ReconcileResult::Error(error);

  // Whatever failed, nothing may be evicted on numbers that are out of date. Only if this fails,
  // too, the budget comes again by itself.
  api::Object failed = WithFailedSync(budget, error, context_.process.Now());
  client::Client::ObjectResult written =
      co_await client_.UpdateStatus(budget_resource_, std::move(failed));
  if (!written.ok()) co_return client::ReconcileResult::Error(written.status());
  co_return client::ReconcileResult::Done();
}

sim::Task<std::string> DisruptionController::TrySync(api::Object budget, bool* conflict) {
  // 1. The pods that are there, and how many there should be.
  const std::vector<api::Object> pods = PodsOf(budget);
  if (pods.empty()) recorder_.Event(budget, "Normal", "NoPods", "No matching pods found");
  auto expected = static_cast<std::int64_t>(pods.size());
  if (CountsByScale(budget)) {
    const ScaleFinder::Expected found = co_await scales_.Find(pods);
    if (!found.error.empty()) {
      recorder_.Event(
          budget, "Warning", "CalculateExpectedPodCountFailed",
          fmt::format("Failed to calculate the number of expected pods: {}", found.error));
      co_return found.error;
    }
    expected = found.pods;
    if (found.unmanaged)
      recorder_.Event(
          budget, "Warning", "UnmanagedPods",
          fmt::format(
              "Pods selected by this PodDisruptionBudget (selector: {}) were found to be "
              "unmanaged. As a result, the status of the PDB cannot be calculated correctly, which "
              "may result in undefined behavior. To account for these pods please set "
              "\".spec.minAvailable\" field of the PDB to an integer value.",
              LabelSelectorText(budget.spec().Get("selector"))));
  }

  // 2. Those that an eviction has taken and that are not marked for deletion yet.
  const VirtualTime now = context_.process.Now();
  const DisruptedPods disrupted = FindDisruptedPods(budget, pods, now);
  for (const api::Object& pod : disrupted.never_deleted)
    recorder_.Event(pod, "Warning", "NotDeleted",
                    fmt::format("Pod was expected by PDB {}/{} to be deleted but it wasn't",
                                budget.ns(), budget.ns()));

  // 3. The status, if it changes.
  const api::Object wanted =
      WithBudgetStatus(budget, CountsOf(budget, expected), CountHealthy(pods, disrupted.times, now),
                       disrupted.times, now);
  if (wanted.tree() != budget.tree()) {
    client::Client::ObjectResult written = co_await client_.UpdateStatus(budget_resource_, wanted);
    if (!written.ok()) {
      *conflict = api::IsConflict(written.status());
      co_return written.status().message.str();
    }
  }
  if (disrupted.recheck) recheck_.AddAfter(budget.key(), *disrupted.recheck - now);
  co_return "";
}

sim::Task<void> DisruptionController::RecheckWorker() {
  for (;;) {
    const std::optional<std::string> key = co_await recheck_.Get();
    if (!key) co_return;
    queue_.AddRateLimited(*key);
    recheck_.Done(*key);
  }
}

// --- pods that were to be disrupted and are not --------------------------------------------------

// nonTerminatingPodHasStaleDisruptionCondition. A kubelet's own condition may stand for as long as
// the pod takes to end.
std::optional<Duration> DisruptionController::StaleAfter(const api::Object& pod) const {
  if (!profile_.disruption_conditions || pod.deleting()) return std::nullopt;
  const api::PodView view(pod);
  const Value* condition = view.Condition(kTarget);
  if (condition == nullptr || condition->Get("status").AsString() != "True" ||
      condition->Get("reason").AsString() == "TerminationByKubelet" || view.terminal())
    return std::nullopt;
  const VirtualTime since = api::ConditionSince(view.conditions(), kTarget).value_or(VirtualTime());
  return std::max(Duration(), since + kStaleTimeout - context_.process.Now());
}

sim::Task<void> DisruptionController::StaleWorker() {
  for (;;) {
    const std::optional<std::string> key = co_await stale_.Get();
    if (!key) co_return;
    const bool done = co_await ClearStale(*key);
    if (done)
      stale_.Forget(*key);
    else
      stale_.AddRateLimited(*key);
    stale_.Done(*key);
  }
}

sim::Task<bool> DisruptionController::ClearStale(std::string key) {
  static const value::Path kConditions{"status", "conditions"};
  const absl::StatusOr<client::ObjectKey> id = client::SplitKey(key);
  if (!id.ok()) co_return true;
  const api::Object pod = pod_informer_.lister().Get(id->ns, id->name);
  if (pod.empty()) co_return true;
  const std::optional<Duration> stale = StaleAfter(pod);
  if (!stale) co_return true;
  if (*stale > Duration()) {
    stale_.AddAfter(key, *stale);
    co_return true;
  }
  Value condition = api::MakeCondition(kTarget, "False");
  if (profile_.pod_observed_generation && pod.generation() != 0)
    condition = condition.Set("observedGeneration", Value::Int(pod.generation()));
  const Value conditions =
      api::UpdateCondition(pod.Get(kConditions), std::move(condition), context_.process.Now());
  const api::Object cleared =
      api::Object::FromTree(pod.tree().Set(kConditions, conditions), pod.resource_version());
  const client::Client::ObjectResult written =
      co_await client_.UpdateStatus(pod_resource_, cleared);
  co_return written.ok();
}

}  // namespace ksim::controllers
