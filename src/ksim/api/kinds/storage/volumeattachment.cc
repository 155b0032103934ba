// The kind VolumeAttachment of storage.k8s.io/v1.
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kVolumeAttachmentTypes = R"(
VolumeAttachment: apiVersion=string kind=string metadata=ObjectMeta spec!=VolumeAttachmentSpec
   status=VolumeAttachmentStatus
VolumeAttachmentSource: inlineVolumeSpec=*PersistentVolumeSpec persistentVolumeName=*string
VolumeAttachmentSpec: attacher!=string nodeName!=string source!=VolumeAttachmentSource
VolumeAttachmentStatus: attachError=*VolumeError attached!=bool attachmentMetadata={}string
   detachError=*VolumeError
VolumeError: errorCode=*int32 message=string time=Time
)";

std::vector<std::string> AttachmentCells(const Object& o, VirtualTime now) {
  const Value& spec = o.spec();
  return {cells::Name(o),
          cells::Text(spec.Get("attacher")),
          cells::Text(spec.Get("source").Get("persistentVolumeName")),
          cells::Text(spec.Get("nodeName")),
          cells::YesNo(o.status().Get("attached")),
          cells::Age(o, now)};
}

}  // namespace

extern const KindSpec kVolumeAttachmentKind = {
    .group = "storage.k8s.io",
    .kind = "VolumeAttachment",
    .resource = "volumeattachments",
    .namespaced = false,
    .has_status = true,
    .unconditional_update = false,
    .go_types = kVolumeAttachmentTypes,
    .columns = {{"Name"}, {"Attacher"}, {"PV"}, {"Node"}, {"Attached"}, {"Age"}},
    .cells = AttachmentCells,
};

}  // namespace ksim::api
