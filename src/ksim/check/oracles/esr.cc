// esr: eventually stable reconciliation: when nothing is left to do, what is desired is what there
// is. Anvil's property; G-LT1. Bugs: kubernetes#67662, #69376, #67250, #72122.
#include <fmt/format.h>

#include <map>
#include <set>
#include <string>

#include "ksim/api/kinds.h"
#include "ksim/api/node.h"
#include "ksim/api/pod.h"
#include "ksim/api/replicaset.h"
#include "ksim/api/views/resources.h"
#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"
#include "ksim/controllers/daemonset/daemon_pods.h"
#include "ksim/controllers/daemonset/daemon_rollout.h"
#include "ksim/controllers/registry.h"
#include "ksim/value/text.h"

namespace ksim::check {
namespace {

// A controller's back-off is five minutes and more by then.
constexpr int kManyRefusals = 16;

const OracleInfo& EsrInfo() {
  static const OracleInfo info{
      "esr",
      Guarantee::kLiveness,
      "When nothing is left to do, each ReplicaSet and StatefulSet has the pods it asks for and "
      "its status counts them as they are, a StatefulSet is rolled out down to its partition, each "
      "DaemonSet has a pod for every node that it fits, a pod that fits a node is on one and was "
      "taken up by its kubelet, and nothing is stuck in deletion.",
      {sim::EventKind::kCommit, sim::EventKind::kRuntime, sim::EventKind::kRequest,
       sim::EventKind::kResponse, sim::EventKind::kReconcile},
      {"pods that fit nowhere wait",
       ("a ReplicaSet whose pod was gone, or going, before its controller saw it waits, with too "
        "few pods or too many, until the expectation of it has expired and something wakes the "
        "controller"),
       ("a StatefulSet whose pod was gone before its controller saw it waits until something wakes "
        "the controller"),
       "a DaemonSet makes no pod for a node while another one of it there has ended, or is going",
       "what no actor of the run is there to do stays undone", "a finalizer keeps an object",
       "pods of a node that is not ready",
       "a pod whose image, init containers or containers keep it from running",
       "a pod that Stages play, for which there is no further Stage", "a pod waits for its claims",
       "with minReadySeconds, pods that are ready and not available",
       "no pod where its controller was refused, or has failed, sixteen times in a row: it tries "
       "again ever later",
       "a controller of one's own counts what it likes, but status.replicas",
       ("a StatefulSet waits as long as one of its pods is not ready, is being deleted or has "
        "ended, while another pod has the name, or a claim is in the way")},
      "the run did not end by becoming quiet"};
  return info;
}

class Esr : public Oracle {
 public:
  Esr() : Oracle(EsrInfo()) {}

  void On(const Facts& facts, const Observation& o) override {
    if (o.kind == sim::EventKind::kRequest) {
      if (o.verb == "create" && o.resource == "pods" && o.subresource.empty())
        asked_[o.request] = MakerOf(o.ns, o.actor.substr(o.actor.rfind('/') + 1));
      return;
    }
    if (o.kind == sim::EventKind::kResponse) return NoteAnswer(o);
    if (o.kind == sim::EventKind::kReconcile) return NoteSync(o);
    if (o.kind == sim::EventKind::kRuntime) {
      if (o.action == "stages") played_.emplace(o.uid);
      return;
    }
    if (o.resource != "pods" && o.resource != "nodes" && o.resource != "replicasets" &&
        o.resource != "statefulsets" && o.resource != "daemonsets")
      return;
    if (o.after->is_null()) {
      alive_.erase(o.object);
      counted_.erase(o.object);
      if (o.resource == "pods") played_.erase(std::string(o.uid));
      return;
    }
    alive_[o.object] = facts.history().Newest(o.object);
    if (o.resource == "replicasets" && o.before->Get("status") != o.after->Get("status"))
      counted_[o.object] =
          o.by.starts_with("kube-controller-manager") && o.by.ends_with(part_suffix_);
  }

