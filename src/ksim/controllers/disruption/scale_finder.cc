#include "ksim/controllers/disruption/scale_finder.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace ksim::controllers {

namespace {

// verifyGroupKind; what is in apps now was in extensions once.
bool IsOf(const api::OwnerReference& owner, std::string_view group, std::string_view kind) {
  const std::string_view has = api::GroupOf(owner.api_version);
  return owner.kind == kind && (has == group || (group == "apps" && has == "extensions"));
}

std::int64_t ReplicasOf(const api::Object& object) { return object.spec().Get("replicas").AsInt(); }

}  // namespace

ScaleFinder::ScaleFinder(const ControllerContext& context, client::Client& client)
    : env_(context.env()),
      client_(client),
      replication_controllers_(
          context.informers.For(context.Resource("", "replicationcontrollers"))),
      replica_sets_(context.informers.For(context.Resource("apps", "replicasets"))),
      deployments_(context.informers.For(context.Resource("apps", "deployments"))),
      stateful_sets_(context.informers.For(context.Resource("apps", "statefulsets"))) {}

std::vector<client::SharedInformer*> ScaleFinder::informers() const {
  return {&replication_controllers_, &replica_sets_, &deployments_, &stateful_sets_};
}

sim::Task<ScaleFinder::Expected> ScaleFinder::Find(std::vector<api::Object> pods) {
  Expected expected;
  std::map<std::string, std::int64_t, std::less<>> scales;  // by the controller's uid
  for (const api::Object& pod : pods) {
    const std::optional<api::OwnerReference> owner = pod.controller();
    if (!owner) {
      expected.unmanaged = true;
      continue;
    }
    if (scales.contains(owner->uid)) continue;
    std::optional<Scale> scale = FromCaches(pod.ns(), *owner);
    if (!scale) scale = co_await FromServer(std::string(pod.ns()), *owner, &expected.error);
    if (!scale && expected.error.empty())
      expected.error = fmt::format("found no controllers for pod \"{}\"", pod.name());
    if (!scale) co_return expected;
    scales[scale->uid] = scale->replicas;
  }
  for (const auto& [uid, replicas] : scales) expected.pods += replicas;
  co_return expected;
}

std::optional<ScaleFinder::Scale> ScaleFinder::FromCaches(std::string_view ns,
                                                          const api::OwnerReference& owner) const {
  if (IsOf(owner, "apps", "ReplicaSet")) return OfReplicaSet(ns, owner);
  const client::SharedInformer* informer = nullptr;
  if (IsOf(owner, "", "ReplicationController")) informer = &replication_controllers_;
  if (IsOf(owner, "apps", "StatefulSet")) informer = &stateful_sets_;
  if (informer == nullptr) return std::nullopt;
  const api::Object found = informer->lister().Get(ns, owner.name);
  if (found.empty() || found.uid() != owner.uid) return std::nullopt;
  return Scale(found.uid(), ReplicasOf(found));
}

std::optional<ScaleFinder::Scale> ScaleFinder::OfReplicaSet(
    std::string_view ns, const api::OwnerReference& owner) const {
  const api::Object set = replica_sets_.lister().Get(ns, owner.name);
  if (set.empty() || set.uid() != owner.uid) return std::nullopt;
  const std::optional<api::OwnerReference> above = set.controller();
  if (above && IsOf(*above, "apps", "Deployment")) {
    const api::Object deployment = deployments_.lister().Get(ns, above->name);
    if (!deployment.empty() && deployment.uid() == above->uid)
      return Scale(deployment.uid(), ReplicasOf(deployment));
  }
  if (above && above->kind == "Deployment") return std::nullopt;
  return Scale(set.uid(), ReplicasOf(set));
}

sim::Task<std::optional<ScaleFinder::Scale>> ScaleFinder::FromServer(std::string ns,
                                                                     api::OwnerReference owner,
                                                                     std::string* error) {
  const api::ResourceInfo* resource = env_.kinds.ByKind(owner.api_version, owner.kind);
  if (resource == nullptr) {
    *error =
        fmt::format("no matches for kind \"{}\" in version \"{}\"", owner.kind, owner.api_version);
    co_return std::nullopt;
  }
  api::Request get;
  get.verb = api::Verb::kGet;
  get.resource = resource;
  get.subresource = "scale";
  get.ns = std::move(ns);
  get.name = std::string(owner.name);
  const api::Response found = co_await client_.Do(std::move(get));
  if (found.code == 200) {
    if (found.object.uid() != owner.uid) co_return std::nullopt;
    co_return Scale(found.object.uid(), ReplicasOf(found.object));
  }
  // 404: the resource has no scales, or this object is gone.
  if (found.code != 404)
    *error = found.status.message.str();
  else if (!resource->has_scale)
    *error = fmt::format("{} does not implement the scale subresource", resource->group_resource());
  co_return std::nullopt;
}

}  // namespace ksim::controllers
