#include "ksim/api/quota/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "ksim/api/quota/pod_quota.h"

namespace ksim::api {

using value::Path;
using value::Quantity;
using value::Value;

namespace {

constexpr std::string_view kCounted[] = {"configmaps", "resourcequotas", "replicationcontrollers",
                                         "secrets"};
constexpr std::string_view kServiceNames[] = {"count/services", "services", "services.nodeports",
                                              "services.loadbalancers"};
constexpr std::string_view kClaimNames[] = {"persistentvolumeclaims", "requests.storage"};
constexpr std::string_view kOfClass = ".storageclass.storage.k8s.io/";

Quantity One() { return Quantity::FromInt(1); }

// --- services ---

bool IsServiceName(std::string_view name) {
  return std::find(std::begin(kServiceNames), std::end(kServiceNames), name) !=
         std::end(kServiceNames);
}

// GetQuotaServiceType.
std::string_view CountedType(const Value& service) {
  const std::string_view type = service.Get("spec").Get("type").AsString();
  return type == "NodePort" || type == "LoadBalancer" ? type : std::string_view();
}

ResourceList ServiceUsage(const Value& service) {
  const Value& spec = service.Get("spec");
  const std::string_view type = CountedType(service);
  std::int64_t ports = 0;
  if (!type.empty()) ports = static_cast<std::int64_t>(spec.Get("ports").size());
  const Value& allocate = spec.Get("allocateLoadBalancerNodePorts");
  if (type == "LoadBalancer" && allocate.is_bool() && !allocate.AsBool()) {
    const auto all = spec.Get("ports").items();
    ports = std::count_if(all.begin(), all.end(),
                          [](const Value& port) { return port.Get("nodePort").AsInt() != 0; });
  }
  ResourceList out;
  out["count/services"] = One();
  out["services"] = One();
  out["services.nodeports"] = Quantity::FromInt(ports);
  out["services.loadbalancers"] = Quantity::FromInt(type == "LoadBalancer" ? 1 : 0);
  return out;
}

// --- claims ---

bool IsClaimName(std::string_view name) {
  if (name == "count/persistentvolumeclaims") return true;
  for (const std::string_view own : kClaimNames)
    if (name == own || name.ends_with(fmt::format("{}{}", kOfClass, own))) return true;
  return false;
}

// GetPersistentVolumeClaimClass.
std::string_view StorageClassOf(const Value& claim) {
  static const Path kAnnotation{"metadata", "annotations",
                                "volume.beta.kubernetes.io/storage-class"};
  const Value* old = claim.Find(kAnnotation);
  return old != nullptr ? old->AsString() : claim.Get("spec").Get("storageClassName").AsString();
}

Quantity WholeBytes(const Quantity& q) {
  const Quantity rounded = Quantity::FromInt(q.Value(), q.format());
  return rounded == q ? q : rounded;
}

ResourceList ClaimUsage(const Value& claim, const Profile& profile) {
  static const Path kStorage{"spec", "resources", "requests", "storage"};
  static const Path kAllocated{"status", "allocatedResources", "storage"};
  ResourceList out;
  out["persistentvolumeclaims"] = One();
  out["count/persistentvolumeclaims"] = One();
  const std::string_view storage_class = StorageClassOf(claim);
  if (!storage_class.empty())
    out[fmt::format("{}{}persistentvolumeclaims", storage_class, kOfClass)] = One();
  const Value& asked = claim.Get(kStorage);
  if (asked.is_null()) return out;
  Quantity storage = WholeBytes(Quantity::FromTree(asked).value_or(Quantity()));
  const Value& allocated = claim.Get(kAllocated);
  if (profile.quota_counts_allocated_storage && !allocated.is_null()) {
    const Quantity given = Quantity::FromTree(allocated).value_or(Quantity());
    if (given > storage) storage = WholeBytes(given);
  }
  out["requests.storage"] = storage;
  if (!storage_class.empty())
    out[fmt::format("{}{}requests.storage", storage_class, kOfClass)] = storage;
  return out;
}

std::set<std::string_view> AttributesClassesOf(const Value& claim) {
  static const Path kWanted{"spec", "volumeAttributesClassName"};
  static const Path kCurrent{"status", "currentVolumeAttributesClassName"};
  static const Path kTarget{"status", "modifyVolumeStatus", "targetVolumeAttributesClassName"};
  std::set<std::string_view> out;
  for (const Path* path : {&kWanted, &kCurrent, &kTarget}) out.insert(claim.Get(*path).AsString());
  out.erase("");
  return out;
}

bool ScopeMeansClaim(const Value& scope, const Value& claim, const Profile& profile) {
  if (!profile.quota_volume_attributes_scope ||
      scope.Get("scopeName").AsString() != "VolumeAttributesClass")
    return false;
  const auto classes = AttributesClassesOf(claim);
  if (classes.empty()) return RequirementHolds(scope, "");
  return std::any_of(classes.begin(), classes.end(),
                     [&](std::string_view name) { return RequirementHolds(scope, name); });
}

// RequiresQuotaReplenish. Upstream compares pointers to allocated amounts, which always differ.
bool ClaimChanges(const Value& old, const Value& updated, const Profile& profile) {
  if (profile.quota_counts_allocated_storage) return true;
  return profile.quota_volume_attributes_scope &&
         AttributesClassesOf(old) != AttributesClassesOf(updated);
}

}  // namespace

QuotaEvaluator::QuotaEvaluator(const ResourceInfo& resource, Compat compat)
    : resource_(&resource),
      profile_(ProfileOf(compat)),
      count_name_(fmt::format("count/{}", resource.group_resource())) {
  if (!resource.group.empty()) return;
  const std::string_view name = resource.resource;
  if (name == "pods") kind_ = Kind::kPods;
  if (name == "services") kind_ = Kind::kServices;
  if (name == "persistentvolumeclaims") kind_ = Kind::kClaims;
  if (std::find(std::begin(kCounted), std::end(kCounted), name) != std::end(kCounted))
    alias_ = name;
}

std::vector<std::string> QuotaEvaluator::Matching(const std::vector<std::string>& names) const {
  const auto matches = [this](const std::string& name) {
    switch (kind_) {
      case Kind::kPods:
        return IsPodQuotaName(name);
      case Kind::kServices:
        return IsServiceName(name);
      case Kind::kClaims:
        return IsClaimName(name);
      case Kind::kOther:
        break;
    }
    return name == count_name_ || (!alias_.empty() && name == alias_);
  };
  std::vector<std::string> out;
  std::copy_if(names.begin(), names.end(), std::back_inserter(out), matches);
  std::sort(out.begin(), out.end());
  return out;
}

bool QuotaEvaluator::Matches(const Value& quota, const Value& object) const {
  static const Path kHard{"status", "hard"};
  return !Matching(NamesOf(ResourceListOf(quota.Get(kHard)))).empty() && InScopes(quota, object);
}

bool QuotaEvaluator::InScopes(const Value& quota, const Value& object) const {
  const std::vector<Value> scopes = QuotaScopes(quota);
  return std::all_of(scopes.begin(), scopes.end(),
                     [&](const Value& scope) { return Means(scope, object); });
}

bool QuotaEvaluator::Means(const Value& scope, const Value& object) const {
  if (kind_ == Kind::kPods) return ScopeMeansPod(scope, object);
  return kind_ == Kind::kClaims && ScopeMeansClaim(scope, object, profile_);
}

std::string QuotaEvaluator::Constraints(const std::vector<std::string>& required,
                                        const Value& object) const {
  return kind_ == Kind::kPods ? PodConstraints(required, object, profile_) : std::string();
}

ResourceList QuotaEvaluator::Usage(const Value& object, VirtualTime now) const {
  switch (kind_) {
    case Kind::kPods:
      return PodUsage(object, now, profile_);
    case Kind::kServices:
      return ServiceUsage(object);
    case Kind::kClaims:
      return ClaimUsage(object, profile_);
    case Kind::kOther:
      break;
  }
  ResourceList out;
  out[count_name_] = One();
  if (!alias_.empty()) out[alias_] = One();
  return out;
}

bool QuotaEvaluator::HandlesCreate(std::string_view subresource) const {
  return subresource.empty();
}

bool QuotaEvaluator::HandlesUpdate(std::string_view subresource, const Value& updated,
                                   const Value& old) const {
  switch (kind_) {
    case Kind::kPods:
      if (!profile_.quota_judges_pod_updates) return false;
      if (subresource.empty()) return IsTerminatingPod(updated) != IsTerminatingPod(old);
      return subresource == "resize";
    case Kind::kServices:
      return subresource.empty();
    case Kind::kClaims:
      if (subresource.empty()) return true;
      return subresource == "status" && profile_.quota_counts_allocated_storage &&
             ClaimChanges(old, updated, profile_);
    case Kind::kOther:
      break;
  }
  return false;
}

bool QuotaEvaluator::Replenishes(const Value& old, const Value& updated, VirtualTime now) const {
  switch (kind_) {
    case Kind::kPods:
      if (profile_.quota_judges_pod_updates && IsTerminatingPod(old) != IsTerminatingPod(updated))
        return true;
      return IsCharged(old, now) && !IsCharged(updated, now);
    case Kind::kServices:
      return CountedType(old) != CountedType(updated);
    case Kind::kClaims:
      return ClaimChanges(old, updated, profile_);
    case Kind::kOther:
      break;
  }
  return false;
}

bool IsIgnoredByQuotas(const ResourceInfo& resource) {
  return resource.resource == "events" &&
         (resource.group.empty() || resource.group == "events.k8s.io");
}

std::vector<Value> QuotaScopes(const Value& quota) {
  static const Path kExpressions{"spec", "scopeSelector", "matchExpressions"};
  std::vector<Value> out;
  for (const Value& scope : quota.Get("spec").Get("scopes").items())
    out.push_back(value::Obj({{"scopeName", scope}, {"operator", Value::Of("Exists")}}));
  for (const Value& requirement : quota.Get(kExpressions).items()) out.push_back(requirement);
  return out;
}

}  // namespace ksim::api
