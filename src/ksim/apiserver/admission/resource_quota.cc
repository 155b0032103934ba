// ResourceQuota: refuses what would exceed a quota of its namespace, and charges what it lets pass:
// the usage in the quotas' status is written, by compare-and-swap, before the object is. The
// requests of a namespace are judged in batches, one batch at a time.
//
// Upstream writes the status by a request of the server to itself; here the request that is judged
// writes it (docs/fidelity.md).
//
// Source: apiserver pkg/admission/plugin/resourcequota/{admission,controller,resource_access}.go.
#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "ksim/apiserver/admission/namespace_policies.h"
#include "ksim/apiserver/admission/plugin.h"
#include "ksim/apiserver/admission/quota_charge.h"
#include "ksim/apiserver/core/profile.h"
#include "ksim/apiserver/server.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/process.h"

namespace ksim::apiserver {
namespace {

using value::Path;
using value::Value;

constexpr Duration kTimeout = Seconds(10);
constexpr int kRetries = 3;

// A request that waits to be judged. Its attributes live as long as the request does.
struct Waiter {
  Waiter(sim::Simulation& sim, const Attributes& a, const api::QuotaEvaluator& e)
      : attributes(&a), evaluator(e), answered(sim) {
    if (a.request != nullptr) origin = a.request->write().origin;
  }
  const Attributes* attributes;  // null: it gave up
  api::QuotaEvaluator evaluator;
  store::WriteOrigin origin;
  std::optional<api::Status> result;  // empty: it waits for an update of a quota
  sim::Promise<bool> answered;
};
using Batch = std::deque<std::shared_ptr<Waiter>>;

// Writes the usage into a quota that is as it was read.
class UsageTransform final : public Transform {
 public:
  explicit UsageTransform(const RunningQuota& quota) : quota_(quota) {}

  api::Result<Value> Apply(const api::Object& existing) override {
    static const Path kUsed{"status", "used"};
    if (existing.resource_version() != quota_.quota.resource_version())
      return api::Conflict(api::GroupResource("", "resourcequotas"), existing.name(),
                           "the object has been modified; please apply your changes to the latest "
                           "version and try again");
    return existing.tree().Set(kUsed, api::ToTree(quota_.used));
  }

 private:
  const RunningQuota& quota_;
};

class ResourceQuota final : public Plugin {
 public:
  explicit ResourceQuota(const PluginContext& context)
      : context_(context),
        profile_(apiserver::ProfileOf(context.shared.compat)),
        quotas_(context, "resourcequotas", profile_.looks_up_quotas_live) {}
  std::string_view name() const override { return "ResourceQuota"; }
  bool Handles(const Attributes&) const override { return false; }
  // A server of a cluster that never had a quota looks for none (docs/fidelity.md).
  bool Judges() const override { return context_.shared.quotas_stored; }

  bool Validates(const Attributes& a) const override {
    if (!context_.shared.quotas_stored || a.ns.empty() || api::IsIgnoredByQuotas(a.resource))
      return false;
    const api::QuotaEvaluator evaluator(a.resource, context_.shared.compat);
    if (a.operation == Operation::kCreate) return evaluator.HandlesCreate(a.subresource);
    return a.operation == Operation::kUpdate &&
           evaluator.HandlesUpdate(a.subresource, a.object, a.old);
  }

  sim::Task<api::Status> Validate(Attributes& a) override {
    const std::string ns = a.ns.str();
    const auto waiter = std::make_shared<Waiter>(
        context_.sim, a, api::QuotaEvaluator(a.resource, context_.shared.compat));
    waiting_[ns].push_back(waiter);
    if (busy_.insert(ns).second) context_.process.Spawn(Work(ns));
    sim::Future<bool> answered = waiter->answered.future();
    const GiveUp give_up(waiter);
    const std::optional<bool> done = co_await answered.WaitFor(kTimeout, sim::TimerKind::kWork);
    if (!done) co_return api::InternalError("resource quota evaluation timed out");
    co_return *waiter->result;
  }

 private:
  // The request is over, answered or not.
  struct GiveUp {
    explicit GiveUp(std::shared_ptr<Waiter> w) : waiter(std::move(w)) {}
    ~GiveUp() { waiter->attributes = nullptr; }
    std::shared_ptr<Waiter> waiter;
  };

