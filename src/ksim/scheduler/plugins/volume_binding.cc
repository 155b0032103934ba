// The claims of a pod must be bound, or be such that volumes can be bound to them on the node.
// Source: pkg/scheduler/framework/plugins/volumebinding/volume_binding.go.
#include <fmt/format.h>

#include "ksim/api/core/go_text.h"
#include "ksim/scheduler/plugins/plugins.h"
#include "ksim/scheduler/volumes/volume_binder.h"

namespace ksim::scheduler {

namespace {

class VolumeBinding : public Plugin {
 public:
  explicit VolumeBinding(const VolumeBinder& volumes) : volumes_(volumes) {}
  std::string_view name() const override { return "VolumeBinding"; }

  Status PreFilter(CycleState& state, const api::Object& pod, const NodeList&) const override {
    const std::vector<api::PodClaim> named = api::ClaimsOfPod(pod);
    if (named.empty()) return {Status::Code::kSkip, ""};
    for (const api::PodClaim& one : named) {
      std::string why = WhyUnusable(pod, one);
      if (!why.empty()) return {Status::Code::kUnschedulableAndUnresolvable, std::move(why)};
    }
    PodVolumeClaims claims = volumes_.ClaimsOf(pod);
    if (!claims.immediate.empty())
      return {Status::Code::kUnschedulableAndUnresolvable,
              "pod has unbound immediate PersistentVolumeClaims"};
    state.Write(name(), std::move(claims));
    return {};
  }

  Status Filter(const CycleState& state, const api::Object&, const NodeInfo& info) const override {
    const auto* claims = state.Read<PodVolumeClaims>(name());
    const PodVolumes found = volumes_.Find(*claims, info.node());
    if (found.reasons.empty()) return {};
    Status status(Status::Code::kUnschedulableAndUnresolvable, "");
    status.reasons = found.reasons;
    return status;
  }

  std::uint32_t EventsToRegister(const Profile& profile) const override {
    return NodeEvents(profile, ClusterEvent::kNodeUpdateLabel) | ClusterEvent::kClaimAdd |
           ClusterEvent::kClaimUpdate | ClusterEvent::kVolumeAdd | ClusterEvent::kVolumeUpdate |
           ClusterEvent::kStorageClassAdd | ClusterEvent::kStorageClassUpdate;
  }
  bool QueueingHint(const api::Object& pod, const ClusterEvent& event, const api::Object& before,
                    const api::Object& after) const override {
    if (event.bits & (ClusterEvent::kClaimAdd | ClusterEvent::kClaimUpdate))
      return pod.ns() == after.ns() && api::UsesClaim(pod, after.name());
    if (event.bits & ClusterEvent::kStorageClassUpdate)
      return before.tree().Get("allowedTopologies") != after.tree().Get("allowedTopologies");
    return true;
  }

 private:
  // podHasPVCs: why the pod cannot have the claim; "" if it can.
  std::string WhyUnusable(const api::Object& pod, const api::PodClaim& one) const {
    const api::Object claim = volumes_.Claim(pod.ns(), one.claim);
    const std::string quoted = api::GoQuote(one.claim);
    if (claim.empty() && one.ephemeral)
      return fmt::format(
          "waiting for ephemeral volume controller to create the persistentvolumeclaim {}", quoted);
    if (claim.empty()) return fmt::format("persistentvolumeclaim {} not found", quoted);
    if (claim.status().Get("phase").AsString() == "Lost")
      return fmt::format("persistentvolumeclaim {} bound to non-existent persistentvolume {}",
                         quoted, api::GoQuote(claim.spec().Get("volumeName").AsString()));
    if (claim.deleting()) return fmt::format("persistentvolumeclaim {} is being deleted", quoted);
    return one.ephemeral ? api::WhyNotForPod(pod, claim).value_or("") : std::string();
  }

  const VolumeBinder& volumes_;
};

}  // namespace

std::unique_ptr<Plugin> MakeVolumeBinding(const VolumeBinder& volumes) {
  return std::make_unique<VolumeBinding>(volumes);
}

}  // namespace ksim::scheduler
