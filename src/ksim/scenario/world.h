// World: one cluster in one simulation: etcd, the API servers, kube-controller-manager,
// kube-scheduler, a kubelet for each node, and the user's kubectl, wired as a scenario says.
//
// The world owns everything that processes refer to; the simulation is shut down first.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ksim/api/identity.h"
#include "ksim/api/kinds.h"
#include "ksim/apiserver/server.h"
#include "ksim/client/client.h"
#include "ksim/client/informer.h"
#include "ksim/client/rest/fault_hooks.h"
#include "ksim/controllers/controller.h"
#include "ksim/fault/injector.h"
#include "ksim/guest/process/guest_process.h"
#include "ksim/kubectl/verbs/kubectl.h"
#include "ksim/kubelet/runtime/runtime.h"
#include "ksim/scenario/component.h"
#include "ksim/scenario/guest_services.h"
#include "ksim/scenario/leader_elected_component.h"
#include "ksim/scenario/metrics/cluster_metrics.h"
#include "ksim/scenario/scenario.h"
#include "ksim/sim/digest.h"
#include "ksim/sim/simulation.h"
#include "ksim/store/etcd.h"

namespace ksim::kubelet {
class StageSet;  // kubelet/stages/stage.h
}

namespace ksim::scenario {

// A controller beside the built-in ones; it runs in a process of its own.
struct PluggedController {
  PluggedController() = default;
  std::string name;  // of the process, and of the part
  controllers::ControllerFactory factory;
};

struct WorldOptions {
  WorldOptions() = default;
  std::vector<sim::Override> overrides;     // beside the scenario's own
  std::shared_ptr<sim::Strategy> strategy;  // null = nominal
  std::vector<PluggedController> controllers;
  std::vector<api::ResourceInfo> kinds;  // custom kinds beside those that manifests use
  // Asked while a large cluster is made and started; true: the rest of it is left out, and nobody
  // runs it.
  std::function<bool()> interrupted;
  apiserver::AuditLog* audit = nullptr;  // of all API servers; outlives the world. Null: none
  // Those who serve admission webhooks beside the guests; outlives the world. Null: nobody does.
  apiserver::WebhookDirectory* webhooks = nullptr;
  // False: the run is compared with no other. What it does is the same, and it costs less.
  bool digest = true;
};

// ControllerSettings: flags of built-in controllers, and the metrics that they read.
struct ControllerSettings {
  ControllerSettings() = default;
  std::int64_t terminated_pod_threshold = 0;
  const api::MetricsSource* metrics = nullptr;
  std::string root_ca;                      // of the initial state; "": there is none
  bool takes_over = false;                  // there is an initial state
  std::shared_ptr<const Registry> program;  // ClusterSpec::program
};

// The client options with which informers of a control plane's component ask.
client::ClientOptions ControlPlaneClient(std::string user);

class World : public fault::Cluster {
 public:
  World(const Scenario& scenario, WorldOptions options);
  ~World() override;
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  sim::Simulation& sim() override { return sim_; }
  std::string digest();  // of the run so far; only if it was asked for
  api::Kinds& kinds() override { return kinds_; }
  client::Environment& env() { return env_; }
  store::Etcd& etcd() override { return etcd_; }

  // --- fault::Cluster ---
  void SetCut(std::string_view a, std::string_view b, bool on) override;
  client::FaultHooks& fault_hooks() override { return fault_hooks_; }
  apiserver::Shared& apiserver_shared() override { return shared_; }
  std::vector<apiserver::Server*> servers() override;
  bool StartProcess(sim::Process& process) override;
  bool Connect(sim::Process& process, apiserver::Server& server) override;
  bool SetTrouble(std::string_view node, std::string_view what, bool on) override;
  fault::Election ElectionOf(std::string_view name) override;

  // A process that is none of the cluster's own, and how it is told of the API server that it is to
  // use. It outlives the run.
  void AddClient(sim::Process& process, std::function<void(api::Endpoint&)> connect) {
    clients_[process.name()] = std::move(connect);
  }

  // The boot of bootSeed is over: seed, overrides and strategy count from here on.
  void BeginOwnPart(const Scenario& scenario, const WorldOptions& options);
  // Starts every process; the kubelets of a large cluster join a second later. Nothing has run yet
  // when it returns. False: it was interrupted.
  bool Start();
  // The user's kubectl; good from Start on.
  kubectl::Kubectl& kubectl() { return *kubectl_; }
  // kubectl --as; "" is the same as above.
  kubectl::Kubectl& KubectlAs(const std::string& user);
  sim::Process& user() { return *user_; }
  // `started` is called whenever the user's process has started.
  void OnUserStart(std::function<void()> started) { user_started_ = std::move(started); }

