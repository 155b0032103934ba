// The kind FlowSchema of flowcontrol.apiserver.k8s.io: v1, and v1beta2 or v1beta3 where these are
// served.
//
// Source: pkg/registry/flowcontrol; pkg/printers/internalversion/printers.go printFlowSchema.
#include <string>
#include <vector>

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/kinds/flowcontrol/flow_rules.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/schema/shared_patch_schemas.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

std::vector<std::string> FlowSchemaCells(const Object& o, VirtualTime now) {
  const Value& spec = o.spec();
  std::string dangling = "?";
  for (const Value& c : o.status().Get("conditions").items()) {
    if (c.Get("type").AsString() != "Dangling") continue;
    dangling = cells::Text(c.Get("status"));
    break;
  }
  const Value& method = spec.Get("distinguisherMethod");
  return {cells::Name(o),
          cells::Text(spec.Get("priorityLevelConfiguration").Get("name")),
          std::to_string(spec.Get("matchingPrecedence").AsInt()),
          method.is_null() ? "<none>" : cells::Text(method.Get("type")),
          cells::Age(o, now),
          dangling};
}

// Every version; where they differ, the rules and defaults look at the object.
KindSpec FlowSchemaAt(const char* version, bool Profile::* served,
                      Value (*to_stored)(const Value& tree) = nullptr,
                      Value (*from_stored)(const Value& tree) = nullptr) {
  return {
      .group = "flowcontrol.apiserver.k8s.io",
      .version = version,
      .kind = "FlowSchema",
      .resource = "flowschemas",
      .served = served,
      .cached_from_start = false,
      .to_stored = to_stored,
      .from_stored = from_stored,
      .namespaced = false,
      .has_status = true,
      .has_generation = true,
      .create_on_update = true,
      .unconditional_update = false,
      .patch_schema = &kStatusConditionsPatch,
      .columns = {{"Name"},
                  {"PriorityLevel"},
                  {"MatchingPrecedence"},
                  {"DistinguisherMethod"},
                  {"Age"},
                  {"MissingPL"}},
      .cells = FlowSchemaCells,
      .defaults = DefaultFlowSchema,
      .validation =
          {
              .on_create = {kCheckMeta, kCheckObject, kCheckStatus},
              .on_update = {kCheckMetaUpdate, kCheckMeta, kCheckObject, kCheckStatus},
              .on_status_update = {kCheckStatus},
              .object = ValidateFlowSchema,
              .status = ValidateFlowStatus,
          },
  };
}

}  // namespace

extern const KindSpec kFlowSchemaKind = FlowSchemaAt("v1", &Profile::serves_flow_control_v1);
extern const KindSpec kFlowSchemaBetaKind =
    FlowSchemaAt("v1beta2", &Profile::serves_flow_control_beta);
extern const KindSpec kFlowSchemaBeta3Kind =
    FlowSchemaAt("v1beta3", &Profile::serves_flow_control_beta3, FlowToV1, FlowToBeta3);

}  // namespace ksim::api
