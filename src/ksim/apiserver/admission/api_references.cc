#include "ksim/apiserver/admission/api_references.h"

#include <algorithm>
#include <string_view>

namespace ksim::apiserver {
namespace {

using value::Path;
using value::Value;

bool HasName(const Value& reference, std::string_view field = "name") {
  return !reference.Get(field).AsString().empty();
}

// An environment variable, or a source of many, that names an object of the kind.
bool ContainersName(const Value& spec, const char* from_all, const char* from_key) {
  const Path key{"valueFrom", from_key};
  for (const char* list : {"initContainers", "containers", "ephemeralContainers"}) {
    for (const Value& container : spec.Get(list).items()) {
      for (const Value& source : container.Get("envFrom").items())
        if (HasName(source.Get(from_all))) return true;
      for (const Value& variable : container.Get("env").items())
        if (HasName(variable.Get(key))) return true;
    }
  }
  return false;
}

bool SourcesName(const Value& volume, const char* kind) {
  const auto sources = volume.Get("projected").Get("sources").items();
  return std::any_of(sources.begin(), sources.end(),
                     [kind](const Value& source) { return HasName(source.Get(kind)); });
}

bool NamesSecret(const Value& volume) {
  static constexpr const char* kWithSecret[] = {"cephfs",  "cinder", "flexVolume", "rbd",
                                                "scaleIO", "iscsi",  "storageos"};
  for (const char* kind : kWithSecret)
    if (HasName(volume.Get(kind).Get("secretRef"))) return true;
  return HasName(volume.Get("azureFile"), "secretName") ||
         HasName(volume.Get("secret"), "secretName") ||
         HasName(volume.Get("csi").Get("nodePublishSecretRef")) || SourcesName(volume, "secret");
}

bool NamesConfigMap(const Value& volume) {
  return HasName(volume.Get("configMap")) || SourcesName(volume, "configMap");
}

bool AnyVolume(const Value& spec, bool (*names)(const Value&)) {
  const auto volumes = spec.Get("volumes").items();
  return std::any_of(volumes.begin(), volumes.end(), names);
}

bool NamesSecrets(const Value& spec) {
  const auto pulls = spec.Get("imagePullSecrets").items();
  return std::any_of(pulls.begin(), pulls.end(), [](const Value& p) { return HasName(p); }) ||
         ContainersName(spec, "secretRef", "secretKeyRef") || AnyVolume(spec, NamesSecret);
}

bool NamesConfigMaps(const Value& spec) {
  return ContainersName(spec, "configMapRef", "configMapKeyRef") || AnyVolume(spec, NamesConfigMap);
}

struct ReferringSource {
  const char* field;
  const char* text;
};

std::string ProjectedReference(const Value& projected) {
  static constexpr ReferringSource kSources[] = {
      {"configMap", "configmaps (via projected volumes)"},
      {"secret", "secrets (via projected volumes)"},
      {"serviceAccountToken", "serviceaccounts (via projected volumes)"},
      {"clusterTrustBundle", "clustertrustbundles"},
      {"podCertificate", "podcertificates"}};
  for (const Value& source : projected.Get("sources").items())
    for (const ReferringSource& kind : kSources)
      if (!source.Get(kind.field).is_null()) return kind.text;
  return "";
}

std::string VolumeReference(const Value& volume) {
  static constexpr ReferringSource kVolumes[] = {
      {"configMap", "configmaps (via configmap volumes)"},
      {"secret", "secrets (via secret volumes)"},
      {"csi", "csidrivers (via CSI volumes)"},
      {"glusterfs", "endpoints (via glusterFS volumes)"},
      {"persistentVolumeClaim", "persistentvolumeclaims"},
      {"ephemeral", "persistentvolumeclaims (via ephemeral volumes)"},
      {"azureFile", "secrets (via azureFile volumes)"}};
  for (const ReferringSource& kind : kVolumes)
    if (!volume.Get(kind.field).is_null()) return kind.text;
  return ProjectedReference(volume.Get("projected"));
}

// The volumes that 1.30 looks at: all bundles, then all claims.
std::string FewVolumesReference(const Value& spec) {
  for (const Value& volume : spec.Get("volumes").items())
    for (const Value& source : volume.Get("projected").Get("sources").items())
      if (!source.Get("clusterTrustBundle").is_null()) return "clustertrustbundles";
  for (const Value& volume : spec.Get("volumes").items())
    if (!volume.Get("persistentVolumeClaim").is_null()) return "persistentvolumeclaims";
  return "";
}

}  // namespace

std::string ReferenceOfPod(const Value& pod, bool all) {
  const Value& spec = pod.Get("spec");
  if (!spec.Get("serviceAccountName").AsString().empty())
    return all ? "serviceaccounts" : "a service account";
  if (NamesSecrets(spec)) return "secrets";
  if (NamesConfigMaps(spec)) return "configmaps";
  if (!all) return FewVolumesReference(spec);
  if (!spec.Get("resourceClaims").empty()) return "resourceclaims";
  for (const Value& volume : spec.Get("volumes").items()) {
    std::string found = VolumeReference(volume);
    if (!found.empty()) return found;
  }
  return "";
}

}  // namespace ksim::apiserver
