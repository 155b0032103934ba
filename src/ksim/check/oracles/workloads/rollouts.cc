#include "ksim/check/oracles/workloads/rollouts.h"

#include <algorithm>
#include <charconv>

#include "ksim/api/core/fields.h"

namespace ksim::check {

using value::Value;

namespace {

constexpr std::string_view kDesired = "deployment.kubernetes.io/desired-replicas";

// intstr.GetScaledValueFromIntOrPercent.
std::int64_t Share(const Value& number, std::int64_t total, bool up) {
  if (!number.is_string()) return number.AsInt();
  const std::string_view text = number.AsString();
  std::int64_t percent = 0;
  std::from_chars(text.data(), text.data() + text.size(), percent);
  return (percent * total + (up ? 99 : 0)) / 100;
}

bool IsOwnedBy(const Value& set, std::string_view uid) {
  const auto owners = set.Get(api::Fields().metadata).Get(api::Fields().owner_references).items();
  return std::any_of(owners.begin(), owners.end(), [uid](const Value& owner) {
    return owner.Get("controller").AsBool() && owner.Get("uid").AsString() == uid;
  });
}

}  // namespace

RolloutNumbers::RolloutNumbers(const Value& deployment) {
  const Value& spec = deployment.Get(api::Fields().spec);
  replicas = spec.Has("replicas") ? spec.Get("replicas").AsInt() : 1;
  paused = spec.Get("paused").AsBool();
  rolls = spec.Get("strategy").Get("type").AsString() != "Recreate";
  if (!rolls) return;
  const Value& rolling = spec.Get("strategy").Get("rollingUpdate");
  surge = Share(rolling.Get("maxSurge"), replicas, true);
  unavailable = Share(rolling.Get("maxUnavailable"), replicas, false);
  if (surge == 0 && unavailable == 0) unavailable = 1;
}

SetNumbers::SetNumbers(const Value& set) {
  if (set.is_null()) return;
  const Value& spec = set.Get(api::Fields().spec);
  size = spec.Has("replicas") ? spec.Get("replicas").AsInt() : 1;
  const Value& status = set.Get(api::Fields().status);
  replicas = status.Get("replicas").AsInt();
  available = status.Get("availableReplicas").AsInt();
  const std::string_view text =
      set.Get(api::Fields().metadata).Get("annotations").Get(kDesired).AsString();
  if (!text.empty()) std::from_chars(text.data(), text.data() + text.size(), desired);
}

void Rollouts::On(const Facts& facts, const Observation& o) {
  if (o.resource != "replicasets" || o.after->is_null()) return;
  const SyncViews::Sync* sync = facts.sync_views().Of(o);
  if (sync == nullptr) return;
  Resize resize(facts, o, *sync);
  if (resize.before.size == resize.after.size) return;
  for (const Value* version : SyncViews::VersionsOf(facts, *sync, sync->owner, o.rv)) {
    const bool is_it =
        version->Get(api::Fields().metadata).Get("uid").AsString() == sync->owner_uid;
    if (is_it) resize.deployment.emplace_back(*version);
  }
  if (resize.deployment.empty()) return;
  static const Value nothing;
  for (const auto& [child, state] : facts.sync_views().ChildrenOf(sync->owner_uid, "replicasets")) {
    if (child == o.object) continue;
    std::vector<SetNumbers> known;
    for (const Value* version : SyncViews::VersionsOf(facts, *sync, child, o.rv))
      known.emplace_back(IsOwnedBy(*version, sync->owner_uid) ? *version : nothing);
    if (known.empty()) return;
    resize.others.push_back(std::move(known));
  }
  OnResize(resize);
}

bool Rollouts::MayScale(const Resize& resize) {
  const auto differs = [&resize](const SetNumbers& set) {
    return set.size > 0 && set.desired >= 0 &&
           std::any_of(resize.deployment.begin(), resize.deployment.end(),
                       [&set](const RolloutNumbers& d) { return d.replicas != set.desired; });
  };
  if (differs(resize.before)) return true;
  return std::any_of(resize.others.begin(), resize.others.end(), [&differs](const auto& known) {
    return std::any_of(known.begin(), known.end(), differs);
  });
}

}  // namespace ksim::check
