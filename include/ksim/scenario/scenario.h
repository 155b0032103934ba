// Scenario: one run as the user described it: the cluster, what the user does, what goes wrong,
// what must hold. Made by scenario/load.h from files, by ParseScenarioTree from a trace's header,
// or by hand. Plain data; ToTree writes all of it, so that a trace's header repeats the run.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/base/diagnostic.h"
#include "ksim/base/time.h"
#include "ksim/check/invariant.h"
#include "ksim/fault/spec.h"
#include "ksim/sim/decisions.h"
#include "ksim/value/value.h"
#include "ksim/value/where.h"

namespace ksim {
class Registry;  // ksim/registry.h
}
namespace ksim::value {
struct YamlFile;
}

namespace ksim::scenario {

// A Kubernetes object as the user wrote it, and where. Without a file (made by hand, or from a
// trace's header) `file` is null.
struct Manifest {
  Manifest() = default;
  explicit Manifest(value::Value t) : tree(std::move(t)) {}
  value::Value tree;
  std::shared_ptr<const value::YamlFile> file;
  std::vector<std::string> place;  // keys and indices from the file's documents to the object
  Span span;
  std::string ApiVersion() const { return std::string(tree.Get("apiVersion").AsString()); }
  std::string Kind() const { return std::string(tree.Get("kind").AsString()); }
  std::string Name() const;  // name, or generateName with its dash
};

using Trigger = fault::Trigger;
using FaultSpec = fault::Spec;

struct NodeSpec {
  NodeSpec() = default;
  std::string name = "node";  // the prefix if count > 1
  std::int64_t count = 1;
  std::vector<std::pair<std::string, std::string>> capacity;
  std::vector<std::pair<std::string, std::string>> labels;
  struct Taint {
    std::string key, value, effect;
  };
  std::vector<Taint> taints;
  std::vector<std::string> Names() const;
};

// Requests that the API servers answer 403. Empty fields match everything.
struct DenySpec {
  DenySpec() = default;
  std::string user, verb, resource, ns, name;
};

// A metric, and how it goes over the run: of pods that a label selector names, of one object, or of
// the world outside.
struct MetricSpec {
  MetricSpec() = default;
  struct Level {
    Level() = default;
    Duration at;         // from the start of the run
    std::string amount;  // a quantity
    bool each = false;   // of each pod; else of all together
  };
  std::string resource;  // cpu or memory, of metrics.k8s.io; "": `metric` is given
  std::string metric;    // of custom.metrics.k8s.io, or of external.metrics.k8s.io
  std::string pods;      // a label selector; "": none
  std::string container;
  std::string object_kind, object_name;  // Service/queue; "": none
  std::string ns = "default";
  std::vector<std::pair<std::string, std::string>> labels;  // of the metric
  std::vector<Level> load;                                  // in order
};

// A program in WebAssembly that runs in the cluster, as `ksim guest build` makes one of a Go
// module.
struct GuestSpec {
  GuestSpec() = default;
  std::string name;  // of its process; of several replicas NAME-0, NAME-1, ...
  std::string file;  // as the scenario has it
  std::string path;  // where it is; "" in a scenario made by hand is `file`
  std::string hash;  // 32 hexadecimal digits over its content; "" = whatever is there
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env, files;
  std::int64_t replicas = 1;
  std::string ns = "default";  // of its service account
  std::string user;            // in whose name it asks
  // How long after it was told of something, or wrote something, it may still act.
  Duration quiet_after = Seconds(70);           // longer than client-go backs off
  std::int64_t memory = std::int64_t{1} << 30;  // bytes that it may have
  std::vector<std::string> services;            // NAMESPACE/NAME: that lead to it, beside NS/NAME
  std::string stands_for;  // kube-controller-manager, kube-scheduler, or "" for one of its own
  std::string ProcessName(std::int64_t replica) const;
};

// An image that pods use, the same on every node.
struct ImageSpec {
  ImageSpec() = default;
  std::string image;   // as pods name it; without a tag: whatever the tag
  std::string user;    // as its Dockerfile says: 0, 1000:1000, nobody; "": root
  std::string digest;  // "sha256:..."; "": of its name
  std::string size;    // a quantity; "": of its name
  std::optional<Duration> pull_time;
  std::string exit;      // how its program ends: "0 after 5s"; "": it runs
  bool present = false;  // on every node from the start
  bool missing = false;  // its registry does not have it
};

struct ClusterSpec {
  ClusterSpec();  // three nodes node-1 .. node-3, one API server, all controllers
  std::vector<NodeSpec> nodes;
  std::int64_t api_servers = 1;
  bool rbac = false;  // authorization: rbac; else everybody may do everything
  std::string service_cidr = "10.96.0.0/12";  // of the addresses of Services
  bool kubernetes_service = false;            // the servers make default/kubernetes
  // When containers of Jobs' pods end well of which no annotation says how they end; 0 = never.
  Duration jobs_end_after;
  bool any_kind = false;  // custom kinds that nobody defined are served (anyKind)
  std::int64_t terminated_pod_threshold = 12500;  // how many podgc leaves; 0 = all
  // NAMESPACE/NAME of the service account that a process of `processes` asks as.
  std::vector<std::pair<std::string, std::string>> service_accounts;
  std::vector<DenySpec> deny;
  std::int64_t max_requests_inflight = 0;  // of each API server; 0 = no limit
  std::int64_t max_mutating_requests_inflight = 0;
  std::int64_t percentage_of_nodes_to_score = 0;  // of the scheduler; 0 = as it thinks fit
  // "*" is those that are on by default, "-NAME" takes one away.
  std::vector<std::string> admission_plugins = {"*"};
  // "*" is kube-controller-manager and kube-scheduler, "-NAME" takes one away.
  std::vector<std::string> components = {"*"};
  std::vector<std::string> controllers = {"*"};
  // Controllers of which several replicas run and elect a leader, each in a process NAME-0, NAME-1,
  // ...; "*" is kube-controller-manager with all that have no process of their own.
  std::vector<std::pair<std::string, std::int64_t>> replicated;
  Duration latency_min = Microseconds(200);
  Duration latency_max = Milliseconds(2);
  std::vector<std::pair<std::string, std::string>> variants;
  std::vector<std::pair<std::string, std::vector<std::string>>> processes;  // name -> controllers
  std::vector<GuestSpec> guests;
  std::vector<MetricSpec> metrics;  // what the metrics APIs tell; none: there are no such APIs
  std::vector<ImageSpec> images;    // what images say of themselves
  std::vector<Manifest> stages;     // KWOK's Stage documents, which play the pods that they select
  // The program whose controllers and kinds the cluster may have beside ksim's; null: it has none.
  // It is no part of the scenario's tree: a trace's header has a place of its own for it.
  std::shared_ptr<const Registry> program;
  std::vector<std::string> NodeNames() const;
  // Whether a guest does the work of a component, or of some of its controllers.
  bool HasGuestFor(std::string_view component) const;
  std::vector<std::string> GuestProcesses() const;
  // Whether the cluster runs kube-controller-manager, kube-scheduler.
  bool Runs(std::string_view component) const;
  // Whether somebody outside is to do a component's work, for it was taken away by its name.
  bool LeavesToOthers(std::string_view component) const;
  // system:serviceaccount:NAMESPACE:NAME; "" if nobody said one.
  std::string ServiceAccountOf(std::string_view process) const;
  // The names of all processes that run controllers.
  std::vector<std::string> ControllerProcesses() const;
  // Whether the program has a controller of that name.
  bool IsOwnController(std::string_view name) const;
  // The processes of the program's controllers that `controllers` names and that have no other
  // place, each with its controllers.
  std::vector<std::pair<std::string, std::vector<std::string>>> OwnProcesses() const;
};

// "kube-controller-manager" for "*", else the controller's name; replicas append -0, -1, ...
std::string ReplicaBaseName(const std::string& controller);

enum class StepKind : std::uint8_t {
  kCreate,
  kApply,
  kReplace,
  kPatch,
  kDelete,
  kScale,
  kLabel,
  kAnnotate,
  kCordon,
  kUncordon,
  kDrain,
  kEvict,
  kWait,
  kRollout,
  kSetImage,
  kExpose,
  kAutoscale,
  kCreateJob,
  kAddNode,
  kRemoveNode
};
std::string_view ToString(StepKind kind);  // "create" ... "removeNode"

struct Step {
  Step() = default;
  std::optional<Duration> at;
  std::optional<Trigger> when;  // neither: when the step before has ended
  StepKind kind = StepKind::kCreate;
  Span span;
  std::string as;                 // kubectl --as; "" is kubernetes-admin
  std::vector<Manifest> objects;  // create, apply, replace, delete
  std::string resource;           // pods, rs; what kubectl takes
  std::string ns = "default";
  std::string name;
  std::string selector;
  bool all = false;
  std::optional<std::int64_t> limit;
  std::int64_t replicas = 0;
  std::string patch_type = "strategic";
  std::string subresource;
  value::Value patch;
  std::vector<std::pair<std::string, std::optional<std::string>>> set;  // nullopt removes
  bool overwrite = false;
  // wait: create, delete, condition=NAME[=VALUE], jsonpath={PATH}[=VALUE]; none: `where`.
  std::vector<std::string> wait_for;
  value::Where where;
  Duration timeout = Seconds(30);
  std::optional<std::int64_t> grace_period_seconds;
  std::string cascade = "background";
  bool wait = true;
  bool force = false;        // drain; apply: forceConflicts
  bool server_side = false;  // apply
  std::string field_manager = "kubectl";
  bool ignore_daemon_sets = false;
  std::string command;        // rollout: status, history, undo, pause, resume, restart
  std::int64_t revision = 0;  // rollout
  std::string new_name;       // expose, autoscale, createJob: of what is made
  std::int64_t port = 0;      // expose
  std::string target_port, service_type;
  std::int64_t min_replicas = 0, max_replicas = 0, cpu_percent = 0;  // autoscale
  NodeSpec node;                                                     // addNode
};

struct FuzzSpec {
  FuzzSpec() = default;
  std::vector<std::string> faults = {"*"};
  std::optional<Duration> window;  // nullopt = auto
  Duration settle = Minutes(10);
};

// When an expectation must hold: at some moment, at the end of the run, after every commit, after
// no commit.
enum class ExpectationWord : std::uint8_t { kEventually, kFinally, kAlways, kNever };
std::string_view ToString(ExpectationWord word);  // "eventually" ... "never"

struct Expectation {
  Expectation() = default;
  ExpectationWord word = ExpectationWord::kEventually;
  std::string resource;
  std::string ns = "default";
  std::string name;
  std::string selector;
  value::Where where;
  std::optional<std::int64_t> min, max;  // neither: at least one; of always: all
  // Only eventually has it. True: from a moment of the run to its end; false: once is enough;
  // nothing: once, and the user is told if it does not hold at the end.
  std::optional<bool> lasts;
  std::optional<Duration> within;  // eventually: from the start of the run
  std::optional<Duration> after;   // always and never: judged from then on
  Span span;
  // Whether it is judged commit by commit, and not by how the run ends.
  bool at_every_commit() const {
    return word == ExpectationWord::kAlways || word == ExpectationWord::kNever;
  }
};

struct Limit {
  Duration time = Minutes(30);
  std::int64_t events = 20'000'000;
  std::int64_t instant = 100'000;
};

struct Scenario {
  Scenario() = default;
  std::string name;
  std::string description;
  std::uint64_t seed = 1;
  // The seed of the draws until the workload begins; nobody answers a decision until there.
  // nullopt: `seed`, and strategy and overrides count from the start.
  std::optional<std::uint64_t> boot_seed;
  api::Compat compat = api::kDefaultCompat;
  std::optional<Duration> until;  // nullopt = quiescent
  Duration quiet_for = Seconds(2);
  Limit limit;
  ClusterSpec cluster;
  // Objects that are in the store before anything starts, as they stand, in the order of their
  // resource versions.
  std::vector<Manifest> initial;
  std::vector<Step> steps;
  std::vector<FaultSpec> faults;
  std::vector<sim::Override> overrides;  // answers to decisions, by site and key
  FuzzSpec fuzz;
  std::vector<Expectation> expect;
  std::vector<check::Invariant> invariants;
  std::vector<std::string> checks = {"*"};
};

// The whole scenario as one tree, every referenced file inlined and every default written out.
// ParseScenarioTree of it gives the same scenario.
value::Value ToTree(const Scenario& scenario);

}  // namespace ksim::scenario
