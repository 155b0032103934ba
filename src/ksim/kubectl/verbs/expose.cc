// kubectl expose and autoscale.
//
// Source: kubectl pkg/cmd/expose/expose.go; pkg/cmd/autoscale/autoscale.go; pkg/polymorphichelpers/
// {canbeexposed,mapbasedselectorforobject,portsforobject,multiprotocolsforobject}.go.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ksim/kubectl/printing/object_name.h"
#include "ksim/kubectl/verbs/messages.h"
#include "ksim/kubectl/verbs/verbs.h"
#include "ksim/value/text.h"

namespace ksim::kubectl {
namespace {

using value::Value;

struct ExposedPort {
  ExposedPort(std::int64_t n, std::string p) : number(n), protocol(std::move(p)) {}
  std::int64_t number;
  std::string protocol;
};

const Value& PodSpecOf(const api::Object& object) {
  static const value::Path kTemplateSpec{"template", "spec"};
  return object.kind() == "Pod" ? object.spec() : object.spec().Get(kTemplateSpec);
}

std::vector<ExposedPort> PortsOf(const api::Object& object) {
  std::vector<ExposedPort> ports;
  for (const Value& container : PodSpecOf(object).Get("containers").items()) {
    for (const Value& port : container.Get("ports").items()) {
      const std::string_view protocol = port.Get("protocol").AsString();
      ports.emplace_back(port.Get("containerPort").AsInt(),
                         std::string(protocol.empty() ? "TCP" : protocol));
    }
  }
  return ports;
}

// The labels that select the object's pods, or an error.
Value SelectorOf(const api::Object& object, std::string* error) {
  const Value& selector = object.spec().Get("selector");
  Value labels = object.kind() == "ReplicationController" ? selector : selector.Get("matchLabels");
  if (object.kind() == "Pod") labels = object.labels();
  if (!selector.Get("matchExpressions").empty())
    *error = "couldn't convert expressions - \"matchExpressions\" to map-based selector format";
  if (labels.empty() && error->empty()) *error = "no labels; cannot be exposed";
  return labels;
}

Value ServicePort(const ExposedPort& port, const std::string& name, const Value& target) {
  value::ObjectBuilder built;
  built.AddIf(!name.empty(), "name", Value::String(name));
  built.Add("port", Value::Int(port.number));
  built.Add("protocol", Value::String(port.protocol));
  built.Add("targetPort", target.is_null() ? Value::Int(port.number) : target);
  return built.Build();
}

// createService. `error` says why there is none.
Value ServiceFor(const api::Object& object, const ExposeOptions& options, std::string* error) {
  std::vector<ExposedPort> ports = PortsOf(object);
  if (options.port != 0) {
    const auto known = std::find_if(ports.begin(), ports.end(),
                                    [&](const ExposedPort& p) { return p.number == options.port; });
    const std::string protocol = known == ports.end() ? "TCP" : known->protocol;
    ports = {ExposedPort(options.port, protocol)};
  }
  if (ports.empty()) {
    *error = "couldn't find port via --port flag or introspection";
    return {};
  }
  std::string why;
  const Value selector = SelectorOf(object, &why);
  if (!why.empty()) {
    *error = "couldn't retrieve selectors via --selector flag or introspection: " + why;
    return {};
  }
  Value target;
  if (const auto number = value::ParseGoInt(options.target_port)) {
    target = Value::Int(*number);
  } else if (!options.target_port.empty()) {
    target = Value::String(options.target_port);
  }
  std::vector<Value> service_ports;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::string name = ports.size() > 1 ? fmt::format("port-{}", i + 1) : "";
    service_ports.push_back(ServicePort(ports[i], name, target));
  }
  value::ObjectBuilder metadata;
  const std::string name =
      options.name.empty() ? std::string(object.name()).substr(0, 63) : options.name;
  metadata.Add("name", Value::String(name)).Add("namespace", Value::String(object.ns()));
  metadata.AddIf(!object.labels().empty(), "labels", object.labels());
  value::ObjectBuilder spec;
  spec.Add("ports", Value::Array(std::move(service_ports))).Add("selector", selector);
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

}  // namespace

sim::Task<CommandOutput> Expose(Session& session, const ExposeOptions& options,
                                EarlierTries& tries) {
  CommandOutput output;
  Session::Info info = session.ResourceOf(options.target);
  const api::Response found =
      co_await session.GetNamed(info, options.target.ns, options.target.name);
  if (found.code != 200) {
    output.error = ErrorText(found);
    co_return output;
  }
  std::string error;
  Value service = ServiceFor(found.object, options, &error);
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
  Session::Info info = session.ResourceOf(options.target);
  const api::Response found =
      co_await session.GetNamed(info, options.target.ns, options.target.name);
  if (found.code != 200) {
    output.error = ErrorText(found);
    co_return output;
  }
  Value made = AutoscalerFor(found.object, options, session.profile().autoscales_by_v2);
  co_await CreateFor(session, std::move(made), "kubectl-autoscale", "autoscaled", tries, &output);
  co_return output;
}

}  // namespace ksim::kubectl
