#include "ksim/scenario/schema.h"

#include <fmt/format.h>

#include "ksim/kubelet/node/node_options.h"

namespace ksim::scenario {

const Field* Type::Find(std::string_view field) const {
  for (const Field& f : fields)
    if (f.name == field) return &f;
  return nullptr;
}

std::vector<std::string_view> Type::names() const {
  std::vector<std::string_view> out;
  for (const Field& f : fields) out.push_back(f.name);
  return out;
}

const Type& MetadataType() {
  static const Type type{
      "Metadata",
      "What the scenario is called.",
      {{"name", "string", "Shown in output and traces; default the file's name."},
       {"description", "string", "One sentence for the reader."},
       {"labels", "map of strings", "Free; ksim does not read them."},
       {"annotations", "map of strings", "Free; ksim does not read them."}}};
  return type;
}

const Type& LimitType() {
  static const Type type{
      "Limit",
      "What ends a run that does not become quiet. Passing any one is a liveness failure (exit 3). "
      "A plain duration is short for time.",
      {{"time", "duration", "Virtual time.", "30m"},
       {"events", "count", "Steps of the simulation; 20M, 100k.", "20M"},
       {"instant", "count", "Steps at one moment of virtual time: a hot loop.", "100k"}}};
  return type;
}

const Type& TaintType() {
  static const Type type{"Taint",
                         "As in a Node's spec.taints.",
                         {{"key", "string", "The taint's key."},
                          {"value", "string", "Its value."},
                          {"effect", "string", "NoSchedule, PreferNoSchedule or NoExecute."}}};
  return type;
}

namespace {

// "{cpu: 4, memory: 8Gi}"
std::string FlowText(const value::Value& map) {
  std::string out;
  for (const value::Value::Member& m : map.members())
    out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", m.name.text(), m.value.AsString());
  return fmt::format("{{{}}}", out);
}

}  // namespace

const Type& NodeType() {
  static const std::string capacity = FlowText(kubelet::DefaultNodeCapacity());
  static const Type type{
      "Node",
      "Nodes of one shape.",
      {{"name", "string", "The node's name; with count > 1 the prefix: name-1, name-2, ...",
        "node"},
       {"count", "integer", "How many nodes of this shape.", "1"},
       {"capacity", "map of quantities", "Resources of each node; the others keep their default.",
        capacity},
       {"labels", "map of strings", "Labels beside those that a kubelet sets itself."},
       {"taints", "list of Taint", "Taints the node registers with.", "", &TaintType()}}};
  return type;
}

const Type& SchedulerType() {
  static const Type type{
      "Scheduler",
      "The configuration of kube-scheduler.",
      {{"percentageOfNodesToScore", "integer",
        "Of a cluster of 100 nodes or more: it stops looking once this share of them, and at least "
        "100, can take the pod. 0 is 50 - nodes/125, at least 5.",
        "0"},
       {"guest", "file",
        "Kubernetes' own kube-scheduler in place of ksim's: k8s.io/kubernetes/cmd/kube-scheduler "
        "as `ksim guest build` makes it."},
       {"args", "list of strings", "More flags for the guest.", "[]"}}};
  return type;
}

const Type& LatencyType() {
  static const Type type{"Latency",
                         "The range that a message's base latency is drawn from.",
                         {{"min", "duration", "Smallest latency, inclusive.", "200us"},
                          {"max", "duration", "Largest latency, exclusive.", "2ms"}}};
  return type;
}

const Type& NetworkType() {
  static const Type type{
      "Network",
      "The links between processes.",
      {{"latency", "Latency", "One way, every link.", "{min: 200us, max: 2ms}", &LatencyType()}}};
  return type;
}

const Type& ReplicatedType() {
  static const Type type{"Replicated",
                         "A controller of which several replicas run, each in a process NAME-0, "
                         "NAME-1, ..., and elect "
                         "a leader. \"*\" is kube-controller-manager.",
                         {{"name", "string", "The controller."},
                          {"replicas", "integer", "How many; 1 elects too.", "1"}}};
  return type;
}

const Type& DenyType() {
  static const Type type{
      "Deny",
      "Requests that the API servers answer 403, whoever asks. A field left out matches "
      "everything.",
      {{"user", "string", "A user, or a group: system:kube-scheduler, system:nodes."},
       {"verb", "string",
        "get, list, watch, create, update, patch, delete, deletecollection; \"*\" is all."},
       {"resource", "string",
        "pods, replicasets.apps, a subresource as pods/binding, all of them as pods/*; \"*\" is "
        "everything."},
       {"namespace", "string", "Only in this namespace."},
       {"name", "string", "Only this object."}}};
  return type;
}

const Type& ControllersGuestType() {
  static const Type type{
      "ControllersGuest",
      "Kubernetes' own controllers in place of ksim's.",
      {{"guest", "file",
        "k8s.io/kubernetes/cmd/kube-controller-manager as `ksim guest build` makes it."},
       {"instead", "list of names",
        "The controllers that it runs and ksim does not; \"*\" is all, and ksim's "
        "kube-controller-manager does not run.",
        "[\"*\"]"},
       {"args", "list of strings", "More flags.", "[]"}}};
  return type;
}

const Type& GuestType() {
  static const Type type{
      "Guest",
      "A program in WebAssembly that runs as a process of the cluster: a Go controller as `ksim "
      "guest build` makes it. It finds the API server by $KUBECONFIG.",
      {{"name", "string", "The name of its process; of several replicas NAME-0, NAME-1, ..."},
       {"file", "file", "The program: beside the scenario, here, or in $KSIM_GUESTS."},
       {"hash", "string",
        "What its content must be, as a trace's header has it; without it whatever is there."},
       {"args", "list of strings", "Its arguments.", "[]"},
       {"env", "map of strings",
        "Its environment, beside HOME, HOSTNAME, KUBECONFIG, KUBERNETES_SERVICE_HOST and _PORT, "
        "PATH, POD_NAME and POD_NAMESPACE.",
        "{}"},
       {"files", "map of strings", "Files that it finds: PATH: CONTENT.", "{}"},
       {"replicas", "integer", "How many processes of it there are.", "1"},
       {"namespace", "string", "Where its service account is.", "default"},
       {"user", "string", "In whose name it asks the API server.",
        "system:serviceaccount:NAMESPACE:NAME"},
       {"quietAfter", "duration",
        "A guest does not say what it waits for. A run is not over for so long after the guest was "
        "told of something or wrote something.",
        "70s"},
       {"memory", "quantity",
        "Memory that it may have, up to 4Gi. One that wants more dies of it, as Go does, and the "
        "run fails (guest.runs).",
        "1Gi"},
       {"services", "list of strings",
        "Services that lead to it, NAMESPACE/NAME, beside the one of its own name and namespace: "
        "webhooks with such a clientConfig are called at it.",
        "[]"},
       {"standsFor", "string",
        "The component whose work it does: kube-controller-manager or kube-scheduler."}}};
  return type;
}

const Type& LevelType() {
  static const Type type{
      "Level",
      "The load from a time on, until the next level. Before the first it is 0.",
      {{"at", "duration", "From when on, counted from the start of the run.", "0s"},
       {"total", "quantity",
        "What all the pods have together: the ready ones share it, the others have nothing. The "
        "value of a metric that is not one of pods."},
       {"each", "quantity", "What each pod has that runs, in place of `total`."}}};
  return type;
}

const Type& MetricType() {
  static const Type type{
      "Metric",
      "A metric that HorizontalPodAutoscalers may scale by, and how it goes over the run. With "
      "`resource` it is what pods use of the CPU or memory, as metrics-server tells it every 15 s; "
      "with `metric` it is one of your own: of `pods`, of an `object`, or, with neither, external.",
      {{"resource", "string", "cpu or memory."},
       {"metric", "string", "The name of a metric: requests_per_second."},
       {"pods", "string", "The pods that have it, by a label selector: app=web."},
       {"container", "string", "The container that uses the resource.", "each pod's first"},
       {"object", "string", "The object that has it, KIND/NAME: Service/queue."},
       {"namespace", "string", "The namespace of the pods or the object, or of the metric.",
        "default"},
       {"labels", "map of strings", "Labels of the metric, which a metric's selector looks at.",
        "{}"},
       {"load", "list of Level", "How much it is, from when on.", "", &LevelType()}}};
  return type;
}

const Type& ImageType() {
  static const Type type{
      "Image",
      "An image as it is on every node and at each pull. What is not said of an image follows from "
      "its name: a digest and a size; it runs as root until it is killed.",
      {{"image", "string", "As pods name it; without a tag it stands for every tag."},
       {"user", "string",
        "USER of its Dockerfile: 65532, 1000:1000, nobody. A container with runAsNonRoot starts if "
        "this is a number other than 0."},
       {"digest", "string", "sha256:... of 64 digits."},
       {"size", "quantity", "As the event Pulled tells it: 120M."},
       {"pullTime", "duration", "How long a pull takes where the image is not there."},
       {"exit", "string",
        "How its program ends, as in exit.ksim.dev/CONTAINER, which goes before: 0 after 5s."},
       {"present", "boolean", "Whether it is on every node from the start.", "false"},
       {"missing", "boolean", "Whether its registry does not have it.", "false"}}};
  return type;
}

const Type& ClusterType() {
  static const Type type{
      "Cluster",
      "The cluster that the run starts with.",
      {{"nodes", "integer or list of Node",
        "A number of equal nodes node-1, node-2, ..., or a list.", "3", &NodeType()},
       {"apiServers", "integer",
        "API servers, kube-apiserver-0 and on, all over one etcd. A client sticks to one: kubelets "
        "are spread over them in order, all others use the first.",
        "1"},
       {"authorization", "string",
        "Who may do what: alwaysAllow, or rbac as kubeadm has it (--authorization-mode=Node,RBAC): "
        "what Roles and ClusterRoles allow, system:masters everything.",
        "alwaysAllow"},
       {"serviceClusterIPRange", "string",
        "The addresses that Services get, as kube-apiserver's --service-cluster-ip-range.",
        "10.96.0.0/12"},
       {"kubernetesService", "boolean",
        "Whether the API servers make the Service kubernetes of the namespace default, and its "
        "endpoints, as real ones do.",
        "false"},
       {"jobsEndAfter", "duration",
        "When the containers of a Job's pods end with code 0, if no annotation says how they end. "
        "0s is never. A run of plain manifests has 10s.",
        "0s"},
       {"anyKind", "boolean",
        "Whether a custom kind needs no CustomResourceDefinition: it is served with the plural "
        "that "
        "kubectl guesses, and nothing of its objects is checked. Plain manifests are run so.",
        "false"},
       {"terminatedPodGCThreshold", "integer",
        "How many pods that have ended the controller podgc leaves, as kube-controller-manager's "
        "--terminated-pod-gc-threshold. 0 is all.",
        "12500"},
       {"serviceAccounts", "map of strings",
        "In whose name the processes of `processes` ask: {rs: NAMESPACE/NAME}. One that is not "
        "named here is in system:masters.",
        "{}"},
       {"deny", "list of Deny", "Requests that are forbidden: 403.", "[]", &DenyType()},
       {"maxRequestsInflight", "integer",
        "How many gets and lists an API server serves at a time; one more is answered 429 with "
        "Retry-After 1. 0 is no limit.",
        "0"},
       {"maxMutatingRequestsInflight", "integer", "The same for requests that write.", "0"},
       {"admissionPlugins", "list of names",
        "Admission plugins of the API servers; \"*\" is those that are on by default, \"-NAME\" "
        "takes "
        "one away.",
        "[\"*\"]"},
       {"components", "list of names",
        "Which of kube-controller-manager and kube-scheduler the cluster runs; \"*\" is both, "
        "\"-NAME\" takes one away: of a cluster that is served, a client outside may do its work.",
        "[\"*\"]"},
       {"controllers", "list of names or Replicated, or ControllersGuest",
        "Controllers of kube-controller-manager; \"*\" is all, \"-NAME\" takes one away, "
        "{name: NAME, replicas: 2} runs replicas that elect a leader.",
        "[\"*\"]", &ReplicatedType()},
       {"scheduler", "Scheduler", "How kube-scheduler is configured.", "", &SchedulerType()},
       {"network", "Network", "Latencies.", "", &NetworkType()},
       {"variants", "map of names",
        "Named old bugs, or their repair, NAME: VALUE; `all: fixed` repairs every one. What is not "
        "named is asCompat: what upstream did at that version. See `ksim explain variants`.",
        "{}"},
       {"processes", "map of lists of names",
        "Runs controllers in a process of their own: {rs: [replicaset]}. Samples run nowhere else "
        "than where they are named.",
        "{}"},
       {"guests", "list of Guest", "Programs that run in the cluster beside ksim's own.", "[]",
        &GuestType()},
       {"metrics", "list of Metric",
        "What the metrics APIs tell, by which HorizontalPodAutoscalers scale. Without any of a "
        "kind there is no such API, as in a cluster without metrics-server.",
        "[]", &MetricType()},
       {"images", "list of Image", "What images say of themselves.", "[]", &ImageType()},
       {"stages", "list of files or Stages",
        "KWOK's Stage documents (kwok.x-k8s.io/v1alpha1): they play the pods that they select in "
        "place of the kubelet's containers. Stages after `---` count too.",
        "[]"}}};
  return type;
}

const Type& CountType() {
  static const Type type{
      "Count",
      "A range of numbers; a plain integer means exactly that many.",
      {{"min", "integer", "At least this many.", "0"}, {"max", "integer", "At most this many."}}};
  return type;
}

const Type& ConditionType() {
  static const Type type{
      "Condition",
      "How many objects are in some state, judged on what is committed in the store.",
      {{"resource", "string", "pods, or one object as replicasets/NAME."},
       {"namespace", "string", "Namespace of the objects.", "default"},
       {"name", "string", "One object by name."},
       {"selector", "string", "Label selector: app=my-app."},
       {"where", "expression",
        "PATH OP VALUE [&& ...]: OP is == != < <= > >=, exists, in (a, b). A missing path makes "
        "every comparison but != false."},
       {"count", "integer or Count",
        "How many objects must match. Default: at least one; for always: all that are selected.",
        "", &CountType()}}};
  return type;
}

const Type& ExpectType() {
  static const Type type{
      "Expectation",
      "What must come true (eventually), be true in the end (finally), stay true (always) or not "
      "come true (never): one of them. Unmet: exit 1. One that never applied to anything is named "
      "as vacuous.",
      {{"eventually", "Condition",
        "Must hold at some moment. Whether it must last says `lasts`; without that word once is "
        "enough, and a run at whose end it does not hold says so.",
        "", &ConditionType()},
       {"finally", "Condition", "Must hold at the end of the run.", "", &ConditionType()},
       {"always", "Condition", "Must hold after every commit of the resource.", "",
        &ConditionType()},
       {"never", "Condition", "Must hold after no commit of the resource.", "", &ConditionType()},
       {"lasts", "boolean",
        "For eventually: true asks that it holds from some moment on to the end, false that it "
        "holds once."},
       {"within", "duration",
        "For eventually: by when, counted from the start of the run; with `lasts: true`, by when "
        "it must hold for good.",
        "the whole run"},
       {"after", "duration",
        "For always and never: judged from then on, counted from the start of the run."}}};
  return type;
}

const Type& OverrideType() {
  static const Type type{
      "Override",
      "The answer to one decision. Bound to the names of ksim's sites, so a later version may not "
      "know it any more; faults with triggers last.",
      {{"site", "string", "What is asked: delay/kube-apiserver-0/kube-scheduler/pods."},
       {"key", "string", "What the question is about: a whole number in quotes."},
       {"answer", "integer", "The answer; 0 is the nominal one."}}};
  return type;
}

const Type& FuzzType() {
  static const Type type{
      "Fuzz",
      "What `ksim fuzz` may do, and how much of it. `ksim run` does not read it.",
      {{"faults", "list of names", "Fault verbs; \"*\" is all, \"-NAME\" takes one away.",
        "[\"*\"]"},
       {"window", "duration or auto",
        "How long faults come; auto draws 30s, 2m or 15m, past the last step.", "auto"},
       {"settle", "duration", "After it all must have converged.", "10m"}}};
  return type;
}

const Type& InitialType() {
  static const Type type{
      "Initial",
      "The state that the cluster begins with, as it stands: status, uids, owners and managers, in "
      "the order of the resource versions; times are shifted so that the newest is the start of "
      "the run. Each Node gets a kubelet, which finds its pods running.",
      {{"file", "path",
        "What `kubectl get -A -o yaml` printed, or kwokctl's snapshot; relative to the scenario."},
       {"objects", "list of objects", "The same objects here."}}};
  return type;
}

const Type& SpecType() {
  static const Type type{
      "ScenarioSpec",
      "The run.",
      {{"seed", "integer", "Seed of every draw; same seed, same bytes.", "1"},
       {"bootSeed", "integer",
        "Seed of the draws until the cluster is up; not given: `seed`. Large campaigns share one."},
       {"compat", "string", "Which Kubernetes: \"1.25\", \"1.30\" or \"1.36\".", "\"1.30\""},
       {"until", "duration or quiescent", "When the run ends.", "quiescent"},
       {"quietFor", "duration", "How long nothing may be left to do for the run to be quiescent.",
        "2s"},
       {"limit", "Limit or duration", "What ends a run that does not become quiet.",
        "{time: 30m, events: 20M, instant: 100k}", &LimitType()},
       {"cluster", "Cluster", "The cluster that the run starts with.", "", &ClusterType()},
       {"initial", "Initial", "The objects that are there before anything starts.", "",
        &InitialType()},
       {"steps", "list of Step",
        "What the user does. Without steps the manifests after `---` are created at time 0.", "",
        &StepType()},
       {"faults", "list of Fault", "What goes wrong: exactly these.", "", &FaultType()},
       {"overrides", "list of Override",
        "Answers to single decisions, as a trace lists them: for what no fault can say.", "",
        &OverrideType()},
       {"fuzz", "Fuzz", "What `ksim fuzz` may do.", "", &FuzzType()},
       {"expect", "list of Expectation", "What must come true or stay true.", "", &ExpectType()},
       {"invariants", "list of Invariant",
        "What must hold of objects at each write, in the end, or one thing after another, in CEL.",
        "", &InvariantType()},
       {"checks", "list of names", "Oracles; \"*\" is all, \"-NAME\" takes one away.", "[\"*\"]"}}};
  return type;
}

const Type& ScenarioType() {
  static const Type type{
      "Scenario",
      "A run of a cluster: who is there, what the user does, what goes wrong, what must hold. "
      "Kubernetes manifests may follow in the same file after `---`.",
      {{"apiVersion", "string", "Always ksim.dev/v1."},
       {"kind", "string", "Always Scenario."},
       {"metadata", "Metadata", "What the scenario is called.", "", &MetadataType()},
       {"spec", "ScenarioSpec", "The run.", "", &SpecType()}}};
  return type;
}

const Named* FindNamed(const std::vector<Named>& set, std::string_view name) {
  for (const Named& n : set)
    if (n.name == name) return &n;
  return nullptr;
}

std::vector<std::string_view> NamesOf(const std::vector<Named>& set) {
  std::vector<std::string_view> out;
  for (const Named& n : set) out.push_back(n.name);
  return out;
}

}  // namespace ksim::scenario
