#include "ksim/scenario/scenario.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/registry.h"
#include "ksim/scenario/schema.h"

namespace ksim::scenario {

ClusterSpec::ClusterSpec() {
  nodes.emplace_back();
  nodes.back().count = 3;
}

std::vector<std::string> NodeSpec::Names() const {
  if (count == 1 && name != "node") return {name};
  std::vector<std::string> out;
  for (std::int64_t i = 1; i <= count; ++i) out.push_back(fmt::format("{}-{}", name, i));
  return out;
}

std::vector<std::string> ClusterSpec::NodeNames() const {
  std::vector<std::string> out;
  for (const NodeSpec& spec : nodes)
    for (std::string& name : spec.Names()) out.push_back(std::move(name));
  return out;
}

bool ClusterSpec::LeavesToOthers(std::string_view component) const {
  return std::find(components.begin(), components.end(), fmt::format("-{}", component)) !=
         components.end();
}

bool ClusterSpec::Runs(std::string_view component) const {
  const auto given = [&](std::string_view name) {
    return std::find(components.begin(), components.end(), name) != components.end();
  };
  return (given("*") || given(component)) && !LeavesToOthers(component);
}

std::string GuestSpec::ProcessName(std::int64_t replica) const {
  return replicas == 1 ? name : fmt::format("{}-{}", name, replica);
}

bool ClusterSpec::HasGuestFor(std::string_view component) const {
  return std::any_of(guests.begin(), guests.end(),
                     [&](const GuestSpec& guest) { return guest.stands_for == component; });
}

std::vector<std::string> ClusterSpec::GuestProcesses() const {
  std::vector<std::string> names;
  for (const GuestSpec& guest : guests)
    for (std::int64_t i = 0; i < guest.replicas; ++i) names.push_back(guest.ProcessName(i));
  return names;
}

std::string ReplicaBaseName(const std::string& controller) {
  return controller == "*" ? "kube-controller-manager" : controller;
}

std::vector<std::string> ClusterSpec::ControllerProcesses() const {
  std::vector<std::string> names;
  bool manager = Runs("kube-controller-manager");
  for (const auto& [controller, replicas] : replicated) {
    if (controller == "*") manager = false;
    for (std::int64_t i = 0; i < replicas; ++i)
      names.push_back(fmt::format("{}-{}", ReplicaBaseName(controller), i));
  }
  if (manager) names.insert(names.begin(), "kube-controller-manager");
  for (const auto& [name, parts] : processes) names.push_back(name);
  for (const auto& [name, parts] : OwnProcesses()) names.push_back(name);
  return names;
}

bool ClusterSpec::IsOwnController(std::string_view name) const {
  return program != nullptr && program->FindController(name) != nullptr;
}

std::vector<std::pair<std::string, std::vector<std::string>>> ClusterSpec::OwnProcesses() const {
  std::vector<std::pair<std::string, std::vector<std::string>>> out;
  if (program == nullptr) return out;
  const auto has = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const auto has_a_place = [&](const std::string& name) {
    return std::any_of(processes.begin(), processes.end(),
                       [&](const auto& p) { return has(p.second, name); }) ||
           std::any_of(replicated.begin(), replicated.end(),
                       [&](const auto& r) { return r.first == name; });
  };
  for (const RegisteredController& c : program->controllers()) {
    if (!has(controllers, c.name) || has(controllers, "-" + c.name) || has_a_place(c.name))
      continue;
    auto process = std::find_if(out.begin(), out.end(),
                                [&c](const auto& p) { return p.first == c.process(); });
    if (process == out.end()) process = out.insert(out.end(), {c.process(), {}});
    process->second.push_back(c.name);
  }
  return out;
}

std::string_view ToString(StepKind kind) {
  return StepType().fields[static_cast<std::size_t>(kind) + 3].name;  // after at, when and as
}

std::string ClusterSpec::ServiceAccountOf(std::string_view process) const {
  for (const auto& [name, account] : service_accounts) {
    if (name != process) continue;
    const std::size_t slash = account.find('/');
    return fmt::format("system:serviceaccount:{}:{}", account.substr(0, slash),
                       account.substr(slash + 1));
  }
  return "";
}

}  // namespace ksim::scenario
