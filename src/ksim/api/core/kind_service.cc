#include "ksim/api/core/kind_service.h"

#include <string>
#include <utility>

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"

namespace ksim::api {

bool IsServed(const ResourceInfo& kind, Compat compat) {
  if (kind.withdrawn) return false;
  const auto gate = SpecOf(kind).served;
  return gate == nullptr || ProfileOf(compat).*gate;
}

ServedKinds::ServedKinds(const Kinds& kinds, Compat compat) : compat_(compat) {
  for (const ResourceInfo* const kind : kinds.all())
    if (IsServed(*kind, compat)) kinds_.push_back(kind);
}

// pkg/kubeapiserver/default_storage_factory_builder.go, and the decodable versions of each scheme.
std::string StorageVersion(const ResourceInfo& kind, Compat compat) {
  const std::string name = kind.group_resource();
  std::string version = kind.stored_version.empty() ? kind.version : kind.stored_version;
  const bool beta =
      name == "endpointslices.discovery.k8s.io" || name.starts_with("validatingadmissionpolic");
  if (name == "events.events.k8s.io") return "/v1";
  if (name == "horizontalpodautoscalers.autoscaling") version = "v2";
  if (version == "v1beta3" && kind.group == "flowcontrol.apiserver.k8s.io") version = "v1";
  if (name.starts_with("mutatingadmissionpolic") ||
      name == "customresourcedefinitions.apiextensions.k8s.io" ||
      (beta && ProfileOf(compat).stores_slices_as_beta))
    version = "v1beta1";
  return kind.group + "/" + version;
}

bool HasPodResize(Compat compat) { return ProfileOf(compat).pod_resize; }

bool IsCachedFromStart(const ResourceInfo& kind) { return SpecOf(kind).cached_from_start; }

bool HasApproval(const ResourceInfo& kind) { return SpecOf(kind).prepare_approval != nullptr; }

Conversion ToStoredForm(const ResourceInfo& kind) { return SpecOf(kind).to_stored; }
Conversion FromStoredForm(const ResourceInfo& kind) { return SpecOf(kind).from_stored; }

bool IsConverted(const ResourceInfo& kind) {
  const bool another = !kind.stored_version.empty() && kind.stored_version != kind.version;
  return another || SpecOf(kind).to_stored != nullptr;
}

value::Value WithCreator(const ResourceInfo& kind, value::Value tree, std::string_view user,
                         const std::vector<std::string>& groups) {
  const auto record = SpecOf(kind).record_creator;
  return record == nullptr ? tree : record(std::move(tree), user, groups);
}

}  // namespace ksim::api
