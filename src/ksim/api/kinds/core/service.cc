// The kind Service of v1.
//
// The validation checks type, ports and cluster addresses, and no traffic policies, source ranges
// and load balancers: no simulated component reads them.
//
// Source: pkg/apis/core/validation/validation.go ValidateService; pkg/registry/core/service.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/core/service_fields.h"
#include "ksim/api/kinds/core/service_warnings.h"
#include "ksim/api/kinds/shared/network.h"
#include "ksim/api/kinds/shared/pod_template.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/ip_text.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/schema/shared_patch_schemas.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

constexpr std::string_view kServiceTypes = R"(
ClientIPConfig: timeoutSeconds=*int32
LoadBalancerIngress: hostname=string ip=string ipMode=*s:LoadBalancerIPMode ports=[]PortStatus
LoadBalancerStatus: ingress=[]LoadBalancerIngress
PortStatus: error=*string port!=int32 protocol!=s:Protocol
Service: apiVersion=string kind=string metadata=ObjectMeta spec=ServiceSpec status=ServiceStatus
ServicePort: appProtocol=*string name=string nodePort=int32 port!=int32 protocol=s:Protocol
   targetPort=IntOrString
ServiceSpec: allocateLoadBalancerNodePorts=*bool clusterIP=string clusterIPs=[]string
   externalIPs=[]string externalName=string externalTrafficPolicy=s:ServiceExternalTrafficPolicy
   healthCheckNodePort=int32 internalTrafficPolicy=*s:ServiceInternalTrafficPolicy
   ipFamilies=[]s:IPFamily ipFamilyPolicy=*s:IPFamilyPolicy loadBalancerClass=*string
   loadBalancerIP=string loadBalancerSourceRanges=[]string ports=[]ServicePort
   publishNotReadyAddresses=bool selector={}string sessionAffinity=s:ServiceAffinity
   sessionAffinityConfig=*SessionAffinityConfig trafficDistribution=*string type=s:ServiceType
ServiceStatus: conditions=[]Condition loadBalancer=LoadBalancerStatus
SessionAffinityConfig: clientIP=*ClientIPConfig
)";

Value DefaultServicePort(const Value& port) {
  return WithNonEmpty(WithNonEmpty(port, Fields().protocol, Value::Of("TCP")), Fields().target_port,
                      port.Get(Fields().port));
}

Value DefaultService(const Value& tree, Compat) {
  return EditSpec(tree, [](const Value& s) {
    Value spec = WithNonEmpty(s, Fields().session_affinity, Value::Of("None"));
    spec = WithNonEmpty(std::move(spec), Fields().type, Value::Of("ClusterIP"));
    spec = EditField(std::move(spec), Fields().ports,
                     [](const Value& ports) { return EditItems(ports, DefaultServicePort); });
    const std::string_view type = spec.Get(Fields().type).AsString();
    const bool balancer = type == "LoadBalancer";
    const bool external = balancer || type == "NodePort";
    const bool internal = external || type == "ClusterIP";
    if (external)
      spec = WithNonEmpty(std::move(spec), Fields().external_traffic_policy, Value::Of("Cluster"));
    if (internal)
      spec = WithDefault(std::move(spec), Fields().internal_traffic_policy, Value::Of("Cluster"));
    if (balancer)
      spec = WithDefault(std::move(spec), Fields().allocate_load_balancer_node_ports,
                         Value::Bool(true));
    return spec;
  });
}

Value InitialServiceStatus(const Value&, Compat) {
  return value::Obj({{"loadBalancer", Value::EmptyObject()}});
}

Value PrepareNewService(Value tree, Compat) {
  return EditField(std::move(tree), Fields().spec, WithServiceAddresses);
}

Value PrepareServiceUpdate(const Value& old, Value updated, Compat) {
  return WithoutUnneededServiceFields(
      EditField(std::move(updated), Fields().spec,
                [&](const Value& spec) { return WithOldServiceValues(spec, old.Get("spec")); }),
      old);
}

