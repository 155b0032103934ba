#include "ksim/scenario/controller_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "absl/strings/str_split.h"
#include "ksim/controllers/kind_effects.h"
#include "ksim/scenario/schema.h"

namespace ksim::scenario {
namespace {

// The parts are those of the register: a sample has the part of the controller it stands in for.
void AddParts(const std::string& process, const std::vector<std::string>& controllers,
              std::vector<std::string>* out) {
  for (const std::string& controller : controllers) {
    const controllers::ControllerInfo* info = controllers::FindController(controller);
    out->push_back(fmt::format("{}/{}", process, info == nullptr ? controller : info->PartName()));
    if (info != nullptr && !info->second_part.empty())
      out->push_back(fmt::format("{}/{}", process, info->second_part));
  }
}

// --controllers=NAME,...: "*" means all, "-NAME" all but that one. A controller goes by its own
// name and by upstream's.
bool GuestRuns(const GuestSpec& guest, std::string_view name, std::string_view upstream) {
  static constexpr std::string_view kFlag = "--controllers=";
  bool runs = true;  // without the flag it runs all
  for (const std::string& arg : guest.args) {
    if (!arg.starts_with(kFlag)) continue;
    const std::string list = fmt::format(",{},", std::string_view(arg).substr(kFlag.size()));
    const auto has = [&list](std::string_view begin, std::string_view given) {
      return list.find(fmt::format(",{}{},", begin, given)) != std::string::npos;
    };
    const bool named = has("", name) || has("", upstream);
    runs = (has("", "*") || named) && !has("-", name) && !has("-", upstream);
  }
  return runs;
}

}  // namespace

std::vector<std::string> EnabledControllers(const std::vector<std::string>& names,
                                            api::Compat compat) {
  std::vector<std::string> out;
  const controllers::Profile& profile = controllers::ProfileOf(compat);
  for (const controllers::ControllerInfo& c : controllers::AllControllers()) {
    const std::string name(c.name);
    const auto given = [&](const std::string& n) {
      return std::find(names.begin(), names.end(), n) != names.end();
    };
    const bool meant = given(name) || (given("*") && !c.is_sample() && !c.by_name_only);
    if (c.make != nullptr && c.IsIn(profile) && meant && !given("-" + name)) out.push_back(name);
  }
  return out;
}

std::vector<std::string> ReplicatedControllers(const ClusterSpec& cluster, const std::string& name,
                                               api::Compat compat) {
  if (cluster.IsOwnController(name)) return {name};
  return EnabledControllers({name}, compat);
}

std::vector<std::string> ManagerControllers(const ClusterSpec& cluster, api::Compat compat) {
  if (!cluster.Runs("kube-controller-manager")) return {};
  std::vector<std::string> given = cluster.controllers;
  for (const auto& [name, replicas] : cluster.replicated)
    if (name == "*") given.push_back(name);  // {name: "*", replicas: 2} names them all
  std::vector<std::string> names = EnabledControllers(given, compat);
  const auto take = [&](const std::string& name) {
    names.erase(std::remove(names.begin(), names.end(), name), names.end());
  };
  for (const auto& [process, parts] : cluster.processes)
    for (const std::string& part : parts) take(part);
  for (const auto& [name, replicas] : cluster.replicated) take(name);
  return names;
}

std::vector<std::string> ControllerParts(const ClusterSpec& cluster, api::Compat compat) {
  std::vector<std::string> out;
  const std::vector<std::string> managed = ManagerControllers(cluster, compat);
  bool replicated = false;
  for (const auto& [name, replicas] : cluster.replicated) {
    replicated = replicated || name == "*";
    for (std::int64_t i = 0; i < replicas; ++i)
      AddParts(fmt::format("{}-{}", ReplicaBaseName(name), i),
               name == "*" ? managed : ReplicatedControllers(cluster, name, compat), &out);
  }
  if (!replicated && cluster.Runs("kube-controller-manager"))
    AddParts("kube-controller-manager", managed, &out);
  for (const auto& [process, parts] : cluster.processes) AddParts(process, parts, &out);
  for (const auto& [process, parts] : cluster.OwnProcesses()) AddParts(process, parts, &out);
  return out;
}

bool RunsController(const ClusterSpec& cluster, std::string_view name, api::Compat compat) {
  const controllers::ControllerInfo* info = controllers::FindController(name);
  const std::string part = fmt::format("/{}", info == nullptr ? name : info->PartName());
  for (const std::string& running : ControllerParts(cluster, compat))
    if (running.ends_with(part)) return true;
  for (const GuestSpec& guest : cluster.guests)
    if (guest.stands_for == "kube-controller-manager" &&
        GuestRuns(guest, name, info == nullptr ? name : info->upstream))
      return true;
  return false;
}

bool RunsOwnController(const ClusterSpec& cluster) {
  const auto is_own = [&cluster](const std::string& name) { return cluster.IsOwnController(name); };
  return !cluster.OwnProcesses().empty() ||
         std::any_of(cluster.processes.begin(), cluster.processes.end(),
                     [&](const auto& p) {
                       return std::any_of(p.second.begin(), p.second.end(), is_own);
                     }) ||
         std::any_of(cluster.replicated.begin(), cluster.replicated.end(),
                     [&](const auto& r) { return is_own(r.first); });
}

const controllers::ControllerInfo* MissingController(const ClusterSpec& cluster, api::Compat compat,
                                                     std::string_view name) {
  const controllers::ControllerInfo* info = controllers::FindController(name);
  if (info == nullptr) return nullptr;
  if (!info->IsIn(controllers::ProfileOf(compat)) && !info->part_of.empty())
    info = controllers::FindController(info->part_of);
  const std::string part = "/" + std::string(info->PartName());
  for (const std::string& running : ControllerParts(cluster, compat))
    if (running.ends_with(part)) return nullptr;
  return info;
}

bool BindsClaims(const ClusterSpec& cluster, api::Compat compat) {
  return cluster.LeavesToOthers("kube-controller-manager") ||
         RunsController(cluster, "persistentvolume-binder", compat);
}

std::string_view FateOfUnboundClaims(const ClusterSpec& cluster, api::Compat compat) {
  if (BindsClaims(cluster, compat)) return "nobody binds it, and pods that need it stay Pending";
  return controllers::EffectOf("", "PersistentVolumeClaim")->text;
}

}  // namespace ksim::scenario