  void Finish(const Facts& facts, const RunEnd& end) override {
    if (end.cut || !end.quiet || !facts.faults().empty()) return;
    Judged();
    Owned active, others;
    std::vector<api::NodeView> nodes;
    std::map<std::string, api::Resources, std::less<>> used;
    for (const auto& [hash, c] : alive_) {
      const api::Object object = api::Object::FromTree(c->after, c->revision);
      if (c->resource == "nodes") nodes.emplace_back(object);
      if (c->resource != "pods") continue;
      const api::PodView pod(object);
      if (const auto owner = object.controller())
        (pod.active() ? active : others)[std::string(owner->uid)].push_back(pod);
      if (pod.node_name().empty() || pod.terminal()) continue;
      api::Resources& sum = used[std::string(pod.node_name())];
      sum += api::PodRequests(object, false);
      ++sum.pods;
    }
    for (const auto& [hash, c] : alive_) {
      const api::Object object = api::Object::FromTree(c->after, c->revision);
      if (c->resource != "pods" && c->resource != "nodes" && IsRefused(object)) continue;
      std::string problem;
      if (c->resource == "replicasets" && facts.SawActor(part_))
        problem = OfReplicaSet(facts, object, active, counted_[hash]);
      if (c->resource == "statefulsets" && facts.SawActor("statefulset") &&
          !others.contains(object.uid()))
        problem = OfStatefulSet(facts, object, active);
      if (c->resource == "daemonsets" && facts.SawActor(daemon_part_))
        problem = OfDaemonSet(facts, object, nodes, active[std::string(object.uid())],
                              others[std::string(object.uid())]);
      if (c->resource == "pods") problem = OfPod(facts, object, nodes, used);
      if (!problem.empty())
        Violate(c->seq, "", fmt::format("{} {}{}", c->Name(), problem, Believed(facts, hash)),
                {c->Name()});
    }
  }

 private:
  // The controller in whose name pods of a namespace are asked for.
  static std::string MakerOf(std::string_view ns, std::string_view part) {
    return fmt::format("{}/{}", ns, part);
  }

  void NoteAnswer(const Observation& o) {
    const auto it = asked_.find(o.request);
    if (it == asked_.end()) return;
    if (o.code >= 400) ++refused_[it->second];
    if (o.code > 0 && o.code < 400) refused_.erase(it->second);
    asked_.erase(it);
  }

  // Each failure in a row doubles the time until the next try.
  void NoteSync(const Observation& o) {
    if (o.state == "begin") return;
    const std::string key = fmt::format("{} {}", o.actor.substr(o.actor.rfind('/') + 1), o.target);
    if (o.result.starts_with("error: "))
      ++failed_[key];
    else
      failed_.erase(key);
  }

  // Its controller may try again so late that no run waits for it.
  bool IsRefused(const api::Object& object) const {
    const std::string part = object.kind() == "ReplicaSet"  ? part_
                             : object.kind() == "DaemonSet" ? daemon_part_
                                                            : "statefulset";
    const auto it = refused_.find(MakerOf(object.ns(), part));
    if (it != refused_.end() && it->second >= kManyRefusals) return true;
    const auto failed = failed_.find(fmt::format("{} {}/{}", part, object.ns(), object.name()));
    return failed != failed_.end() && failed->second >= kManyRefusals;
  }

  using Owned = std::map<std::string, std::vector<api::PodView>, std::less<>>;  // by owner's uid

  static std::string OfReplicaSet(const Facts& facts, const api::Object& object,
                                  const Owned& active, bool counted) {
    const api::ReplicaSetView rs(object);
    if (object.deleting()) return "";
    static const std::vector<api::PodView> none;
    const auto it = active.find(object.uid());
    const std::vector<api::PodView>& pods = it == active.end() ? none : it->second;
    const auto have = static_cast<std::int64_t>(pods.size());
    // The pods that the controller waits for hold back scaling down as well.
    if (have != rs.replicas() && facts.unseen_pods().AwaitedBy(object.uid())) return "";
    if (have != rs.replicas())
      return fmt::format("asks for {} pods and has {}", rs.replicas(), have);
    if (rs.status_replicas() != have)
      return fmt::format("has {} pods and its status says {}", have, rs.status_replicas());
    if (rs.observed_generation() < object.generation())
      return fmt::format("is at generation {}, and its status at {}", object.generation(),
                         rs.observed_generation());
    return counted ? OfCounts(rs, pods) : "";
  }

  static std::string OfDaemonSet(const Facts& facts, const api::Object& object,
                                 const std::vector<api::NodeView>& nodes,
                                 const std::vector<api::PodView>& active,
                                 const std::vector<api::PodView>& ended) {
    if (object.deleting() || facts.unseen_pods().AwaitedBy(object.uid())) return "";
    std::map<std::string, int, std::less<>> have;
    std::set<std::string, std::less<>> going;
    for (const api::PodView& pod : active) ++have[controllers::TargetNodeOf(pod.object())];
    for (const api::PodView& pod : ended) going.insert(controllers::TargetNodeOf(pod.object()));
    const controllers::DaemonPlacement placement(object);
    const int most = controllers::AllowsSurge(object) ? 2 : 1;
    for (const api::NodeView& node : nodes) {
      const std::string_view name = node.object().name();
      if (going.contains(name)) continue;
      const controllers::RunsOnNode runs = placement.On(node.object());
      const auto it = have.find(name);
      const int pods = it == have.end() ? 0 : it->second;
      if (runs.should_run && pods == 0) return fmt::format("has no pod for {}", name);
      if (!runs.should_continue && pods > 0)
        return fmt::format("has a pod for {}, which it may not be on", name);
      if (pods > most) return fmt::format("has {} pods for {}", pods, name);
    }
    return "";
  }