bool IsHeadless(const Value& spec) {
  const Value& ips = spec.Get("clusterIPs");
  return ips.size() == 1 && ips.at(0).AsString() == "None";
}

void CheckServiceType(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view type = spec.Get("type").AsString();
  const bool balancer = type == "LoadBalancer";
  if (spec.Get("ports").empty() && !IsHeadless(spec) && type != "ExternalName") {
    errors->Required(path.Child("ports"));
  }
  if ((balancer || type == "NodePort") && IsHeadless(spec)) {
    const FieldPath ips = path.Child("clusterIPs");
    errors->Invalid(ips.Index(0), "None",
                    fmt::format("may not be set to 'None' for {} services", type));
  }
  if (type != "ExternalName") return;
  for (const char* field : {"clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
    if (spec.Get(field).is_null()) continue;
    errors->Forbidden(path.Child(field), "may not be set for ExternalName services");
  }
  std::string_view name = spec.Get("externalName").AsString();
  if (name.ends_with('.')) name.remove_suffix(1);
  if (name.empty()) return errors->Required(path.Child("externalName"));
  errors->InvalidAll(path.Child("externalName"), name, Dns1123Subdomain(name));
}

// ValidatePortNumOrName.
void CheckTargetPort(const Value& target, const FieldPath& path, FieldErrorList* errors) {
  if (target.is_string()) {
    errors->InvalidAll(path, target.AsString(), PortName(target.AsString()));
  } else {
    for (const std::string& problem : PortNumber(target.AsInt())) {
      errors->Invalid(path, target.AsInt(), problem);
    }
  }
}

void CheckServicePort(const Value& port, bool named, std::vector<std::string_view>* names,
                      const FieldPath& path, FieldErrorList* errors) {
  const std::string_view name = port.Get("name").AsString();
  if (name.empty()) {
    if (named) errors->Required(path.Child("name"));
  } else {
    errors->InvalidAll(path.Child("name"), name, Dns1123Label(name, errors->compat()));
    if (std::find(names->begin(), names->end(), name) != names->end()) {
      errors->Duplicate(path.Child("name"), name);
    }
    names->push_back(name);
  }
  for (const std::string& problem : PortNumber(port.Get("port").AsInt())) {
    errors->Invalid(path.Child("port"), port.Get("port").AsInt(), problem);
  }
  const std::string_view protocol = port.Get("protocol").AsString();
  if (protocol.empty()) {
    errors->Required(path.Child("protocol"));
  } else {
    ValidateProtocol(protocol, path.Child("protocol"), errors);
  }
  CheckTargetPort(port.Get("targetPort"), path.Child("targetPort"), errors);
  const Value& app = port.Get("appProtocol");
  if (!app.is_string()) return;
  errors->InvalidAll(path.Child("appProtocol"), app.AsString(),
                     QualifiedName(app.AsString(), errors->compat()));
}

// ValidateServiceClusterIPsRelatedFields.
void CheckClusterIps(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  if (spec.Get("type").AsString() == "ExternalName") return;
  const std::string_view ip = spec.Get("clusterIP").AsString();
  const Value& ips = spec.Get("clusterIPs");
  const FieldPath at = path.Child("clusterIPs");
  if (ip.empty() && !ips.empty()) {
    errors->Invalid(at, ips, GoShape::kStringSlice,
                    "must be empty when `clusterIP` is not specified");
  } else if (!ip.empty() && ips.empty()) {
    errors->Required(at);
  } else if (!ip.empty() && ips.at(0).AsString() != ip) {
    errors->Invalid(at, ips, GoShape::kStringSlice, "first value must match `clusterIP`");
  }
  for (std::size_t i = 0; i < ips.size(); ++i) {
    const std::string_view address = ips.at(i).AsString();
    if (i == 0 && address == "None") {
      if (ips.size() > 1) {
        errors->Invalid(at, ips, GoShape::kStringSlice, "'None' must be the first and only value");
      }
    } else if (!IsIp(address)) {
      errors->Invalid(at.Index(i), address,
                      "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
    }
  }
  if (ips.size() > 2)
    errors->Invalid(at, ips, GoShape::kStringSlice, "may only hold up to 2 values");
}

void CheckKnownText(const Value& spec, const char* field, const FieldPath& path,
                    std::initializer_list<std::string_view> known, FieldErrorList* errors) {
  const std::string_view text = spec.Get(field).AsString();
  if (text.empty()) return errors->Required(path.Child(field));
  if (std::find(known.begin(), known.end(), text) != known.end()) return;
  errors->NotSupported(path.Child(field), text, known);
}

void CheckNodePorts(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  if (spec.Get("type").AsString() != "ClusterIP") return;
  const Value& ports = spec.Get("ports");
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (ports.at(i).Get("nodePort").AsInt() == 0) continue;
    const FieldPath at = path.Index(i);
    errors->Forbidden(at.Child("nodePort"), "may not be used when `type` is 'ClusterIP'");
  }
}

// Refuses a pair of protocol and port that an earlier port has. The bad value is a core.ServicePort
// with these two fields set, as Go's %#v or as JSON.
void CheckDuplicatePorts(const Value& ports, const FieldPath& path, FieldErrorList* errors) {
  const bool json = errors->profile().bad_values_as_json;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::string_view protocol = ports.at(i).Get("protocol").AsString();
    const std::int64_t number = ports.at(i).Get("port").AsInt();
    bool seen = false;
    for (std::size_t j = 0; j < i; ++j) {
      const Value& p = ports.at(j);
      seen = seen || (p.Get("protocol").AsString() == protocol && p.Get("port").AsInt() == number);
    }
    if (!seen) continue;
    const std::string text =
        json ? fmt::format(
                   "{{\"Name\":\"\",\"Protocol\":\"{}\",\"AppProtocol\":null,"
                   "\"Port\":{},\"TargetPort\":0,\"NodePort\":0}}",
                   protocol, number)
             : fmt::format(
                   "core.ServicePort{{Name:\"\", Protocol:\"{}\", "
                   "AppProtocol:(*string)(nil), Port:{}, TargetPort:intstr.IntOrString{{"
                   "Type:0, IntVal:0, StrVal:\"\"}}, NodePort:0}}",
                   protocol, number);
    errors->Add("FieldValueDuplicate", "Duplicate value: " + text, path.Index(i).ToString());
  }
}

