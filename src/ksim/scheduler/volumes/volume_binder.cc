#include "ksim/scheduler/volumes/volume_binder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/value/quantity.h"

namespace ksim::scheduler {

using value::Path;
using value::Value;

namespace {

// The cached object, or what was assumed of that very version.
api::Object Latest(const client::SharedInformer* informer,
                   const absl::btree_map<std::string, api::Object>& assumed, std::string_view ns,
                   std::string_view name) {
  if (informer == nullptr) return api::Object();
  const api::Object cached = informer->lister().Get(ns, name);
  if (cached.empty() || assumed.empty()) return cached;
  const auto it = assumed.find(cached.key());
  if (it == assumed.end() || it->second.uid() != cached.uid()) return cached;
  return it->second.resource_version() < cached.resource_version() ? cached : it->second;
}

// byPCVSize: by increasing request.
bool AsksForLess(const api::Object& a, const api::Object& b) {
  static const Path kRequest{"spec", "resources", "requests", "storage"};
  const absl::StatusOr<value::Quantity> x = value::Quantity::FromTree(a.Get(kRequest));
  const absl::StatusOr<value::Quantity> y = value::Quantity::FromTree(b.Get(kRequest));
  return x.ok() && y.ok() && *x < *y;
}

}  // namespace

VolumeBinder::VolumeBinder(sim::Process& process, client::Connection& connection,
                           client::InformerFactory& informers, client::Client& client,
                           client::SharedInformer& pods, client::SharedInformer& nodes,
                           const Profile& profile)
    : process_(process),
      informers_(informers),
      client_(client),
      pods_(pods),
      nodes_(nodes),
      profile_(profile),
      claim_kind_(connection.env().kinds.ByResource("", "persistentvolumeclaims")),
      volume_kind_(connection.env().kinds.ByResource("", "persistentvolumes")),
      class_kind_(connection.env().kinds.ByResource("storage.k8s.io", "storageclasses")),
      first_use_(process, connection.env(), informers),
      changed_(process.simulation()) {}

void VolumeBinder::Start(Listener listener) {
  listener_ = std::move(listener);
  first_use_.Begin({claim_kind_, volume_kind_, class_kind_}, "", [this] { Begin(); }, nullptr);
}

void VolumeBinder::Begin() {
  Watch(claim_kind_, &claim_informer_, &claim_handlers_);
  Watch(volume_kind_, &volume_informer_, &volume_handlers_);
  Watch(class_kind_, &class_informer_, &class_handlers_);
}

void VolumeBinder::Watch(const api::ResourceInfo* kind, client::SharedInformer** informer,
                         client::HandlerFuncs* handlers) {
  *informer = &informers_.For(kind);
  const auto tell = [this, kind](const api::Object& before, const api::Object& after) {
    listener_(*kind, before, after);
    Notify();
  };
  handlers->add = [tell](const api::Object& object, bool) { tell(api::Object(), object); };
  handlers->update = tell;
  handlers->del = [this](const client::Deleted&) { Notify(); };
  (*informer)->AddHandler(process_.actor(), handlers);
}

// --- the caches --------------------------------------------------------------------------------

api::Object VolumeBinder::Claim(std::string_view ns, std::string_view name) const {
  return Latest(claim_informer_, assumed_claims_, ns, name);
}

api::Object VolumeBinder::Volume(std::string_view name) const {
  return Latest(volume_informer_, assumed_volumes_, "", name);
}

api::Object VolumeBinder::ClassOf(const api::Object& claim) const {
  const std::string_view name = api::StorageClassNameOf(claim);
  if (class_informer_ == nullptr || name.empty()) return api::Object();
  return class_informer_->lister().Get("", name);
}

std::vector<api::Object> VolumeBinder::VolumesOfClass(std::string_view name) const {
  std::vector<api::Object> volumes;
  for (const api::Object& volume : volume_informer_->lister().List(""))
    if (api::StorageClassNameOf(volume) == name) volumes.push_back(Volume(volume.name()));
  return volumes;
}

// --- scheduling cycle --------------------------------------------------------------------------

PodVolumeClaims VolumeBinder::ClaimsOf(const api::Object& pod) const {
  PodVolumeClaims claims;
  for (const api::PodClaim& one : api::ClaimsOfPod(pod)) {
    api::Object claim = Claim(pod.ns(), one.claim);
    const bool is_free = claim.spec().Get("volumeName").AsString().empty();
    if (api::IsFullyBound(claim)) {
      claims.bound.push_back(std::move(claim));
    } else if (is_free && api::WaitsForFirstConsumer(ClassOf(claim))) {
      claims.delayed.push_back(std::move(claim));
    } else {
      claims.immediate.push_back(std::move(claim));
    }
  }
  return claims;
}

// checkBoundClaims
bool VolumeBinder::Reaches(const std::vector<api::Object>& bound, const api::Object& node,
                           std::vector<std::string>* reasons) const {
  for (const api::Object& claim : bound) {
    const api::Object volume = Volume(claim.spec().Get("volumeName").AsString());
    if (volume.empty()) {
      reasons->emplace_back(
          "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
      return false;
    }
    if (api::IsReachableFrom(volume, node)) continue;
    reasons->emplace_back(profile_.volume_affinity_reason
                              ? "node(s) didn't match PersistentVolume's node affinity"
                              : "node(s) had volume node affinity conflict");
    return false;
  }
  return true;
}

// checkVolumeProvisions, of one claim.
bool VolumeBinder::CanProvision(const api::Object& claim, const api::Object& node) const {
  const api::Object storage_class = ClassOf(claim);
  const std::string_view provisioner = storage_class.tree().Get("provisioner").AsString();
  return !provisioner.empty() && provisioner != api::kNoProvisioner &&
         api::AllowsTopologyOf(storage_class, node);
}

PodVolumes VolumeBinder::Find(const PodVolumeClaims& claims, const api::Object& node) const {
  PodVolumes found;
  if (!Reaches(claims.bound, node, &found.reasons) && claims.delayed.empty()) return found;
  constexpr const char* kNoVolume = "node(s) didn't find available persistent volumes to bind";
  std::vector<api::Object> to_match;
  for (const api::Object& claim : claims.delayed) {
    if (!api::HasAnnotation(claim, api::kSelectedNode)) {
      to_match.push_back(claim);
    } else if (claim.Annotation(api::kSelectedNode) == node.name()) {
      found.provisions.push_back(claim);
    } else {
      found.reasons.emplace_back(kNoVolume);
      return found;
    }
  }
  // findMatchingVolumes
  std::stable_sort(to_match.begin(), to_match.end(), AsksForLess);
  std::vector<std::string> taken;
  for (const api::Object& claim : to_match) {
    const api::Object volume = api::FindMatchingVolume(
        claim, VolumesOfClass(api::StorageClassNameOf(claim)), node, taken, true);
    if (volume.empty()) {
      found.provisions.push_back(claim);
      continue;
    }
    taken.emplace_back(volume.name());
    found.bindings.emplace_back(volume, claim);
  }
  const bool all =
      std::all_of(found.provisions.begin(), found.provisions.end(),
                  [this, &node](const api::Object& claim) { return CanProvision(claim, node); });
  if (!all) found.reasons.emplace_back(kNoVolume);
  return found;
}

PodVolumes VolumeBinder::Assume(const api::Object& pod, const api::Object& node) {
  const PodVolumeClaims claims = ClaimsOf(pod);
  if (claims.delayed.empty()) return PodVolumes();
  PodVolumes volumes = Find(claims, node);
  for (PodVolumes::Binding& binding : volumes.bindings) {
    binding.volume = api::BoundTo(binding.volume, binding.claim);
    assumed_volumes_[binding.volume.key()] = binding.volume;
  }
  for (api::Object& claim : volumes.provisions) {
    claim = api::WithAnnotation(claim, api::kSelectedNode, node.name());
    assumed_claims_[claim.key()] = claim;
  }
  return volumes;
}

}  // namespace ksim::scheduler
