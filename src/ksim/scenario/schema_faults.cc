// Fault verbs, oracles, controllers and sites by name.
#include "ksim/apiserver/server.h"
#include "ksim/check/oracle.h"
#include "ksim/controllers/registry.h"
#include "ksim/fault/catalogue.h"
#include "ksim/registry.h"
#include "ksim/scenario/schema.h"

namespace ksim::scenario {
namespace {

// The arguments of a verb as a type; types live as long as the program.
const Type* TypeOf(const fault::FaultVerb& verb) {
  std::vector<Field> fields;
  for (const fault::Argument& a : verb.arguments)
    fields.push_back({a.name, fault::TypeName(a.kind), a.text, a.value});
  return new Type{verb.name, verb.text, std::move(fields)};
}

std::vector<Field> FaultFields() {
  std::vector<Field> fields{
      {"at", "duration", "Virtual time from the start of the run."},
      {"when", "Trigger", "When the count-th such event is in the trace.", "", &TriggerType()}};
  for (const fault::FaultVerb& verb : fault::Catalogue())
    fields.push_back({verb.name, "mapping", verb.text, "", TypeOf(verb)});
  return fields;
}

}  // namespace

const Type& FaultType() {
  // Never destroyed, as the types of the verbs that it points to.
  static const Type& type = *new Type{
      "Fault",
      "One thing that goes wrong: a verb with its arguments, at a time or on an event. All end at "
      "the heal.",
      FaultFields()};
  return type;
}

// One table for checks, trace and documentation: check/oracle.h.
const std::vector<Named>& Oracles() {
  static const std::vector<Named> oracles = [] {
    std::vector<Named> out;
    for (const check::OracleEntry& e : check::AllOracles())
      out.push_back({e.info->name, e.info->promise, e.make != nullptr || e.why.empty()});
    return out;
  }();
  return oracles;
}

const std::vector<Named>& Components() {
  static const std::vector<Named> all{
      {"kube-controller-manager", "Runs the controllers of spec.cluster.controllers."},
      {"kube-scheduler", "Binds pods to nodes."}};
  return all;
}

const std::vector<Named>& AdmissionPlugins() {
  static const std::vector<std::string> names = apiserver::AllAdmissionPlugins();
  static const std::vector<Named> all = [] {
    std::vector<Named> out;
    for (const std::string& name : names)
      out.push_back({name, "An admission plugin of kube-apiserver."});
    return out;
  }();
  return all;
}

const std::vector<Named>& Controllers() {
  static const std::vector<Named> all = [] {
    std::vector<Named> out;
    for (const controllers::ControllerInfo& c : controllers::AllControllers())
      out.push_back({c.name, c.text, c.make != nullptr});
    return out;
  }();
  return all;
}

std::vector<Named> ControllersOf(const Registry* program) {
  std::vector<Named> out;
  if (program != nullptr)
    for (const RegisteredController& c : program->controllers())
      out.push_back({c.name, c.options.text});
  out.insert(out.end(), Controllers().begin(), Controllers().end());
  return out;
}

const std::vector<Named>& Sites() {
  static const std::vector<Named> sites{
      {"latency/FROM/TO/SUBJECT", "draw: base latency of a message on that link"},
      {"delay/FROM/TO/SUBJECT", "choose: extra delay: none, 10ms, 1s, 35s, 45s, 301s, 15m"},
      {"name/RESOURCE", "draw: random suffix of a generated name"},
      {"uid/RESOURCE", "draw: uid of a new object"},
      {"clusterIP", "draw: address of a Service"},
      {"nodePort", "draw: port of a Service on all nodes"},
      {"reflector/PROCESS/RESOURCE/backoff", "draw: jitter before it lists again"},
      {"reflector/PROCESS/RESOURCE/openBackoff", "draw: jitter before it opens its watch again"},
      {"reflector/PROCESS/RESOURCE/timeout", "draw: how long it asks a watch to last"},
      {"watchTimeout/SERVER", "draw: how long a watch lasts that does not say"},
      {"bookmark/SERVER/RESOURCE", "draw: when bookmarks are looked for"},
      {"progress/etcd/CLIENT", "draw: when etcd tells of its progress unasked"},
      {"leaderelection/PROCESS/LEASE", "draw: jitter between tries to become the leader"},
      {"events/ACTOR/retry", "draw: jitter before an Event is sent again"},
      {"resync/PROCESS", "draw: an informer's resync period; when a kubelet looks at a pod again"},
      {"eviction/retry",
       "draw: how long until a pod that changed during its eviction is read again"},
      {"retry/PROCESS/SUBJECT", "draw: jitter before a write that failed is tried again"},
      {"serviceaccount/retry",
       "draw: how long until an API server looks for a pod's service account again"},
      {"restart/PROCESS", "draw: how long a leader that lost its lease is down"},
      {"lease/PROCESS", "draw: when a kubelet renews its node's lease"},
      {"nodeStatus/PROCESS", "draw: when a kubelet reports its node's status"},
      {"runtime/NODE/ACTION", "draw: how long a container runtime takes, and containers run"},
      {"provisioner/DRIVER", "draw: how long a storage driver takes to make or delete a volume"},
      {"attach/PROCESS", "draw: jitter between looks at a VolumeAttachment"},
      {"attacher/DRIVER", "draw: how long a storage driver takes to attach a volume"},
      {"detacher/DRIVER", "draw: how long a storage driver takes to detach a volume"},
      {"stage/choice", "draw: which of several Stages a pod enters, by their weights"},
      {"stage/delay", "draw: how long until a Stage comes, where it has a jitter"},
      {"stage/retry", "draw: jitter before a step of a Stage that failed is tried again"},
      {"probe/PROCESS", "draw: when a kubelet that has just started first looks at a container"},
      {"container/id", "draw: ids of containers"},
      {"scheduler/tie", "draw: which of several equally good nodes"},
      {"scheduler/preemption", "draw: the node at which a search for victims begins"},
      {"scheduler/preemptionTie",
       "draw: which of several nodes whose victims matter equally little"},
      {"order", "choose: which of several deliverable events goes first"},
      {"reseed/GUEST",
       "choose: whether its random numbers are drawn anew (1), its goroutines' order too (2)"},
      {"fault.KIND/SUBJECT", "choose: whether a fault fires, and how big"}};
  return sites;
}

}  // namespace ksim::scenario
