#include "ksim/controllers/statefulset/claim_ownership.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "ksim/controllers/statefulset/pod_identity.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

using value::Path;
using value::Value;

namespace {

struct RetentionPolicy {
  bool delete_when_deleted = false;
  bool delete_when_scaled = false;
};

RetentionPolicy PolicyOf(const api::Object& set) {
  static const Path kPolicy{"spec", "persistentVolumeClaimRetentionPolicy"};
  const Value& policy = set.Get(kPolicy);
  return {policy.Get("whenDeleted").AsString() == "Delete",
          policy.Get("whenScaled").AsString() == "Delete"};
}

// A reference as matchesRef compares it: by name and kind, whatever its uid.
struct Referent {
  std::string_view api_version, kind, name, uid;
  bool Named(const Value& reference) const {
    return reference.Get("apiVersion").AsString() == api_version &&
           reference.Get("kind").AsString() == kind && reference.Get("name").AsString() == name;
  }
  bool Is(const Value& reference) const { return reference.Get("uid").AsString() == uid; }
};

Referent SetReferent(const OwnedClaim& of) {
  return {"apps/v1", "StatefulSet", of.set.name(), of.set.uid()};
}
Referent PodReferent(const OwnedClaim& of) { return {"v1", "Pod", of.pod.name(), of.pod.uid()}; }

const Value& References(const OwnedClaim& of) { return of.claim.metadata().Get("ownerReferences"); }

bool HasOwner(const OwnedClaim& of, const Referent& owner) {
  const auto references = References(of).items();
  return std::any_of(references.begin(), references.end(),
                     [&owner](const Value& reference) { return owner.Is(reference); });
}

// The first that names it decides.
bool HasStaleReference(const OwnedClaim& of, const Referent& owner) {
  for (const Value& reference : References(of).items())
    if (owner.Named(reference)) return !owner.Is(reference);
  return false;
}

bool HasNonControllerOwner(const OwnedClaim& of) {
  const Referent set = SetReferent(of), pod = PodReferent(of);
  const auto references = References(of).items();
  return std::any_of(references.begin(), references.end(), [&](const Value& reference) {
    return (set.Is(reference) || pod.Is(reference)) && !reference.Get("controller").AsBool();
  });
}

Value ControllerReferenceTo(const Referent& owner) {
  return value::Obj({{"apiVersion", Value::String(owner.api_version)},
                     {"kind", Value::String(owner.kind)},
                     {"name", Value::String(owner.name)},
                     {"uid", Value::String(owner.uid)},
                     {"controller", Value::Bool(true)},
                     {"blockOwnerDeletion", Value::Bool(true)}});
}

// The owners that the policy asks for.
struct Wanted {
  bool set = false;
  bool pod = false;
};

Wanted WantedOwners(const OwnedClaim& of, const Profile& profile) {
  const RetentionPolicy policy = PolicyOf(of.set);
  const bool scaled_away = policy.delete_when_scaled && !IsInOrdinalRange(of.set, of.pod, profile);
  Wanted wanted;
  wanted.pod = scaled_away;
  wanted.set = policy.delete_when_deleted && !scaled_away;
  return wanted;
}

}  // namespace

bool DeletesClaimsWhenScaled(const api::Object& set) { return PolicyOf(set).delete_when_scaled; }

bool HasStalePodReference(const OwnedClaim& of) { return HasStaleReference(of, PodReferent(of)); }

bool HasUnexpectedController(const OwnedClaim& of) {
  const RetentionPolicy policy = PolicyOf(of.set);
  if (!policy.delete_when_deleted && !policy.delete_when_scaled) return false;
  const Referent set = SetReferent(of), pod = PodReferent(of);
  for (const Value& reference : References(of).items()) {
    const Referent* named = nullptr;
    if (set.Named(reference)) named = &set;
    if (named == nullptr && pod.Named(reference)) named = &pod;
    if (named != nullptr && !named->Is(reference)) return true;
    if (named == nullptr && reference.Get("controller").AsBool()) return true;
  }
  return false;
}

bool ClaimOwnersUpToDate(const OwnedClaim& of, const Profile& profile) {
  const Referent set = SetReferent(of), pod = PodReferent(of);
  // An earlier set or pod of that name has it, and is presumably gone: hands off.
  if (HasStaleReference(of, set) || HasStaleReference(of, pod)) return true;
  if (HasUnexpectedController(of)) return !HasOwner(of, set) && !HasOwner(of, pod);
  if (HasNonControllerOwner(of)) return false;
  const Wanted wanted = WantedOwners(of, profile);
  return HasOwner(of, set) == wanted.set && HasOwner(of, pod) == wanted.pod;
}

api::Object WithClaimOwners(const OwnedClaim& of, const Profile& profile) {
  static const Path kReferences{"metadata", "ownerReferences"};
  const Referent set = SetReferent(of), pod = PodReferent(of);
  const bool unexpected = HasUnexpectedController(of);
  std::vector<Value> references;
  for (const Value& reference : References(of).items())
    if (!set.Named(reference) && !pod.Named(reference)) references.push_back(reference);
  const Wanted wanted = WantedOwners(of, profile);
  for (const auto& [wants, owner] : {std::pair(wanted.pod, pod), std::pair(wanted.set, set)}) {
    const Referent& added = owner;
    const bool there = std::any_of(references.begin(), references.end(),
                                   [&added](const Value& r) { return added.Is(r); });
    if (wants && !unexpected && !there) references.push_back(ControllerReferenceTo(added));
  }
  const Value tree = references.empty()
                         ? of.claim.tree().Erase(kReferences)
                         : of.claim.tree().Set(kReferences, Value::Array(std::move(references)));
  return api::Object::FromTree(tree, of.claim.resource_version());
}

}  // namespace ksim::controllers
