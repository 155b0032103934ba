// The kind CSIDriver of storage.k8s.io/v1.
//
// Source: pkg/printers/internalversion/printers.go printCSIDriver.
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kCSIDriverTypes = R"(
CSIDriver: apiVersion=string kind=string metadata=ObjectMeta spec!=CSIDriverSpec
CSIDriverSpec: attachRequired=*bool fsGroupPolicy=*s:FSGroupPolicy
   nodeAllocatableUpdatePeriodSeconds=*int64 podInfoOnMount=*bool
   preventPodSchedulingIfMissing=*bool requiresRepublish=*bool seLinuxMount=*bool
   serviceAccountTokenInSecrets=*bool storageCapacity=*bool tokenRequests=[]StorageTokenRequest
   volumeLifecycleModes=[]s:VolumeLifecycleMode
StorageTokenRequest: audience!=string expirationSeconds=*int64
)";

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

std::vector<std::string> DriverWarnings(const Value& tree, Compat compat) {
  const Value& spec = tree.Get("spec");
  if (!ProfileOf(compat).warns_of_token_requests || spec.Get("tokenRequests").empty() ||
      !spec.Get("serviceAccountTokenInSecrets").is_null())
    return {};
  return {
      "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to "
      "prevent possible logging of tokens in volume attributes"};
}

std::vector<std::string> DriverUpdateWarnings(const Value& updated, const Value& old,
                                              Compat compat) {
  if (updated.Get("spec").Get("tokenRequests") == old.Get("spec").Get("tokenRequests")) return {};
  return DriverWarnings(updated, compat);
}

}  // namespace

extern const KindSpec kCSIDriverKind = {
    .group = "storage.k8s.io",
    .kind = "CSIDriver",
    .resource = "csidrivers",
    .namespaced = false,
    .has_generation = true,
    .unconditional_update = false,
    .go_types = kCSIDriverTypes,
    .columns = {{"Name"},
                {"AttachRequired"},
                {"PodInfoOnMount"},
                {"StorageCapacity"},
                {"TokenRequests"},
                {"RequiresRepublish"},
                {"Modes"},
                {"Age"}},
    .cells = DriverCells,
    .warnings_on_create = DriverWarnings,
    .warnings_on_update = DriverUpdateWarnings,
};

}  // namespace ksim::api
