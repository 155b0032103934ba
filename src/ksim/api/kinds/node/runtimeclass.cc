// The kind RuntimeClass of node.k8s.io/v1.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/node_labels.h"
#include "ksim/value/value.h"

namespace ksim::api {

namespace {

constexpr std::string_view kRuntimeClassTypes = R"(
Overhead: podFixed={}Quantity@ResourceList
RuntimeClass: apiVersion=string handler!=string kind=string metadata=ObjectMeta overhead=*Overhead
   scheduling=*Scheduling
Scheduling: nodeSelector={}string tolerations=[]Toleration
)";

std::vector<std::string> HandlerCells(const Object& o, VirtualTime now) {
  return {cells::Name(o), cells::Text(o.tree().Get("handler")), cells::Age(o, now)};
}

// pkg/api/node/util.go GetWarningsForRuntimeClass, by the names of the labels.
std::vector<std::string> RuntimeClassWarnings(const value::Value& tree, Compat compat) {
  std::vector<std::string> warnings;
  for (const value::Value::Member& m : tree.Get("scheduling").Get("nodeSelector").members()) {
    const std::string_view text = DeprecatedLabelText(m.name.text(), ProfileOf(compat));
    if (!text.empty()) warnings.push_back(fmt::format("scheduling.nodeSelector: {}", text));
  }
  return warnings;
}

}  // namespace

extern const KindSpec kRuntimeClassKind = {
    .group = "node.k8s.io",
    .kind = "RuntimeClass",
    .resource = "runtimeclasses",
    .namespaced = false,
    .create_on_update = true,
    .unconditional_update = false,
    .go_types = kRuntimeClassTypes,
    .columns = {{"Name"}, {"Handler"}, {"Age"}},
    .cells = HandlerCells,
    .validation =
        {
            .standard_finalizers = false,
        },
    .warnings_on_create = RuntimeClassWarnings,
    .warnings_on_update = [](const value::Value& updated, const value::Value&,
                             Compat compat) { return RuntimeClassWarnings(updated, compat); },
};

}  // namespace ksim::api