  // Nodes that join and leave. A node that leaves takes its kubelet with it; its Node object is the
  // caller's affair.
  void AddNode(const std::string& name, const NodeSpec& spec);
  bool RemoveNode(const std::string& name);  // false if there is none

  // The processes that have informers, in order of starting, and the informers of one of them: null
  // while it is down, or if there is no such process.
  std::vector<std::string> ProcessesWithCaches() const;
  const client::InformerFactory* InformersOf(std::string_view process) const;

  const std::vector<std::unique_ptr<guest::GuestProcess>>& guests() const { return guests_; }
  // As Simulation::RunUntilQuiet; but the run is not quiet while a controller knows that it will
  // act at a later pass of a periodic loop (controllers::Controller::HasWorkAhead), unless a fault
  // pauses it. Asked again after each second.
  sim::Simulation::Stop RunUntilQuiet(Duration quiet_for, const sim::Simulation::Limits& limits);
  bool HasWorkAhead();

  // The guests that failed as programs, in order.
  const std::vector<guest::GuestFailure>& guest_failures() const { return guest_failures_; }

  // A `cache` event for every informer.
  void EmitCaches(std::uint64_t cause);

  // The content of etcd under /registry, as API objects in key order.
  std::vector<api::Object> Objects() const;
  std::vector<api::Object> Objects(const api::ResourceInfo& resource) const;

 private:
  std::vector<store::KeyValue> Stored(std::string_view prefix) const;  // by key
  bool IsInterrupted() const { return interrupted_ && interrupted_(); }
  void RegisterKinds(const Scenario& scenario, const WorldOptions& options);
  void AddServers(const Scenario& scenario, const WorldOptions& world);
  void AddControllers(const Scenario& scenario, const WorldOptions& options);
  // `user`: in whose name the process asks; "" is kube-controller-manager's own.
  void AddControllerProcess(const std::string& name, const std::vector<std::string>& controllers,
                            const std::string& user = {});
  void AddOwnProcess(const std::string& name, const std::vector<std::string>& controllers);
  void AddReplicas(const std::string& base, std::int64_t replicas,
                   const std::vector<std::string>& controllers);
  void AddScheduler(const Scenario& scenario);
  void StartKubelets();  // those that have not begun
  void AddGuests(const ClusterSpec& cluster);
  void AddUser();
  controllers::Heartbeats HeartbeatsNow();
  bool IsPaused(const sim::Process& process);
  bool IsCut(const std::string& a, const std::string& b) const;
  api::Endpoint& ServerOf(std::size_t ordinal);

  const std::vector<Manifest> initial_;  // Scenario::initial
  sim::Simulation sim_;
  std::optional<sim::Digest> digest_;
  client::FaultHooks fault_hooks_;
  sim::Network network_;
  api::Kinds kinds_;
  api::Identities identities_;
  client::Environment env_;
  apiserver::Shared shared_;
  store::Etcd etcd_;
  std::vector<std::unique_ptr<apiserver::Server>> servers_;
  std::vector<std::unique_ptr<ElectionGroup>> elections_;
  std::map<std::string, std::function<void(api::Endpoint&)>> clients_;  // of AddClient, by process
  std::vector<std::unique_ptr<Component>> components_;                  // in order of starting
  std::vector<std::unique_ptr<guest::GuestProcess>> guests_;            // the same
  std::vector<guest::GuestFailure> guest_failures_;
  GuestServices guest_services_;
  std::map<std::string, std::unique_ptr<kubelet::Runtime>> machines_;
  std::set<std::string> removed_nodes_;
  std::map<std::pair<std::string, kubelet::Trouble>, int> troubles_;  // by node: how many faults
  std::map<std::pair<std::string, std::string>, int> cuts_;  // by two processes: how many faults
  std::unique_ptr<ClusterMetrics> metrics_;  // null: the cluster has no metrics APIs
  ControllerSettings controller_settings_;
  int next_node_ = 0;
  bool kubelets_taint_ = true;                           // no node lifecycle controller runs
  std::shared_ptr<const kubelet::StageSet> stages_;      // null: there are none
  std::shared_ptr<const kubelet::ImageCatalog> images_;  // null: nothing is said of any
  Duration jobs_end_after_;                              // cluster.jobsEndAfter
  sim::Process* user_ = nullptr;
  std::function<void()> user_started_;
  api::Endpoint* user_server_ = nullptr;
  std::unique_ptr<client::Connection> user_connection_;
  std::unique_ptr<kubectl::Kubectl> kubectl_;
  std::map<std::string, std::unique_ptr<kubectl::Kubectl>> impersonators_;  // by user
  std::function<bool()> interrupted_;
  bool started_ = false;
};

}  // namespace ksim::scenario
