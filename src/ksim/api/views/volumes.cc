#include "ksim/api/views/volumes.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/status/statusor.h"
#include "ksim/api/core/fields.h"
#include "ksim/api/pod.h"
#include "ksim/api/views/node_selector.h"
#include "ksim/value/quantity.h"
#include "ksim/value/selector.h"

namespace ksim::api {

using value::Path;
using value::PathStep;
using value::Value;

namespace {

constexpr std::string_view kBetaStorageClass = "volume.beta.kubernetes.io/storage-class";

value::Quantity AmountAt(const Value& tree, const Path& path) {
  const absl::StatusOr<value::Quantity> amount = value::Quantity::FromTree(tree.Get(path));
  return amount.ok() ? *amount : value::Quantity();
}

value::Quantity RequestOf(const Object& claim) {
  static const Path kRequest{"spec", "resources", "requests", "storage"};
  return AmountAt(claim.tree(), kRequest);
}

value::Quantity CapacityOf(const Object& volume) {
  static const Path kCapacity{"spec", "capacity", "storage"};
  return AmountAt(volume.tree(), kCapacity);
}

std::string_view VolumeModeOf(const Object& object) {
  const std::string_view mode = object.spec().Get(Fields().volume_mode).AsString();
  return mode.empty() ? "Filesystem" : mode;
}

bool IsDefaultClass(const Object& storage_class) {
  return storage_class.Annotation("storageclass.kubernetes.io/is-default-class") == "true" ||
         storage_class.Annotation("storageclass.beta.kubernetes.io/is-default-class") == "true";
}

// tools/reference GetReference.
Value ReferenceTo(const Object& claim) {
  return value::Obj({{"kind", Value::Of("PersistentVolumeClaim")},
                     {"namespace", Value::String(claim.ns())},
                     {"name", Value::String(claim.name())},
                     {"uid", Value::String(claim.uid())},
                     {"apiVersion", Value::Of("v1")},
                     {"resourceVersion", Value::Of(std::to_string(claim.resource_version()))}});
}

bool HoldsValue(const Value& list, std::string_view text) {
  const auto items = list.items();
  return std::any_of(items.begin(), items.end(),
                     [text](const Value& v) { return v.AsString() == text; });
}

}  // namespace

// --- classes -----------------------------------------------------------------------------------

std::string_view StorageClassNameOf(const Object& object) {
  if (HasAnnotation(object, kBetaStorageClass)) return object.Annotation(kBetaStorageClass);
  return object.spec().Get("storageClassName").AsString();
}

bool HasStorageClass(const Object& claim) {
  return HasAnnotation(claim, kBetaStorageClass) || !claim.spec().Get("storageClassName").is_null();
}

bool WaitsForFirstConsumer(const Object& storage_class) {
  return storage_class.tree().Get("volumeBindingMode").AsString() == "WaitForFirstConsumer";
}

Object DefaultStorageClass(const std::vector<Object>& classes) {
  Object newest;
  for (const Object& one : classes) {
    if (!IsDefaultClass(one)) continue;
    if (newest.empty() || one.creation_time() > newest.creation_time() ||
        (one.creation_time() == newest.creation_time() && one.name() < newest.name()))
      newest = one;
  }
  return newest;
}

std::size_t CountDefaultClasses(const std::vector<Object>& classes) {
  return static_cast<std::size_t>(std::count_if(classes.begin(), classes.end(), IsDefaultClass));
}

// --- annotations -------------------------------------------------------------------------------

bool HasAnnotation(const Object& object, std::string_view name) {
  return object.annotations().Has(name);
}

Object WithAnnotation(const Object& object, std::string_view name, std::string_view value) {
  const Path path{PathStep("metadata"), PathStep("annotations"), PathStep(name)};
  return Object::FromTree(object.tree().Set(path, Value::String(value)), object.resource_version());
}

// --- binding -----------------------------------------------------------------------------------

bool IsFullyBound(const Object& claim) {
  return !claim.spec().Get("volumeName").AsString().empty() && HasAnnotation(claim, kBindCompleted);
}

bool IsBoundTo(const Object& volume, const Object& claim) {
  const Value& ref = volume.spec().Get("claimRef");
  if (ref.is_null()) return false;
  if (ref.Get("name").AsString() != claim.name() || ref.Get("namespace").AsString() != claim.ns())
    return false;
  const std::string_view uid = ref.Get("uid").AsString();
  return uid.empty() || uid == claim.uid();
}

Object BoundTo(const Object& volume, const Object& claim) {
  static const Path kClaimRef{"spec", "claimRef"};
  const bool is_ours = IsBoundTo(volume, claim);
  const bool whole = is_ours && volume.Get(kClaimRef).Get("uid").AsString() == claim.uid();
  Object bound = volume;
  if (!whole)
    bound = Object::FromTree(volume.tree().Set(kClaimRef, ReferenceTo(claim)),
                             volume.resource_version());
  if (!is_ours && !HasAnnotation(bound, kBoundByController))
    bound = WithAnnotation(bound, kBoundByController, "yes");
  return bound;
}

std::string ClaimKeyOf(const Object& volume) {
  const Value& ref = volume.spec().Get("claimRef");
  return fmt::format("{}/{}", ref.Get("namespace").AsString(), ref.Get("name").AsString());
}

bool DifferInVolumeMode(const Object& claim, const Object& volume) {
  return VolumeModeOf(claim) != VolumeModeOf(volume);
}

bool OffersAccessModes(const Object& volume, const Object& claim) {
  const Value& offered = volume.spec().Get("accessModes");
  const auto asked = claim.spec().Get("accessModes").items();
  return std::all_of(asked.begin(), asked.end(), [&offered](const Value& mode) {
    return HoldsValue(offered, mode.AsString());
  });
}

bool IsReachableFrom(const Object& volume, const Object& node) {
  static const Path kRequired{"spec", "nodeAffinity", "required"};
  const Value& required = volume.Get(kRequired);
  if (required.is_null()) return true;
  const auto terms = required.Get("nodeSelectorTerms").items();
  return std::any_of(terms.begin(), terms.end(),
                     [&node](const Value& term) { return MatchesNodeSelectorTerm(term, node); });
}

bool AllowsTopologyOf(const Object& storage_class, const Object& node) {
  const auto terms = storage_class.tree().Get("allowedTopologies").items();
  if (terms.begin() == terms.end()) return true;
  return std::any_of(terms.begin(), terms.end(), [&node](const Value& term) {
    const Value& expressions = term.Get("matchLabelExpressions");
    const auto items = expressions.items();
    return !expressions.empty() &&
           std::all_of(items.begin(), items.end(), [&node](const Value& expression) {
             return HoldsValue(expression.Get("values"),
                               node.Label(expression.Get("key").AsString()));
           });
  });
}

namespace {

// Whether the volume, which nobody has, may become the claim's.
bool IsFree(const Object& volume, const Object& claim,
            const std::optional<value::LabelSelector>& selector, const Object& node) {
  if (volume.status().Get(Fields().phase).AsString() != "Available") return false;
  if (selector && !selector->Matches(volume.labels())) return false;
  if (StorageClassNameOf(volume) != StorageClassNameOf(claim)) return false;
  return node.empty() || (IsReachableFrom(volume, node) && OffersAccessModes(volume, claim));
}

// Whether nothing that holds for a reserved volume, too, speaks against it.
bool IsCandidate(const Object& volume, const Object& claim, const value::Quantity& request) {
  const Value& attributes = claim.spec().Get("volumeAttributesClassName");
  if (!volume.spec().Get("claimRef").is_null() && !IsBoundTo(volume, claim)) return false;
  if (CapacityOf(volume) < request || DifferInVolumeMode(claim, volume)) return false;
  return attributes.AsString() == volume.spec().Get("volumeAttributesClassName").AsString() &&
         !volume.deleting();
}

}  // namespace

Object FindMatchingVolume(const Object& claim, const std::vector<Object>& volumes,
                          const Object& node, const std::vector<std::string>& taken, bool delays) {
  const value::Quantity request = RequestOf(claim);
  std::optional<value::LabelSelector> selector;
  if (const Value& given = claim.spec().Get("selector"); !given.is_null()) {
    const auto parsed = value::LabelSelector::FromObject(given);
    if (!parsed.ok()) return Object();
    selector = *parsed;
  }
  Object smallest;
  for (const Object& volume : volumes) {
    if (std::find(taken.begin(), taken.end(), volume.name()) != taken.end()) continue;
    if (!IsCandidate(volume, claim, request)) continue;
    if (IsBoundTo(volume, claim)) {
      // The claim can go nowhere else.
      return node.empty() || IsReachableFrom(volume, node) ? volume : Object();
    }
    if (node.empty() && delays) continue;
    if (!IsFree(volume, claim, selector, node)) continue;
    if (smallest.empty() || CapacityOf(volume) < CapacityOf(smallest)) smallest = volume;
  }
  return smallest;
}

// --- pods --------------------------------------------------------------------------------------

std::vector<PodClaim> ClaimsOfPod(const Object& pod) {
  std::vector<PodClaim> claims;
  for (const Value& volume : pod.spec().Get(Fields().volumes).items()) {
    PodClaim one;
    one.volume = std::string(volume.Get(Fields().name).AsString());
    if (const Value& source = volume.Get("persistentVolumeClaim"); !source.is_null()) {
      one.claim = std::string(source.Get(Fields().claim_name).AsString());
    } else if (!volume.Get("ephemeral").is_null()) {
      one.claim = fmt::format("{}-{}", pod.name(), one.volume);
      one.ephemeral = true;
    } else {
      continue;
    }
    claims.push_back(std::move(one));
  }
  return claims;
}

bool UsesClaim(const Object& pod, std::string_view claim) {
  const std::vector<PodClaim> claims = ClaimsOfPod(pod);
  return std::any_of(claims.begin(), claims.end(),
                     [claim](const PodClaim& one) { return one.claim == claim; });
}

bool HasEphemeralVolume(const Value& pod) {
  static const value::Atom kEphemeral("ephemeral");
  const auto volumes = pod.Get(Fields().spec).Get(Fields().volumes).items();
  return std::any_of(volumes.begin(), volumes.end(),
                     [](const Value& volume) { return !volume.Get(kEphemeral).is_null(); });
}

const ResourceInfo& EphemeralVolumeUse() {
  static const ResourceInfo& use = *[] {
    auto* info = new ResourceInfo;  // never destroyed
    info->group = "ephemeral.volumes";
    info->resource = "pods";
    return info;
  }();
  return use;
}

namespace {

// notRunning, the other way round.
bool HasRunningContainer(const Value& statuses) {
  const auto items = statuses.items();
  return std::any_of(items.begin(), items.end(), [](const Value& status) {
    const Value& state = status.Get("state");
    return !state.Has("terminated") && !state.Has("waiting");
  });
}

}  // namespace

bool IsPodTerminated(const Object& pod) {
  if (PodView(pod).terminal()) return true;
  return pod.deleting() && !HasRunningContainer(pod.status().Get("initContainerStatuses")) &&
         !HasRunningContainer(pod.status().Get("containerStatuses"));
}

std::optional<std::string> WhyNotForPod(const Object& pod, const Object& claim) {
  const std::optional<OwnerReference> owner = claim.controller();
  if (claim.ns() == pod.ns() && owner && owner->uid == pod.uid()) return std::nullopt;
  return fmt::format("PVC {} was not created for pod {} (pod is not owner)", claim.key(),
                     pod.key());
}

}  // namespace ksim::api
