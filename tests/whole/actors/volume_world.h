// A world with volumes and claims: tests start the volume controllers and the scheduler, and play
// everybody else.
#pragma once
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/controllers/common/controller_info.h"
#include "ksim/controllers/ephemeral/ephemeral_volume_controller.h"
#include "ksim/controllers/persistentvolume/pv_controller.h"
#include "ksim/controllers/pvcprotection/pvc_protection_controller.h"
#include "ksim/controllers/pvprotection/pv_protection_controller.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {

class VolumeTest : public testing::TestWithParam<api::Compat> {
 protected:
  VolumeTest() : w(GetParam()) {}
  ~VolumeTest() override { w.api.sim.Shutdown(); }

  void StartBinder() {
    w.StartController("volume-binder",
                      &controllers::MakeController<controllers::PersistentVolumeController>);
  }
  void AddClass(std::string_view name, std::string_view more = "",
                std::string_view provisioner = "disk.example.com", bool is_default = false) {
    w.Create(
        "storageclasses",
        fmt::format(R"({{"metadata":{{"name":"{}"{}}},"provisioner":"{}"{}}})", name,
                    is_default
                        ? R"(,"annotations":{"storageclass.kubernetes.io/is-default-class":"true"})"
                        : "",
                    provisioner, more));
    w.Settle();
  }
  static std::string Waits() { return R"(,"volumeBindingMode":"WaitForFirstConsumer")"; }
  void AddVolume(std::string_view name, std::string_view size = "1Gi",
                 std::string_view more_spec = "", std::string_view modes = R"("ReadWriteOnce")",
                 std::string_view more_metadata = "") {
    w.Create("persistentvolumes",
             fmt::format(R"({{"metadata":{{"name":"{}"{}}},"spec":{{"capacity":{{"storage":"{}"}},
                 "accessModes":[{}],"hostPath":{{"path":"/tmp/{}"}}{}}}}})",
                         name, more_metadata, size, modes, name, more_spec));
  }
  void AddClaim(std::string_view name, std::string_view size = "1Gi",
                std::string_view more_spec = "", std::string_view modes = R"("ReadWriteOnce")",
                std::string_view more_metadata = "") {
    w.Create("persistentvolumeclaims",
             fmt::format(R"({{"metadata":{{"name":"{}"{}}},"spec":{{"accessModes":[{}],
                 "resources":{{"requests":{{"storage":"{}"}}}}{}}}}})",
                         name, more_metadata, modes, size, more_spec));
  }
  static std::string Class(std::string_view name) {
    return fmt::format(R"(,"storageClassName":"{}")", name);
  }
  void AddPod(std::string_view name, std::string_view claim, std::string_view more_spec = "") {
    w.Create("pods", PodJson(name, "{}", "",
                             fmt::format(R"(,"volumes":[{{"name":"v","persistentVolumeClaim":{{
                         "claimName":"{}"}}}}]{})",
                                         claim, more_spec)));
  }
  api::Object Claim(std::string_view name) { return w.Get("persistentvolumeclaims", name); }
  api::Object Volume(std::string_view name) { return w.Get("persistentvolumes", name); }
  // "Bound pv-1" of a claim, "Bound default/c" of a volume.
  std::string ClaimState(std::string_view name) {
    const api::Object claim = Claim(name);
    return fmt::format("{} {}", claim.status().Get("phase").AsString(),
                       claim.spec().Get("volumeName").AsString());
  }
  std::string VolumeState(std::string_view name) {
    const api::Object volume = Volume(name);
    if (volume.empty()) return "";
    const value::Value& ref = volume.spec().Get("claimRef");
    return fmt::format("{} {}", volume.status().Get("phase").AsString(),
                       ref.Get("name").AsString());
  }
  std::string ConditionMessage(std::string_view pod) {
    for (const value::Value& c : w.Get("pods", pod).status().Get("conditions").items())
      if (c.Get("type").AsString() == "PodScheduled")
        return std::string(c.Get("message").AsString());
    return "";
  }
  void Resync() { w.Advance(Seconds(16)); }
  bool From130() const { return GetParam() != api::Compat::k1_25; }
  bool From136() const { return GetParam() == api::Compat::k1_36; }

  ActorWorld w;
};

inline std::string NameOfCompat(const testing::TestParamInfo<api::Compat>& info) {
  return std::to_string(static_cast<int>(info.param));
}

}  // namespace ksim
