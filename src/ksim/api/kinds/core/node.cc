// The kind Node of v1.
//
// Source: pkg/apis/core/validation/validation.go ValidateNode, ValidateNodeUpdate.
#include "ksim/api/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/go_text.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/ip_text.h"
#include "ksim/api/rules/ip_warnings.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/rules/pod/container_resources.h"
#include "ksim/api/rules/pod/tolerations.h"
#include "ksim/api/schema/shared_patch_schemas.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kNodeTypes = R"(
AttachedVolume: devicePath!=string name!=s:UniqueVolumeName
ConfigMapNodeConfigSource: kubeletConfigKey!=string name!=string namespace!=string
   resourceVersion=string uid=s:types.UID
ContainerImage: names!=[]string sizeBytes=int64
DaemonEndpoint: Port!=int32
Node: apiVersion=string kind=string metadata=ObjectMeta spec=NodeSpec status=NodeStatus
NodeAddress: address!=string type!=s:NodeAddressType
NodeCondition: lastHeartbeatTime=Time lastTransitionTime=Time message=string reason=string
   status!=s:ConditionStatus type!=s:NodeConditionType
NodeConfigSource: configMap=*ConfigMapNodeConfigSource
NodeConfigStatus: active=*NodeConfigSource assigned=*NodeConfigSource error=string
   lastKnownGood=*NodeConfigSource
NodeDaemonEndpoints: kubeletEndpoint=DaemonEndpoint
NodeFeatures: supplementalGroupsPolicy=*bool
NodeRuntimeHandler: features=*NodeRuntimeHandlerFeatures name!=string
NodeRuntimeHandlerFeatures: recursiveReadOnlyMounts=*bool userNamespaces=*bool
NodeSpec: configSource=*NodeConfigSource externalID=string podCIDR=string podCIDRs=[]string
   providerID=string taints=[]Taint unschedulable=bool
NodeStatus: addresses=[]NodeAddress allocatable={}Quantity@ResourceList
   capacity={}Quantity@ResourceList conditions=[]NodeCondition config=*NodeConfigStatus
   daemonEndpoints=NodeDaemonEndpoints declaredFeatures=[]string features=*NodeFeatures
   images=[]ContainerImage nodeInfo=NodeSystemInfo phase=s:NodePhase
   runtimeHandlers=[]NodeRuntimeHandler volumesAttached=[]AttachedVolume
   volumesInUse=[]s:UniqueVolumeName
NodeSwapStatus: capacity=*int64
NodeSystemInfo: architecture!=string bootID!=string containerRuntimeVersion!=string
   kernelVersion!=string kubeProxyVersion!=string kubeletVersion!=string machineID!=string
   operatingSystem!=string osImage!=string swap=*NodeSwapStatus systemUUID!=string
Taint: effect!=s:TaintEffect key!=string timeAdded=*Time value=string
)";

// Convert_v1_NodeSpec_To_core_NodeSpec and back: podCIDR is the first of podCIDRs. Where the two
// differ podCIDR, the older field, decides.
Value WithPodCidrs(const Value& spec) {
  const Value& cidr = spec.Get(Fields().pod_cidr);
  const Value& cidrs = spec.Get(Fields().pod_cidrs);
  if (cidr.AsString().empty())
    return cidrs.empty() ? spec : spec.Set(Fields().pod_cidr, cidrs.at(0));
  if (!cidrs.empty() && cidrs.at(0) == cidr) return spec;
  return spec.Set(Fields().pod_cidrs, value::Arr({cidr}));
}

Value DefaultNode(const Value& tree, Compat) {
  return EditField(
      EditField(tree, Fields().spec, WithPodCidrs), Fields().status, [](const Value& status) {
        const Value& capacity = status.Get(Fields().capacity);
        return capacity.is_null() ? status : WithDefault(status, Fields().allocatable, capacity);
      });
}

// A new node keeps the status that it comes with.
Value InitialNodeStatus(const Value& tree, Compat) { return tree.Get(Fields().status); }

// A core.Taint as a bad value: as Go's %#v, or as JSON.
std::string TaintText(const Value& taint, Compat compat) {
  const std::string key = GoQuote(taint.Get("key").AsString());
  const std::string value = GoQuote(taint.Get("value").AsString());
  const std::string effect = GoQuote(taint.Get("effect").AsString());
  const std::string_view added = taint.Get("timeAdded").AsString();
  if (!ProfileOf(compat).bad_values_as_json) {
    return fmt::format("core.Taint{{Key:{}, Value:{}, Effect:{}, TimeAdded:{}}}", key, value,
                       effect, added.empty() ? "<nil>" : added);
  }
  return fmt::format("{{\"Key\":{},\"Value\":{},\"Effect\":{},\"TimeAdded\":{}}}", key, value,
                     effect, added.empty() ? "null" : GoQuote(added));
}

