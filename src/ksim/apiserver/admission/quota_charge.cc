#include "ksim/apiserver/admission/quota_charge.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

namespace ksim::apiserver {

using api::ResourceList;
using value::Value;

namespace {

// hasUsageStats.
bool HasUsage(const RunningQuota& quota, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (quota.used.find(name) == quota.used.end()) return false;
  return true;
}

// The usage that a request adds, by the quota's place. Quotas that it adds nothing to have none.
using Deltas = std::map<std::size_t, ResourceList>;

Deltas DeltasOf(const Attributes& a, const api::QuotaEvaluator& evaluator, VirtualTime now,
                bool for_each, const RunningQuotas& quotas, const std::vector<std::size_t>& places,
                const ResourceList& usage) {
  // The difference to what the object took before; a create on update is charged whole.
  const bool update = a.operation == Operation::kUpdate && a.old_version != 0;
  ResourceList difference;
  if (update) difference = api::SubtractNonNegative(usage, evaluator.Usage(a.old, now));
  Deltas deltas;
  for (const std::size_t place : places) {
    // A quota that did not mean the object before is charged all of it.
    const bool had_it =
        update && (!for_each || evaluator.Matches(quotas[place].quota.tree(), a.old));
    ResourceList delta = api::WithoutZeros(had_it ? difference : usage);
    if (!delta.empty()) deltas[place] = std::move(delta);
  }
  return deltas;
}

std::string Exceeding(const RunningQuota& quota, const ResourceList& requested,
                      const ResourceList& after) {
  const std::vector<std::string> exceeded =
      api::Exceeded(api::Mask(after, api::NamesOf(requested)), quota.hard);
  if (exceeded.empty()) return {};
  return fmt::format("exceeded quota: {}, requested: {}, used: {}, limited: {}", quota.quota.name(),
                     api::PrettyPrint(api::Mask(requested, exceeded)),
                     api::PrettyPrint(api::Mask(quota.used, exceeded)),
                     api::PrettyPrint(api::Mask(quota.hard, exceeded)));
}

}  // namespace

RunningQuota::RunningQuota(api::Object q)
    : quota(std::move(q)),
      hard(api::ResourceListOf(quota.status().Get("hard"))),
      used(api::ResourceListOf(quota.status().Get("used"))) {}

api::Status Charge(const Attributes& a, const api::QuotaEvaluator& evaluator, VirtualTime now,
                   bool delta_for_each_quota, RunningQuotas* quotas) {
  // 1. The quotas that mean the object, each of which may want to be told something.
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < quotas->size(); ++i) {
    const RunningQuota& quota = (*quotas)[i];
    if (!evaluator.Matches(quota.quota.tree(), a.object)) continue;
    const std::vector<std::string> counted = evaluator.Matching(api::NamesOf(quota.hard));
    const std::string missing = evaluator.Constraints(counted, a.object);
    if (!missing.empty())
      return AdmissionForbidden(a,
                                fmt::format("failed quota: {}: {}", quota.quota.name(), missing));
    if (!HasUsage(quota, counted))
      return AdmissionForbidden(a, fmt::format("status unknown for quota: {}, resources: {}",
                                               quota.quota.name(), api::PrettyPrintNames(counted)));
    places.push_back(i);
  }

  // 2. The object's usage.
  const ResourceList usage = evaluator.Usage(a.object, now);
  std::vector<std::string> negative;
  for (const auto& [name, amount] : usage)
    if (amount.Sign() < 0) negative.push_back(name);
  if (!negative.empty())
    return AdmissionForbidden(a, fmt::format("quota usage is negative for resource(s): {}",
                                             api::PrettyPrintNames(negative)));

  // 3. What that adds to each of them. The status of an object is a fact, and cannot be refused.
  std::map<std::size_t, ResourceList> after;
  for (const auto& [place, delta] :
       DeltasOf(a, evaluator, now, delta_for_each_quota, *quotas, places, usage)) {
    const RunningQuota& quota = (*quotas)[place];
    const ResourceList requested = api::Mask(delta, api::NamesOf(quota.hard));
    ResourceList sum = api::Add(quota.used, requested);
    if (a.subresource != "status") {
      const std::string refusal = Exceeding(quota, requested, sum);
      if (!refusal.empty()) return AdmissionForbidden(a, refusal);
    }
    after[place] = std::move(sum);
  }
  for (auto& [place, sum] : after) (*quotas)[place].used = std::move(sum);
  return api::Status();
}

}  // namespace ksim::apiserver
