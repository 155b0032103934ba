// The kind PriorityLevelConfiguration of flowcontrol.apiserver.k8s.io: v1, and v1beta2 or v1beta3
// where these are served.
//
// Source: pkg/registry/flowcontrol; pkg/printers/internalversion/printers.go
// printPriorityLevelConfiguration.
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

std::string NumberOrNone(bool given, const Value& number) {
  return given ? std::to_string(number.AsInt()) : "<none>";
}

std::vector<std::string> PriorityLevelCells(const Object& o, VirtualTime now) {
  const Value& limited = o.spec().Get("limited");
  const Value& queuing = limited.Get("limitResponse").Get("queuing");
  const Value& shares = limited.Has("assuredConcurrencyShares")
                            ? limited.Get("assuredConcurrencyShares")
                            : limited.Get("nominalConcurrencyShares");
  const bool queues = !queuing.is_null();
  return {cells::Name(o),
          cells::Text(o.spec().Get("type")),
          NumberOrNone(!limited.is_null(), shares),
          NumberOrNone(queues, queuing.Get("queues")),
          NumberOrNone(queues, queuing.Get("handSize")),
          NumberOrNone(queues, queuing.Get("queueLengthLimit")),
          cells::Age(o, now)};
}

// Every version; where they differ, the rules and defaults look at the object.
KindSpec PriorityLevelConfigurationAt(const char* version, bool Profile::* served,
                                      Value (*to_stored)(const Value& tree) = nullptr,
                                      Value (*from_stored)(const Value& tree) = nullptr) {
  return {
      .group = "flowcontrol.apiserver.k8s.io",
      .version = version,
      .kind = "PriorityLevelConfiguration",
      .resource = "prioritylevelconfigurations",
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
                  {"Type"},
                  {"NominalConcurrencyShares"},
                  {"Queues"},
                  {"HandSize"},
                  {"QueueLengthLimit"},
                  {"Age"}},
      .cells = PriorityLevelCells,
      .defaults = DefaultPriorityLevel,
      .validation =
          {
              .on_create = {kCheckMeta, kCheckObject, kCheckStatus},
              .on_update = {kCheckMetaUpdate, kCheckMeta, kCheckObject, kCheckStatus},
              .on_status_update = {kCheckStatus},
              .object = ValidatePriorityLevel,
              .status = ValidateFlowStatus,
          },
  };
}

}  // namespace

extern const KindSpec kPriorityLevelConfigurationKind =
    PriorityLevelConfigurationAt("v1", &Profile::serves_flow_control_v1);
extern const KindSpec kPriorityLevelConfigurationBetaKind =
    PriorityLevelConfigurationAt("v1beta2", &Profile::serves_flow_control_beta);
extern const KindSpec kPriorityLevelConfigurationBeta3Kind = PriorityLevelConfigurationAt(
    "v1beta3", &Profile::serves_flow_control_beta3, FlowToV1, FlowToBeta3);

}  // namespace ksim::api
