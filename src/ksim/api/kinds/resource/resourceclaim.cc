// The kind ResourceClaim of resource.k8s.io/v1. Its Go types are those of all kinds of the group.
//
// Sources: pkg/registry/resource/resourceclaim/strategy.go; pkg/apis/resource/validation/
// validation.go ValidateResourceClaim, ValidateResourceClaimStatusUpdate;
// pkg/printers/internalversion/printers.go printResourceClaim.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/resource/device_claim.h"
#include "ksim/api/kinds/resource/device_rules.h"
#include "ksim/api/kinds/resource/device_texts.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/pod/pod_affinity.h"
#include "ksim/api/schema/shared_patch_schemas.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kResourceClaimTypes = R"(
AllocatedDeviceStatus: conditions!=[]Condition data=*Raw device!=string driver!=string
   networkData=*NetworkDeviceData pool!=string shareID=*string
AllocationResult: allocationTimestamp=*Time devices=DeviceAllocationResult
   nodeSelector=*NodeSelector
CapacityRequirements: requests={}Quantity
CELDeviceSelector: expression!=string
DeviceAllocationConfiguration: opaque=*OpaqueDeviceConfiguration requests=[]string
   source!=s:AllocationConfigSource
DeviceAllocationResult: config=[]DeviceAllocationConfiguration
   results=[]DeviceRequestAllocationResult
DeviceClaim: config=[]DeviceClaimConfiguration constraints=[]DeviceConstraint
   requests!=[]DeviceRequest
DeviceClaimConfiguration: opaque=*OpaqueDeviceConfiguration requests=[]string
DeviceConstraint: distinctAttribute=*s:FullyQualifiedName matchAttribute=*s:FullyQualifiedName
   requests=[]string
DeviceRequest: exactly=*ExactDeviceRequest firstAvailable=[]DeviceSubRequest name!=string
DeviceRequestAllocationResult: adminAccess=*bool bindingConditions=[]string
   bindingFailureConditions=[]string consumedCapacity={}Quantity device!=string driver!=string
   pool!=string request!=string shareID=*s:types.UID tolerations=[]DeviceToleration
DeviceSelector: cel=*CELDeviceSelector
DeviceSubRequest: allocationMode=s:DeviceAllocationMode capacity=*CapacityRequirements count=int64
   deviceClassName!=string name!=string selectors=[]DeviceSelector tolerations=[]DeviceToleration
DeviceToleration: effect=s:DeviceTaintEffect key=string operator=s:DeviceTolerationOperator
   tolerationSeconds=*int64 value=string
ExactDeviceRequest: adminAccess=*bool allocationMode=s:DeviceAllocationMode
   capacity=*CapacityRequirements count=int64 deviceClassName!=string selectors=[]DeviceSelector
   tolerations=[]DeviceToleration
NetworkDeviceData: hardwareAddress=string interfaceName=string ips=[]string
OpaqueDeviceConfiguration: driver!=string parameters!=Raw
resource.ResourceClaim: apiVersion=string kind=string metadata=ObjectMeta spec!=ResourceClaimSpec
   status=ResourceClaimStatus
ResourceClaimConsumerReference: apiGroup=string name!=string resource!=string uid!=s:types.UID
ResourceClaimSpec: devices!=DeviceClaim
ResourceClaimStatus: allocation=*AllocationResult devices=[]AllocatedDeviceStatus
   reservedFor=[]ResourceClaimConsumerReference
)";

constexpr value::PatchField kClaimStatusPatchFields[] = {MergeList("reservedFor", "uid")};
constexpr value::PatchSchema kClaimStatusPatch{kClaimStatusPatchFields};
constexpr value::PatchField kClaimPatchFields[] = {Nested("metadata", &kMetaPatch),
                                                   Nested("status", &kClaimStatusPatch)};
constexpr value::PatchSchema kClaimPatch{kClaimPatchFields};

constexpr std::size_t kMostConsumers = 256;  // ResourceClaimReservedForMaxSize
constexpr std::size_t kMostConditions = 8;   // AllocatedDeviceStatusMaxConditions
constexpr std::size_t kMostAddresses = 16;   // NetworkDeviceDataMaxIPs
constexpr std::size_t kNoLimit = static_cast<std::size_t>(-1);

// structured.SharedDeviceID.String: DRIVER/POOL/DEVICE and the share.
std::string DeviceKey(const Value& device) {
  std::string key;
  for (const char* field : {"driver", "pool", "device"}) {
    if (!key.empty()) key += '/';
    key += device.Get(field).AsString();
  }
  const std::string_view share = device.Get("shareID").AsString();
  return share.empty() ? key : key + "/" + std::string(share);
}

