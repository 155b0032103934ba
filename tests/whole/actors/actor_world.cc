#include "tests/whole/actors/actor_world.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/client/core/payloads.h"
#include "ksim/client/informer.h"
#include "ksim/kubelet/kubelet.h"
#include "ksim/scheduler/scheduler.h"
#include "ksim/store/events.h"
#include "ksim/value/timestamp.h"

namespace ksim {
namespace {

constexpr std::string_view kNamespace = "default";

template <class T>
class Body : public scenario::Component::Body {
 public:
  explicit Body(std::unique_ptr<T> t) : actor(std::move(t)) {}
  std::unique_ptr<T> actor;
};

template <class T>
std::unique_ptr<scenario::Component::Body> Started(std::unique_ptr<T> actor) {
  actor->Start();
  return std::make_unique<Body<T>>(std::move(actor));
}

client::ClientOptions User(std::string name) {
  client::ClientOptions options;
  options.user = std::move(name);
  options.qps = 50;
  options.burst = 100;
  return options;
}

}  // namespace

ActorWorld::ActorWorld(const ActorWorldOptions& options)
    : api(apiserver::WorldOptions(options.compat).Servers(2)),
      env(api.sim, api.network, api.kinds, options.compat) {
  env.identities = &api.identities;
  env.variants = api::ResolveVariants(options.compat, options.variants);
  api.sim.bus().Subscribe(sim::Bus::Stage::kWriter,
                          [this](const sim::Event& e) { events_.push_back(e); });
}

ActorWorld::~ActorWorld() { api.sim.Shutdown(); }

void ActorWorld::Start(const std::string& name, client::ClientOptions options,
                       scenario::Component::Build build) {
  components_.push_back(std::make_unique<scenario::Component>(env, name, api.server(0).endpoint(),
                                                              std::move(options), build));
  components_.back()->process().Start();
  Settle();
}

void ActorWorld::StartReplicaSets() {
  Start("kube-controller-manager", User("system:kube-controller-manager"),
        [this](sim::Process& process, client::Connection& connection,
               client::InformerFactory& informers) -> std::unique_ptr<scenario::Component::Body> {
          auto controller = std::make_unique<controllers::ReplicaSetController>(
              controllers::ControllerContext(process, connection, informers, "replicaset"));
          replicasets_ = controller.get();
          return Started(std::move(controller));
        });
}

void ActorWorld::StartController(const std::string& name, controllers::ControllerFactory factory) {
  Start(name, User(name),
        [name, factory](
            sim::Process& process, client::Connection& connection,
            client::InformerFactory& informers) -> std::unique_ptr<scenario::Component::Body> {
          return Started(
              factory(controllers::ControllerContext(process, connection, informers, name)));
        });
}

void ActorWorld::StartScheduler() {
  Start("kube-scheduler", User("system:kube-scheduler"),
        [](sim::Process& process, client::Connection& connection,
           client::InformerFactory& informers) -> std::unique_ptr<scenario::Component::Body> {
          return Started(std::make_unique<scheduler::Scheduler>(process, connection, informers));
        });
}

void ActorWorld::StartKubelet(const std::string& node) {
  kubelet::NodeOptions options;
  options.name = node;
  options.capacity = kubelet::DefaultNodeCapacity();
  machines_.push_back(std::make_unique<kubelet::Runtime>(env, node, options.pod_network()));
  kubelet::Runtime* runtime = machines_.back().get();
  Start("kubelet/" + node, User("system:node:" + node),
        [runtime, options](
            sim::Process& process, client::Connection& connection,
            client::InformerFactory& informers) -> std::unique_ptr<scenario::Component::Body> {
          return Started(std::make_unique<kubelet::Kubelet>(process, connection, informers,
                                                            *runtime, options));
        });
}

api::Object ActorWorld::Create(std::string_view resource, std::string_view json) {
  const bool namespaced = api.Kind(resource).namespaced;
  api::Request r = api.Request(api::Verb::kCreate, resource, namespaced ? kNamespace : "", "");
  r.body = apiserver::Json(json);
  const api::Response response = Do(std::move(r));
  EXPECT_EQ(response.code, 201) << response.status.message;
  return response.object;
}

api::Object ActorWorld::Get(std::string_view resource, std::string_view name) {
  const bool namespaced = api.Kind(resource).namespaced;
  return Do(api.Request(api::Verb::kGet, resource, namespaced ? kNamespace : "", name)).object;
}

std::vector<api::Object> ActorWorld::List(std::string_view resource) {
  return Do(api.Request(api::Verb::kList, resource, kNamespace, "")).items;
}

api::Response ActorWorld::Patch(std::string_view resource, std::string_view name,
                                std::string_view json, std::string_view sub) {
  const bool namespaced = api.Kind(resource).namespaced;
  api::Request r = api.Request(api::Verb::kPatch, resource, namespaced ? kNamespace : "", name);
  r.patch_type = api::PatchType::kStrategic;
  r.subresource = sub;
  r.body = apiserver::Json(json);
  api::Response response = Do(std::move(r));
  EXPECT_EQ(response.code, 200) << response.status.message;
  return response;
}

api::Response ActorWorld::Delete(std::string_view resource, std::string_view name,
                                 api::DeleteOptions options) {
  const bool namespaced = api.Kind(resource).namespaced;
  api::Request r = api.Request(api::Verb::kDelete, resource, namespaced ? kNamespace : "", name);
  r.del = std::move(options);
  api::Response response = Do(std::move(r));
  EXPECT_EQ(response.code, 200) << response.status.message;
  return response;
}

void ActorWorld::AddNode(std::string_view name, std::string_view pods) {
  Create("nodes", fmt::format(R"({{"apiVersion":"v1","kind":"Node","metadata":{{"name":"{0}",
    "labels":{{"kubernetes.io/hostname":"{0}"}}}},"status":{{
    "capacity":{{"cpu":"4","memory":"8Gi","pods":"{1}"}},
    "allocatable":{{"cpu":"4","memory":"8Gi","pods":"{1}"}},
    "conditions":[{{"type":"Ready","status":"True"}}]}}}})",
                              name, pods));
}

