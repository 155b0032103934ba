// Cluster: a whole simulated cluster for a program: add kinds and controllers, do what a user does,
// run, look at the state, keep the trace.
//
//   ksim::ClusterOptions options;
//   options.seed = 7;
//   ksim::Cluster cluster(options);
//   cluster.AddController("website", MakeWebsiteController);
//   cluster.Create(R"(
//     apiVersion: apps/v1
//     kind: ReplicaSet
//     ...)");
//   ksim::ClusterResult result = cluster.Run();
//   for (const ksim::api::Object& pod : cluster.List("pods", "default")) ...
//
// A run is a pure function of the options, the controllers and the calls, in their order.
// docs/examples/website is a complete program.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "ksim/api/compat.h"
#include "ksim/api/kinds.h"
#include "ksim/api/object.h"
#include "ksim/apiserver/webhooks.h"
#include "ksim/base/time.h"
#include "ksim/controllers/controller.h"
#include "ksim/scenario/scenario.h"
#include "ksim/sim/decisions.h"
#include "ksim/sim/simulation.h"
#include "ksim/trace/trace.h"

namespace ksim {

struct ClusterOptions {
  ClusterOptions() = default;
  std::string name = "cluster";  // of the scenario in the trace's header
  std::uint64_t seed = 1;
  api::Compat compat = api::kDefaultCompat;
  scenario::ClusterSpec spec;  // nodes, API servers, controllers, latencies
  Duration quiet_for = Seconds(2);
  // A whole scenario (ReadScenario of ksim/fuzz.h, or by hand) in place of all of the above: also
  // its steps, faults, overrides, expectations and oracles, which Judge asks.
  std::optional<scenario::Scenario> scenario;
  std::shared_ptr<sim::Strategy> strategy;  // answers decisions; null: each has its nominal answer
};

// ClusterVerdict: the words of a scenario's expectations and oracles on the run.
struct ClusterVerdict {
  ClusterVerdict() = default;
  std::vector<std::string> violations;      // "ORACLE: MESSAGE"; `expect` are the expectations
  std::vector<std::string> failed_steps;    // as kubectl words it
  std::vector<std::string> faults_missing;  // scripted faults that did not come, and why
  bool ok() const { return violations.empty() && failed_steps.empty(); }
};

struct ClusterResult {
  ClusterResult() = default;
  bool quiet = false;               // false: the limit passed first
  std::vector<std::string> errors;  // of the user's actions, as kubectl words them
  std::vector<std::string> busy;    // what kept it busy, when it is not quiet
  bool ok() const { return quiet && errors.empty(); }
};

class Cluster {
 public:
  explicit Cluster(ClusterOptions options = ClusterOptions());
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  // Before the first Run only (KSIM_CHECK). A custom kind that a manifest or a controller uses need
  // not be added unless the guess at its plural (Policy -> policies) is wrong.
  void AddKind(api::ResourceInfo kind);
  // Runs the controller in a process of that name, made anew at every start of the process.
  void AddController(std::string name, controllers::ControllerFactory factory);
  // The programs that serve webhooks, of admission and of conversion; without, their calls are
  // refused. The directory and its servers outlive the cluster.
  void SetWebhooks(apiserver::WebhookDirectory& webhooks);

  // Queues what the user does at the next Run, one after the other. `manifests` is YAML or JSON,
  // several documents by `---`. InvalidArgument, with every problem at its place, for what cannot
  // be read or what the API server would refuse.
  absl::Status Create(std::string_view manifests);
  absl::Status Apply(std::string_view manifests);
  // `resource` is what kubectl takes: pods, rs, websites.
  void Scale(std::string_view resource, std::string_view name, std::int64_t replicas,
             std::string_view ns = "default");
  void Delete(std::string_view resource, std::string_view name, std::string_view ns = "default");

  // Carries out what the user does and runs until nothing is left to do, at most `limit` long. May
  // be called again after more.
  ClusterResult Run(Duration limit = Minutes(30));
  // The same for exactly so long.
  ClusterResult RunFor(Duration duration);

  // Ends the run of a scenario (KSIM_CHECK that there is one) and judges it. Nothing runs after
  // it; asked again, it says the same.
  ClusterVerdict Judge();

  // The objects in the store now. An unknown resource has no objects.
  std::vector<api::Object> List(std::string_view resource, std::string_view ns = "") const;
  api::Object Get(std::string_view resource, std::string_view ns, std::string_view name) const;

  VirtualTime now() const;
  std::string digest() const;  // of everything that has happened, 32 hex digits
  sim::Simulation& simulation();
  api::Kinds& kinds();

  // The trace so far. ksim looks at it as at any, but cannot replay it: that is for the program.
  trace::Trace MakeTrace() const;
  absl::Status WriteTrace(const std::string& path) const;  // .jsonl, .ktrace or -

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ksim
