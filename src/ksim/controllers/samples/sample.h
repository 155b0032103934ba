// Sample and Keeper: what the sample controllers have in common, so that each of them shows one
// mistake and nothing else.
//
// A Keeper keeps the pods of ReplicaSets, and does it right in the simplest way: a pod's name
// follows from its ReplicaSet's and a number, so that whatever is tried twice is made once; every
// call looks at all there is, whatever led to it. The wrong ones derive from it and do one thing
// otherwise.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/client/client.h"
#include "ksim/client/controller_builder.h"
#include "ksim/client/informer.h"
#include "ksim/client/reconciler.h"
#include "ksim/controllers/controller.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

class Sample : public Controller, public client::Reconciler {
 public:
  explicit Sample(ControllerContext context);

 protected:
  using Result = client::ReconcileResult;

  client::ControllerBuilder Builder();
  client::SharedInformer& Informer(const api::ResourceInfo* r) { return context_.informers.For(r); }
  const client::Lister& Cache(const api::ResourceInfo* r) { return Informer(r).lister(); }
  // Empty if the cache has none.
  api::Object Cached(const api::ResourceInfo* r, const std::string& key);
  void Listen(const api::ResourceInfo* r, client::ResourceEventHandler* handler);
  // The same where the builder listens too: it is told under a name of its own.
  void ListenBeside(const api::ResourceInfo* r, client::ResourceEventHandler* handler);
  void Spawn(sim::Task<void> task) { context_.process.Spawn(std::move(task), context_.name); }

  // A ConfigMap with this data: made, or changed if it is there.
  sim::Task<Result> Publish(std::string ns, std::string name, value::Value data);

  ControllerContext context_;
  const api::ResourceInfo* sets_;  // replicasets
  const api::ResourceInfo* pods_;
  const api::ResourceInfo* maps_;  // configmaps
  client::Client client_;
  std::unique_ptr<client::BuiltController> controller_;
};

class Keeper : public Sample {
 public:
  using Sample::Sample;
  void Start() override;
  sim::Task<Result> Reconcile(std::string key) override;

 protected:
  // Makes the pods that are missing, deletes those that are too many, and writes the status.
  sim::Task<Result> Keep(std::string key);
  // How many pods there are, as the cache has it, into the ReplicaSet's status.
  sim::Task<Result> SayStatus(api::Object set);
  sim::Task<Result> Delete(api::Object pod);

  virtual bool Serves(const api::Object& set) { return !set.deleting(); }
  std::vector<api::Object> PodsOf(const api::Object& set);  // active ones, as the cache has them
  static std::string NameOf(const api::Object& set, std::int64_t ordinal);  // web-0
  static api::Object PodNamed(const api::Object& set, const std::string& name);
  static api::Object PodWithAGeneratedName(const api::Object& set);
};

}  // namespace ksim::controllers
