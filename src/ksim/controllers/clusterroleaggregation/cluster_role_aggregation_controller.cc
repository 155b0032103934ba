#include "ksim/controllers/clusterroleaggregation/cluster_role_aggregation_controller.h"

#include <algorithm>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/controllers/common/manager_client.h"
#include "ksim/value/selector.h"

namespace ksim::controllers {

using value::Obj;
using value::Value;

namespace {

constexpr std::string_view kAggregator = "clusterrole-aggregation-controller";
constexpr std::string_view kRbacVersion = "rbac.authorization.k8s.io/v1";
constexpr int kAggregationWorkers = 5;  // cmd/kube-controller-manager/app/rbac.go

bool IsAggregated(const api::Object& role) { return !role.tree().Get("aggregationRule").is_null(); }

}  // namespace

ClusterRoleAggregationController::ClusterRoleAggregationController(ControllerContext context)
    : context_(std::move(context)),
      client_(context_.connection, context_.actor(), ManagerClient(context_, kAggregator)),
      resource_(context_.Resource("rbac.authorization.k8s.io", "clusterroles")),
      roles_(context_.informers.For(resource_)),
      queue_(context_.process, client::DefaultControllerRateLimiter(context_.process)) {}

ClusterRoleAggregationController::~ClusterRoleAggregationController() = default;

void ClusterRoleAggregationController::Start() {
  handlers_.add = [this](const api::Object&, bool) { EnqueueAll(); };
  handlers_.update = [this](const api::Object&, const api::Object&) { EnqueueAll(); };
  handlers_.del = [this](const client::Deleted&) { EnqueueAll(); };
  roles_.AddHandler(context_.actor(), &handlers_);
  loop_ =
      std::make_unique<client::ReconcileLoop>(context_.connection, context_.name, queue_, *this);
  loop_->Start(kAggregationWorkers, {&roles_});
}

void ClusterRoleAggregationController::EnqueueAll() {
  for (const api::Object& role : roles_.lister().List(""))
    if (IsAggregated(role)) queue_.Add(role.key());
}

// syncClusterRole.
sim::Task<client::ReconcileResult> ClusterRoleAggregationController::Reconcile(std::string key) {
  const api::Object role = roles_.lister().Get("", key);
  if (role.empty() || !IsAggregated(role)) co_return client::ReconcileResult::Done();
  const api::Result<std::vector<Value>> rules = GatheredRules(role);
  if (!rules.ok()) co_return client::ReconcileResult::Error(rules.status());
  // CTRL-CRA-02
  const Value gathered = Value::Array(*rules);
  const Value& held = role.tree().Get("rules");
  if (gathered == held || (gathered.empty() && held.empty()))
    co_return client::ReconcileResult::Done();
  Value applied = Obj({{"apiVersion", Value::Of(kRbacVersion)},
                       {"kind", Value::Of("ClusterRole")},
                       {"metadata", Obj({{"name", Value::Of(key)}})}});
  // An apply configuration leaves an empty list out.
  if (!gathered.empty()) applied = applied.Set("rules", gathered);
  client::PatchOptions options(api::PatchType::kApply);
  options.field_manager = kAggregator;
  options.force = true;
  client::Client::ObjectResult patched =
      co_await client_.Patch(resource_, "", key, std::move(applied), std::move(options));
  if (!patched.ok()) co_return client::ReconcileResult::Error(patched.status());
  co_return client::ReconcileResult::Done();
}

// CTRL-CRA-01
api::Result<std::vector<Value>> ClusterRoleAggregationController::GatheredRules(
    const api::Object& role) const {
  std::vector<Value> rules;
  std::vector<api::Object> all = roles_.lister().List("");
  std::sort(all.begin(), all.end(),
            [](const api::Object& a, const api::Object& b) { return a.name() < b.name(); });
  const Value& selectors = role.tree().Get("aggregationRule").Get("clusterRoleSelectors");
  for (const Value& tree : selectors.items()) {
    const auto selector = value::LabelSelector::FromObject(tree);
    if (!selector.ok()) return api::InternalError(Message(selector.status()));
    for (const api::Object& other : all) {
      if (other.name() == role.name() || !selector->Matches(other.labels())) continue;
      for (const Value& rule : other.tree().Get("rules").items())
        if (std::find(rules.begin(), rules.end(), rule) == rules.end()) rules.push_back(rule);
    }
  }
  return rules;
}

}  // namespace ksim::controllers
