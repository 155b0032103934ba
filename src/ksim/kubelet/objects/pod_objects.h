// PodObjects: the ConfigMaps and Secrets that the pods of this kubelet name in their environments,
// volumes and pull secrets. A pod is registered at each of its syncs, and until it has ended.
//
// The ConfigMap kube-root-ca.crt of a projected volume counts as there and is not watched
// (docs/fidelity.md): API servers give nearly every pod such a volume.
//
// Source: pkg/kubelet/util/manager/cache_based_manager.go cacheBasedManager; pkg/api/v1/pod/util.go
// VisitPodSecretNames, VisitPodConfigmapNames. KUBELET-REF-01.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "ksim/api/object.h"
#include "ksim/kubelet/objects/object_cache.h"

namespace ksim::kubelet {

enum class ObjectKind : std::uint8_t { kConfigMap, kSecret };
std::string_view ToString(ObjectKind kind);  // "ConfigMap", "Secret"

// An object that a pod names: for some of its content, or for one key of it.
struct ObjectReference {
  ObjectReference() = default;
  ObjectReference(ObjectKind k, const value::Value& source, std::string_view name_field = "name");
  ObjectKind kind = ObjectKind::kConfigMap;
  std::string name;
  bool optional = false;
  std::string key;     // of an env entry; "": all
  std::string prefix;  // of envFrom
  value::Value items;  // of a volume: keys and paths
};

// A part of what a container or a volume is made of that may not be there: an object, or resources
// of the pod's own containers.
struct ContentSource {
  ContentSource() = default;
  explicit ContentSource(ObjectReference o) : object(std::move(o)) {}
  std::optional<ObjectReference> object;
  std::vector<std::string> containers;  // whose resources are asked for, in order
};
// The sources of a container's environment, in the order in which the kubelet reads it, and of a
// volume: a configMap, a secret, a downwardAPI, or those of a projected one.
std::vector<ContentSource> EnvironmentSources(const value::Value& container);
std::vector<ContentSource> VolumeSources(const value::Value& volume);

class PodObjects {
 public:
  PodObjects(sim::Process& process, client::Client& client, const Profile& profile);

  void RegisterPod(const api::Object& pod);
  void UnregisterPod(const std::string& uid);
  // The object, which a registered pod names.
  sim::Task<Lookup> Get(ObjectKind kind, std::string ns, std::string name);
  // `changed` is called for each registered pod that names an object which has come or changed.
  void OnChange(std::function<void(const std::string& uid)> changed) {
    changed_ = std::move(changed);
  }

 private:
  struct Registered {
    Registered() = default;
    std::string ns;
    std::vector<std::pair<ObjectKind, std::string>> objects;  // each once
  };
  ObjectCache& CacheOf(ObjectKind kind) {
    return kind == ObjectKind::kConfigMap ? config_maps_ : secrets_;
  }
  void Changed(ObjectKind kind, std::string_view ns, std::string_view name);

  absl::btree_map<std::string, Registered> pods_;  // by uid
  std::function<void(const std::string&)> changed_;
  ObjectCache config_maps_, secrets_;
};

}  // namespace ksim::kubelet
