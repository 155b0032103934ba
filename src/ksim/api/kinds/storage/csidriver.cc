// The kind CSIDriver of storage.k8s.io/v1.
//
// Source: pkg/printers/internalversion/printers.go printCSIDriver.
#include <string>
#include <vector>

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

// A driver without modes has the mode Persistent by default.
std::vector<std::string> DriverCells(const Object& o, VirtualTime now) {
  const Value& spec = o.spec();
  std::vector<std::string> modes;
  for (const Value& m : spec.Get("volumeLifecycleModes").items()) modes.push_back(cells::Text(m));
  const Value& tokens = spec.Get("tokenRequests");
  return {cells::Name(o),
          spec.Get("attachRequired").is_null() ? "true" : cells::YesNo(spec.Get("attachRequired")),
          cells::YesNo(spec.Get("podInfoOnMount")),
          cells::YesNo(spec.Get("storageCapacity")),
          tokens.is_null() ? "<unset>" : cells::JoinField(tokens, "audience"),
          cells::YesNo(spec.Get("requiresRepublish")),
          modes.empty() ? "Persistent" : cells::JoinTexts(modes, ","),
          cells::Age(o, now)};
}

}  // namespace

extern const KindSpec kCSIDriverKind = {
    .group = "storage.k8s.io",
    .kind = "CSIDriver",
    .resource = "csidrivers",
    .namespaced = false,
    .has_generation = true,
    .unconditional_update = false,
    .columns = {{"Name"},
                {"AttachRequired"},
                {"PodInfoOnMount"},
                {"StorageCapacity"},
                {"TokenRequests"},
                {"RequiresRepublish"},
                {"Modes"},
                {"Age"}},
    .cells = DriverCells,
};

}  // namespace ksim::api
