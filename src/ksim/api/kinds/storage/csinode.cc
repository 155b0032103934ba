#include <string>
#include <vector>

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"

namespace ksim::api {

namespace {

std::vector<std::string> DriversCells(const Object& o, VirtualTime now) {
  return {cells::Name(o), std::to_string(o.spec().Get("drivers").size()), cells::Age(o, now)};
}

}  // namespace

extern const KindSpec kCSINodeKind = {
    .group = "storage.k8s.io",
    .kind = "CSINode",
    .resource = "csinodes",
    .namespaced = false,
    .unconditional_update = false,
    .columns = {{"Name"}, {"Drivers"}, {"Age"}},
    .cells = DriversCells,
};

}  // namespace ksim::api
