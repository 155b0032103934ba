#include "ksim/controllers/podautoscaler/horizontal_controller.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "ksim/api/core/kind_service.h"
#include "ksim/base/status.h"
#include "ksim/controllers/common/label_index.h"
#include "ksim/controllers/common/manager_client.h"

namespace ksim::controllers {

using value::Value;

namespace {

// For so long after the last look that came out otherwise more such looks are expected: pods that
// have just started are measured one or two looks later.
constexpr Duration kSettling = kAutoscalerSyncPeriod * 3;

// NewDefaultHPARateLimiter: each key comes again after a sync period.
class FixedInterval : public client::RateLimiter {
 public:
  Duration When(const std::string&) override { return kAutoscalerSyncPeriod; }
  void Forget(const std::string&) override {}
  int NumRequeues(const std::string&) const override { return 1; }
};

std::int32_t ReplicaCount(const Value& v) { return static_cast<std::int32_t>(v.AsInt()); }

// schema.ParseGroupVersion: the error, "" if there is none.
std::string VersionProblem(std::string_view api_version) {
  return std::count(api_version.begin(), api_version.end(), '/') > 1
             ? fmt::format("unexpected GroupVersion string: {}", api_version)
             : std::string();
}

// The resources of a kind at all versions that are served, the preferred version of a group first.
std::vector<const api::ResourceInfo*> MappingsOf(const api::Kinds& kinds, api::Compat compat,
                                                 std::string_view group, std::string_view kind) {
  std::vector<const api::ResourceInfo*> out;
  for (const api::ResourceInfo* r : api::ServedKinds(kinds, compat))
    if (r->group == group && r->kind == kind) out.push_back(r);
  return out;
}

ReplicaBounds BoundsOf(const api::Object& hpa) {
  const Value& least = hpa.spec().Get("minReplicas");
  return ReplicaBounds(least.is_null() ? 1 : ReplicaCount(least),
                       ReplicaCount(hpa.spec().Get("maxReplicas")));
}

std::string TargetText(const api::Object& hpa) {
  const Value& reference = hpa.spec().Get("scaleTargetRef");
  return fmt::format("{}/{}/{}", reference.Get("kind").AsString(), hpa.ns(),
                     reference.Get("name").AsString());
}

}  // namespace

std::int32_t HorizontalController::Target::replicas() const {
  return ReplicaCount(scale.spec().Get("replicas"));
}

HorizontalController::HorizontalController(ControllerContext context)
    : context_(std::move(context)),
      profile_(controllers::ProfileOf(context_.env().compat)),
      resource_(context_.Resource("autoscaling", "horizontalpodautoscalers")),
      client_(context_.connection, context_.actor(),
              ManagerClient(context_, "horizontal-pod-autoscaler")),
      recorder_(context_.connection, context_.actor(), "horizontal-pod-autoscaler", "",
                client::EventRecorder::Api::kCore, client_.options()),
      first_use_(context_.process, context_.env(), context_.informers),
      queue_(context_.process, std::make_unique<FixedInterval>()),
      jitter_(context_.env(), fmt::format("retry/{}/{}", context_.process.name(), context_.name)),
      calculator_(profile_, context_.metrics) {}

HorizontalController::~HorizontalController() = default;

void HorizontalController::Start() {
  first_use_.Begin({resource_}, context_.name, [this] { Begin(); }, [this] { Work(); });
}

void HorizontalController::Begin() {
  hpa_informer_ = &context_.informers.For(resource_);
  pod_informer_ = &context_.informers.For(context_.Resource("", "pods"));
  handlers_.add = [this](const api::Object& hpa, bool) { Enqueue(hpa); };
  handlers_.update = [this](const api::Object&, const api::Object& hpa) { Enqueue(hpa); };
  handlers_.del = [this](const client::Deleted& d) { Forget(d.object.key()); };
  hpa_informer_->AddHandler(context_.actor(), &handlers_);
}

void HorizontalController::Work() {
  loop_ =
      std::make_unique<client::ReconcileLoop>(context_.connection, context_.name, queue_, *this);
  loop_->Start(profile_.hpa_workers, {hpa_informer_, pod_informer_});
}

// A key waits a sync period, whatever happens meanwhile: what is added to it then changes nothing.
void HorizontalController::Enqueue(const api::Object& hpa) {
  autoscalers_[hpa.key()].exists = true;
  queue_.AddAfterInBackground(hpa.key(), kAutoscalerSyncPeriod);
}

void HorizontalController::Forget(const std::string& key) {
  queue_.Forget(key);
  Autoscaler* const autoscaler = Find(key);
  if (autoscaler == nullptr) return;
  autoscaler->exists = false;
  autoscaler->looked_at = false;
  autoscaler->selector = value::LabelSelector::Nothing();
}

HorizontalController::Autoscaler* HorizontalController::Find(const std::string& key) {
  const auto found = autoscalers_.find(key);
  return found == autoscalers_.end() ? nullptr : &found->second;
}

// --- the end of a run ----------------------------------------------------------------------------

bool HorizontalController::HasWorkAhead(const Heartbeats&) const {
  if (hpa_informer_ == nullptr || hpa_informer_->lister().size() == 0) return false;
  const VirtualTime now = context_.process.SteadyNow();
  for (const auto& [key, autoscaler] : autoscalers_)
    if (autoscaler.exists && (!autoscaler.looked_at || now < autoscaler.settled_at)) return true;
  return context_.metrics != nullptr &&
         context_.env().sim.now() < context_.metrics->LastChange() + kSettling;
}

// An autoscaler that is kept from what it wants (a window, a rate) is waited for as long as these
// remember; one that wants what is there, or whose metrics fail, for a few looks.
void HorizontalController::Settle(const api::Object& hpa, const std::string& key, Outcome outcome,
                                  bool at_rest) {
  Autoscaler* const autoscaler = Find(key);
  if (autoscaler == nullptr) return;
  const bool same = autoscaler->looked_at && autoscaler->outcome == outcome;
  autoscaler->looked_at = true;
  autoscaler->outcome = std::move(outcome);
  if (same) return;
  const Duration memory = at_rest ? Duration() : LongestMemory(hpa.spec().Get("behavior"));
  autoscaler->settled_at =
      std::max(autoscaler->settled_at, context_.process.SteadyNow() + memory + kSettling);
}

// --- sync ----------------------------------------------------------------------------------------

void HorizontalController::Warn(const HpaStatus& status, std::string_view reason,
                                std::string_view message) {
  recorder_.Event(status.hpa(), "Warning", reason, message);
}

sim::Task<client::ReconcileResult> HorizontalController::Reconcile(std::string key) {
  const absl::StatusOr<client::ObjectKey> id = client::SplitKey(key);
  if (!id.ok()) co_return client::ReconcileResult::Terminal(std::string(Message(id.status())));
  const api::Object hpa = hpa_informer_->lister().Get(id->ns, id->name);
  if (hpa.empty()) {
    autoscalers_.erase(key);
    co_return client::ReconcileResult::Done();
  }
  HpaStatus status(hpa, context_.process.Now());
  const std::string error = co_await Sync(&status, key);
  queue_.AddAfterInBackground(key, kAutoscalerSyncPeriod);
  if (error.empty()) co_return client::ReconcileResult::Done();
  co_return client::ReconcileResult::Error(error).WithKeyQueued();
}

sim::Task<std::string> HorizontalController::Sync(HpaStatus* status, std::string key) {
  // 1. The scale of the target.
  const api::Object hpa = status->hpa();
  Target target;
  const std::string unreadable = co_await ReadScale(hpa, &target);
  if (!unreadable.empty()) {
    Settle(hpa, key, Outcome(0, 0, unreadable), true);
    Warn(*status, "FailedGetScale", unreadable);
    status->SetCondition(
        "AbleToScale", false, "FailedGetScale",
        fmt::format("the HPA controller was unable to get the target's current scale: {}",
                    unreadable));
    co_await WriteStatus(status);
    if (target.resource != nullptr)
      co_return fmt::format("failed to query scale subresource for {}: {}", TargetText(hpa),
                            unreadable);
    co_return fmt::format("{}: {}", target.unusable, unreadable);
  }
  status->SetCondition("AbleToScale", true, "SucceededGetScale",
                       "the HPA controller was able to get the target's current scale");

  // 2. How many replicas there should be.
  Decision decision;
  std::string error;
  const std::string stuck = co_await Decide(status, key, &target, &decision, &error);
  if (!stuck.empty()) co_return stuck;

  // 3. The scale, and the status.
  const std::int32_t current = target.replicas();
  if (decision.rescale) {
    const std::string failure = co_await Rescale(hpa, &target, decision.desired);
    if (!failure.empty()) {
      Warn(*status, "FailedRescale",
           fmt::format("New size: {}; reason: {}; error: {}", decision.desired, decision.reason,
                       failure));
      status->SetCondition(
          "AbleToScale", false, "FailedUpdateScale",
          fmt::format("the HPA controller was unable to update the target scale: {}", failure));
      const Value metrics =
          profile_.hpa_reports_failed_metrics ? decision.metrics : status->metrics();
      status->SetReplicas(current, status->desired(), metrics, false);
      co_await WriteStatus(status);
      co_return fmt::format("failed to rescale {}: {}", TargetText(hpa), failure);
    }
    status->SetCondition("AbleToScale", true, "SucceededRescale",
                         fmt::format("the HPA controller was able to update the target scale to {}",
                                     decision.desired));
    recorder_.Event(hpa, "Normal", "SuccessfulRescale",
                    fmt::format("New size: {}; reason: {}", decision.desired, decision.reason));
    Autoscaler* const autoscaler = Find(key);
    if (autoscaler != nullptr)
      autoscaler->history.StoreScaleEvent(hpa.spec().Get("behavior"), current, decision.desired,
                                          context_.process.SteadyNow());
  } else {
    decision.desired = current;
  }
  status->SetReplicas(current, decision.desired, decision.metrics, decision.rescale);
  const std::string unwritten = co_await WriteStatus(status);
  co_return unwritten.empty() ? error : unwritten;
}

sim::Task<std::string> HorizontalController::WriteStatus(const HpaStatus* status) {
  if (!status->changed()) co_return "";
  const api::Object wanted = status->Written();
  client::Client::ObjectResult written = co_await client_.UpdateStatus(resource_, wanted);
  if (written.ok()) co_return "";
  const std::string why = written.status().message.str();
  Warn(*status, "FailedUpdateStatus", why);
  co_return fmt::format("failed to update status for {}: {}", status->hpa().name(), why);
}

// --- scales --------------------------------------------------------------------------------------

sim::Task<std::string> HorizontalController::ReadScale(api::Object hpa, Target* target) {
  const Value reference = hpa.spec().Get("scaleTargetRef");
  const std::string version(reference.Get("apiVersion").AsString());
  const std::string problem = VersionProblem(version);
  target->unusable = "invalid API version in scale target reference";
  if (!problem.empty()) co_return problem;
  target->unusable = "unable to determine resource for scale target reference";
  const std::string group(api::GroupOf(version));
  const std::string kind(reference.Get("kind").AsString());
  client::Environment& env = context_.env();
  const std::vector<const api::ResourceInfo*> mappings =
      MappingsOf(env.kinds, env.compat, group, kind);
  if (mappings.empty())
    co_return fmt::format("no matches for kind \"{}\" in group \"{}\"", kind, group);
  // Each version leads to the resource, which is read at the version that its group prefers.
  target->resource = mappings.front();
  std::string first;
  for (std::size_t i = 0; i < mappings.size(); ++i) {
    const std::string error = co_await GetScale(hpa, target);
    if (error.empty()) co_return "";
    if (i == 0) first = error;
  }
  co_return first;
}

sim::Task<std::string> HorizontalController::GetScale(api::Object hpa, Target* target) {
  api::Request get;
  get.verb = api::Verb::kGet;
  get.resource = target->resource;
  get.subresource = "scale";
  get.ns = std::string(hpa.ns());
  get.name = std::string(hpa.spec().Get("scaleTargetRef").Get("name").AsString());
  const api::Response found = co_await client_.Do(std::move(get));
  if (found.code == 200) {
    target->scale = found.object;
    co_return "";
  }
  co_return found.status.message.str();
}

sim::Task<std::string> HorizontalController::Rescale(api::Object hpa, Target* target,
                                                     std::int32_t desired) {
  client::ExponentialPoll poll(client::DefaultRetry(), jitter_);
  for (;;) {
    const Value wanted =
        target->scale.tree().Set(value::Path{"spec", "replicas"}, Value::Of(std::int64_t{desired}));
    const api::Object scale = api::Object::FromTree(wanted, target->scale.resource_version());
    client::Client::ObjectResult written =
        co_await client_.Update(target->resource, scale, "scale");
    if (written.ok()) co_return "";
    const std::string why = written.status().message.str();
    const bool conflict = api::IsConflict(written.status());
    if (!profile_.hpa_retries_conflicts) co_return why;
    // The latest scale is read after any failure, and is of use after a conflict.
    const std::string unreadable = co_await GetScale(hpa, target);
    (void)unreadable;
    if (!conflict) co_return why;
    const std::optional<Duration> sleep = poll.NextSleep();
    if (!sleep) co_return why;
    co_await context_.env().sim.Sleep(*sleep, sim::TimerKind::kWork, "retry on conflict");
    if (!poll.TriesLeft()) co_return why;
  }
}

// --- metrics -------------------------------------------------------------------------------------

std::vector<std::string> HorizontalController::SelectingAutoscalers(const ScaledPods& pods) const {
  std::vector<std::string> out;
  for (const auto& [key, autoscaler] : autoscalers_) {
    const absl::StatusOr<client::ObjectKey> id = client::SplitKey(key);
    if (!id.ok() || id->ns != pods.ns || !autoscaler.exists) continue;
    const value::LabelSelector& selector = autoscaler.selector;
    const bool selects =
        std::any_of(pods.selected.begin(), pods.selected.end(),
                    [&](const api::Object& pod) { return selector.Matches(pod.labels()); });
    if (selects) out.push_back(key);
  }
  return out;
}

// validateAndParseSelector. The error, "" if there is none; then the pods.
std::string HorizontalController::UsableSelector(HpaStatus* status, const std::string& key,
                                                 std::string_view text, ScaledPods* pods) {
  const auto refuse = [&](std::string_view reason, std::string_view event, const std::string& error,
                          std::string_view message) {
    Warn(*status, event, error);
    status->SetCondition("ScalingActive", false, reason, message);
    return error;
  };
  if (text.empty())
    return refuse("InvalidSelector", "SelectorRequired", "selector is required",
                  "the HPA target's scale is missing a selector");
  const absl::StatusOr<value::LabelSelector> parsed = value::LabelSelector::Parse(text);
  if (!parsed.ok()) {
    const std::string error =
        fmt::format("couldn't convert selector into a corresponding internal selector object: {}",
                    Message(parsed.status()));
    return refuse("InvalidSelector", "InvalidSelector", error, error);
  }
  pods->ns = status->hpa().ns();
  pods->all = pod_informer_->lister().List(pods->ns);
  pods->selected = ListSelected(pod_informer_->lister(), pods->ns, *parsed);
  if (!profile_.hpa_checks_selectors) return "";
  Autoscaler* const own = Find(key);
  if (own != nullptr && own->exists) own->selector = *parsed;
  const std::vector<std::string> selecting = SelectingAutoscalers(*pods);
  if (selecting.size() < 2) return "";
  const std::string error = fmt::format("pods by selector {} are controlled by multiple HPAs: [{}]",
                                        text, fmt::join(selecting, " "));
  return refuse("AmbiguousSelector", "AmbiguousSelector", error, error);
}

ReplicaCalculator::Scaled HorizontalController::ScaledOf(const api::Object& hpa,
                                                         const Target& target) const {
  ReplicaCalculator::Scaled scaled;
  scaled.spec_replicas = target.replicas();
  scaled.status_replicas = ReplicaCount(target.scale.status().Get("replicas"));
  scaled.tolerances = TolerancesOf(hpa.spec().Get("behavior"), profile_);
  scaled.now = context_.process.Now();
  scaled.metrics_time = context_.env().sim.now();
  return scaled;
}

sim::Task<std::string> HorizontalController::Decide(HpaStatus* status, std::string key,
                                                    const Target* target, Decision* decision,
                                                    std::string* error) {
  const api::Object hpa = status->hpa();
  const VirtualTime now = context_.process.SteadyNow();
  const std::int32_t current = target->replicas();
  const ReplicaBounds bounds = BoundsOf(hpa);
  Autoscaler* autoscaler = Find(key);
  if (autoscaler != nullptr) autoscaler->history.RecordInitialRecommendation(current, now);

  // 1. Counts that need no metrics.
  if (current == 0 && bounds.min != 0) {
    decision->rescale = false;
    status->SetCondition("ScalingActive", false, "ScalingDisabled",
                         "scaling is disabled since the replica count of the target is zero");
    Settle(hpa, key, Outcome(0, 0, ""), true);
    co_return "";
  }
  if (current > bounds.max || current < bounds.min) {
    const bool above = current > bounds.max;
    decision->desired = above ? bounds.max : bounds.min;
    decision->reason = above ? "Current number of replicas above Spec.MaxReplicas"
                             : "Current number of replicas below Spec.MinReplicas";
    Settle(hpa, key, Outcome(current, decision->desired, ""), false);
    co_return "";
  }

  // 2. What the metrics propose.
  ReplicaCalculator::Scaled scaled = ScaledOf(hpa, *target);
  MetricsProposal proposal;
  proposal.error =
      UsableSelector(status, key, target->scale.status().Get("selector").AsString(), &scaled.pods);
  if (proposal.error.empty()) {
    proposal = ProposeByMetrics(calculator_, scaled, hpa.spec().Get("metrics"), profile_);
    for (const MetricProposal& failure : proposal.failures)
      Warn(*status, failure.reason, failure.cause);
    if (proposal.failed && !proposal.failures.empty()) {
      const MetricProposal& first = proposal.failures.front();
      status->SetCondition(
          "ScalingActive", false, first.reason,
          fmt::format("the HPA was unable to compute the replica count: {}", first.cause));
    }
  } else {
    proposal.failed = true;
  }
  decision->metrics = proposal.statuses;
  if (proposal.failed) {
    Settle(hpa, key, Outcome(current, current, proposal.error), true);
    const Value metrics =
        profile_.hpa_reports_failed_metrics ? proposal.statuses : status->metrics();
    status->SetReplicas(current, status->desired(), metrics, false);
    co_await WriteStatus(status);
    Warn(*status, "FailedComputeMetricsReplicas", proposal.error);
    co_return fmt::format(
        "failed to compute desired number of replicas based on listed metrics for {}: {}",
        TargetText(hpa), proposal.error);
  }
  status->SetCondition(
      "ScalingActive", true, "ValidMetricFound",
      fmt::format("the HPA was able to successfully calculate a replica count from {}",
                  proposal.metric));
  if (profile_.hpa_reports_failed_metrics) *error = proposal.error;

  // 3. What the past and the bounds make of it.
  const std::int32_t desired = std::max(proposal.replicas, 0);
  if (desired > current) decision->reason = fmt::format("{} above target", proposal.metric);
  if (desired < current) decision->reason = "All metrics below target";
  ScalingHistory forgotten;  // the autoscaler is gone meanwhile
  const NormalizedReplicas normal =
      (autoscaler != nullptr ? autoscaler->history : forgotten)
          .Normalize(hpa.spec().Get("behavior"), current, desired, bounds, profile_, now);
  status->SetCondition("AbleToScale", true, normal.able_reason, normal.able_message);
  status->SetCondition("ScalingLimited", normal.limited, normal.limited_reason,
                       normal.limited_message);
  decision->desired = normal.replicas;
  decision->rescale = normal.replicas != current;
  const std::int32_t wanted = std::min(std::max(desired, bounds.min), bounds.max);
  Settle(hpa, key, Outcome(current, wanted, *error), wanted == current && !decision->rescale);
  co_return "";
}

}  // namespace ksim::controllers