void CheckTaints(const Value& taints, FieldErrorList* errors) {
  const FieldPath metadata("metadata");  // where they once were
  const FieldPath path = metadata.Child("taints");
  std::vector<std::string> seen;
  for (std::size_t i = 0; i < taints.size(); ++i) {
    const FieldPath at = path.Index(i);
    const std::string_view key = taints.at(i).Get("key").AsString();
    const std::string_view value = taints.at(i).Get("value").AsString();
    const std::string_view effect = taints.at(i).Get("effect").AsString();
    errors->InvalidAll(at.Child("key"), key, QualifiedName(key, errors->compat()));
    const NameProblems problems = LabelValue(value, errors->compat());
    if (!problems.empty()) {
      errors->Invalid(at.Child("value"), value, fmt::format("{}", fmt::join(problems, ";")));
    }
    if (effect.empty()) {
      errors->Required(at.Child("effect"));
    } else {
      ValidateTaintEffect(effect, at.Child("effect"), errors);
    }
    std::string pair = fmt::format("{}:{}", key, effect);
    if (std::find(seen.begin(), seen.end(), pair) != seen.end()) {
      errors->Add("FieldValueDuplicate",
                  fmt::format("Duplicate value: {}: taints must be unique by key and effect pair",
                              TaintText(taints.at(i), errors->compat())),
                  at.ToString());
    }
    seen.push_back(std::move(pair));
  }
}

void CheckNodeQuantities(const Value& list, const FieldPath& path, FieldErrorList* errors) {
  for (const Value::Member& m : list.members()) {
    ValidateQuantity(m.name.text(), m.value, path.Child(m.name.text()), errors);
  }
}

// ValidateNodeResources.
void CheckNodeResources(const Value& node, FieldErrorList* errors) {
  const FieldPath status("status");
  CheckNodeQuantities(node.Get("status").Get("capacity"), status.Child("capacity"), errors);
  CheckNodeQuantities(node.Get("status").Get("allocatable"), status.Child("allocatable"), errors);
}

// Whether the list has an item equal to this one before it.
bool RepeatsEarlierItem(const Value& list, std::size_t i) {
  const auto end = list.items().begin() + static_cast<std::ptrdiff_t>(i);
  return std::find(list.items().begin(), end, list.at(i)) != end;
}

// netutils.IsDualStackCIDRStrings: whether both address families occur.
bool IsDualStack(const Value& cidrs) {
  bool four = false, six = false;
  for (const Value& cidr : cidrs.items()) {
    const bool colons = cidr.AsString().find(':') != std::string_view::npos;
    six = six || colons;
    four = four || !colons;
  }
  return four && six;
}

void CheckPodCidrs(const Value& cidrs, FieldErrorList* errors) {
  const FieldPath spec("spec");
  const FieldPath path = spec.Child("podCIDRs");
  for (std::size_t i = 0; i < cidrs.size(); ++i) {
    if (IsCidr(cidrs.at(i).AsString())) continue;
    errors->Invalid(path.Index(i), cidrs.at(i).AsString(),
                    "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
  }
  if (cidrs.size() < 2) return;
  if (!IsDualStack(cidrs) || cidrs.size() > 2) {
    errors->Invalid(path, cidrs, GoShape::kStringSlice,
                    "may specify no more than one CIDR for each IP family");
  }
  if (!errors->profile().node_repeated_cidrs) return;
  for (std::size_t i = 0; i < cidrs.size(); ++i) {
    if (!RepeatsEarlierItem(cidrs, i)) continue;
    errors->Duplicate(path.Index(i), cidrs.at(i).AsString());
  }
}

void CheckNodeAddresses(const Value& addresses, FieldErrorList* errors) {
  const FieldPath status("status");
  const FieldPath path = status.Child("addresses");
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (!RepeatsEarlierItem(addresses, i)) continue;
    const std::string type = GoQuote(addresses.at(i).Get("type").AsString());
    const std::string address = GoQuote(addresses.at(i).Get("address").AsString());
    const bool json = errors->profile().bad_values_as_json;
    const std::string text =
        json ? fmt::format("{{\"Type\":{},\"Address\":{}}}", type, address)
             : fmt::format("core.NodeAddress{{Type:{}, Address:{}}}", type, address);
    errors->Add("FieldValueDuplicate", "Duplicate value: " + text, path.Index(i).ToString());
  }
}

void CheckCidrsStay(const Value& now, const Value& before, FieldErrorList* errors) {
  const FieldPath spec("spec");
  const std::size_t compared = before.size() == now.size() ? before.size() : 1;
  for (std::size_t i = 0; i < compared && !before.empty(); ++i) {
    if (before.size() == now.size() && now.at(i) == before.at(i)) continue;
    errors->Forbidden(spec.Child("podCIDRs"),
                      "node updates may not change podCIDR except from \"\" to valid");
  }
}

void ValidateNode(const Value& tree, FieldErrorList* errors) {
  CheckTaints(tree.Get("spec").Get("taints"), errors);
  CheckNodeResources(tree, errors);
  CheckPodCidrs(tree.Get("spec").Get("podCIDRs"), errors);
}

