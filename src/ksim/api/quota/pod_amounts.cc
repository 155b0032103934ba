#include "ksim/api/quota/pod_amounts.h"

#include <string>
#include <string_view>
#include <utility>

#include "ksim/api/core/profile.h"

namespace ksim::api {

using value::Value;

namespace {

// SupportedPodLevelResources.
bool IsHugePages(std::string_view name) { return name.starts_with("hugepages-"); }
bool IsPodLevel(std::string_view name) {
  return name == "cpu" || name == "memory" || IsHugePages(name);
}

const Value& AmountsOf(const Value& container, std::string_view field) {
  return container.Get("resources").Get(field);
}

void RaiseTo(ResourceList* list, const ResourceList& other) {
  for (const auto& [name, amount] : other) {
    const auto [it, added] = list->try_emplace(name, amount);
    if (!added && amount > it->second) it->second = amount;
  }
}

ResourceList SumOf(const Value& spec, std::string_view field) {
  ResourceList total, sidecars, largest_init;
  for (const Value& c : spec.Get("containers").items())
    total = Add(std::move(total), ResourceListOf(AmountsOf(c, field)));
  for (const Value& c : spec.Get("initContainers").items()) {
    ResourceList own = ResourceListOf(AmountsOf(c, field));
    if (c.Get("restartPolicy").AsString() == "Always") {
      total = Add(std::move(total), own);
      sidecars = Add(std::move(sidecars), own);
      own = sidecars;
    } else {
      own = Add(std::move(own), sidecars);
    }
    RaiseTo(&largest_init, own);
  }
  RaiseTo(&total, largest_init);
  return total;
}

ResourceList AmountList(const Value& pod, std::string_view field, const PodAmountOptions& options) {
  const Value& spec = pod.Get("spec");
  ResourceList total = SumOf(spec, field);
  if (!options.pod_level) return total;
  for (const auto& [name, amount] : ResourceListOf(AmountsOf(spec, field)))
    if (IsPodLevel(name) && (options.pod_level_hugepages || !IsHugePages(name)))
      total[name] = amount;
  return total;
}

}  // namespace

ResourceList PodRequestList(const Value& pod, const PodAmountOptions& options) {
  ResourceList total = AmountList(pod, "requests", options);
  if (options.overhead)
    total = Add(std::move(total), ResourceListOf(pod.Get("spec").Get("overhead")));
  return total;
}

ResourceList PodLimitList(const Value& pod, const PodAmountOptions& options) {
  ResourceList total = AmountList(pod, "limits", options);
  if (!options.overhead) return total;
  for (const auto& [name, amount] : ResourceListOf(pod.Get("spec").Get("overhead"))) {
    const auto it = total.find(name);
    if (it != total.end() && !it->second.is_zero()) it->second += amount;
  }
  return total;
}

bool CountsPodLevelResources(Compat compat) { return ProfileOf(compat).quota_pod_level_resources; }

bool HasPodLevelResources(const Value& pod) {
  const Value& resources = pod.Get("spec").Get("resources");
  for (const char* field : {"requests", "limits"})
    for (const Value::Member& m : resources.Get(field).members())
      if (IsPodLevel(m.name.text())) return true;
  return false;
}

}  // namespace ksim::api
