// The kind RuntimeClass of node.k8s.io/v1.
#include <string>
#include <vector>

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"

namespace ksim::api {

namespace {

std::vector<std::string> HandlerCells(const Object& o, VirtualTime now) {
  return {cells::Name(o), cells::Text(o.tree().Get("handler")), cells::Age(o, now)};
}

}  // namespace

extern const KindSpec kRuntimeClassKind = {
    .group = "node.k8s.io",
    .kind = "RuntimeClass",
    .resource = "runtimeclasses",
    .namespaced = false,
    .create_on_update = true,
    .unconditional_update = false,
    .columns = {{"Name"}, {"Handler"}, {"Age"}},
    .cells = HandlerCells,
    .validation =
        {
            .standard_finalizers = false,
        },
};

}  // namespace ksim::api
