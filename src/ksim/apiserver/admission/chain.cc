// Part of plugin.h: the plugins in their order, and the chain that runs them.
#include <algorithm>
#include <utility>

#include "ksim/apiserver/admission/plugin.h"
#include "ksim/apiserver/core/profile.h"
#include "ksim/apiserver/server.h"
#include "ksim/base/check.h"

namespace ksim::apiserver {
namespace {

struct Entry {
  const char* name;
  std::unique_ptr<Plugin> (*make)(const PluginContext&);
  bool on_by_default;
  bool Profile::* since = nullptr;  // null: in every version
};

// AllOrderedPlugins, as far as they exist here. TaintNodesByCondition is off: see docs/fidelity.md.
constexpr Entry kPlugins[] = {
    {"NamespaceLifecycle", MakeNamespaceLifecycle, true},
    {"ServiceAccount", MakeServiceAccount, true},
    {"TaintNodesByCondition", MakeTaintNodesByCondition, false},
    {"Priority", MakePriority, true},
    {"DefaultTolerationSeconds", MakeDefaultTolerationSeconds, true},
    {"PodTopologyLabels", MakePodTopologyLabels, true, &Profile::pod_topology_labels},
};

}  // namespace

std::vector<std::string> DefaultAdmissionPlugins(api::Compat compat) {
  std::vector<std::string> names;
  const Profile& profile = apiserver::ProfileOf(compat);
  for (const Entry& entry : kPlugins) {
    const bool exists = entry.since == nullptr || profile.*entry.since;
    if (entry.on_by_default && exists) names.emplace_back(entry.name);
  }
  return names;
}

std::vector<std::string> AllAdmissionPlugins() {
  std::vector<std::string> names;
  for (const Entry& entry : kPlugins) names.emplace_back(entry.name);
  return names;
}

api::Status AdmissionForbidden(const Attributes& a, std::string_view why) {
  std::string name = a.name.str();
  if (name.empty() && a.object.is_object()) {
    const value::Value& metadata = a.object.Get("metadata");
    name = metadata.Get("name").AsString();
    if (name.empty()) name = metadata.Get("generateName").AsString();
  }
  if (name.empty()) name = "Unknown";
  return api::Forbidden(api::GroupResource(a.resource.group, a.resource.resource), name, why);
}

sim::Task<api::Status> Plugin::Admit(Attributes&) { return sim::Task<api::Status>(); }

AdmissionChain::AdmissionChain(const std::vector<std::string>& names,
                               const PluginContext& context) {
  const std::vector<std::string> all = AllAdmissionPlugins();
  for (const std::string& name : names) {
    KSIM_CHECK(std::find(all.begin(), all.end(), name) != all.end())
        << "no admission plugin " << name;
  }
  for (const Entry& entry : kPlugins) {
    if (std::find(names.begin(), names.end(), entry.name) != names.end())
      plugins_.push_back(entry.make(context));
  }
}

sim::Task<api::Status> AdmissionChain::Admit(Attributes& a) {
  std::size_t next = 0;
  sim::Task<api::Status> first = StartNext(a, &next);
  return first.done() ? sim::Task<api::Status>() : RunRemaining(a, std::move(first), next);
}

// Starts the next plugin that has anything to do; returns an empty task if none is left.
sim::Task<api::Status> AdmissionChain::StartNext(Attributes& a, std::size_t* next) {
  while (*next < plugins_.size()) {
    Plugin& plugin = *plugins_[(*next)++];
    if (!plugin.Handles(a)) continue;
    sim::Task<api::Status> admitting = plugin.Admit(a);
    if (!admitting.done()) return admitting;
  }
  return sim::Task<api::Status>();
}

sim::Task<api::Status> AdmissionChain::RunRemaining(Attributes& a, sim::Task<api::Status> admitting,
                                                    std::size_t next) {
  while (!admitting.done()) {
    const api::Status status = co_await std::move(admitting);
    if (!status.ok()) co_return status;
    admitting = StartNext(a, &next);
  }
  co_return api::Status();
}

}  // namespace ksim::apiserver
