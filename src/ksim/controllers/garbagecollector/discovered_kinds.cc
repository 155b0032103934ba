#include "ksim/controllers/garbagecollector/discovered_kinds.h"

#include "ksim/api/core/kind_service.h"

namespace ksim::controllers {
namespace {

// graph_builder.go ignoredResources
bool IsIgnored(const api::ResourceInfo& kind) {
  return kind.resource == "events" && (kind.group.empty() || kind.group == "events.k8s.io");
}

}  // namespace

DiscoveredKinds::DiscoveredKinds(const ControllerContext& context)
    : env_(context.env()),
      process_(context.process),
      definitions_(context.informers.For(
          context.Resource("apiextensions.k8s.io", "customresourcedefinitions"))),
      begun_(process_.SteadyNow()) {}

std::vector<const api::ResourceInfo*> DiscoveredKinds::Deletable() const {
  std::vector<const api::ResourceInfo*> out;
  for (const api::ResourceInfo* const kind : env_.kinds.all()) {
    if (IsIgnored(*kind) || !IsThere(*kind)) continue;
    // The versions of a resource stand together, the preferred one first.
    const bool again =
        !out.empty() && out.back()->group == kind->group && out.back()->resource == kind->resource;
    if (!again) out.push_back(kind);
  }
  return out;
}

const api::ResourceInfo* DiscoveredKinds::Find(std::string_view api_version,
                                               std::string_view kind) {
  const api::ResourceInfo* const found = env_.kinds.ByKind(api_version, kind);
  if (found == nullptr || !found->defined) {
    return found != nullptr && IsThere(*found) ? found : nullptr;
  }
  if (const std::int64_t age = Age(); age != age_) {
    age_ = age;
    defined_.clear();
    for (const api::ResourceInfo* const one : env_.kinds.all())
      if (one->defined && IsThere(*one)) defined_.insert(one);
  }
  return defined_.contains(found) ? found : nullptr;
}

Duration DiscoveredKinds::UntilNext() const {
  return begun_ + Duration(kPeriod.ns() * (Age() + 1)) - process_.SteadyNow();
}

bool DiscoveredKinds::IsThere(const api::ResourceInfo& kind) const {
  if (!api::IsServed(kind, env_.compat)) return false;
  return !kind.defined || !definitions_.lister().Get("", kind.group_resource()).empty();
}

std::int64_t DiscoveredKinds::Age() const {
  return (process_.SteadyNow() - begun_).ns() / kPeriod.ns();
}

}  // namespace ksim::controllers
