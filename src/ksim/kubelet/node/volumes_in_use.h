// VolumesInUse: the attached volumes that the pods of a node use, from the moment at which a pod is
// to get one until it is unmounted. The node's status tells of them: a volume is mounted only after
// it does, and detached only after it does not any more.
//
// Source: pkg/kubelet/volumemanager/volume_manager.go GetVolumesInUse, MarkVolumesAsReportedInUse;
// nodestatus/setters.go VolumesInUse.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "ksim/kubelet/runtime/runtime.h"
#include "ksim/value/value.h"

namespace ksim::kubelet {

class VolumesInUse {
 public:
  // `runtime` remembers them: what is mounted stays so when the kubelet ends.
  explicit VolumesInUse(Runtime& runtime) : mounts_(runtime.mounts()) {}

  void Use(const std::string& pod_uid, const std::string& volume);
  void Release(const std::string& pod_uid);

  // As status.volumesInUse has it.
  value::Value List() const;
  // Whether the status was ever to tell of a volume: else it is left as it is.
  bool any() const { return mounts_.any; }
  // The status does not tell of what is so now.
  bool HasNews() const { return any() && (!known_ || told_ != List()); }
  void SetTold(value::Value list);
  bool IsTold(std::string_view volume) const;

  void OnNews(std::function<void()> listener) { news_ = std::move(listener); }
  void OnTold(std::function<void()> listener) { on_told_ = std::move(listener); }

 private:
  void Changed();

  Runtime::Mounts& mounts_;
  bool known_ = false;  // since this kubelet began
  value::Value told_;
  std::function<void()> news_, on_told_;
};

}  // namespace ksim::kubelet
