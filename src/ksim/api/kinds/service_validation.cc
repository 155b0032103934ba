// Services: their type, ports and cluster addresses. Of the traffic policies, source ranges and
// load balancers nothing is looked at: no service does anything here.
//
// Source: pkg/apis/core/validation/validation.go ValidateService.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ksim/api/kinds/kind_validation.h"
#include "ksim/api/rules/ip_text.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/name_rules.h"

namespace ksim::api {

using value::Value;

namespace {

bool IsHeadless(const Value& spec) {
  const Value& ips = spec.Get("clusterIPs");
  return ips.size() == 1 && ips.at(0).AsString() == "None";
}

void CheckType(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
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
void CheckTarget(const Value& target, const FieldPath& path, FieldErrorList* errors) {
  if (target.is_string()) {
    errors->InvalidAll(path, target.AsString(), PortName(target.AsString()));
  } else {
    for (const std::string& problem : PortNumber(target.AsInt())) {
      errors->Invalid(path, target.AsInt(), problem);
    }
  }
}

void CheckPort(const Value& port, bool named, std::vector<std::string_view>* names,
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
  CheckTarget(port.Get("targetPort"), path.Child("targetPort"), errors);
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

void CheckKnown(const Value& spec, const char* field, const FieldPath& path,
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

// core.ServicePort as %#v, and as JSON from 1.36 on, of which only these two are set.
void CheckDuplicates(const Value& ports, const FieldPath& path, FieldErrorList* errors) {
  const bool json = errors->compat() == Compat::k1_36;
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

}  // namespace

void ValidateService(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("spec");
  const FieldPath ports_path = path.Child("ports");
  const Value& spec = tree.Get("spec");
  const Value& ports = spec.Get("ports");
  CheckType(spec, path, errors);
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    CheckPort(ports.at(i), ports.size() > 1, &names, ports_path.Index(i), errors);
  }
  ValidateLabels(spec.Get("selector"), path.Child("selector"), errors);
  CheckKnown(spec, "sessionAffinity", path, {"ClientIP", "None"}, errors);
  CheckClusterIps(spec, path, errors);
  CheckKnown(spec, "type", path, {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"}, errors);
  CheckNodePorts(spec, ports_path, errors);
  CheckDuplicates(ports, ports_path, errors);
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

}  // namespace ksim::api
