// kubectl expose and autoscale.
//
// Source: kubectl pkg/cmd/expose/expose.go; pkg/cmd/autoscale/autoscale.go; pkg/polymorphichelpers/
// {canbeexposed,mapbasedselectorforobject,portsforobject,multiprotocolsforobject}.go.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "ksim/kubectl/printing/object_name.h"
#include "ksim/kubectl/verbs/messages.h"
#include "ksim/kubectl/verbs/verbs.h"
#include "ksim/value/text.h"

namespace ksim::kubectl {
namespace {

using value::Value;

// A port that is exposed, and its protocols in the order in which the object names them.
struct ExposedPort {
  explicit ExposedPort(std::int64_t n) : number(n) {}
  std::int64_t number;
  std::vector<std::string> protocols;
};

void AddPort(std::int64_t number, std::string_view protocol, std::vector<ExposedPort>* ports) {
  auto at = std::find_if(ports->begin(), ports->end(),
                         [number](const ExposedPort& p) { return p.number == number; });
  if (at == ports->end()) at = ports->emplace(at, number);
  const std::string name(protocol.empty() ? "TCP" : protocol);
  std::vector<std::string>& known = at->protocols;
  if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
}

// portsForObject, multiProtocolsForObject: each number once.
std::vector<ExposedPort> PortsOf(const api::Object& object) {
  static const value::Path kTemplateSpec{"template", "spec"};
  std::vector<ExposedPort> ports;
  if (object.kind() == "Service") {
    for (const Value& port : object.spec().Get("ports").items())
      AddPort(port.Get("port").AsInt(), port.Get("protocol").AsString(), &ports);
    return ports;
  }
  const Value pod = object.kind() == "Pod" ? object.spec() : object.spec().Get(kTemplateSpec);
  for (const Value& container : pod.Get("containers").items())
    for (const Value& port : container.Get("ports").items())
      AddPort(port.Get("containerPort").AsInt(), port.Get("protocol").AsString(), &ports);
  return ports;
}

// Requirements as Go prints them with %+v.
std::string GoText(const Value& expressions) {
  std::string out;
  for (const Value& e : expressions.items()) {
    std::string values;
    for (const Value& v : e.Get("values").items())
      values += (values.empty() ? "" : " ") + std::string(v.AsString());
    out += fmt::format("{}{{Key:{} Operator:{} Values:[{}]}}", out.empty() ? "" : " ",
                       e.Get("key").AsString(), e.Get("operator").AsString(), values);
  }
  return "[" + out + "]";
}

// mapBasedSelectorForObject: the labels that select the object's pods, or why there are none.
Value SelectorOf(const api::Object& object, std::string* error) {
  const std::string_view kind = object.kind();
  const Value& selector = object.spec().Get("selector");
  if (kind == "Pod") {
    if (object.labels().empty()) *error = "the pod has no labels and cannot be exposed";
    return object.labels();
  }
  if (kind == "Service" || kind == "ReplicationController") {
    if (kind == "Service" && selector.is_null()) *error = "the service has no pod selector set";
    return selector;
  }
  const Value labels = selector.Get("matchLabels");
  const Value& expressions = selector.Get("matchExpressions");
  if (labels.empty()) {
    *error = fmt::format("invalid {}: no selectors, therefore cannot be exposed",
                         kind == "Deployment" ? "deployment" : "replicaset");
  } else if (!expressions.empty()) {
    *error = fmt::format("couldn't convert expressions - \"{}\" to map-based selector format",
                         GoText(expressions));
  }
  return labels;
}

Value ServicePort(std::int64_t number, const std::string& protocol, const std::string& name,
                  const Value& target) {
  value::ObjectBuilder built;
  built.AddIf(!name.empty(), "name", Value::String(name));
  built.Add("port", Value::Int(number));
  built.Add("protocol", Value::String(protocol));
  built.Add("targetPort", target.is_null() ? Value::Int(number) : target);
  return built.Build();
}

Value ServicePorts(const std::vector<ExposedPort>& ports, const std::string& target_port) {
  Value target;
  if (const auto number = value::ParseGoInt(target_port)) {
    target = Value::Int(*number);
  } else if (!target_port.empty()) {
    target = Value::String(target_port);
  }
  std::vector<Value> out;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::string numbered = fmt::format("port-{}", i + 1);
    const bool several = ports[i].protocols.size() > 1;
    for (const std::string& protocol : ports[i].protocols) {
      std::string name = ports.size() > 1 ? numbered : "";
      if (several) name = numbered + "-" + absl::AsciiStrToLower(protocol);
      out.push_back(ServicePort(ports[i].number, protocol, name, target));
    }
  }
  return Value::Array(std::move(out));
}

// RunExpose, createService. `error` says why there is none.
Value ServiceFor(const api::Object& object, const ExposeOptions& options, std::string* error) {
  std::string why;
  const Value selector = SelectorOf(object, &why);
  if (!why.empty()) {
    *error = "couldn't retrieve selectors via --selector flag or introspection: " + why;
    return {};
  }
  std::vector<ExposedPort> ports = PortsOf(object);
  if (options.port != 0) {
    std::erase_if(ports, [&](const ExposedPort& p) { return p.number != options.port; });
    if (ports.empty()) AddPort(options.port, "", &ports);
  }
  if (ports.empty()) {
    *error = "couldn't find port via --port flag or introspection";
    return {};
  }
  if (selector.empty()) {
    *error = "selector must be specified";
    return {};
  }
  value::ObjectBuilder metadata;
  const std::string name =
      options.name.empty() ? std::string(object.name()).substr(0, 63) : options.name;
  metadata.Add("name", Value::String(name)).Add("namespace", Value::String(object.ns()));
  metadata.AddIf(!object.labels().empty(), "labels", object.labels());
  value::ObjectBuilder spec;
  spec.Add("ports", ServicePorts(ports, options.target_port)).Add("selector", selector);
  spec.AddIf(!options.type.empty(), "type", Value::String(options.type));
  return value::Obj({{"apiVersion", Value::Of("v1")},
                     {"kind", Value::Of("Service")},
                     {"metadata", metadata.Build()},
                     {"spec", spec.Build()}});
}

Value AutoscalerFor(const api::Object& object, const AutoscaleOptions& options, bool v2) {
  const std::string name = options.name.empty() ? std::string(object.name()) : options.name;
  value::ObjectBuilder spec;
  spec.Add("maxReplicas", Value::Int(options.max));
  spec.AddIf(options.min > 0, "minReplicas", Value::Int(options.min));
  spec.Add("scaleTargetRef", value::Obj({{"apiVersion", Value::String(object.api_version())},
                                         {"kind", Value::String(object.kind())},
                                         {"name", Value::String(object.name())}}));
  const Value percent = Value::Int(options.cpu_percent);
  if (options.cpu_percent > 0 && v2) {
    const Value target =
        value::Obj({{"type", Value::Of("Utilization")}, {"averageUtilization", percent}});
    const Value resource = value::Obj({{"name", Value::Of("cpu")}, {"target", target}});
    spec.Add("metrics",
             value::Arr({value::Obj({{"type", Value::Of("Resource")}, {"resource", resource}})}));
  }
  spec.AddIf(options.cpu_percent > 0 && !v2, "targetCPUUtilizationPercentage", percent);
  return value::Obj({{"apiVersion", Value::Of(v2 ? "autoscaling/v2" : "autoscaling/v1")},
                     {"kind", Value::Of("HorizontalPodAutoscaler")},
                     {"metadata", value::Obj({{"name", Value::String(name)},
                                              {"namespace", Value::String(object.ns())}})},
                     {"spec", spec.Build()}});
}

// POSTs what was made for the target.
sim::Task<void> CreateFor(Session& session, Value made, const char* manager, const char* done,
                          EarlierTries& tries, CommandOutput* output) {
  Session::Info info = session.ResourceOfManifest(made, output);
  if (info == nullptr) co_return;
  const std::string name(made.Get("metadata").Get("name").AsString());
  api::Request create = RequestFor(
      api::Verb::kCreate, info, std::string(made.Get("metadata").Get("namespace").AsString()), "");
  create.body = std::move(made);
  create.field_manager = manager;
  const api::Response response = co_await session.Send(std::move(create));
  AddWarnings(response, output);
  if (!tries.IsSettled(fmt::format("{}/{}", info->resource, name), response)) {
    output->error = ErrorText(response);
    co_return;
  }
  output->lines.push_back(fmt::format("{} {}", SlashedName(*info, name), done));
}

// The target as it is; null, and an error in `output`, if it cannot be read.
sim::Task<api::Object> ReadTarget(Session& session, Target target, CommandOutput* output) {
  const api::Response found =
      co_await session.GetNamed(session.ResourceOf(target), target.ns, target.name);
  if (found.code == 200) co_return found.object;
  output->error = ErrorText(found);
  co_return api::Object();
}

}  // namespace

sim::Task<CommandOutput> Expose(Session& session, const ExposeOptions& options,
                                EarlierTries& tries) {
  CommandOutput output;
  const api::Object found = co_await ReadTarget(session, options.target, &output);
  if (!output.error.empty()) co_return output;
  std::string error;
  Value service = ServiceFor(found, options, &error);
  if (!error.empty()) {
    output.error = "error: " + error;
    co_return output;
  }
  co_await CreateFor(session, std::move(service), "kubectl-expose", "exposed", tries, &output);
  co_return output;
}

sim::Task<CommandOutput> Autoscale(Session& session, const AutoscaleOptions& options,
                                   EarlierTries& tries) {
  CommandOutput output;
  const api::Object found = co_await ReadTarget(session, options.target, &output);
  if (!output.error.empty()) co_return output;
  Value made = AutoscalerFor(found, options, session.profile().autoscales_by_v2);
  co_await CreateFor(session, std::move(made), "kubectl-autoscale", "autoscaled", tries, &output);
  co_return output;
}

}  // namespace ksim::kubectl
