// Part of VolumeBinder: the binding cycle. It writes down which volumes and nodes were chosen, and
// waits for the volume binder of kube-controller-manager and for provisioners. Upstream looks every
// second; here a look that would find nothing is left out, and what has come is seen at the second
// at which upstream would see it.
//
// Source: pkg/scheduler/framework/plugins/volumebinding/binder.go BindPodVolumes, bindAPIUpdate,
// checkBindings.
#include <fmt/format.h>

#include <utility>

#include "ksim/api/core/go_text.h"
#include "ksim/scheduler/volumes/volume_binder.h"

namespace ksim::scheduler {

namespace {

constexpr Duration kVolumePoll = Seconds(1);
// VolumeBindingArgs.bindTimeoutSeconds.
constexpr Duration kVolumeTimeout = Seconds(600);

std::string GoneFrom(std::string_view resource, std::string_view name) {
  return fmt::format("{} \"{}\" not found", resource, name);
}

std::string UnfitFor(const api::Object& volume, const api::Object& node) {
  return fmt::format("pv {} node affinity doesn't match node {}: no matching NodeSelectorTerms",
                     api::GoQuote(volume.name()), api::GoQuote(node.name()));
}

}  // namespace

void VolumeBinder::Forget(const PodVolumes& volumes) {
  for (const PodVolumes::Binding& binding : volumes.bindings)
    assumed_volumes_.erase(binding.volume.key());
  for (const api::Object& claim : volumes.provisions) assumed_claims_.erase(claim.key());
}

sim::Task<std::optional<std::string>> VolumeBinder::Bind(api::Object pod, std::string node,
                                                         PodVolumes volumes) {
  const std::optional<std::string> refused = co_await Write(&volumes);
  if (refused) co_return refused;
  const VirtualTime begun = process_.SteadyNow();
  for (;;) {
    const Verdict verdict = Check(pod, node, volumes);
    const Duration waited = process_.SteadyNow() - begun;
    const bool decided = verdict.bound || !verdict.error.empty();
    const bool at_tick = waited > Duration() && waited.ns() % kVolumePoll.ns() == 0;
    if (!decided && waited >= kVolumeTimeout) {
      co_return fmt::format("binding volumes: {}", profile_.volume_wait_has_context
                                                       ? "context deadline exceeded"
                                                       : "timed out waiting for the condition");
    }
    if (!decided) {
      co_await changed_.WaitFor(kVolumeTimeout - waited, sim::TimerKind::kPeriodic);
      continue;
    }
    if (at_tick && verdict.bound) co_return std::nullopt;
    if (at_tick) co_return "binding volumes: " + verdict.error;
    const Duration rest = kVolumePoll - Duration(waited.ns() % kVolumePoll.ns());
    co_await process_.simulation().Sleep(rest, sim::TimerKind::kWork, "look at volumes");
  }
}

// The caller forgets what it assumed if a write is refused.
sim::Task<std::optional<std::string>> VolumeBinder::Write(PodVolumes* volumes) {
  for (PodVolumes::Binding& binding : volumes->bindings) {
    const api::Object chosen = binding.volume;
    client::Client::ObjectResult updated = co_await client_.Update(volume_kind_, chosen);
    if (!updated.ok()) co_return updated.status().message.str();
    binding.volume = *updated;
  }
  for (api::Object& claim : volumes->provisions) {
    const api::Object chosen = claim;
    client::Client::ObjectResult updated = co_await client_.Update(claim_kind_, chosen);
    if (!updated.ok()) co_return updated.status().message.str();
    claim = *updated;
  }
  co_return std::nullopt;
}

VolumeBinder::Verdict VolumeBinder::Check(const api::Object& pod, std::string_view node,
                                          const PodVolumes& volumes) const {
  Verdict verdict;
  const api::Object known = nodes_.lister().Get("", node);
  if (known.empty()) {
    verdict.error =
        fmt::format("failed to get node {}: {}", api::GoQuote(node), GoneFrom("node", node));
    return verdict;
  }
  if (pods_.lister().Get(pod.ns(), pod.name()).empty()) {
    verdict.error = fmt::format("pod does not exist any more: {}", GoneFrom("pod", pod.name()));
    return verdict;
  }
  verdict = CheckBindings(known, volumes);
  return verdict.bound ? CheckProvisions(known, volumes) : verdict;
}

VolumeBinder::Verdict VolumeBinder::CheckBindings(const api::Object& node,
                                                  const PodVolumes& volumes) const {
  Verdict verdict;
  for (const PodVolumes::Binding& binding : volumes.bindings) {
    const api::Object volume = volume_informer_->lister().Get("", binding.volume.name());
    const api::Object claim =
        claim_informer_->lister().Get(binding.claim.ns(), binding.claim.name());
    if (volume.empty() || claim.empty()) {
      verdict.error =
          "failed to check binding: could not find " +
          (volume.empty() ? fmt::format("v1.PersistentVolume {}", binding.volume.name())
                          : fmt::format("v1.PersistentVolumeClaim {}", binding.claim.key()));
      return verdict;
    }
    if (volume.resource_version() < binding.volume.resource_version()) return verdict;
    if (!api::IsReachableFrom(volume, node)) verdict.error = UnfitFor(volume, node);
    if (volume.spec().Get("claimRef").Get("uid").AsString().empty())
      verdict.error = fmt::format("ClaimRef got reset for pv {}", api::GoQuote(volume.name()));
    if (!verdict.error.empty() || !api::IsFullyBound(claim)) return verdict;
  }
  verdict.bound = true;
  return verdict;
}

VolumeBinder::Verdict VolumeBinder::CheckProvisions(const api::Object& node,
                                                    const PodVolumes& volumes) const {
  Verdict verdict;
  for (const api::Object& chosen : volumes.provisions) {
    const api::Object claim = claim_informer_->lister().Get(chosen.ns(), chosen.name());
    if (claim.empty()) {
      verdict.error = fmt::format(
          "failed to check provisioning pvc: could not find v1.PersistentVolumeClaim {}",
          chosen.key());
      return verdict;
    }
    if (claim.resource_version() < chosen.resource_version()) return verdict;
    if (claim.Annotation(api::kSelectedNode) != node.name()) {
      verdict.error = fmt::format("provisioning failed for PVC {}", api::GoQuote(claim.name()));
      return verdict;
    }
    const std::string_view name = claim.spec().Get("volumeName").AsString();
    if (!name.empty()) {
      const api::Object volume = volume_informer_->lister().Get("", name);
      if (volume.empty()) return verdict;  // it may be on its way
      if (!api::IsReachableFrom(volume, node)) {
        verdict.error = UnfitFor(volume, node);
        return verdict;
      }
    }
    if (!api::IsFullyBound(claim)) return verdict;
  }
  verdict.bound = true;
  return verdict;
}

}  // namespace ksim::scheduler
