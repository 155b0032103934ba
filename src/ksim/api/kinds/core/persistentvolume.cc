// The kind PersistentVolume of v1.
//
// Source: pkg/printers/internalversion/printers.go printPersistentVolume.
#include <string>
#include <vector>

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/kinds/core/volume_cells.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

Value InitialVolumeStatus(const Value&, Compat) {
  return value::Obj({{"phase", Value::Of("Pending")}});
}

std::vector<std::string> VolumeCells(const Object& o, VirtualTime now) {
  const Value& spec = o.spec();
  const Value& claim = spec.Get("claimRef");
  return {cells::Name(o),
          cells::AmountText(spec.Get("capacity").Get("storage")),
          AccessModesText(spec.Get("accessModes")),
          cells::Text(spec.Get("persistentVolumeReclaimPolicy")),
          VolumePhase(o),
          claim.is_object()
              ? cells::Text(claim.Get("namespace")) + "/" + cells::Text(claim.Get("name"))
              : "",
          StorageClassOf(o),
          cells::TextOr(spec.Get("volumeAttributesClassName"), "<unset>"),
          cells::Text(o.status().Get("reason")),
          cells::Age(o, now),
          cells::TextOr(spec.Get("volumeMode"), "<unset>")};
}

}  // namespace

extern const KindSpec kPersistentVolumeKind = {
    .kind = "PersistentVolume",
    .resource = "persistentvolumes",
    .short_names = {"pv"},
    .namespaced = false,
    .has_status = true,
    .columns = {{"Name"},
                {"Capacity"},
                {"Access Modes"},
                {"Reclaim Policy"},
                {"Status"},
                {"Claim"},
                {"StorageClass"},
                {"VolumeAttributesClass"},
                {"Reason"},
                {"Age"},
                {"VolumeMode", kWide}},
    .cells = VolumeCells,
    .initial_status = InitialVolumeStatus,
};

}  // namespace ksim::api
