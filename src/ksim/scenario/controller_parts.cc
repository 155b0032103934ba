#include "ksim/scenario/controller_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/controllers/samples/samples.h"
#include "ksim/scenario/schema.h"

namespace ksim::scenario {
namespace {

// A sample has the name of what it stands in for, and may have handlers beside it
// (samples/sample.cc, ListenBeside).
void AddParts(const std::string& process, const std::vector<std::string>& controllers,
              std::vector<std::string>* out) {
  for (const std::string& controller : controllers) {
    const controllers::SampleInfo* sample = controllers::FindSample(controller);
    out->push_back(fmt::format("{}/{}", process, sample == nullptr ? controller : sample->part));
    if (sample != nullptr) out->push_back(process + "/handlers");
  }
}

}  // namespace

std::vector<std::string> EnabledControllers(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const Named& c : Controllers()) {
    const std::string name(c.name);
    const auto given = [&](const std::string& n) {
      return std::find(names.begin(), names.end(), n) != names.end();
    };
    const bool meant = given(name) || (given("*") && !c.only_by_name);
    if (c.available && meant && !given("-" + name)) out.push_back(name);
  }
  return out;
}

std::vector<std::string> ManagerControllers(const ClusterSpec& cluster) {
  std::vector<std::string> given = cluster.controllers;
  for (const auto& [name, replicas] : cluster.replicated)
    if (name == "*") given.push_back(name);  // {name: "*", replicas: 2} names them all
  std::vector<std::string> names = EnabledControllers(given);
  const auto take = [&](const std::string& name) {
    names.erase(std::remove(names.begin(), names.end(), name), names.end());
  };
  for (const auto& [process, parts] : cluster.processes)
    for (const std::string& part : parts) take(part);
  for (const auto& [name, replicas] : cluster.replicated) take(name);
  return names;
}

std::vector<std::string> ControllerParts(const ClusterSpec& cluster) {
  std::vector<std::string> out;
  const std::vector<std::string> managed = ManagerControllers(cluster);
  bool replicated = false;
  for (const auto& [name, replicas] : cluster.replicated) {
    replicated = replicated || name == "*";
    for (std::int64_t i = 0; i < replicas; ++i)
      AddParts(fmt::format("{}-{}", ReplicaBaseName(name), i),
               name == "*" ? managed : EnabledControllers({name}), &out);
  }
  if (!replicated) AddParts("kube-controller-manager", managed, &out);
  for (const auto& [process, parts] : cluster.processes) AddParts(process, parts, &out);
  return out;
}

}  // namespace ksim::scenario
