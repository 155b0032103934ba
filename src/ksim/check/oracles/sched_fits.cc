// sched.fits: what the scheduler puts on a node fits it: the requests of its pods, of whatever
// resource, stay within its allocatable. Bugs: kubernetes#55587, #134157.
#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "ksim/api/views/resources.h"
#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"
#include "ksim/trace/actors.h"

namespace ksim::check {
namespace {

const OracleInfo& FitsInfo() {
  static const OracleInfo info{
      "sched.fits",
      Guarantee::kSafety,
      "The requests of the pods that the scheduler puts on a node fit its allocatable, in every "
      "resource, also one that the node does not name.",
      {sim::EventKind::kRequest, sim::EventKind::kResponse, sim::EventKind::kCommit,
       sim::EventKind::kHandler, sim::EventKind::kActor},
      {"a node that became smaller: the most it ever had is the bound",
       "nodes with pods that were created on them, past the scheduler, are not judged",
       "pods that have ended do not count",
       ("a scheduler that has started anew, or leads since a standby's turn came, knows only what "
        "its API server's cache does: pods bound before do not count until it was told where they "
        "are, nor against what it had decided by then"),
       ("a scheduler that was told that a binding failed, or got no answer, forgets the pod: if it "
        "was bound all the same it does not count until its informer tells of it"),
       ("a binding that is written late is not held against the pods that were put there since, "
        "nor is one that a scheduler sent before it died")},
      "the scheduler bound no pod"};
  return info;
}

using value::Value;

std::string_view NodeOf(const Value& pod) {
  if (pod.is_null()) return {};
  const std::string_view phase = pod.Get("status").Get("phase").AsString();
  if (phase == "Succeeded" || phase == "Failed") return {};
  return pod.Get("spec").Get("nodeName").AsString();
}

class Fits : public Oracle {
 public:
  Fits() : Oracle(FitsInfo()) {}

  void On(const Facts&, const Observation& o) override {
    if (o.kind == sim::EventKind::kRequest) {
      if (o.subresource == "binding") OnBinding(o);
    } else if (o.kind == sim::EventKind::kResponse) {
      if (sent_.contains(o.request) || bound_.contains(o.request)) OnAnswer(o);
    } else if (o.kind == sim::EventKind::kActor) {
      // A standby's informers begin when it leads.
      if (o.state == "start" || o.state == "lead") started_[std::string(o.target)] = o.seq;
    } else if (o.kind == sim::EventKind::kHandler) {
      if (o.resource == "pods" && o.informer.starts_with("kube-scheduler")) OnTold(o);
    } else if (o.resource == "nodes" && !o.after->is_null()) {
      NodeNamed(o.name).most.RaiseTo(
          api::Resources::FromList(o.after->Get("status").Get("allocatable")));
    } else if (o.resource == "pods") {
      OnPod(o);
    }
  }

 private:
  // A pod that is on a node.
  struct Pod {
    api::Resources requests;
    std::int64_t rv = 0;           // since this revision
    std::uint64_t asked = 0;       // seq of the request for it
    std::uint64_t since = 0;       // seq since which its sender leads
    std::uint64_t failed = 0;      // seq of the answer that said so, or of its absence
    std::uint64_t told_bound = 0;  // seq of the call that told the scheduler where it is
    // Processes that have started since -> seq of the call that told them.
    std::map<std::string, std::uint64_t, std::less<>> told;
  };
  struct Node {
    api::Resources most, used;
    std::map<std::uint64_t, Pod> pods;
    bool past_scheduler = false, reported = false;
  };
  struct Sent {
    std::uint64_t seq = 0;
    std::uint64_t decided = 0;  // seq of what led to it, also of a second try
    std::uint64_t since = 0;    // seq since which its sender leads
    std::uint64_t failed = 0;   // seq of the answer, if that came before it was done
  };

  void OnBinding(const Observation& o) {
    const auto start = started_.find(trace::ProcessOf(o.actor));
    sent_[o.request] = {o.seq, o.cause != 0 ? o.cause : o.seq,
                        start == started_.end() ? 0 : start->second};
  }

  void OnPod(const Observation& o) {
    const std::string_view before = NodeOf(*o.before), after = NodeOf(*o.after);
    if (before == after) return;
    if (!before.empty()) Leave(NodeNamed(before), o.object);
    if (after.empty()) return;
    const Sent sent = Take(o);
    Node& node = NodeNamed(after);
    Pod pod;
    pod.requests = api::PodRequests(api::Object::FromTree(*o.after), false);
    pod.rv = o.rv;
    pod.asked = sent.seq;
    pod.since = sent.since;
    pod.failed = sent.failed;
    if (sent.failed == 0 && o.request != 0) bound_[o.request] = o.object;
    node.used += pod.requests;
    ++node.used.pods;
    node.pods[o.object] = pod;
    where_[o.object] = &node;
    if (!o.by.starts_with("kube-scheduler")) node.past_scheduler = true;
    if (!node.past_scheduler) Judge(o, after, node, pod.requests, sent);
  }

  // schedule_one.go handleBindingCycleError: ForgetPod.
  void OnAnswer(const Observation& o) {
    const bool failed = o.lost || o.code < 200 || o.code >= 300;
    const auto sent = sent_.find(o.request);
    if (failed && sent != sent_.end()) sent->second.failed = o.seq;
    const auto bound = bound_.find(o.request);
    if (bound == bound_.end()) return;
    const auto at = where_.find(bound->second);
    if (failed && at != where_.end()) at->second->pods[bound->second].failed = o.seq;
    bound_.erase(bound);
  }