void ValidateNodeUpdate(const Value& tree, const Value& old, FieldErrorList* errors) {
  const FieldPath spec("spec");
  CheckNodeResources(tree, errors);
  CheckNodeAddresses(tree.Get("status").Get("addresses"), errors);
  CheckCidrsStay(tree.Get("spec").Get("podCIDRs"), old.Get("spec").Get("podCIDRs"), errors);
  const std::string_view id = old.Get("spec").Get("providerID").AsString();
  if (!id.empty() && tree.Get("spec").Get("providerID").AsString() != id) {
    errors->Forbidden(spec.Child("providerID"),
                      "node updates may not change providerID except from \"\" to valid");
  }
  CheckTaints(tree.Get("spec").Get("taints"), errors);
  if (tree.Get("spec").Get("externalID").AsString() !=
      old.Get("spec").Get("externalID").AsString()) {
    errors->Forbidden(spec.Child("externalID"), "may not be updated");
  }
}

std::vector<std::string> NodeCells(const Object& o, VirtualTime now) {
  const NodeView node(o);
  const bool known = !node.ready_status().empty();
  std::string status = !known ? "Unknown" : node.ready() ? "Ready" : "NotReady";
  if (node.unschedulable()) status += ",SchedulingDisabled";
  const std::string roles = fmt::format("{}", fmt::join(node.Roles(), ","));
  const auto address = [&](std::string_view type) {
    const std::string_view found = node.Address(type);
    return found.empty() ? std::string("<none>") : std::string(found);
  };
  const Value& info = node.node_info();
  std::string kernel = cells::OrUnknown(info.Get("kernelVersion"));
  if (const std::string arch = cells::Text(info.Get("architecture")); !arch.empty())
    kernel += fmt::format(" ({})", arch);
  return {cells::Name(o),
          status,
          roles.empty() ? "<none>" : roles,
          cells::Age(o, now),
          cells::Text(info.Get("kubeletVersion")),
          address("InternalIP"),
          address("ExternalIP"),
          cells::OrUnknown(info.Get("osImage")),
          kernel,
          cells::OrUnknown(info.Get("containerRuntimeVersion"))};
}

constexpr value::PatchField kNodeSpecPatchFields[] = {MergeSet("podCIDRs")};
constexpr value::PatchSchema kNodeSpecPatch{kNodeSpecPatchFields};
constexpr value::PatchField kNodeStatusPatchFields[] = {MergeList("conditions", "type"),
                                                        MergeList("addresses", "type")};
constexpr value::PatchSchema kNodeStatusPatch{kNodeStatusPatchFields};
constexpr value::PatchField kNodePatchFields[] = {Nested("metadata", &kMetaPatch),
                                                  Nested("spec", &kNodeSpecPatch),
                                                  Nested("status", &kNodeStatusPatch)};
constexpr value::PatchSchema kNodePatch{kNodePatchFields};

// nodeWarnings; in 1.25 dynamicKubeletConfigIsDeprecatedWarning
std::vector<std::string> NodeWarnings(const Value& tree, Compat compat) {
  const Profile& profile = ProfileOf(compat);
  const Value& spec = tree.Get(Fields().spec);
  std::vector<std::string> warnings;
  if (!spec.Get("configSource").is_null())
    warnings.emplace_back(profile.warns_of_external_id
                              ? "spec.configSource: the feature is removed"
                              : "spec.configSource: deprecated in v1.22, support removal is "
                                "planned in v1.23");
  if (profile.warns_of_external_id && !spec.Get("externalID").AsString().empty())
    warnings.emplace_back("spec.externalID: this field is deprecated, and is unused by Kubernetes");
  const Value& cidrs = spec.Get("podCIDRs");
  for (std::size_t i = 0; profile.warns_of_ip_forms && i < cidrs.size(); ++i)
    WarnOfCidr(fmt::format("spec.podCIDRs[{}]", i), cidrs.at(i).AsString(), profile, &warnings);
  return warnings;
}

}  // namespace

extern const KindSpec kNodeKind = {
    .kind = "Node",
    .resource = "nodes",
    .short_names = {"no"},
    .storage_prefix = "minions",
    .namespaced = false,
    .has_status = true,
    .go_types = kNodeTypes,
    .patch_schema = &kNodePatch,
    .columns = {{"Name"},
                {"Status"},
                {"Roles"},
                {"Age"},
                {"Version"},
                {"Internal-IP", kWide},
                {"External-IP", kWide},
                {"OS-Image", kWide},
                {"Kernel-Version", kWide},
                {"Container-Runtime", kWide}},
    .cells = NodeCells,
    .defaults = DefaultNode,
    .initial_status = InitialNodeStatus,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMeta, kCheckObject, kCheckMetaUpdate, kCheckChange},
            .on_status_update = {kCheckMetaUpdate, kCheckChange},
            .object = ValidateNode,
            .change = ValidateNodeUpdate,
        },
    .warnings_on_create = NodeWarnings,
    .warnings_on_update = [](const value::Value& updated, const value::Value&,
                             Compat compat) { return NodeWarnings(updated, compat); },
};

}  // namespace ksim::api