std::set<std::string> AllocatedDevices(const Value& status) {
  std::set<std::string> devices;
  for (const Value& result : status.Get("allocation").Get("devices").Get("results").items())
    devices.insert(DeviceKey(result));
  return devices;
}

Value DefaultClaim(const Value& tree, Compat) {
  return EditField(tree, Fields().spec, DefaultClaimSpec);
}

// dropDeallocatedStatusDevices: a device that is no longer allocated has no status.
Value DropDeallocated(const Value& old, Value updated, Compat) {
  static const value::Atom kDevices("devices");
  const Value& status = updated.Get(Fields().status);
  std::set<std::string> gone = AllocatedDevices(old.Get(Fields().status));
  for (const std::string& device : AllocatedDevices(status)) gone.erase(device);
  std::vector<Value> kept;
  for (const Value& device : status.Get(kDevices).items())
    if (!gone.contains(DeviceKey(device))) kept.push_back(device);
  if (kept.size() == status.Get(kDevices).size()) return updated;
  const Value devices = kept.empty() ? Value() : Value::Array(std::move(kept));
  return std::move(updated).Set(Fields().status, SetOrErase(status, kDevices, devices));
}

void ValidateClaim(const Value& tree, FieldErrorList* errors) {
  CheckClaimSpec(tree.Get(Fields().spec), FieldPath("spec"), errors);
}

void CheckClaimStays(const Value& updated, const Value& old, FieldErrorList* errors) {
  CheckDevicePartStays(updated.Get(Fields().spec), old.Get(Fields().spec), "ClaimSpec",
                       FieldPath("spec"), errors);
}

// validateResourceClaimUserReference
void CheckConsumer(const Value& consumer, const FieldPath& path, FieldErrorList* errors) {
  for (const char* field : {"resource", "name", "uid"})
    if (consumer.Get(field).AsString().empty()) errors->Required(path.Child(field));
}

// The names that say which device it is.
void CheckDeviceNames(const Value& device, const FieldPath& path, FieldErrorList* errors) {
  CheckDriverName(device.Get("driver").AsString(), path.Child("driver"), errors);
  CheckPoolName(device.Get("pool").AsString(), path.Child("pool"), errors);
  CheckDeviceLabel(device.Get("device").AsString(), path.Child("device"), errors);
}

void CheckShare(const Value& device, const FieldPath& path, FieldErrorList* errors) {
  const Value& share = device.Get("shareID");
  if (!share.is_null()) CheckShareId(share.AsString(), path.Child("shareID"), errors);
}

// validateAllocationResult
void CheckAllocation(const Value& allocation, const RequestNames& names, const FieldPath& path,
                     FieldErrorList* errors) {
  const FieldPath devices = path.Child("devices");
  CheckList(allocation.Get("devices").Get("results"), kMostDeviceItems, devices.Child("results"),
            errors, [&](const Value& result, const FieldPath& at, FieldErrorList* list) {
              CheckRequestReference(result.Get("request").AsString(), names, at.Child("request"),
                                    list);
              CheckDeviceNames(result, at, list);
              CheckBindingConditions(result, at, list);
              CheckShare(result, at, list);
            });
  CheckList(allocation.Get("devices").Get("config"), 2 * kMostDeviceItems, devices.Child("config"),
            errors, [&](const Value& config, const FieldPath& at, FieldErrorList* list) {
              ValidateChoice(config.Get("source").AsString(), true, at.Child("source"),
                             {"FromClaim", "FromClass"}, list);
              CheckSet(
                  config.Get("requests"), kMostDeviceItems, at.Child("requests"), list,
                  [](const Value& name) { return name.AsString(); },
                  [&](const Value& name, const FieldPath& item, FieldErrorList* more) {
                    CheckRequestReference(name.AsString(), names, item, more);
                  });
              CheckDeviceConfiguration(config, at, list);
            });
  const Value& selector = allocation.Get("nodeSelector");
  if (!selector.is_null()) ValidateNodeSelector(selector, path.Child("nodeSelector"), errors);
}

// validateNetworkDeviceData, but for the form of the addresses.
void CheckNetwork(const Value& network, const FieldPath& path, FieldErrorList* errors) {
  constexpr std::int64_t kLongestInterface = 256, kLongestHardware = 128;
  const auto check = [&](const char* field, std::int64_t most) {
    if (static_cast<std::int64_t>(network.Get(field).AsString().size()) > most)
      errors->TooLong(path.Child(field), most);
  };
  check("interfaceName", kLongestInterface);
  check("hardwareAddress", kLongestHardware);
  CheckSet(
      network.Get("ips"), kMostAddresses, path.Child("ips"), errors,
      [](const Value& ip) { return ip.AsString(); },
      [](const Value&, const FieldPath&, FieldErrorList*) {});
}