  void Leave(Node& node, std::uint64_t object) {
    const auto it = node.pods.find(object);
    if (it == node.pods.end()) return;
    node.used -= it->second.requests;
    --node.used.pods;
    node.pods.erase(it);
    where_.erase(object);
  }

  Sent Take(const Observation& commit) {
    const auto it = sent_.find(commit.request);
    if (it == sent_.end()) return {commit.seq, commit.seq};
    const Sent sent = it->second;
    sent_.erase(it);
    return sent;
  }

  void Judge(const Observation& o, std::string_view name, Node& node, const api::Resources& asked,
             const Sent& binding) {
    Judged();
    if (node.reported || TooMuch(node.used, node.most, asked).empty()) return;
    const std::string what = TooMuch(Countable(node, o, binding), node.most, asked);
    if (what.empty()) return;
    node.reported = true;
    Violate(o.seq, std::string(o.by),
            fmt::format("{} binds {} to {}, whose pods then ask for more than it has: {}", o.by,
                        ObjectOf(o), name, what),
            {ObjectOf(o), fmt::format("nodes/{}", name)});
  }

  // All but what the scheduler cannot have counted when it decided on the binding of `o`, and what
  // it decided on when it no longer counted that.
  api::Resources Countable(const Node& node, const Observation& o, const Sent& binding) const {
    api::Resources used = node.used;
    for (const auto& [object, pod] : node.pods) {
      if (object == o.object) continue;
      if (!IsForgotten(pod, binding) && !IsOlder(pod, trace::ProcessOf(o.by), binding) &&
          !DecidedWithout(pod, binding))
        continue;
      used -= pod.requests;
      --used.pods;
    }
    return used;
  }

  // Whether the pod's binding had failed as far as its scheduler knew, unless that had been told of
  // it when it decided.
  static bool IsForgotten(const Pod& pod, const Sent& binding) {
    return pod.failed != 0 && pod.failed < binding.seq &&
           (pod.told_bound == 0 || pod.told_bound > binding.decided);
  }

  // Whether the pod was bound before the binding's sender started, or led, and that had not been
  // told of it.
  static bool IsOlder(const Pod& pod, std::string_view process, const Sent& binding) {
    if (pod.asked > binding.since) return false;
    const auto told = pod.told.find(process);
    const bool knew = told != pod.told.end() && told->second > binding.since;
    return !knew || told->second > binding.decided;
  }

  // Whether the pod was decided on after the binding had failed, or by a scheduler that has led
  // only since it was sent. Nothing can have told of the binding, which is written later.
  static bool DecidedWithout(const Pod& pod, const Sent& binding) {
    return pod.since > binding.seq || (binding.failed != 0 && binding.failed < pod.asked);
  }

  void OnTold(const Observation& o) {
    const auto at = where_.find(o.object);
    if (at == where_.end() || o.call == HandlerCall::kDelete) return;
    Pod& pod = at->second->pods[o.object];
    if (pod.told_bound == 0 && o.rv >= pod.rv) pod.told_bound = o.seq;
    const auto start = started_.find(o.informer.substr(0, o.informer.find(' ')));
    if (start == started_.end() || o.rv < pod.rv || pod.asked > start->second) return;
    std::uint64_t& told = pod.told[start->first];
    if (told < start->second) told = o.seq;
  }

  // The resource of which the node has too little, among those that the pod asks for: the scheduler
  // looks at nothing else but the number of pods (fit.go fitsRequest). A node has none of a
  // resource that it does not name.
  static std::string TooMuch(const api::Resources& u, const api::Resources& m,
                             const api::Resources& asked) {
    if (asked.milli_cpu > 0 && u.milli_cpu > m.milli_cpu)
      return fmt::format("cpu {}m of {}m", u.milli_cpu, m.milli_cpu);
    if (asked.memory > 0 && u.memory > m.memory)
      return fmt::format("memory {} of {}", u.memory, m.memory);
    if (asked.ephemeral_storage > 0 && u.ephemeral_storage > m.ephemeral_storage)
      return fmt::format("ephemeral-storage {} of {}", u.ephemeral_storage, m.ephemeral_storage);
    if (m.pods > 0 && u.pods > m.pods) return fmt::format("{} pods of {}", u.pods, m.pods);
    for (const auto& [name, amount] : asked.scalars) {
      const std::int64_t used = Of(u, name), most = Of(m, name);
      if (amount > 0 && used > most) return fmt::format("{} {} of {}", name, used, most);
    }
    return "";
  }

  static std::int64_t Of(const api::Resources& r, const std::string& name) {
    const auto it = r.scalars.find(name);
    return it == r.scalars.end() ? 0 : it->second;
  }

  Node& NodeNamed(std::string_view name) { return nodes_[std::string(name)]; }

  std::map<std::string, Node> nodes_;
  absl::flat_hash_map<std::uint64_t, Node*> where_;  // a pod's node; looked up only
  absl::flat_hash_map<std::uint64_t, Sent> sent_;    // bindings by request; looked up only
  // Bindings that are done and not answered: the pods, by request; looked up only.
  absl::flat_hash_map<std::uint64_t, std::uint64_t> bound_;
  std::map<std::string, std::uint64_t, std::less<>>
      started_;  // process -> seq of its last start, or lead
};

}  // namespace

OracleEntry SchedFitsOracle() {
  return {&FitsInfo(), [] { return std::unique_ptr<Oracle>(new Fits); }, ""};
}

}  // namespace ksim::check