void ValidateService(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("spec");
  const FieldPath ports_path = path.Child("ports");
  const Value& spec = tree.Get("spec");
  const Value& ports = spec.Get("ports");
  CheckServiceType(spec, path, errors);
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    CheckServicePort(ports.at(i), ports.size() > 1, &names, ports_path.Index(i), errors);
  }
  ValidateLabels(spec.Get("selector"), path.Child("selector"), errors);
  CheckKnownText(spec, "sessionAffinity", path, {"ClientIP", "None"}, errors);
  CheckClusterIps(spec, path, errors);
  CheckKnownText(spec, "type", path, {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"},
                 errors);
  CheckNodePorts(spec, ports_path, errors);
  CheckDuplicatePorts(ports, ports_path, errors);
}

// validateUpgradeDowngradeClusterIPs: the first address stays.
void ValidateServiceUpdate(const Value& tree, const Value& old, FieldErrorList* errors) {
  const Value& now = tree.Get("spec");
  const Value& before = old.Get("spec");
  if (now.Get("type").AsString() == "ExternalName") return;
  if (before.Get("type").AsString() == "ExternalName") return;
  const Value& had = before.Get("clusterIPs");
  const Value& has = now.Get("clusterIPs");
  if (had.empty() || IsHeadless(before)) return;
  const FieldPath spec("spec");
  const FieldPath path = spec.Child("clusterIPs");
  if (has.empty()) {
    errors->Invalid(path.Index(0), has, GoShape::kStringSlice,
                    "primary clusterIP can not be unset");
  } else if (has.at(0) != had.at(0)) {
    errors->Invalid(path.Index(0), has, GoShape::kStringSlice, "may not change once set");
  }
}

