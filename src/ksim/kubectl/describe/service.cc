// `kubectl describe` of a service.
//
// Source: kubectl pkg/describe/describe.go describeService, formatEndpointSlices.
#include "ksim/kubectl/describe/describers.h"
#include "ksim/kubectl/describe/sections.h"
#include "ksim/value/go_format.h"

namespace ksim::kubectl {
namespace {

using value::Value;

// The ready addresses of a service behind a port: the first three (formatEndpointSlices).
std::string Endpoints(const Described& d, std::string_view port_name) {
  std::vector<std::string> shown;
  std::size_t count = 0;
  bool any = false;
  const auto add = [&](const Value& slice, const std::string& port) {
    for (const Value& e : slice.Get("endpoints").items()) {
      const Value& ready = e.Get("conditions").Get("ready");
      if (!ready.is_null() && !ready.AsBool()) continue;
      if (shown.size() < 3)
        shown.push_back(std::string(e.Get("addresses").at(0).AsString()) + port);
      ++count;
    }
  };
  for (const api::Object& slice : d.cluster.List("endpointslices", d.object.ns())) {
    if (slice.Label("kubernetes.io/service-name") != d.object.name()) continue;
    any = true;
    if (slice.tree().Get("ports").empty()) add(slice.tree(), "");
    for (const Value& p : slice.tree().Get("ports").items())
      if (p.Get("name").AsString() == port_name)
        add(slice.tree(), fmt::format(":{}", p.Get("port").AsInt()));
  }
  if (!any) return "<none>";
  const std::string list = fmt::format("{}", fmt::join(shown, ","));
  return count > shown.size() ? fmt::format("{} + {} more...", list, count - 3) : list;
}

void WritePort(TabWriter& w, const Described& d, const Value& port) {
  const std::string_view name = port.Get("name").AsString();
  const std::string_view shown = name.empty() ? "<unset>" : name;
  const std::string_view protocol = port.Get("protocol").AsString();
  w.Write(0, "Port:\t{}\t{}/{}\n", shown, port.Get("port").AsInt(), protocol);
  w.Write(0, "TargetPort:\t{}/{}\n", value::GoFormat(port.Get("targetPort")), protocol);
  WriteIf(w, 0, "AppProtocol", port.Get("appProtocol"));
  if (port.Get("nodePort").AsInt() != 0)
    w.Write(0, "NodePort:\t{}\t{}/{}\n", shown, port.Get("nodePort").AsInt(), protocol);
  w.Write(0, "Endpoints:\t{}\n", Endpoints(d, name));
}

}  // namespace

// describeEndpointSliceV1.
std::string DescribeEndpointSlice(const Described& d) {
  const auto told = [](const Value& v) {
    return v.is_null() ? std::string("<unset>") : value::GoFormat(v);
  };
  TabWriter w;
  WriteHead(w, d.object);
  WriteLabels(w, "Labels", d.object.labels());
  WriteAnnotations(w, "Annotations", d.object.annotations());
  w.Write(0, "AddressType:\t{}\n", d.tree.Get("addressType").AsString());
  const Value& ports = d.tree.Get("ports");
  w.Write(0, "Ports:{}\n", ports.empty() ? " <unset>" : "");
  if (!ports.empty()) w.Write(1, "Name\tPort\tProtocol\n  ----\t----\t--------\n");
  for (const Value& p : ports.items()) {
    const std::string_view name = p.Get("name").AsString();
    w.Write(1, "{}\t{}\t{}\n", name.empty() ? "<unset>" : name, told(p.Get("port")),
            p.Get("protocol").AsString());
  }
  const Value& endpoints = d.tree.Get("endpoints");
  w.Write(0, "Endpoints:{}\n", endpoints.empty() ? " <none>" : "");
  for (const Value& e : endpoints.items()) {
    const std::string addresses = JoinTexts(e.Get("addresses"), ", ");
    w.Write(1, "- Addresses:\t{}\n", addresses.empty() ? "<none>" : addresses);
    w.Write(2, "Conditions:\n");
    w.Write(3, "Ready:\t{}\n", told(e.Get("conditions").Get("ready")));
    w.Write(2, "Hostname:\t{}\n", told(e.Get("hostname")));
    if (const Value& target = e.Get("targetRef"); target.is_object())
      w.Write(2, "TargetRef:\t{}/{}\n", target.Get("kind").AsString(),
              target.Get("name").AsString());
    w.Write(2, "NodeName:\t{}\n", told(e.Get("nodeName")));
    w.Write(2, "Zone:\t{}\n", told(e.Get("zone")));
  }
  WriteEvents(w, d);
  return w.Take();
}

std::string DescribeService(const Described& d) {
  const Value& spec = d.spec();
  const auto list = [&spec](std::string_view field) {
    const std::string texts = JoinTexts(spec.Get(field), ",");
    return texts.empty() ? "<none>" : texts;
  };
  TabWriter w;
  WriteHead(w, d.object);
  WriteLabels(w, "Labels", d.object.labels());
  WriteAnnotations(w, "Annotations", d.object.annotations());
  w.Write(0, "Selector:\t{}\n", LabelsText(spec.Get("selector")));
  w.Write(0, "Type:\t{}\n", spec.Get("type").AsString());
  WriteIf(w, 0, "IP Family Policy", spec.Get("ipFamilyPolicy"));
  w.Write(0, "IP Families:\t{}\n", list("ipFamilies"));
  w.Write(0, "IP:\t{}\n", spec.Get("clusterIP").AsString());
  w.Write(0, "IPs:\t{}\n", list("clusterIPs"));
  if (!spec.Get("externalIPs").empty()) w.Write(0, "External IPs:\t{}\n", list("externalIPs"));
  WriteIf(w, 0, "Desired LoadBalancer IP", spec.Get("loadBalancerIP"));
  WriteIf(w, 0, "External Name", spec.Get("externalName"));
  std::string ingress;
  for (const Value& i : d.status().Get("loadBalancer").Get("ingress").items())
    ingress += fmt::format(
        "{}{}{}", ingress.empty() ? "" : ", ",
        (i.Has("ip") ? i.Get("ip") : i.Get("hostname")).AsString(),
        i.Has("ipMode") ? fmt::format(" ({})", i.Get("ipMode").AsString()) : std::string());
  if (!ingress.empty()) w.Write(0, "LoadBalancer Ingress:\t{}\n", ingress);
  for (const Value& port : spec.Get("ports").items()) WritePort(w, d, port);
  w.Write(0, "Session Affinity:\t{}\n", spec.Get("sessionAffinity").AsString());
  WriteIf(w, 0, "External Traffic Policy", spec.Get("externalTrafficPolicy"));
  WriteIf(w, 0, "Internal Traffic Policy", spec.Get("internalTrafficPolicy"));
  if (const std::int64_t port = spec.Get("healthCheckNodePort").AsInt(); port != 0)
    w.Write(0, "HealthCheck NodePort:\t{}\n", port);
  if (!spec.Get("loadBalancerSourceRanges").empty())
    w.Write(0, "LoadBalancer Source Ranges:\t{}\n", list("loadBalancerSourceRanges"));
  WriteIf(w, 0, "Traffic Distribution", spec.Get("trafficDistribution"));
  WriteEvents(w, d);
  return w.Take();
}

}  // namespace ksim::kubectl
