// Fault verbs, oracles, controllers and sites by name.
#include "ksim/check/oracle.h"
#include "ksim/controllers/registry.h"
#include "ksim/scenario/schema.h"

namespace ksim::scenario {
namespace {

constexpr Field kFor{"for", "duration", "How long; without it until its counterpart or the heal."};
constexpr Field kClient{"client", "process", "The process whose connection or stream it is."};
constexpr Field kResource{"resource", "resource", "pods, replicasets, ..."};
constexpr Field kServer{"server", "process", "kube-apiserver-0, ..."};
constexpr Field kProcess{"process", "process", "kube-controller-manager, kubelet/node-1, ..."};
constexpr Field kActor{"actor", "actor", "PROCESS or PROCESS/PART."};

// One Type for each verb, made once; they live as long as the program.
const Type* Verb(std::string_view name, std::string_view text, std::vector<Field> fields) {
  return new Type{name, text, std::move(fields)};
}

std::vector<Field> MakeVerbs() {
  auto field = [](std::string_view name, std::string_view text, std::vector<Field> args) {
    return Field{name, "mapping", text, "", Verb(name, text, std::move(args))};
  };
  return {
      {"at", "duration", "Virtual time from the start of the run."},
      {"when", "Trigger", "When the count-th such event is in the trace.", "", &TriggerType()},
      field("dropWatch", "A watch ends; the reflector resumes or relists by its own rules.",
            {kClient,
             kResource,
             {"how", "string", "eof or error.", "eof"},
             {"redialAfter", "duration", "How long reconnecting fails."}}),
      field("delayStream", "What a stream delivers comes later, order kept.",
            {kClient, kResource, {"by", "duration", "How much later."}, kFor}),
      field("holdStream", "A stream delivers nothing until it is released.",
            {kClient,
             kResource,
             {"window", "integer", "How many events fit before the server has to wait.", "1000"},
             kFor}),
      field("releaseStream", "Ends holdStream.", {kClient, kResource}),
      field("stallHandler", "A handler is slow: its queue fills.", {kActor, kResource, kFor}),
      field("expire", "The client's next resume gets 410.", {kClient, kResource}),
      field("compact", "Compacts the store.",
            {{"revision", "integer or head", "Everything at or below it is forgotten.", "head"}}),
      field("freezeCache", "A server's watch cache stops applying what the store sends.",
            {kServer, kResource, kFor}),
      field("thawCache", "Ends freezeCache.", {kServer, kResource}),
      field("reinitCache", "A server's watch cache lists anew.", {kServer, kResource}),
      field("restart", "A process dies and starts again.",
            {kProcess,
             {"afterWrite", "integer", "At its n-th write counted from the trigger."},
             {"down", "duration", "How long it is down."}}),
      field("crash", "A process dies.",
            {kProcess,
             {"afterWrite", "integer", "At its n-th write counted from the trigger."},
             {"down", "duration", "How long it is down; without it, for ever."}}),
      field("failover", "A leader dies, and another replica takes over when its lease is over.",
            {{"process", "process", "The leader, or the name that its replicas share."},
             {"afterWrite", "integer", "At its n-th write counted from the trigger."},
             {"to", "process", "Who takes over; without it, whoever is first."}}),
      field("connect", "A process uses another API server.", {kClient, kServer}),
      field("pause", "An actor stops.", {kActor, {"before", "string", "read or write."}, kFor}),
      field("resume", "Ends pause.", {kActor}),
      field("rejectWrite", "A write fails without effect.",
            {kClient,
             {"verb", "string", "create update patch delete."},
             kResource,
             {"code", "integer", "409, 500, ..."}}),
      field("timeoutWrite", "A write's answer is lost.",
            {kClient,
             {"verb", "string", "create update patch delete."},
             kResource,
             {"applied", "boolean", "Whether it took effect."}}),
      field("nodeSilent", "A node sends no lease and no status.",
            {{"node", "node", "The node's name."}, kFor}),
      field("nodeTrouble", "A node's machine is short of something, or has no network for pods.",
            {{"node", "node", "The node's name."},
             {"with", "string", "memory, disk, pids or network."},
             kFor}),
      field("serverDown", "An API server refuses connections.", {kServer, kFor}),
      field("partition", "Two processes do not hear each other.",
            {{"between", "list of two processes", "[a, b]."}, kFor}),
      field("skewClock", "A process' clock is off.",
            {kProcess, {"by", "duration", "Ahead, or behind if negative."}})};
}

}  // namespace

const Type& FaultType() {
  // Never destroyed, as the types of the verbs that it points to.
  static const Type& type = *new Type{
      "Fault",
      "One thing that goes wrong: a verb with its arguments, at a time or on an event. All end at "
      "the heal.",
      MakeVerbs()};
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

const std::vector<Named>& Controllers() {
  static const std::vector<Named> all = [] {
    std::vector<Named> out;
    for (const controllers::ControllerInfo& c : controllers::AllControllers())
      out.push_back({c.name, c.text, c.make != nullptr});
    return out;
  }();
  return all;
}

const std::vector<Named>& Sites() {
  static const std::vector<Named> sites{
      {"latency/FROM/TO/SUBJECT", "draw: base latency of a message on that link"},
      {"delay/FROM/TO/SUBJECT", "choose: extra delay: none, 10ms, 1s, 35s, 45s, 301s, 15m"},
      {"name/RESOURCE", "draw: random suffix of a generated name"},
      {"uid/RESOURCE", "draw: uid of a new object"},
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
      {"restart/PROCESS", "draw: how long a leader that lost its lease is down"},
      {"lease/PROCESS", "draw: when a kubelet renews its node's lease"},
      {"nodeStatus/PROCESS", "draw: when a kubelet reports its node's status"},
      {"runtime/NODE/ACTION", "draw: how long a container runtime takes, and containers run"},
      {"probe/PROCESS", "draw: when a kubelet that has just started first looks at a container"},
      {"container/id", "draw: ids of containers"},
      {"image/digest", "draw: digests of images"},
      {"image/size", "draw: sizes of images"},
      {"scheduler/tie", "draw: which of several equally good nodes"},
      {"order", "choose: which of several deliverable events goes first"},
      {"fault.KIND/SUBJECT", "choose: whether a fault fires, and how big"}};
  return sites;
}

}  // namespace ksim::scenario
