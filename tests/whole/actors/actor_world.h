// ActorWorld runs one actor (the ReplicaSet controller, the scheduler, a kubelet) against real API
// servers. The actor talks to server 0 and the test to server 1, so that a test can hold back the
// actor's view while it goes on. Nobody else writes.
#pragma once
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/variants.h"
#include "ksim/client/client.h"
#include "ksim/controllers/replicaset/replicaset_controller.h"
#include "ksim/kubelet/runtime/runtime.h"
#include "ksim/scenario/component.h"
#include "ksim/sim/bus.h"
#include "tests/apiserver/world.h"

namespace ksim {

inline constexpr api::Compat kCompats[] = {api::Compat::k1_25, api::Compat::k1_30,
                                           api::Compat::k1_36};

struct ActorWorldOptions {
  ActorWorldOptions() = default;
  ActorWorldOptions(api::Compat c) : compat(c) {}  // NOLINT: implicit on purpose
  ActorWorldOptions(api::Compat c, api::VariantChoice v) : compat(c), variants(std::move(v)) {}
  api::Compat compat = api::Compat::k1_30;
  api::VariantChoice variants;
};

class ActorWorld {
 public:
  explicit ActorWorld(const ActorWorldOptions& options = ActorWorldOptions());
  ~ActorWorld();

  // Each starts its process.
  void StartReplicaSets();
  void StartScheduler();
  void StartKubelet(const std::string& node);
  void StartController(const std::string& name, controllers::ControllerFactory factory);
  kubelet::Runtime& machine() { return *machines_.front(); }  // of the first kubelet
  controllers::ReplicaSetController& replicasets() { return *replicasets_; }

  // --- the user, at server 1 ---
  api::Response Do(api::Request request) { return api.Do(std::move(request), 1); }
  api::Object Create(std::string_view resource, std::string_view json);
  api::Object Get(std::string_view resource, std::string_view name);  // empty: not there
  std::vector<api::Object> List(std::string_view resource);
  // Sends a strategic merge patch.
  api::Response Patch(std::string_view resource, std::string_view name, std::string_view json,
                      std::string_view sub = {});
  api::Response Delete(std::string_view resource, std::string_view name,
                       api::DeleteOptions options = api::DeleteOptions());
  std::string NodeOf(std::string_view pod) { return std::string(Get("pods", pod).node_name()); }
  void AddNode(std::string_view name, std::string_view pods = "110");
  // Writes that the scheduler and the kubelet would send.
  void Bind(std::string_view pod, std::string_view node);
  void MakeReady(std::string_view pod, bool ready = true);
  std::vector<std::string> PodNames();  // in namespace default, sorted
  std::string TheOnlyPod();

  void Advance(Duration d) { api.Advance(d); }
  void Settle() { Advance(Seconds(2)); }

  // --- the actor's requests, Events and calls ---
  // "create pods", "update replicasets/web/status", "patch pods/a": requests that write, without
  // those about events and leases; since the last call.
  std::vector<std::string> Writes();
  // All requests of those resources, in order of sending, with reads: "get replicasets/web".
  std::vector<std::string> Requests(const std::set<std::string>& resources);
  // "Normal SuccessfulCreate Created pod: web-x" of the Event objects written since the last call.
  std::vector<std::string> EventTexts();
  std::size_t Reconciles(std::string_view key);  // begun since the last call
  // The same with their times.
  std::vector<VirtualTime> ReconcileTimes(std::string_view key);
  // Handler calls for an informer's resource: "add web-1", "update web-1", "delete web-1".
  std::vector<std::string> HandlerCalls(std::string_view resource);
  void Forget() { from_ = events_.size(); }
  const std::vector<sim::Event>& events() const { return events_; }
  std::size_t from() const { return from_; }

  // --- the actor's view ---
  void Freeze(std::string_view resource, bool frozen = true);
  // Ends the actor's watches of a resource with 410, so the actor learns of later changes from one
  // list.
  void Relist(std::string_view resource);

  apiserver::World api;
  client::Environment env;

 private:
  void Start(const std::string& name, client::ClientOptions options,
             scenario::Component::Build build);
  std::vector<std::unique_ptr<kubelet::Runtime>> machines_;
  std::vector<std::unique_ptr<scenario::Component>> components_;
  controllers::ReplicaSetController* replicasets_ = nullptr;
  std::vector<sim::Event> events_;
  std::size_t from_ = 0;
};

// Options of a deletion with this grace period.
inline api::DeleteOptions Grace(std::int64_t seconds) {
  api::DeleteOptions options;
  options.grace_period_seconds = seconds;
  return options;
}

// The key of the ReplicaSet `web`.
inline constexpr const char* kWeb = "default/web";

// A ReplicaSet `name` whose selector and template labels are app=NAME.
std::string ReplicaSetJson(std::string_view name, int replicas, std::string_view more_spec = {},
                           std::string_view more_pod_spec = {});
std::string PodJson(std::string_view name, std::string_view labels = R"({"app":"web"})",
                    std::string_view owner = {}, std::string_view more_spec = {});

}  // namespace ksim
