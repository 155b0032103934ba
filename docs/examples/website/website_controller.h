// A controller for a custom resource. A Website (example.dev/v1) says how many copies of an image
// are to serve it. The controller keeps a ReplicaSet of the same name, and tells in the Website's
// status how many of its pods are ready.
#pragma once
#include <memory>
#include <string>
#include <utility>

#include "ksim/client/cached_reader.h"
#include "ksim/client/controller_builder.h"
#include "ksim/controllers/controller.h"
#include "ksim/value/value.h"

class WebsiteController : public ksim::controllers::Controller, public ksim::client::Reconciler {
 public:
  explicit WebsiteController(ksim::controllers::ControllerContext context)
      : context_(std::move(context)),
        websites_(context_.Resource("example.dev", "websites")),
        sets_(context_.Resource("apps", "replicasets")),
        client_(context_.connection, context_.actor(), context_.client_options()),
        reader_(context_.connection, context_.informers, client_) {}

  // Once, before the caches are filled: what the controller wants to hear of.
  void Start() override {
    controller_ =
        ksim::client::ControllerBuilder(context_.connection, context_.informers, context_.name)
            .For(websites_)
            .Owns(sets_)
            .Build(*this);
  }

  // One Website, whatever happened to it: look at what there is, do what is missing.
  ksim::sim::Task<ksim::client::ReconcileResult> Reconcile(std::string key) override {
    using ksim::client::ReconcileResult;
    const auto id = ksim::client::SplitKey(key);
    if (!id.ok()) co_return ReconcileResult::Terminal(id.status().ToString());
    const auto site = co_await reader_.Get(websites_, id->ns, id->name);
    if (!site.ok()) co_return ReconcileResult::Done();  // deleted: nothing of ours to do

    const auto set = co_await reader_.Get(sets_, id->ns, id->name);
    if (!set.ok()) {
      const ksim::api::Object wanted = ReplicaSetFor(*site);
      const auto made = co_await client_.Create(sets_, wanted);
      // Our own cache may be behind: then it is there already, and we shall hear of it.
      if (!made.ok() && !ksim::api::IsAlreadyExists(made.status()))
        co_return ReconcileResult::Error(made.status());
      co_return ReconcileResult::Done();
    }
    const ksim::value::Value copies = site->spec().Get("copies");
    if (set->spec().Get("replicas") != copies) {
      const ksim::value::Path path{"spec", "replicas"};
      const auto updated = co_await client_.Update(sets_, With(*set, path, copies));
      if (!updated.ok()) co_return ReconcileResult::Error(updated.status());
    }
    const ksim::value::Value ready =
        ksim::value::Value::Of(set->status().Get("readyReplicas").AsInt());
    if (site->status().Get("ready") != ready) {
      const ksim::value::Path path{"status", "ready"};
      const auto updated = co_await client_.UpdateStatus(websites_, With(*site, path, ready));
      if (!updated.ok()) co_return ReconcileResult::Error(updated.status());
    }
    co_return ReconcileResult::Done();
  }

 private:
  // The same object with one field changed. Its version goes along: if somebody else has written
  // meanwhile, the server refuses, and Reconcile runs again on what is there then.
  static ksim::api::Object With(const ksim::api::Object& object, const ksim::value::Path& path,
                                const ksim::value::Value& value) {
    return ksim::api::Object::FromTree(object.tree().Set(path, value), object.resource_version());
  }

  // The ReplicaSet that serves a Website. It names the Website as its controller, so that what
  // happens to it leads back here.
  static ksim::api::Object ReplicaSetFor(const ksim::api::Object& site) {
    using ksim::value::Arr;
    using ksim::value::Obj;
    using ksim::value::Value;
    const Value labels = Obj({{"website", Value::Of(site.name())}});
    const Value owner = Obj({{"apiVersion", Value::Of(site.api_version())},
                             {"kind", Value::Of(site.kind())},
                             {"name", Value::Of(site.name())},
                             {"uid", Value::Of(site.uid())},
                             {"controller", Value::Of(true)},
                             {"blockOwnerDeletion", Value::Of(true)}});
    const Value container = Obj({{"name", Value::Of("web")}, {"image", site.spec().Get("image")}});
    return ksim::api::Object::FromTree(Obj(
        {{"apiVersion", Value::Of("apps/v1")},
         {"kind", Value::Of("ReplicaSet")},
         {"metadata", Obj({{"name", Value::Of(site.name())},
                           {"namespace", Value::Of(site.ns())},
                           {"ownerReferences", Arr({owner})}})},
         {"spec", Obj({{"replicas", site.spec().Get("copies")},
                       {"selector", Obj({{"matchLabels", labels}})},
                       {"template", Obj({{"metadata", Obj({{"labels", labels}})},
                                         {"spec", Obj({{"containers", Arr({container})}})}})}})}}));
  }

  ksim::controllers::ControllerContext context_;
  const ksim::api::ResourceInfo* websites_;
  const ksim::api::ResourceInfo* sets_;
  ksim::client::Client client_;
  ksim::client::CachedReader reader_;
  std::unique_ptr<ksim::client::BuiltController> controller_;
};

inline std::unique_ptr<ksim::controllers::Controller> MakeWebsiteController(
    ksim::controllers::ControllerContext context) {
  return std::make_unique<WebsiteController>(std::move(context));
}
