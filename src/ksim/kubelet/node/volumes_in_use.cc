#include "ksim/kubelet/node/volumes_in_use.h"

#include <set>
#include <vector>

#include "ksim/api/views/attachments.h"

namespace ksim::kubelet {

using value::Value;

void VolumesInUse::Use(const std::string& pod_uid, const std::string& volume) {
  mounts_.any = true;
  if (mounts_.of_pods[pod_uid].insert(volume).second) Changed();
}

void VolumesInUse::Release(const std::string& pod_uid) {
  if (mounts_.of_pods.erase(pod_uid) > 0) Changed();
}

void VolumesInUse::Changed() {
  if (HasNews() && news_) news_();
}

Value VolumesInUse::List() const {
  std::set<std::string> names;
  for (const auto& [uid, volumes] : mounts_.of_pods) names.insert(volumes.begin(), volumes.end());
  std::vector<Value> list;
  for (const std::string& name : names) list.push_back(Value::String(name));
  return Value::Array(std::move(list));
}

void VolumesInUse::SetTold(Value list) {
  if (!any()) return;
  known_ = true;
  if (told_ == list) return;
  told_ = std::move(list);
  if (on_told_) on_told_();
}

bool VolumesInUse::IsTold(std::string_view volume) const {
  return known_ && api::ListsVolume(told_, volume);
}

}  // namespace ksim::kubelet
