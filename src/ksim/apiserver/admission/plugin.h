// Admission: plugins that change or refuse an object between decoding and validation, and those
// that judge it after validation. They run in one fixed order, until the first refusal. When a
// webhook has changed an object, all that may change one run once more.
//
// Sources: apiserver pkg/admission (interfaces.go, chain.go, attributes.go, errors.go,
// reinvocation.go);
// pkg/kubeapiserver/options/plugins.go for the order.
#pragma once
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/core/request_context.h"
#include "ksim/apiserver/core/user.h"
#include "ksim/base/internal/shared_text.h"
#include "ksim/sim/simulation.h"
#include "ksim/sim/task.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {

class Authorizer;  // filters/authorization.h
class Resources;   // resources.h
struct Shared;     // server.h

enum class Operation : std::uint8_t { kCreate, kUpdate, kDelete };

// The second round of the plugins, after a webhook has changed the object.
struct Reinvocation {
  Reinvocation() = default;
  bool wanted = false;
  bool second_round = false;
  // The webhooks with reinvocationPolicy IfNeeded that were called, and those of them that must be
  // called again: their Hook::uid.
  std::set<std::string> called, again;
  value::Value last_output;  // the object as the webhooks left it
};

// An object of the request as it is shown at another version, where a webhook has converted it.
struct ConvertedObject {
  ConvertedObject(const api::ResourceInfo* r, value::Value f, value::Value t)
      : at(r), from(std::move(f)), to(std::move(t)) {}
  const api::ResourceInfo* at;
  value::Value from, to;
};

struct Attributes {
  Attributes(Operation op, const api::ResourceInfo& r) : operation(op), resource(r) {}
  bool Is(std::string_view group, std::string_view name, std::string_view sub = {}) const {
    return resource.group == group && resource.resource == name && subresource == sub;
  }
  Operation operation;
  const api::ResourceInfo& resource;
  SharedText subresource, ns, name;
  value::Value object;  // plugins change it here; null for deletes
  value::Value old;     // stored; null for creates, and for deletes before the object is read
  std::int64_t object_version = 0, old_version = 0;  // their resource versions; 0: none
  const api::DeleteOptions* del = nullptr;  // of a delete, if they are not the request's own
  const User* user = nullptr;
  RequestContext* request = nullptr;  // null in tests of single plugins
  bool dry_run = false;
  std::uint64_t identity = 0;                  // of the object being created: key of draws about it
  std::unique_ptr<Reinvocation> reinvocation;  // made by the webhooks; null: none was called
  // VersionedAttributeAccessor: filled before anybody is shown what a webhook has to convert.
  mutable std::vector<ConvertedObject> converted;
};

// Those of a request, without objects: the name is that of the URL.
Attributes AttributesOf(Operation operation, RequestContext& rc);

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
  // The plugin judges such an object after validation. Validate is only called then.
  virtual bool Validates(const Attributes& a) const;
  virtual sim::Task<api::Status> Validate(Attributes& a);
  // Whether the plugin may have to ask programs outside the server.
  virtual bool AsksWebhooks() const { return false; }
  // Whether it may have anything to judge after validation. Rarely true.
  virtual bool Judges() const { return AsksWebhooks(); }
};

// The parts of the server that plugins use.
struct PluginContext {
  PluginContext(sim::Process& p, Resources& r, Shared& s, const Authorizer& a);
  sim::Simulation& sim;
  sim::Process& process;
  Resources& resources;
  const api::Kinds& kinds;
  Shared& shared;
  const Authorizer& authorizer;
};

class AdmissionChain {
 public:
  AdmissionChain() = default;
  // The named plugins in upstream's order. An unknown name is a KSIM_CHECK.
  AdmissionChain(const std::vector<std::string>& names, const PluginContext& context);
  // Returns an empty task if no plugin has anything to do, as with most updates. A delete comes
  // here twice: before its object is read, and with the object, for the webhooks.
  sim::Task<api::Status> Admit(Attributes& a);
  // Judges the validated object; an empty task as above.
  sim::Task<api::Status> Validate(Attributes& a);
  // Whether a webhook may have to be asked about anything. Rarely true.
  bool AsksWebhooks() const;
  // The same, or a plugin of the server's may have to judge what is created or updated.
  bool Judges() const;
  // An object of the resource is in the store: some plugins begin to look for others of its kind.
  void NoteStored(const api::ResourceInfo& resource) const;

 private:
  sim::Task<api::Status> StartNext(Attributes& a, std::size_t* next);
  sim::Task<api::Status> JudgeFrom(Attributes& a, std::size_t next);
  sim::Task<api::Status> RunRemaining(Attributes& a, sim::Task<api::Status> admitting,
                                      std::size_t next);

  std::vector<std::unique_ptr<Plugin>> plugins_;
  Shared* shared_ = nullptr;  // null for a chain without plugins
};

// --- the plugins, one file each ---
std::unique_ptr<Plugin> MakeNamespaceLifecycle(const PluginContext& context);
std::unique_ptr<Plugin> MakeLimitRanger(const PluginContext& context);
std::unique_ptr<Plugin> MakeServiceAccount(const PluginContext& context);
std::unique_ptr<Plugin> MakeNodeRestriction(const PluginContext& context);
std::unique_ptr<Plugin> MakePodSecurity(const PluginContext& context);
std::unique_ptr<Plugin> MakeTaintNodesByCondition(const PluginContext& context);
std::unique_ptr<Plugin> MakePriority(const PluginContext& context);
std::unique_ptr<Plugin> MakeDefaultTolerationSeconds(const PluginContext& context);
std::unique_ptr<Plugin> MakeDefaultStorageClass(const PluginContext& context);
std::unique_ptr<Plugin> MakeStorageProtection(const PluginContext& context);
std::unique_ptr<Plugin> MakeOwnerReferences(const PluginContext& context);
std::unique_ptr<Plugin> MakeRuntimeClass(const PluginContext& context);
std::unique_ptr<Plugin> MakePodTopologyLabels(const PluginContext& context);
std::unique_ptr<Plugin> MakeMutatingWebhooks(const PluginContext& context);
std::unique_ptr<Plugin> MakeValidatingPolicies(const PluginContext& context);
std::unique_ptr<Plugin> MakeValidatingWebhooks(const PluginContext& context);
std::unique_ptr<Plugin> MakeResourceQuota(const PluginContext& context);
// Behind all that change an object, of a server with RBAC; no plugin that can be named.
std::unique_ptr<Plugin> MakeRoleEscalation(const PluginContext& context);

}  // namespace ksim::apiserver
