#include "ksim/api/rules/pod/container_ports.h"

#include <fmt/format.h>

#include "ksim/api/core/fields.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/rules/pod/name_set.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

void CheckContainerPort(const Value& port, const FieldPath& path, NameSet* names,
                        FieldErrorList* errors) {
  const std::string_view name = port.Get(Fields().name).AsString();
  if (!name.empty()) {
    const NameProblems problems = PortName(name);
    errors->InvalidAll(path.Child("name"), name, problems);
    if (problems.empty() && !Insert(names, std::string(name))) {
      errors->Duplicate(path.Child("name"), name);
    }
  }
  const auto number = [&](Atom field) {
    const std::int64_t n = port.Get(field).AsInt();
    for (const std::string& problem : PortNumber(n)) {
      errors->Invalid(path.Child(field.text()), n, problem);
    }
  };
  if (port.Get(Fields().container_port).AsInt() == 0) {
    errors->Required(path.Child("containerPort"));
  } else {
    number(Fields().container_port);
  }
  if (port.Get(Fields().host_port).AsInt() != 0) number(Fields().host_port);
  ValidateChoice(port.Get(Fields().protocol).AsString(), true, path.Child("protocol"),
                 {"SCTP", "TCP", "UDP"}, errors);
}

}  // namespace

void ValidateContainerPorts(const Value& ports, const FieldPath& path, FieldErrorList* errors) {
  NameSet names;
  for (std::size_t i = 0; i < ports.size(); ++i)
    CheckContainerPort(ports.at(i), path.Index(i), &names, errors);
}

// AccumulateUniqueHostPorts for containers `first` to before `last`; upstream counts from `first`.
void ValidateHostPorts(const Value& containers, std::size_t first, std::size_t last,
                       const FieldPath& path, FieldErrorList* errors) {
  NameSet taken;
  for (std::size_t i = first; i < last; ++i) {
    const Value& ports = containers.at(i).Get(Fields().ports);
    for (std::size_t j = 0; j < ports.size(); ++j) {
      const Value& port = ports.at(j);
      const std::int64_t number = port.Get(Fields().host_port).AsInt();
      if (number == 0) continue;
      std::string place = fmt::format("{}/{}/{}", port.Get(Fields().protocol).AsString(),
                                      port.Get(Fields().host_ip).AsString(), number);
      if (Insert(&taken, place)) continue;
      const FieldPath container = path.Index(i - first);
      const FieldPath list = container.Child("ports");
      const FieldPath at = list.Index(j);
      errors->Duplicate(at.Child("hostPort"), place);
    }
  }
}

// validatePodHostNetworkDeps.
void ValidateHostNetwork(const PodFacts& pod, const FieldPath& path, FieldErrorList* errors) {
  if (!pod.spec.Get(Fields().host_network).AsBool()) return;
  const Value& containers = pod.spec.Get(Fields().containers);
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const FieldPath at = path.Index(i);
    const FieldPath list = at.Child("ports");
    const Value& ports = containers.at(i).Get(Fields().ports);
    for (std::size_t j = 0; j < ports.size(); ++j) {
      const std::int64_t host_port = ports.at(j).Get(Fields().host_port).AsInt();
      const bool counts = pod.is_pod || host_port != 0;
      if (!counts || host_port == ports.at(j).Get(Fields().container_port).AsInt()) continue;
      const FieldPath port = list.Index(j);
      errors->Invalid(port.Child("hostPort"), host_port,
                      "must match `containerPort` when `hostNetwork` is true");
    }
  }
}

}  // namespace ksim::api
