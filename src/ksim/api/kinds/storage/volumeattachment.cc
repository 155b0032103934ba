// The kind VolumeAttachment of storage.k8s.io/v1.
#include <string>
#include <vector>

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

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
    .columns = {{"Name"}, {"Attacher"}, {"PV"}, {"Node"}, {"Attached"}, {"Age"}},
    .cells = AttachmentCells,
};

}  // namespace ksim::api