  // Source: pkg/controller/replicaset/replica_set_utils.go calculateStatus.
  static std::string OfCounts(const api::ReplicaSetView& rs,
                              const std::vector<api::PodView>& pods) {
    std::int64_t labeled = 0, ready = 0;
    for (const api::PodView& pod : pods) {
      labeled += HasAll(pod.object().labels(), rs.template_labels());
      ready += pod.ready();
    }
    const auto other = [](std::string_view what, std::int64_t is, std::int64_t says) {
      return fmt::format("has {} {} pods and its status says {}", is, what, says);
    };
    if (rs.fully_labeled_replicas() != labeled)
      return other("fully labeled", labeled, rs.fully_labeled_replicas());
    if (rs.ready_replicas() != ready) return other("ready", ready, rs.ready_replicas());
    // How long each has been ready is its controller's clock's affair.
    const std::int64_t available = rs.available_replicas();
    const bool may_wait = rs.min_ready() > Duration();
    if (may_wait ? available > ready : available != ready)
      return other("available", ready, available);
    return "";
  }

  // Source: pkg/controller/statefulset/stateful_set_control.go updateStatefulSet.
  std::string OfStatefulSet(const Facts& facts, const api::Object& set, const Owned& active) const {
    const value::Value& spec = set.spec();
    if (facts.unseen_pods().MissedBy(set.uid())) return "";
    if (set.deleting() || spec.Get("minReadySeconds").AsInt() > 0) return "";
    static const std::vector<api::PodView> none;
    const auto it = active.find(set.uid());
    const std::vector<api::PodView>& pods = it == active.end() ? none : it->second;
    for (const api::PodView& pod : pods)
      if (!pod.ready()) return "";
    const auto have = static_cast<std::int64_t>(pods.size());
    const std::int64_t asked = spec.Get("replicas").AsInt();
    if (have != asked) {
      const bool held =
          have < asked && (!spec.Get("volumeClaimTemplates").empty() || NameIsTaken(set, asked));
      return held ? "" : fmt::format("asks for {} pods and has {}", asked, have);
    }
    const value::Value& status = set.status();
    for (const char* count : {"replicas", "readyReplicas"})
      if (status.Get(count).AsInt() != have)
        return fmt::format("has {} ready pods and its status says {} {}", have,
                           status.Get(count).AsInt(), count);
    if (status.Get("observedGeneration").AsInt() < set.generation())
      return fmt::format("is at generation {}, and its status at {}", set.generation(),
                         status.Get("observedGeneration").AsInt());
    return OfRollout(set, pods);
  }

  static std::string OfRollout(const api::Object& set, const std::vector<api::PodView>& pods) {
    const value::Value& strategy = set.spec().Get("updateStrategy");
    if (strategy.Get("type").AsString() != "RollingUpdate") return "";
    const std::int64_t first = set.spec().Get("ordinals").Get("start").AsInt();
    const std::int64_t partition = strategy.Get("rollingUpdate").Get("partition").AsInt();
    const std::string_view wanted = set.status().Get("updateRevision").AsString();
    for (const api::PodView& pod : pods) {
      const std::string_view name = pod.object().name();
      const auto ordinal = value::ParseGoInt(name.substr(name.rfind('-') + 1));
      if (!ordinal || *ordinal - first < partition) continue;
      const std::string_view revision = pod.object().Label("controller-revision-hash");
      if (revision != wanted)
        return fmt::format("is at revision {}, and {} at {}", wanted, name, revision);
    }
    return "";
  }

  // A pod of nobody, or of somebody else, has one of the set's names.
  bool NameIsTaken(const api::Object& set, std::int64_t replicas) const {
    const std::int64_t first = set.spec().Get("ordinals").Get("start").AsInt();
    for (std::int64_t i = first; i < first + replicas; ++i) {
      const auto it =
          alive_.find(api::ObjectHash("pods", set.ns(), fmt::format("{}-{}", set.name(), i)));
      if (it == alive_.end()) continue;
      const auto owner = api::Object::FromTree(it->second->after).controller();
      if (!owner || owner->uid != set.uid()) return true;
    }
    return false;
  }

  static bool HasAll(const value::Value& labels, const value::Value& wanted) {
    for (const value::Value::Member& m : wanted.members())
      if (labels.Get(m.name) != m.value) return false;
    return true;
  }

  static const api::NodeView* Named(const std::vector<api::NodeView>& nodes,
                                    std::string_view name) {
    for (const api::NodeView& n : nodes)
      if (n.object().name() == name) return &n;
    return nullptr;
  }

