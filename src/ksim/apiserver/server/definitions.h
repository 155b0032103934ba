// Definitions: the controllers for CustomResourceDefinitions that run inside of an API server. They
// accept names, establish definitions, serve their kinds, and remove the objects of one that is
// being deleted. The server that has stored a definition sees to it; upstream's servers all do, and
// all but one of them meet a conflict.
//
// Sources: apiextensions-apiserver pkg/controller/{status,establish,finalizer},
// pkg/apiserver/customresource_handler.go (updateCustomResourceDefinition, tearDown).
#pragma once
#include <set>
#include <string>

#include "ksim/apiserver/cacher/resources.h"
#include "ksim/apiserver/core/definition_listener.h"
#include "ksim/apiserver/core/loopback_client.h"
#include "ksim/sim/process.h"

namespace ksim::apiserver {

class Definitions final : public DefinitionListener {
 public:
  Definitions(sim::Process& process, api::Kinds& kinds, Resources& resources,
              LoopbackClient& server, DefinitionsInStore& store);
  ~Definitions() override;
  Definitions(const Definitions&) = delete;
  Definitions& operator=(const Definitions&) = delete;

  // Goes on with what a server that has died has left undone.
  sim::Task<void> Resume();

  // --- DefinitionListener ---
  void Stored(const api::Object& definition) override;
  void Deleted(const api::Object& definition) override;
  void ForgetObjects(const api::ResourceInfo& kind) override;

 private:
  void Serve(const api::Object& definition);
  void Withdraw(const api::Object& definition);
  void Change(std::string_view group, std::string_view resource);
  void Queue(std::string name);
  sim::Task<void> Sync(std::string name);
  // One step of the controllers; false: nothing is left to do, or somebody else was faster.
  sim::Task<bool> SyncOnce(std::string name);
  sim::Task<bool> AcceptNames(value::Value crd);
  sim::Task<bool> Establish(value::Value crd);
  sim::Task<bool> Finalize(value::Value crd);
  // Deletes all objects; gives the definition with the condition Terminating that tells how it
  // went.
  sim::Task<value::Value> DeleteInstances(value::Value crd);
  sim::Task<void> Reinitialize(const api::ResourceInfo* kind);
  sim::Task<api::Response> ListAll(const api::ResourceInfo* kind);
  sim::Task<api::Response> Ask(api::Verb verb, const api::ResourceInfo* resource,
                               std::string_view ns, std::string_view name);
  sim::Task<api::Response> PutStatus(value::Value crd);
  const api::ResourceInfo* DefinitionKind() const;

  sim::Process& process_;
  api::Kinds& kinds_;
  Resources& resources_;
  LoopbackClient& server_;
  DefinitionsInStore& store_;
  std::set<std::string> busy_, again_;  // names in Sync, and those that have changed since
};

}  // namespace ksim::apiserver