// validateDeviceStatus, but for the form of the conditions.
void CheckDeviceStatus(const Value& device, const std::set<std::string>& allocated,
                       const FieldPath& path, FieldErrorList* errors) {
  CheckDeviceNames(device, path, errors);
  CheckShare(device, path, errors);
  if (!allocated.contains(DeviceKey(device)))
    RefuseDevicePart(device, "Shared", "must be an allocated device in the claim", path, errors);
  const Value& conditions = device.Get("conditions");
  if (conditions.size() > kMostConditions)
    errors->TooMany(path.Child("conditions"), conditions.size(), kMostConditions);
  if (!device.Get("data").is_null())
    CheckJsonObject(device.Get("data"), path.Child("data"), errors);
  CheckNetwork(device.Get("networkData"), path.Child("networkData"), errors);
}

bool AddsConsumers(const Value& updated, const Value& old) {
  for (const Value& consumer : updated.items())
    if (std::find(old.items().begin(), old.items().end(), consumer) == old.items().end())
      return true;
  return false;
}

void CheckStatusChange(const Value& updated, const Value& old, FieldErrorList* errors) {
  const FieldPath path("status");
  const Value& status = updated.Get(Fields().status);
  const Value& before = old.Get(Fields().status);
  const Value& reserved = status.Get("reservedFor");
  const FieldPath reserved_path = path.Child("reservedFor");
  CheckSet(
      reserved, kMostConsumers, reserved_path, errors,
      [](const Value& consumer) { return consumer.Get("uid").AsString(); }, CheckConsumer);
  const std::set<std::string> allocated = AllocatedDevices(status);
  CheckSet(status.Get("devices"), kNoLimit, path.Child("devices"), errors, DeviceKey,
           [&](const Value& device, const FieldPath& at, FieldErrorList* list) {
             CheckDeviceStatus(device, allocated, at, list);
           });
  const Value& allocation = status.Get("allocation");
  const bool deleted = !updated.Get(Fields().metadata).Get(Fields().deletion_timestamp).is_null();
  if (!reserved.empty() && allocation.is_null()) {
    errors->Forbidden(reserved_path, "may not be specified when `allocated` is not set");
  } else if (deleted && AddsConsumers(reserved, before.Get("reservedFor"))) {
    errors->Forbidden(reserved_path,
                      "new entries may not be added while `deallocationRequested` or "
                      "`deletionTimestamp` are set");
  }
  if (allocation.is_null()) return;
  if (before.Get("allocation").is_null()) {
    CheckAllocation(allocation, RequestNames(updated.Get(Fields().spec)), path.Child("allocation"),
                    errors);
  } else {
    CheckDevicePartStays(allocation, before.Get("allocation"), "Allocation",
                         path.Child("allocation"), errors);
  }
}

// resourceClaimState
std::vector<std::string> ClaimCells(const Object& o, VirtualTime now) {
  std::vector<std::string> states;
  const bool deleted = !o.Get({"metadata", "deletionTimestamp"}).is_null();
  if (deleted) states.emplace_back("deleted");
  if (!o.status().Get("allocation").is_null()) {
    states.emplace_back("allocated");
    if (!o.status().Get("reservedFor").empty()) states.emplace_back("reserved");
  } else if (!deleted) {
    states.emplace_back("pending");
  }
  return {cells::Name(o), cells::JoinTexts(states, ","), cells::Age(o, now)};
}

}  // namespace

extern const KindSpec kResourceClaimKind = {
    .group = "resource.k8s.io",
    .kind = "ResourceClaim",
    .resource = "resourceclaims",
    .served = &Profile::serves_device_claims,
    .cached_from_start = false,
    .has_status = true,
    .go_types = kResourceClaimTypes,
    .go_struct = "resource.ResourceClaim",
    .patch_schema = &kClaimPatch,
    .columns = {{"Name"}, {"State"}, {"Age"}},
    .cells = ClaimCells,
    .defaults = DefaultClaim,
    .prepare_status_update = DropDeallocated,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMeta, kCheckMetaUpdate, kCheckChange},
            .on_status_update = {kCheckMetaUpdate, kCheckChange},
            .object = ValidateClaim,
            .change = CheckClaimStays,
            .status_change = CheckStatusChange,
        },
};

}  // namespace ksim::api