void ActorWorld::Bind(std::string_view pod, std::string_view node) {
  EXPECT_EQ(api.Bind(kNamespace, pod, node).code, 201);
}

void ActorWorld::MakeReady(std::string_view pod, bool ready) {
  Patch("pods", pod,
        fmt::format(R"({{"status":{{"phase":"Running","conditions":[{{"type":"Ready",
    "status":"{}","lastTransitionTime":"{}"}}]}}}})",
                    ready ? "True" : "False", value::FormatTimestamp(api.sim.now())),
        "status");
}

std::vector<std::string> ActorWorld::PodNames() {
  std::vector<std::string> names;
  for (const api::Object& pod : List("pods")) names.emplace_back(pod.name());
  return names;
}

std::string ActorWorld::TheOnlyPod() {
  const std::vector<std::string> names = PodNames();
  EXPECT_EQ(names.size(), 1u);
  return names.empty() ? "" : names.front();
}

namespace {

bool Writing(api::Verb verb) {
  return verb == api::Verb::kCreate || verb == api::Verb::kUpdate || verb == api::Verb::kPatch ||
         verb == api::Verb::kDelete;
}

std::string LineOf(const api::Request& r) {
  std::string line = fmt::format("{} {}", api::ToString(r.verb), r.resource->resource);
  if (!r.name.empty()) line += "/" + r.name;
  if (!r.subresource.empty()) line += "/" + r.subresource;
  return line;
}

}  // namespace

std::vector<std::string> ActorWorld::Writes() {
  std::vector<std::string> lines;
  for (std::size_t i = from_; i < events_.size(); ++i) {
    if (events_[i].kind != sim::EventKind::kRequest) continue;
    const api::Request& r = events_[i].payload.As<client::RequestPayload>().request;
    if (!Writing(r.verb) || r.resource->resource == "events" || r.resource->resource == "leases")
      continue;
    lines.push_back(LineOf(r));
  }
  Forget();
  return lines;
}

