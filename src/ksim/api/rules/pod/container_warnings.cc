#include "ksim/api/rules/pod/container_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/go_text.h"
#include "ksim/value/quantity.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

// A port of a container that came before, and its path.
struct SeenPort {
  std::string field;
  const Value* port;
};

// Calls `visit(container, path)` for each init container and each container.
template <class Visit>
void ForEachContainer(const Value& spec, const PodWarningList& warnings, const Visit& visit) {
  for (const Atom list : {Fields().init_containers, Fields().containers}) {
    const Value& containers = spec.Get(list);
    for (std::size_t i = 0; i < containers.size(); ++i)
      visit(containers.at(i), warnings.Path(fmt::format("spec.{}[{}]", list.text(), i)));
  }
}

// A variable that has the name of one before it and does not extend that one's value.
void WarnOfHiddenVariables(const Value& env, const std::string& at, PodWarningList* warnings) {
  for (std::size_t i = 1; i < env.size(); ++i) {
    const std::string_view name = FieldText(env.at(i), Fields().name);
    bool known = false;
    for (std::size_t j = 0; j < i; ++j) {
      known = known || FieldText(env.at(j), Fields().name) == name;
    }
    if (!known) continue;
    const std::string ref = fmt::format("$({})", name);
    const std::string_view text = FieldText(env.at(i), Fields().value);
    const bool extends =
        env.at(i).Get(Fields().value_from).is_null() && text != ref && text.find(ref) != text.npos;
    if (extends) continue;
    warnings->Add(fmt::format("{}.env[{}]", at, i),
                  fmt::format("hides previous definition of {}, which may be dropped when using "
                              "apply",
                              GoQuote(name)));
  }
}

void WarnOfContainer(const Value& c, const std::string& at, PodWarningList* warnings) {
  const Value& resources = c.Get(Fields().resources);
  for (const char* resource : {"memory", "ephemeral-storage"}) {
    WarnOfFraction(resources.Get(Fields().limits), resource, at + ".resources.limits", warnings);
    WarnOfFraction(resources.Get(Fields().requests), resource, at + ".resources.requests",
                   warnings);
  }
  WarnOfHiddenVariables(c.Get(Fields().env), at, warnings);
}

void ComparePorts(const std::string& field, const Value& port, const SeenPort& other,
                  PodWarningList* warnings) {
  const Value& before = *other.port;
  if (port.Get(Fields().container_port) != before.Get(Fields().container_port) ||
      FieldText(port, Fields().protocol) != FieldText(before, Fields().protocol))
    return;
  const std::int64_t a = port.Get(Fields().host_port).AsInt();
  const std::int64_t b = before.Get(Fields().host_port).AsInt();
  const std::string_view ip_a = FieldText(port, Fields().host_ip),
                         ip_b = FieldText(before, Fields().host_ip);
  if (ip_a == ip_b && a == b) {
    warnings->Add(field, "duplicate port definition with " + other.field);
  } else if (a == 0 || b == 0) {
    warnings->Add(field, "overlapping port definition with " + other.field);
  } else if (a == b && ip_a.empty() != ip_b.empty()) {
    warnings->Add(field, "dangerously ambiguous port definition with " + other.field);
  }
}

void WarnOfPorts(const Value& c, const std::string& at, std::vector<SeenPort>* seen,
                 PodWarningList* warnings) {
  const Value& ports = c.Get(Fields().ports);
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const Value& port = ports.at(i);
    const std::string field = fmt::format("{}.ports[{}]", at, i);
    if (!FieldText(port, Fields().host_ip).empty() && port.Get(Fields().host_port).AsInt() == 0) {
      warnings->Add(
          field,
          fmt::format("hostIP set without hostPort: {{Name:{} HostPort:0 ContainerPort:{} "
                      "Protocol:{} HostIP:{}}}",
                      FieldText(port, Fields().name), port.Get(Fields().container_port).AsInt(),
                      FieldText(port, Fields().protocol), FieldText(port, Fields().host_ip)));
    }
    for (const SeenPort& other : *seen) ComparePorts(field, port, other, warnings);
    seen->push_back({field, &port});
  }
}

void WarnOfPortNames(const Value& c, const std::string& at, std::vector<SeenPort>* named,
                     PodWarningList* warnings) {
  const Value& ports = c.Get(Fields().ports);
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::string_view name = FieldText(ports.at(i), Fields().name);
    if (name.empty()) continue;
    const std::string field = fmt::format("{}.ports[{}]", at, i);
    const auto first = std::find_if(named->begin(), named->end(), [&](const SeenPort& p) {
      return FieldText(*p.port, Fields().name) == name;
    });
    if (first == named->end()) {
      named->push_back({field, &ports.at(i)});
      continue;
    }
    warnings->Add(field,
                  fmt::format("duplicate port name {} with {}, services and probes that select "
                              "ports by name will use {}",
                              GoQuote(name), first->field, first->field));
  }
}

}  // namespace

void WarnOfFraction(const Value& list, std::string_view resource, const std::string& path,
                    PodWarningList* warnings) {
  const Value& quantity = list.Get(resource);
  if (quantity.is_null()) return;
  const auto amount = value::Quantity::FromTree(quantity);
  if (!amount.ok() || amount->MilliValue() % 1000 == 0) return;
  warnings->Add(fmt::format("{}[{}]", path, resource),
                fmt::format("fractional byte value {} is invalid, must be an integer",
                            GoQuote(amount->ToString())));
}

void WarnOfContainers(const Value& spec, PodWarningList* warnings) {
  std::vector<SeenPort> seen, named;
  ForEachContainer(spec, *warnings, [&](const Value& c, const std::string& at) {
    WarnOfContainer(c, at, warnings);
  });
  ForEachContainer(spec, *warnings, [&](const Value& c, const std::string& at) {
    WarnOfPorts(c, at, &seen, warnings);
  });
  if (!warnings->profile().warns_of_port_names) return;
  ForEachContainer(spec, *warnings, [&](const Value& c, const std::string& at) {
    WarnOfPortNames(c, at, &named, warnings);
  });
}

}  // namespace ksim::api
