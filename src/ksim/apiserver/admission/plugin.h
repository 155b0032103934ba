// Admission: plugins that change or refuse an object between decoding and validation. They run in
// one fixed order, until the first refusal. No plugin here runs after validation.
//
// Sources: apiserver pkg/admission (interfaces.go, chain.go, attributes.go, errors.go);
// pkg/kubeapiserver/options/plugins.go for the order.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/core/user.h"
#include "ksim/base/internal/shared_text.h"
#include "ksim/sim/simulation.h"
#include "ksim/sim/task.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {

class Resources;  // resources.h

enum class Operation : std::uint8_t { kCreate, kUpdate, kDelete };

struct Attributes {
  Attributes(Operation op, const api::ResourceInfo& r) : operation(op), resource(r) {}
  bool Is(std::string_view group, std::string_view name, std::string_view sub = {}) const {
    return resource.group == group && resource.resource == name && subresource == sub;
  }
  Operation operation;
  const api::ResourceInfo& resource;
  SharedText subresource, ns, name;
  value::Value object;  // plugins change it here; null for deletes
  value::Value old;     // stored; null for creates
  const User* user = nullptr;
  bool dry_run = false;
  std::uint64_t identity = 0;  // of the object being created: key of draws about it
};

// admission.NewForbidden.
api::Status AdmissionForbidden(const Attributes& a, std::string_view why);

class Plugin {
 public:
  virtual ~Plugin() = default;
  virtual std::string_view name() const = 0;
  // Returns whether the plugin handles such a request; Admit is only called if it does.
  virtual bool Handles(const Attributes& a) const = 0;
  // Returns an empty task if there is nothing to do.
  virtual sim::Task<api::Status> Admit(Attributes& a);
};

// The parts of the server that plugins use.
struct PluginContext {
  PluginContext(sim::Simulation& s, Resources& r, const api::Kinds& k)
      : sim(s), resources(r), kinds(k) {}
  sim::Simulation& sim;
  Resources& resources;
  const api::Kinds& kinds;
};

class AdmissionChain {
 public:
  AdmissionChain() = default;
  // The named plugins in upstream's order. An unknown name is a KSIM_CHECK.
  AdmissionChain(const std::vector<std::string>& names, const PluginContext& context);
  // Returns an empty task if no plugin has anything to do, as with most updates.
  sim::Task<api::Status> Admit(Attributes& a);

 private:
  sim::Task<api::Status> StartNext(Attributes& a, std::size_t* next);
  sim::Task<api::Status> RunRemaining(Attributes& a, sim::Task<api::Status> admitting,
                                      std::size_t next);

  std::vector<std::unique_ptr<Plugin>> plugins_;
};

// --- the plugins, one file each ---
std::unique_ptr<Plugin> MakeNamespaceLifecycle(const PluginContext& context);
std::unique_ptr<Plugin> MakeServiceAccount(const PluginContext& context);
std::unique_ptr<Plugin> MakeTaintNodesByCondition(const PluginContext& context);
std::unique_ptr<Plugin> MakePriority(const PluginContext& context);
std::unique_ptr<Plugin> MakeDefaultTolerationSeconds(const PluginContext& context);
std::unique_ptr<Plugin> MakePodTopologyLabels(const PluginContext& context);

}  // namespace ksim::apiserver