  std::string OfPod(const Facts& facts, const api::Object& object,
                    const std::vector<api::NodeView>& nodes,
                    const std::map<std::string, api::Resources, std::less<>>& used) const {
    if (played_.contains(std::string(object.uid()))) return "";
    const api::PodView pod(object);
    const api::NodeView* node = Named(nodes, pod.node_name());
    if (object.deleting()) {
      const bool stuck = object.finalizers().empty() && node != nullptr && node->ready() &&
                         HasKubelet(facts, pod.node_name());
      return stuck ? "is being deleted, and its node is ready" : "";
    }
    if (node != nullptr && node->ready() && Untouched(pod) && HasKubelet(facts, pod.node_name()))
      return fmt::format("is on {}, which is ready, and stays Pending", pod.node_name());
    if (!pod.node_name().empty() || pod.terminal() || !facts.SawScheduler()) return "";
    if (!Plain(pod)) return "";
    const api::Resources asks = api::PodRequests(object, false);
    for (const api::NodeView& n : nodes) {
      if (!n.ready() || n.unschedulable() || !n.taints().empty()) continue;
      const auto it = used.find(n.object().name());
      api::Resources sum = it == used.end() ? api::Resources() : it->second;
      sum += asks;
      ++sum.pods;
      const api::Resources has = api::Resources::FromList(n.allocatable());
      if (sum.milli_cpu <= has.milli_cpu && sum.memory <= has.memory && sum.pods <= has.pods)
        return fmt::format("is on no node, and would fit {}", n.object().name());
    }
    return "";
  }

  // No container runs, and nothing is said of why: trouble with an image or a container has reasons
  // of its own.
  static bool Untouched(const api::PodView& pod) {
    if (pod.phase() != "Pending" || !pod.init_containers().empty()) return false;
    if (NamesObjectsInVolumes(pod)) return false;
    for (const value::Value& s : pod.container_statuses().items())
      if (s.Get("state").Get("waiting").Get("reason").AsString() != "ContainerCreating")
        return false;
    return true;
  }

  // Its kubelet may be waiting for one of them, which only Events tell.
  static bool NamesObjectsInVolumes(const api::PodView& pod) {
    const auto names = [](const value::Value& source) {
      return source.Has("secret") ||
             (source.Has("configMap") &&
              source.Get("configMap").Get("name").AsString() != "kube-root-ca.crt");
    };
    for (const value::Value& volume : pod.object().spec().Get("volumes").items()) {
      if (names(volume)) return true;
      for (const value::Value& source : volume.Get("projected").Get("sources").items())
        if (names(source)) return true;
    }
    return false;
  }

  static bool HasKubelet(const Facts& facts, std::string_view node) {
    const std::string process = fmt::format("kubelet/{}", node);
    for (const Informer* i : facts.informers())
      if (i->process == process && i->resource == "pods") return true;
    return false;
  }

  // Nothing but its size decides where it can go.
  static bool Plain(const api::PodView& pod) {
    const value::Value& spec = pod.object().spec();
    for (std::string_view field : {"nodeSelector", "affinity", "topologySpreadConstraints",
                                   "schedulingGates", "resourceClaims", "overhead"})
      if (!spec.Get(field).empty()) return false;
    if (pod.scheduler_name() != "default-scheduler") return false;
    for (const value::Value& volume : spec.Get("volumes").items())
      if (volume.Has("persistentVolumeClaim") || volume.Has("ephemeral")) return false;
    for (const value::Value& c : pod.containers().items()) {
      for (const value::Value& port : c.Get("ports").items())
        if (port.Has("hostPort")) return false;
      for (const value::Value::Member& r : c.Get("resources").Get("requests").members())
        if (r.name.text() != "cpu" && r.name.text() != "memory") return false;
    }
    return true;
  }

  // The part that upstream's ReplicaSet controller acts as, and the end of such an actor's name.
  const std::string part_{controllers::ControllerOf("replicasets")->PartName()};
  const std::string part_suffix_ = "/" + part_;
  const std::string daemon_part_{controllers::ControllerOf("daemonsets")->PartName()};
  std::map<std::uint64_t, const CommittedChange*> alive_;
  std::set<std::string> played_;                // uids of pods that are left to Stages
  std::map<std::uint64_t, std::string> asked_;  // requests for pods under way: whose they are
  std::map<std::string, int> refused_;          // how many of a maker's in a row were refused
  std::map<std::string, int> failed_;           // "PART KEY" -> syncs in a row that failed
  std::map<std::uint64_t, bool> counted_;  // ReplicaSets: by upstream's controller, the last time
};

}  // namespace

OracleEntry EsrOracle() {
  return {&EsrInfo(), [] { return std::unique_ptr<Oracle>(new Esr); }, ""};
}

}  // namespace ksim::check
