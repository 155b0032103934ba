// The kind ControllerRevision of apps/v1.
//
// Source: pkg/printers/internalversion/printers.go printControllerRevision.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"

namespace ksim::api {

namespace {

constexpr std::string_view kControllerRevisionTypes = R"(
ControllerRevision: apiVersion=string data=Raw kind=string metadata=ObjectMeta revision!=int64
)";

std::vector<std::string> RevisionCells(const Object& o, VirtualTime now) {
  std::string owner = "<none>";
  if (const auto controller = o.controller()) {
    const std::string_view group = GroupOf(controller->api_version);
    std::string kind(controller->kind);
    if (!group.empty()) kind += fmt::format(".{}", group);
    kind = cells::Lower(kind);
    owner = fmt::format("{}/{}", kind, controller->name);
  }
  return {cells::Name(o), owner, std::to_string(o.tree().Get("revision").AsInt()),
          cells::Age(o, now)};
}

}  // namespace

extern const KindSpec kControllerRevisionKind = {
    .group = "apps",
    .kind = "ControllerRevision",
    .resource = "controllerrevisions",
    .go_types = kControllerRevisionTypes,
    .columns = {{"Name"}, {"Controller"}, {"Revision"}, {"Age"}},
    .cells = RevisionCells,
};

}  // namespace ksim::api
