#include "ksim/api/rules/pod/container_mounts.h"

#include <algorithm>

#include "ksim/api/core/fields.h"
#include "ksim/api/rules/pod/volume_files.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

const Value* FindVolume(const PodFacts& pod, std::string_view name) {
  for (const Value* volume : pod.volumes) {
    if (FieldText(*volume, Fields().name) == name) return volume;
  }
  return nullptr;
}

bool HasName(const Value& list, std::string_view name) {
  const auto items = list.items();
  return std::any_of(items.begin(), items.end(),
                     [&](const Value& v) { return FieldText(v, Fields().name) == name; });
}

// The last of several items of one name counts (GetVolumeMountMap, GetVolumeDeviceMap).
bool HasPath(const Value& list, Atom field, std::string_view path) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (FieldText(list.at(i), field) != path) continue;
    bool last = true;
    for (std::size_t j = i + 1; j < list.size(); ++j) {
      last = last && FieldText(list.at(j), Fields().name) != FieldText(list.at(i), Fields().name);
    }
    if (last) return true;
  }
  return false;
}

// An earlier item than `i` has that text.
bool HasEarlier(const Value& list, std::size_t i, Atom field, std::string_view text) {
  for (std::size_t j = 0; j < i; ++j) {
    if (FieldText(list.at(j), field) == text) return true;
  }
  return false;
}

void CheckSubPaths(const Value& mount, const FieldPath& list, const FieldPath& at,
                   FieldErrorList* errors) {
  const std::string_view sub_path = FieldText(mount, Fields().sub_path);
  const std::string_view expression = FieldText(mount, Fields().sub_path_expr);
  if (!sub_path.empty()) ValidateDescendingPath(sub_path, list.Child("subPath"), errors);
  if (expression.empty()) return;
  if (!sub_path.empty()) {
    errors->Invalid(at.Child("subPathExpr"), expression,
                    "subPathExpr and subPath are mutually exclusive");
  }
  ValidateDescendingPath(expression, list.Child("subPathExpr"), errors);
}

void CheckPropagation(const Value& mount, const Value& container, const FieldPath& list,
                      FieldErrorList* errors) {
  const Value& propagation = mount.Get(Fields().mount_propagation);
  if (!propagation.is_null()) {
    const FieldPath at = list.Child("mountPropagation");
    ValidateChoice(propagation.AsString(), false, at, {"Bidirectional", "HostToContainer", "None"},
                   errors);
    if (propagation.AsString() == "Bidirectional" &&
        !container.Get(Fields().security_context).Get(Fields().privileged).AsBool()) {
      errors->Forbidden(
          at, "Bidirectional mount propagation is available only to privileged containers");
    }
  }
  const Value& recursive = mount.Get(Fields().recursive_read_only);
  if (recursive.is_null() || recursive.AsString() == "Disabled") return;
  const FieldPath at = list.Child("recursiveReadOnly");
  if (recursive.AsString() != "Enabled" && recursive.AsString() != "IfPossible") {
    errors->NotSupported(at, recursive.AsString(), {"Disabled", "Enabled", "IfPossible"});
    return;
  }
  if (!mount.Get(Fields().read_only).AsBool()) {
    errors->Forbidden(at, "may only be specified when readOnly is true");
  }
  if (!propagation.is_null() && propagation.AsString() != "None") {
    errors->Forbidden(at, "may only be specified when mountPropagation is None or not specified");
  }
}

void CheckMounts(const Value& container, const PodFacts& pod, const FieldPath& list,
                 FieldErrorList* errors) {
  const Value& mounts = container.Get(Fields().volume_mounts);
  const Value& devices = container.Get(Fields().volume_devices);
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    const FieldPath at = list.Index(i);
    const Value& mount = mounts.at(i);
    const std::string_view name = FieldText(mount, Fields().name);
    const std::string_view place = FieldText(mount, Fields().mount_path);
    if (name.empty()) errors->Required(at.Child("name"));
    if (FindVolume(pod, name) == nullptr) errors->NotFound(at.Child("name"), name);
    if (place.empty()) errors->Required(at.Child("mountPath"));
    if (HasEarlier(mounts, i, Fields().mount_path, place)) {
      errors->Invalid(at.Child("mountPath"), place, "must be unique");
    }
    if (HasName(devices, name)) {
      errors->Invalid(at.Child("name"), name, "must not already exist in volumeDevices");
    }
    if (HasPath(devices, Fields().device_path, place)) {
      errors->Invalid(at.Child("mountPath"), place,
                      "must not already exist as a path in volumeDevices");
    }
    CheckSubPaths(mount, list, at, errors);
    CheckPropagation(mount, container, list, errors);
  }
}

void CheckDevices(const Value& container, const PodFacts& pod, const FieldPath& list,
                  FieldErrorList* errors) {
  const Value& devices = container.Get(Fields().volume_devices);
  const Value& mounts = container.Get(Fields().volume_mounts);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const FieldPath at = list.Index(i);
    const std::string_view name = FieldText(devices.at(i), Fields().name);
    const std::string_view place = FieldText(devices.at(i), Fields().device_path);
    const Value* volume = FindVolume(pod, name);
    if (name.empty()) {
      errors->Required(at.Child("name"));
    } else if (HasEarlier(devices, i, Fields().name, name)) {
      errors->Invalid(at.Child("name"), name, "must be unique");
    }
    if (volume == nullptr) {
      errors->NotFound(at.Child("name"), name);
    } else if (!volume->Get(Fields().persistent_volume_claim).is_object() &&
               !volume->Get(Fields().ephemeral).is_object()) {
      errors->Invalid(at.Child("name"), name,
                      "can only use volume source type of PersistentVolumeClaim or Ephemeral for "
                      "block mode");
    }
    if (place.empty()) errors->Required(at.Child("devicePath"));
    if (HasEarlier(devices, i, Fields().device_path, place)) {
      errors->Invalid(at.Child("devicePath"), place, "must be unique");
    }
    if (HasBackstep(place)) {
      errors->Invalid(at.Child("devicePath"), place, "can not contain backsteps ('..')");
    }
    if (HasName(mounts, name)) {
      errors->Invalid(at.Child("name"), name, "must not already exist in volumeMounts");
    }
    if (HasPath(mounts, Fields().mount_path, place)) {
      errors->Invalid(at.Child("devicePath"), place,
                      "must not already exist as a path in volumeMounts");
    }
  }
}

}  // namespace

void ValidateMounts(const Value& container, const PodFacts& pod, const FieldPath& path,
                    FieldErrorList* errors) {
  CheckMounts(container, pod, path.Child("volumeMounts"), errors);
  CheckDevices(container, pod, path.Child("volumeDevices"), errors);
}

}  // namespace ksim::api
