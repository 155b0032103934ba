#include "ksim/controllers/resourcequota/resource_quota_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/controllers/common/discovery.h"
#include "ksim/controllers/common/manager_client.h"

namespace ksim::controllers {

using api::ResourceList;
using value::Path;
using value::Value;

namespace {

// ResourceQuotaSyncPeriod (pkg/controller/resourcequota/config/v1alpha1/defaults.go).
constexpr Duration kQuotaSyncPeriod = Minutes(5);
// How often it looks for resources that are new.
constexpr Duration kQuotaDiscovery = Seconds(30);
constexpr Duration kQuotaSyncedPoll = Milliseconds(100);

ResourceList HardOf(const api::Object& quota) {
  return api::ResourceListOf(quota.spec().Get("hard"));
}

}  // namespace

ResourceQuotaController::ResourceQuotaController(ControllerContext context)
    : context_(std::move(context)),
      client_(context_.connection, context_.actor(),
              ManagerClient(context_, "resourcequota-controller")),
      resource_(context_.Resource("", "resourcequotas")),
      quotas_(context_.informers.For(resource_)),
      queue_(context_.process, client::DefaultControllerRateLimiter(context_.process)),
      missing_usage_(context_.process, client::DefaultControllerRateLimiter(context_.process)),
      resumed_(context_.env().sim) {}

ResourceQuotaController::~ResourceQuotaController() = default;

void ResourceQuotaController::Start() {
  quota_handlers_.add = [this](const api::Object& quota, bool) { AddQuota(quota); };
  quota_handlers_.update = [this](const api::Object& old, const api::Object& quota) {
    // Changes of the status are its own, or those of API servers.
    if (!api::Equal(HardOf(old), HardOf(quota))) AddQuota(quota);
  };
  quota_handlers_.del = [this](const client::Deleted& quota) { queue_.Add(quota.object.key()); };
  quotas_.AddHandler(context_.actor(), &quota_handlers_, kQuotaSyncPeriod);
  AddMonitors();
  std::vector<client::SharedInformer*> wait_for = {&quotas_};
  for (const auto& [name, monitor] : monitors_) wait_for.push_back(&monitor->informer);
  loop_ =
      std::make_unique<client::ReconcileLoop>(context_.connection, context_.name, queue_, *this);
  missing_usage_loop_ = std::make_unique<client::ReconcileLoop>(context_.connection, context_.name,
                                                                missing_usage_, *this);
  loop_->Start(kQuotaWorkers, wait_for);
  missing_usage_loop_->Start(kQuotaWorkers, wait_for);
  context_.process.Spawn(EnqueueAllForEver(), context_.name, true);
  context_.process.Spawn(FindNewResources(), context_.name, true);
}

// --- monitors ----------------------------------------------------------------------------------

bool ResourceQuotaController::AddMonitors() {
  const client::Environment& env = context_.env();
  bool added = false;
  for (const api::ResourceInfo* resource : PreferredNamespacedResources(env.kinds, env.compat)) {
    if (api::IsIgnoredByQuotas(*resource)) continue;
    const std::string name = resource->group_resource();
    if (monitors_.contains(name)) continue;
    auto monitor =
        std::make_unique<Monitor>(resource, env.compat, context_.informers.For(resource));
    Monitor* m = monitor.get();
    m->handlers.update = [this, m](const api::Object& old, const api::Object& updated) {
      if (m->evaluator.Replenishes(old.tree(), updated.tree(), context_.process.Now()))
        Replenish(*m, updated.ns());
    };
    m->handlers.del = [this, m](const client::Deleted& gone) { Replenish(*m, gone.object.ns()); };
    m->informer.AddHandler(context_.process.PartActor(kQuotaMonitorPart), &m->handlers);
    monitors_.emplace(name, std::move(monitor));
    added = true;
  }
  return added;
}

bool ResourceQuotaController::MonitorsSynced() const {
  return std::all_of(monitors_.begin(), monitors_.end(),
                     [](const auto& m) { return m.second->informer.HasSynced(); });
}

// Sync. A new resource's cache is filled before anything is counted, if that takes no longer than
// until it looks again.
sim::Task<void> ResourceQuotaController::FindNewResources() {
  sim::Simulation& sim = context_.env().sim;
  for (;;) {
    co_await sim.Sleep(kQuotaDiscovery, sim::TimerKind::kPeriodic, "discovery for quotas");
    if (!AddMonitors()) continue;
    paused_ = true;
    context_.informers.Start();
    const VirtualTime limit = context_.process.SteadyNow() + kQuotaDiscovery;
    while (!MonitorsSynced() && context_.process.SteadyNow() < limit)
      co_await sim.Sleep(kQuotaSyncedPoll, sim::TimerKind::kWork, "wait for monitors of quotas");
    paused_ = false;
    resumed_.Notify();
  }
}

void ResourceQuotaController::Replenish(const Monitor& monitor, std::string_view ns) {
  static const Path kHard{"status", "hard"};
  for (const api::Object& quota : quotas_.lister().List(ns)) {
    const std::vector<std::string> names = api::NamesOf(api::ResourceListOf(quota.Get(kHard)));
    if (!monitor.evaluator.Matching(names).empty()) queue_.Add(quota.key());
  }
}

// --- quotas ------------------------------------------------------------------------------------

// Goes on for ever, but no run waits for it.
sim::Task<void> ResourceQuotaController::EnqueueAllForEver() {
  sim::Simulation& sim = context_.env().sim;
  while (!quotas_.HasSynced() || !MonitorsSynced())
    co_await sim.Sleep(kQuotaSyncedPoll, sim::TimerKind::kPeriodic, "wait for cache sync");
  for (;;) {
    for (const api::Object& quota : quotas_.lister().List("")) queue_.Add(quota.key());
    co_await sim.Sleep(kQuotaSyncPeriod, sim::TimerKind::kPeriodic, "resync of quotas");
  }
}

void ResourceQuotaController::AddQuota(const api::Object& quota) {
  const ResourceList hard = api::ResourceListOf(quota.status().Get("hard"));
  const Value& used = quota.status().Get("used");
  if (!api::Equal(HardOf(quota), hard)) return missing_usage_.Add(quota.key());
  for (const auto& [name, amount] : hard) {
    if (used.Has(name)) continue;
    const bool counted = std::any_of(monitors_.begin(), monitors_.end(), [&](const auto& m) {
      return !m.second->evaluator.Matching({name}).empty();
    });
    if (counted) return missing_usage_.Add(quota.key());
  }
  queue_.Add(quota.key());
}

sim::Task<client::ReconcileResult> ResourceQuotaController::Reconcile(std::string key) {
  while (paused_) co_await resumed_.Wait();
  const absl::StatusOr<client::ObjectKey> id = client::SplitKey(key);
  if (!id.ok()) co_return client::ReconcileResult::Error(std::string(id.status().message()));
  const api::Object quota = quotas_.lister().Get(id->ns, id->name);
  if (quota.empty()) co_return client::ReconcileResult::Done();

  std::vector<std::string> errors;
  if (const std::optional<Value> status = News(quota, &errors)) {
    client::Client::ObjectResult updated = co_await client_.UpdateStatus(
        resource_,
        api::Object::FromTree(quota.tree().Set("status", *status), quota.resource_version()));
    if (!updated.ok()) errors.push_back(updated.status().message.str());
  }
  if (!errors.empty()) co_return client::ReconcileResult::Error(AggregateErrors(errors));
  co_return client::ReconcileResult::Done();
}

// A quota that was counted from a cache that was behind is counted right at the next resync.
bool ResourceQuotaController::HasWorkAhead(const Heartbeats&) const {
  const std::vector<api::Object> quotas = quotas_.lister().List("");
  return std::any_of(quotas.begin(), quotas.end(), [this](const api::Object& quota) {
    std::vector<std::string> errors;
    return News(quota, &errors).has_value();
  });
}

std::optional<Value> ResourceQuotaController::News(const api::Object& quota,
                                                   std::vector<std::string>* errors) const {
  // 1. Count; what cannot be counted stays as it was.
  const Value& status = quota.status();
  const ResourceList hard = HardOf(quota);
  const ResourceList old_used = api::ResourceListOf(status.Get("used"));
  ResourceList used = old_used;
  for (auto& [name, amount] : CountUsage(quota, hard, errors)) used[name] = amount;
  used = api::Mask(used, api::NamesOf(hard));

  // 2. Is it news?
  const bool dirty = !api::Equal(hard, api::ResourceListOf(status.Get("hard"))) ||
                     status.Get("hard").is_null() || status.Get("used").is_null() ||
                     !api::Equal(used, old_used);
  if (!dirty) return std::nullopt;
  value::ObjectBuilder written;
  written.AddIf(!hard.empty(), "hard", api::ToTree(hard));
  written.AddIf(!used.empty(), "used", api::ToTree(used));
  return written.Build();
}

// quota.CalculateUsage.
ResourceList ResourceQuotaController::CountUsage(const api::Object& quota, const ResourceList& hard,
                                                 std::vector<std::string>* errors) const {
  const std::vector<std::string> names = api::NamesOf(hard);
  ResourceList usage;
  std::vector<std::string> counted;
  for (const auto& [resource, monitor] : monitors_) {
    const std::vector<std::string> own = monitor->evaluator.Matching(names);
    if (own.empty()) continue;
    if (!monitor->informer.HasSynced()) {
      errors->push_back(fmt::format("failed to list content: {} not yet synced",
                                    GroupVersionResourceText(monitor->evaluator.resource())));
      continue;
    }
    for (const std::string& name : own) usage.try_emplace(name, value::Quantity());
    usage = api::Add(std::move(usage), CountIn(*monitor, quota));
    counted.insert(counted.end(), own.begin(), own.end());
  }
  return api::Mask(usage, counted);
}

ResourceList ResourceQuotaController::CountIn(const Monitor& monitor,
                                              const api::Object& quota) const {
  ResourceList total;
  for (const api::Object& object : monitor.informer.lister().List(quota.ns()))
    if (monitor.evaluator.InScopes(quota.tree(), object.tree()))
      total = api::Add(std::move(total),
                       monitor.evaluator.Usage(object.tree(), context_.process.Now()));
  return total;
}

}  // namespace ksim::controllers
