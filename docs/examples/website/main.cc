// A controller for a custom resource, in a program of its own.
//
// A Website (example.dev/v1) says how many copies of an image are to serve it. Its controller keeps
// a ReplicaSet of the same name, and tells in the Website's status how many pods are ready. The
// program creates one, scales it, and shows what came of it.
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "ksim/client/reconciler.h"
#include "ksim/cluster.h"
#include "ksim/controllers/controller.h"
#include "ksim/value/value.h"

namespace {

using ksim::client::ReconcileResult;
using ksim::value::Arr;
using ksim::value::Obj;
using ksim::value::Value;

// The ReplicaSet that serves a Website. It names the Website as its controller, so that events of
// the ReplicaSet lead back to it.
ksim::api::Object ReplicaSetFor(const ksim::api::Object& site) {
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

class WebsiteController : public ksim::controllers::Controller, public ksim::client::Reconciler {
 public:
  explicit WebsiteController(ksim::controllers::ControllerContext context)
      : context_(std::move(context)),
        websites_(context_.Resource("example.dev", "websites")),
        sets_(context_.Resource("apps", "replicasets")),
        client_(context_.connection, context_.actor(), ksim::client::ClientOptions()),
        website_informer_(context_.informers.For(websites_)),
        set_informer_(context_.informers.For(sets_)),
        queue_(context_.process, ksim::client::DefaultControllerRateLimiter(context_.process)),
        loop_(context_.connection, context_.name, queue_, *this) {}

  void Start() override {
    website_handlers_.add = [this](const ksim::api::Object& o, bool) { queue_.Add(o.key()); };
    website_handlers_.update = [this](const ksim::api::Object&, const ksim::api::Object& o) {
      queue_.Add(o.key());
    };
    set_handlers_.update = [this](const ksim::api::Object&, const ksim::api::Object& o) {
      const auto owner = o.controller();
      if (owner && owner->kind == "Website") queue_.Add(o.key());  // same namespace and name
    };
    website_informer_.AddHandler(context_.actor(), &website_handlers_);
    set_informer_.AddHandler(context_.actor(), &set_handlers_);
    loop_.Start(1, {&website_informer_, &set_informer_});
  }

  ksim::sim::Task<ReconcileResult> Reconcile(std::string key) override {
    const ksim::client::ObjectKey id = ksim::client::SplitKey(key);
    const ksim::api::Object site = website_informer_.lister().Get(id.ns, id.name);
    if (site.empty()) co_return ReconcileResult::Done();
    const ksim::api::Object set = set_informer_.lister().Get(id.ns, id.name);
    if (set.empty()) {
      const ksim::api::Object wanted = ReplicaSetFor(site);
      const auto made = co_await client_.Create(sets_, wanted);
      if (!made.ok() && !ksim::api::IsAlreadyExists(made.status()))
        co_return ReconcileResult::Error(made.status());
      co_return ReconcileResult::Done();
    }
    static const ksim::value::Path kReplicas{"spec", "replicas"};
    static const ksim::value::Path kReady{"status", "readyReplicas"};
    const Value copies = site.spec().Get("copies");
    if (set.Get(kReplicas) != copies) {
      const ksim::api::Object scaled =
          ksim::api::Object::FromTree(set.tree().Set(kReplicas, copies), set.resource_version());
      const auto updated = co_await client_.Update(sets_, scaled);
      if (!updated.ok()) co_return ReconcileResult::Error(updated.status());
    }
    const Value ready = Value::Of(set.Get(kReady).AsInt());
    if (site.status().Get("ready") != ready) {
      const ksim::value::Path path{"status", "ready"};
      const ksim::api::Object told =
          ksim::api::Object::FromTree(site.tree().Set(path, ready), site.resource_version());
      const auto updated = co_await client_.UpdateStatus(websites_, told);
      if (!updated.ok()) co_return ReconcileResult::Error(updated.status());
    }
    co_return ReconcileResult::Done();
  }

 private:
  ksim::controllers::ControllerContext context_;
  const ksim::api::ResourceInfo* websites_;
  const ksim::api::ResourceInfo* sets_;
  ksim::client::Client client_;
  ksim::client::SharedInformer& website_informer_;
  ksim::client::SharedInformer& set_informer_;
  ksim::client::HandlerFuncs website_handlers_, set_handlers_;
  ksim::client::WorkQueue queue_;
  ksim::client::ReconcileLoop loop_;
};

std::unique_ptr<ksim::controllers::Controller> MakeWebsiteController(
    ksim::controllers::ControllerContext context) {
  return std::make_unique<WebsiteController>(std::move(context));
}

const char* const kWebsite = R"(
apiVersion: example.dev/v1
kind: Website
metadata: {name: shop}
spec: {image: nginx, copies: %d}
)";

std::string Website(int copies) {
  char text[200];
  std::snprintf(text, sizeof text, kWebsite, copies);
  return text;
}

// Runs until quiet and prints how many pods there are and what the Website says. True if the status
// tells of `copies` ready pods.
bool RunAndShow(ksim::Cluster& cluster, int copies) {
  const ksim::ClusterResult result = cluster.Run();
  for (const std::string& error : result.errors) std::printf("%s\n", error.c_str());
  const ksim::api::Object site = cluster.Get("websites", "default", "shop");
  const auto ready = site.status().Get("ready").AsInt();
  std::printf("%s: %zu pods, website shop says %lld ready\n",
              ksim::FormatTime(cluster.now()).c_str(), cluster.List("pods", "default").size(),
              static_cast<long long>(ready));
  return result.ok() && ready == copies;
}

}  // namespace

int main() {
  ksim::Cluster cluster;
  cluster.AddController("website-controller", MakeWebsiteController);
  bool good = cluster.Apply(Website(2)).ok() && RunAndShow(cluster, 2);
  good = cluster.Apply(Website(4)).ok() && RunAndShow(cluster, 4) && good;
  return good ? 0 : 1;
}
