// Attachments: which volumes are attached to nodes, and by what names they go. The attach-detach
// controller, the attachers of storage drivers and kubelets ask the same questions here.
//
// Source: pkg/volume/csi/csi_plugin.go CanAttach, GetVolumeName, csi_attacher.go getAttachmentName;
// pkg/volume/util/util.go GetUniqueVolumeName, IsMultiAttachAllowed.
#pragma once
#include <string>
#include <string_view>

#include "ksim/api/object.h"
#include "ksim/value/value.h"

namespace ksim::api {

// A volume of a storage driver. No driver: it is none.
struct CsiVolume {
  CsiVolume() = default;
  std::string driver, handle;
  // As nodes' statuses name it: "kubernetes.io/csi/DRIVER^HANDLE".
  std::string UniqueName() const;
  // The name of the VolumeAttachment that attaches it to a node.
  std::string AttachmentOn(std::string_view node) const;
};
CsiVolume CsiVolumeOf(const Object& volume);  // of a PersistentVolume
CsiVolume CsiVolumeNamed(std::string_view unique_name);

// Whether volumes of a CSIDriver are attached before they are mounted. An empty object is a driver
// that is not there: its are not, while upstream takes it that they are (docs/fidelity.md).
bool NeedsAttach(const Object& driver);
// IsMultiAttachAllowed: nodes may have the volume at the same time, or nobody knows better (empty).
bool MayAttachToSeveral(const Object& volume);
// Whether a list of status.volumesAttached or status.volumesInUse has it.
bool ListsVolume(const value::Value& list, std::string_view unique_name);

}  // namespace ksim::api