NameProblems ServiceNameProblems(std::string_view name, Compat compat) {
  const bool relaxed = ProfileOf(compat).relaxed_service_names;
  return relaxed ? Dns1123Label(name, compat) : Dns1035Label(name);
}

std::string ServicePorts(const Value& ports) {
  std::vector<std::string> pieces;
  for (const Value& p : ports.items()) {
    const std::int64_t node_port = p.Get("nodePort").AsInt();
    const std::string node = node_port > 0 ? fmt::format(":{}", node_port) : "";
    pieces.push_back(
        fmt::format("{}{}/{}", p.Get("port").AsInt(), node, p.Get("protocol").AsString()));
  }
  return pieces.empty() ? "<none>" : fmt::format("{}", fmt::join(pieces, ","));
}

std::string ExternalIp(const Object& o) {
  const std::string_view type = o.spec().Get("type").AsString();
  if (type == "ExternalName") return cells::Text(o.spec().Get("externalName"));
  std::vector<std::string_view> ips;
  static const value::Path kIngress{"status", "loadBalancer", "ingress"};
  if (type == "LoadBalancer") {
    for (const Value& i : o.Get(kIngress).items()) {
      ips.push_back(i.Has("ip") ? i.Get("ip").AsString() : i.Get("hostname").AsString());
    }
    std::sort(ips.begin(), ips.end());
  }
  for (const Value& ip : o.spec().Get("externalIPs").items()) ips.push_back(ip.AsString());
  if (!ips.empty()) return fmt::format("{}", fmt::join(ips, ","));
  return type == "LoadBalancer" ? "<pending>" : "<none>";
}

std::vector<std::string> ServiceCells(const Object& o, VirtualTime now) {
  const Value& ips = o.spec().Get("clusterIPs");
  std::string ip = cells::Text(ips.empty() ? o.spec().Get("clusterIP") : ips.at(0));
  if (ip.empty()) ip = "<none>";
  return {cells::Name(o),
          cells::Text(o.spec().Get("type")),
          ip,
          ExternalIp(o),
          ServicePorts(o.spec().Get("ports")),
          cells::Age(o, now),
          cells::Labels(o.spec().Get("selector"))};
}

constexpr value::PatchField kServiceSpecPatchFields[] = {MergeList("ports", "port")};
constexpr value::PatchSchema kServiceSpecPatch{kServiceSpecPatchFields};
constexpr value::PatchField kServicePatchFields[] = {Nested("metadata", &kMetaPatch),
                                                     Nested("spec", &kServiceSpecPatch),
                                                     Nested("status", &kConditionsPatch)};
constexpr value::PatchSchema kServicePatch{kServicePatchFields};

}  // namespace

extern const KindSpec kServiceKind = {
    .kind = "Service",
    .resource = "services",
    .short_names = {"svc"},
    .category = "all",
    .storage_prefix = "services/specs",
    .has_status = true,
    .create_on_update = true,
    .go_types = kServiceTypes,
    .patch_schema = &kServicePatch,
    .columns = {{"Name"},
                {"Type"},
                {"Cluster-IP"},
                {"External-IP"},
                {"Port(s)"},
                {"Age"},
                {"Selector", kWide}},
    .cells = ServiceCells,
    .defaults = DefaultService,
    .initial_status = InitialServiceStatus,
    .prepare_create = PrepareNewService,
    .prepare_update = PrepareServiceUpdate,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMetaUpdate, kCheckChange, kCheckMeta, kCheckObject},
            .object = ValidateService,
            .change = ValidateServiceUpdate,
            .name = ServiceNameProblems,
        },
    .warnings_on_create = ServiceWarnings,
    .warnings_on_update = [](const Value& updated, const Value&,
                             Compat compat) { return ServiceWarnings(updated, compat); },
    .warnings_on_status_update = ServiceStatusWarnings,
};

}  // namespace ksim::api
