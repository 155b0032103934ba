// atMostOne: no two kubelets run containers of one StatefulSet identity at a time.
// Bug: kubernetes#59848 (docs/museum.md, B1).
#include <fmt/format.h>

#include <map>
#include <utility>

#include "ksim/api/kinds.h"
#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"

namespace ksim::check {
namespace {

const OracleInfo& AtMostOneInfo() {
  static const OracleInfo info{
      "atMostOne",
      Guarantee::kSafety,
      "No two kubelets run containers of one StatefulSet identity at a time.",
      {sim::EventKind::kRuntime, sim::EventKind::kCommit},
      {"a pod that was removed by force, not by its kubelet, may still run",
       "pods of anything but a StatefulSet"},
      "no pod of a StatefulSet ran"};
  return info;
}

class AtMostOne : public Oracle {
 public:
  AtMostOne() : Oracle(AtMostOneInfo()) {}

  void On(const Facts& facts, const Observation& o) override {
    if (o.kind == sim::EventKind::kCommit) return OnCommit(o);
    if (o.container.empty()) return;
    const std::uint64_t object = api::ObjectHash("pods", o.ns, o.name);
    const Place place(o.node, o.uid);
    if (o.action == "exit" || o.action == "kill") return OnExit(object, place);
    if (o.action != "start" || !OfStatefulSet(facts, object)) return;
    Judged();
    auto& running = running_[object];
    for (const auto& [other, containers] : running) {
      if (other.first == o.node || containers.forced) continue;
      Violate(
          o.seq, std::string(o.actor),
          fmt::format("pods/{}/{} runs on {} (uid {}) while it runs on {} (uid {}){}", o.ns, o.name,
                      o.node, o.uid, other.first, other.second, Believed(facts, object)),
          {fmt::format("pods/{}/{}", o.ns, o.name)});
      break;
    }
    Containers& own = running[place];
    if (own.count++ == 0) own.forced = Forced(facts, object, o.uid);
  }

 private:
  using Place = std::pair<std::string, std::string>;  // node and uid
  struct Containers {
    int count = 0;
    bool forced = false;  // the pod was removed, and not by its kubelet
  };

  void OnCommit(const Observation& o) {
    if (o.op != CommitOp::kDelete || o.resource != "pods" || o.by.starts_with("kubelet/")) return;
    const auto it = running_.find(o.object);
    if (it == running_.end()) return;
    for (auto& [place, containers] : it->second)
      if (place.second == o.uid) containers.forced = true;
  }

  void OnExit(std::uint64_t object, const Place& place) {
    const auto pod = running_.find(object);
    if (pod == running_.end()) return;
    const auto it = pod->second.find(place);
    if (it == pod->second.end() || --it->second.count > 0) return;
    pod->second.erase(it);
    if (pod->second.empty()) running_.erase(pod);
  }

  static bool OfStatefulSet(const Facts& facts, std::uint64_t object) {
    const CommittedChange* newest = facts.history().Newest(object);
    if (newest == nullptr) return false;
    for (const value::Value& owner : newest->state().Get("metadata").Get("ownerReferences").items())
      if (owner.Get("kind").AsString() == "StatefulSet") return true;
    return false;
  }

  static bool Forced(const Facts& facts, std::uint64_t object, std::string_view uid) {
    for (const CommittedChange* c : facts.history().OfObject(object))
      if (c->op == CommitOp::kDelete && c->uid() == uid) return !c->by.starts_with("kubelet/");
    return false;
  }

  std::map<std::uint64_t, std::map<Place, Containers>> running_;  // by pod
};

}  // namespace

OracleEntry AtMostOneOracle() {
  return {&AtMostOneInfo(), [] { return std::unique_ptr<Oracle>(new AtMostOne); }, ""};
}

}  // namespace ksim::check