  // Judges the namespace's requests until none waits.
  sim::Task<void> Work(std::string ns) {
    while (!waiting_[ns].empty()) {
      Batch batch = std::exchange(waiting_[ns], Batch());
      co_await JudgeBatch(ns, &batch);
      for (const std::shared_ptr<Waiter>& waiter : batch) waiter->answered.Fulfil(true);
    }
    waiting_.erase(ns);
    busy_.erase(ns);
  }

  // checkAttributes.
  sim::Task<void> JudgeBatch(std::string ns, Batch* batch) {
    api::Result<std::vector<api::Object>> found = co_await quotas_.In(ns);
    if (!found.ok() || found->empty()) {
      const api::Status result = found.ok() ? api::Status() : found.status();
      for (const std::shared_ptr<Waiter>& waiter : *batch) waiter->result = result;
      co_return;
    }
    RunningQuotas quotas = Newest(*found);
    api::Status failure;
    for (int retries = kRetries;; --retries) {
      const RunningQuotas before = quotas;
      if (!ChargeAll(*batch, &quotas)) break;
      failure = api::Status();
      std::vector<std::string> failed;
      for (std::size_t i = 0; i < quotas.size(); ++i) {
        if (api::Equal(before[i].used, quotas[i].used)) continue;
        const api::Status status = co_await WriteUsage(&quotas[i], *batch);
        if (status.ok()) continue;
        failed.emplace_back(quotas[i].quota.name());
        failure = status;
      }
      if (failed.empty() || retries == 0) break;
      // Again with those that had changed meanwhile, as the cache has them then.
      found = co_await quotas_.In(ns);
      if (!found.ok()) break;
      quotas = Newest(*found);
      std::erase_if(quotas, [&failed](const RunningQuota& quota) {
        return std::find(failed.begin(), failed.end(), quota.quota.name()) == failed.end();
      });
    }
    for (const std::shared_ptr<Waiter>& waiter : *batch)
      if (!waiter->result) waiter->result = failure;
  }

  // Charges the requests that no answer was found for yet. False if that changes no quota.
  bool ChargeAll(const Batch& batch, RunningQuotas* quotas) {
    bool changed = false;
    for (const std::shared_ptr<Waiter>& waiter : batch) {
      if (waiter->result) continue;
      const Attributes* a = waiter->attributes;
      if (a == nullptr) {
        waiter->result = api::Status();
        continue;
      }
      RunningQuotas after = *quotas;
      const api::Status status =
          Charge(*a, waiter->evaluator, context_.sim.now(), profile_.quota_delta_for_each, &after);
      if (!status.ok() || a->dry_run) {
        waiter->result = status;
        continue;
      }
      bool charged = false;
      for (std::size_t i = 0; i < after.size(); ++i)
        charged = charged || !api::Equal(after[i].used, (*quotas)[i].used);
      if (!charged) waiter->result = api::Status();
      changed = changed || charged;
      *quotas = std::move(after);
    }
    return changed;
  }

  // checkCache: the quotas, or what this server itself has written if the cache lacks it.
  RunningQuotas Newest(const std::vector<api::Object>& found) {
    RunningQuotas out;
    for (const api::Object& quota : found) {
      const auto written = written_.find(quota.key());
      const bool behind = written != written_.end() &&
                          written->second.resource_version() > quota.resource_version();
      out.emplace_back(behind ? written->second : quota);
      if (!behind && written != written_.end()) written_.erase(written);
    }
    return out;
  }

  sim::Task<api::Status> WriteUsage(RunningQuota* quota, const Batch& batch) {
    WriteContext write;
    for (const std::shared_ptr<Waiter>& waiter : batch)
      if (!waiter->result) write.origin = waiter->origin;
    const std::string ns(quota->quota.ns()), name(quota->quota.name());
    const Preconditions none;
    UsageTransform transform(*quota);
    api::Result<api::Object> stored = co_await quotas_.storage().storage().GuaranteedUpdate(
        ns, name, none, false, transform, quota->quota, write);
    if (!stored.ok()) co_return stored.status();
    written_.insert_or_assign(quota->quota.key(), *stored);
    co_return api::Status();
  }

  PluginContext context_;
  const Profile& profile_;
  NamespacePolicies quotas_;
  std::map<std::string, Batch> waiting_;  // by namespace
  std::set<std::string> busy_;            // namespaces that a task works on
  std::map<std::string, api::Object> written_;
};

}  // namespace

std::unique_ptr<Plugin> MakeResourceQuota(const PluginContext& context) {
  return std::make_unique<ResourceQuota>(context);
}

}  // namespace ksim::apiserver
