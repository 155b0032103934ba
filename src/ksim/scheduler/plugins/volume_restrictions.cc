// A claim with the access mode ReadWriteOncePod is for one pod alone.
// Source: pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ksim/api/core/go_text.h"
#include "ksim/scheduler/plugins/plugins.h"
#include "ksim/scheduler/volumes/volume_binder.h"

namespace ksim::scheduler {

namespace {

bool IsForOnePod(const api::Object& claim) {
  const auto modes = claim.spec().Get("accessModes").items();
  return std::any_of(modes.begin(), modes.end(), [](const value::Value& mode) {
    return mode.AsString() == "ReadWriteOncePod";
  });
}

class VolumeRestrictions : public Plugin {
 public:
  VolumeRestrictions(const Profile& profile, const VolumeBinder& volumes)
      : profile_(profile), volumes_(volumes) {}
  std::string_view name() const override { return "VolumeRestrictions"; }

  Status PreFilter(CycleState&, const api::Object& pod, const NodeList& nodes) const override {
    if (!profile_.read_write_once_pod) return {Status::Code::kSkip, ""};
    std::set<std::string, std::less<>> claims;
    for (const api::PodClaim& one : api::ClaimsOfPod(pod)) {
      if (one.ephemeral) continue;
      const api::Object claim = volumes_.Claim(pod.ns(), one.claim);
      if (claim.empty())
        return {Status::Code::kUnschedulableAndUnresolvable,
                fmt::format("persistentvolumeclaim {} not found", api::GoQuote(one.claim))};
      if (IsForOnePod(claim)) claims.insert(one.claim);
    }
    const bool in_use =
        !claims.empty() && std::any_of(nodes.begin(), nodes.end(), [&](const NodeInfo* node) {
          return std::any_of(node->pods().begin(), node->pods().end(),
                             [&](const api::Object& other) { return Uses(other, pod, claims); });
        });
    if (!in_use) return {Status::Code::kSkip, ""};
    return {};
  }

  // Whatever the node: the claim is in use somewhere.
  Status Filter(const CycleState&, const api::Object&, const NodeInfo&) const override {
    return {Status::Code::kUnschedulable,
            profile_.claim_in_use_reason
                ? "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access "
                  "mode already in-use by another pod"
                : "node has pod using PersistentVolumeClaim with the same name and "
                  "ReadWriteOncePod access mode"};
  }

  std::uint32_t EventsToRegister(const Profile& profile) const override {
    return NodeEvents(profile, 0) | ClusterEvent::kAssignedPodDelete | ClusterEvent::kClaimAdd |
           (profile.queueing_hints ? 0u : std::uint32_t{ClusterEvent::kClaimUpdate});
  }
  bool QueueingHint(const api::Object& pod, const ClusterEvent& event, const api::Object& before,
                    const api::Object& after) const override {
    if (event.bits & ClusterEvent::kClaimAdd)
      return pod.ns() == after.ns() && api::UsesClaim(pod, after.name());
    if (!(event.bits & ClusterEvent::kAssignedPodDelete)) return true;
    if (before.ns() != pod.ns()) return false;
    const std::vector<api::PodClaim> claims = api::ClaimsOfPod(pod);
    return std::any_of(claims.begin(), claims.end(), [&before](const api::PodClaim& one) {
      return !one.ephemeral && api::UsesClaim(before, one.claim);
    });
  }

 private:
  static bool Uses(const api::Object& other, const api::Object& pod,
                   const std::set<std::string, std::less<>>& claims) {
    if (other.ns() != pod.ns() || other.uid() == pod.uid()) return false;
    const std::vector<api::PodClaim> all = api::ClaimsOfPod(other);
    return std::any_of(all.begin(), all.end(), [&claims](const api::PodClaim& one) {
      return !one.ephemeral && claims.contains(one.claim);
    });
  }

  const Profile& profile_;
  const VolumeBinder& volumes_;
};

}  // namespace

std::unique_ptr<Plugin> MakeVolumeRestrictions(const Profile& profile,
                                               const VolumeBinder& volumes) {
  return std::make_unique<VolumeRestrictions>(profile, volumes);
}

}  // namespace ksim::scheduler