std::vector<std::string> ActorWorld::Requests(const std::set<std::string>& resources) {
  std::vector<std::string> lines;
  for (std::size_t i = from_; i < events_.size(); ++i) {
    if (events_[i].kind != sim::EventKind::kRequest) continue;
    const api::Request& r = events_[i].payload.As<client::RequestPayload>().request;
    if (r.verb == api::Verb::kWatch || r.verb == api::Verb::kList) continue;
    if (resources.contains(r.resource->resource)) lines.push_back(LineOf(r));
  }
  Forget();
  return lines;
}

std::vector<std::string> ActorWorld::EventTexts() {
  std::vector<std::string> lines;
  for (std::size_t i = from_; i < events_.size(); ++i) {
    if (events_[i].kind != sim::EventKind::kCommit) continue;
    const auto& commit = events_[i].payload.As<store::CommitPayload>();
    if (!commit.kv || !commit.kv.value().is_object()) continue;
    const value::Value& tree = commit.kv.value();
    if (tree.Get("kind").AsString() != "Event") continue;
    const std::string_view note = tree.Get("message").AsString();
    lines.push_back(fmt::format("{} {} {}", tree.Get("type").AsString(),
                                tree.Get("reason").AsString(),
                                note.empty() ? tree.Get("note").AsString() : note));
  }
  Forget();
  return lines;
}

std::vector<VirtualTime> ActorWorld::ReconcileTimes(std::string_view key) {
  std::vector<VirtualTime> times;
  for (std::size_t i = from_; i < events_.size(); ++i) {
    if (events_[i].kind != sim::EventKind::kReconcile) continue;
    const auto& reconcile = events_[i].payload.As<client::ReconcilePayload>();
    if (reconcile.state == "begin" && reconcile.key == key) times.push_back(events_[i].time);
  }
  Forget();
  return times;
}

std::size_t ActorWorld::Reconciles(std::string_view key) { return ReconcileTimes(key).size(); }

std::vector<std::string> ActorWorld::HandlerCalls(std::string_view resource) {
  std::vector<std::string> lines;
  for (std::size_t i = from_; i < events_.size(); ++i) {
    if (events_[i].kind != sim::EventKind::kHandler) continue;
    const auto& call = events_[i].payload.As<client::HandlerPayload>();
    if (call.resource->resource != resource) continue;
    lines.push_back(fmt::format("{} {}{}", client::ToString(call.type), call.object.name(),
                                call.tombstone ? " tombstone" : ""));
  }
  return lines;
}

void ActorWorld::Freeze(std::string_view resource, bool frozen) {
  apiserver::WatchCacheFaults& cache = api.server(0).faults().watch_cache(api.Kind(resource));
  if (frozen)
    cache.Freeze();
  else
    cache.ThawAll();
}

void ActorWorld::Relist(std::string_view resource) {
  api.server(0).faults().watch_cache(api.Kind(resource)).Reinit();
  Advance(Seconds(5));
}

std::string ReplicaSetJson(std::string_view name, int replicas, std::string_view more_spec,
                           std::string_view more_pod_spec) {
  return fmt::format(R"({{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{{"name":"{0}"}},
    "spec":{{"replicas":{1},"selector":{{"matchLabels":{{"app":"{0}"}}}}{2},
    "template":{{"metadata":{{"labels":{{"app":"{0}"}}}},
      "spec":{{"containers":[{{"name":"c","image":"i:1"}}]{3}}}}}}}}})",
                     name, replicas, more_spec, more_pod_spec);
}

std::string PodJson(std::string_view name, std::string_view labels, std::string_view owner,
                    std::string_view more_spec) {
  return fmt::format(R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}","labels":{}{}}},
    "spec":{{"containers":[{{"name":"c","image":"i:1"}}]{}}}}})",
                     name, labels,
                     owner.empty() ? "" : fmt::format(R"(,"ownerReferences":[{}])", owner),
                     more_spec);
}

}  // namespace ksim
