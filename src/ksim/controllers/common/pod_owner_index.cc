#include "ksim/controllers/common/pod_owner_index.h"

#include <optional>
#include <string>

namespace ksim::controllers {
namespace {

constexpr const char* kPodOwnerIndex = "podControllerUID";

std::string PodOwnerKey(std::string_view ns, std::string_view kind, std::string_view name,
                        std::string_view uid) {
  std::string key;
  key.reserve(ns.size() + kind.size() + name.size() + uid.size() + 3);
  key.append(ns).append(1, '/').append(kind).append(1, '/').append(name).append(1, '/').append(uid);
  return key;
}
std::string OrphanPodKey(std::string_view ns) { return std::string(ns) + "/_orphan"; }

}  // namespace

void AddPodOwnerIndex(client::SharedInformer& pods) {
  if (pods.lister().HasIndex(kPodOwnerIndex)) return;
  pods.AddIndex(kPodOwnerIndex, [](const api::Object& pod, client::IndexValues& values) {
    const std::optional<api::OwnerReference> owner = pod.controller();
    values.Add(owner ? PodOwnerKey(pod.ns(), owner->kind, owner->name, owner->uid)
                     : OrphanPodKey(pod.ns()));
  });
}

std::vector<api::Object> PodsOfOwner(const client::SharedInformer& pods, const api::Object& owner) {
  return pods.lister().ByIndex(kPodOwnerIndex,
                               PodOwnerKey(owner.ns(), owner.kind(), owner.name(), owner.uid()));
}

std::vector<api::Object> OrphanPods(const client::SharedInformer& pods, std::string_view ns) {
  return pods.lister().ByIndex(kPodOwnerIndex, OrphanPodKey(ns));
}

}  // namespace ksim::controllers
