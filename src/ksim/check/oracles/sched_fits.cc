// sched.fits: what the scheduler puts on a node fits it: the requests of its pods, of whatever
// resource, stay within its allocatable. bugs 45, 48.
#include <fmt/format.h>

#include <map>

#include "absl/container/flat_hash_map.h"
#include "ksim/api/resources.h"
#include "ksim/check/oracles/all.h"
#include "ksim/check/oracles/words.h"

namespace ksim::check {
namespace {

const OracleInfo& FitsInfo() {
  static const OracleInfo info{
      "sched.fits",
      Guarantee::kSafety,
      "The requests of the pods that the scheduler puts on a node fit its allocatable, in every "
      "resource, also one that the node does not name.",
      {sim::EventKind::kCommit},
      {"a node that became smaller: the most it ever had is the bound",
       "nodes with pods that were created on them, past the scheduler, are not judged",
       "pods that have ended do not count"},
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
    if (o.resource == "nodes" && !o.after->is_null())
      NodeNamed(o.name).most.RaiseTo(
          api::Resources::FromList(o.after->Get("status").Get("allocatable")));
    if (o.resource == "pods") OnPod(o);
  }

 private:
  struct Node {
    api::Resources most, used;
    bool past_scheduler = false, reported = false;
  };

  void OnPod(const Observation& o) {
    const std::string_view before = NodeOf(*o.before), after = NodeOf(*o.after);
    if (before == after) return;
    if (!before.empty()) {
      Node& node = NodeNamed(before);
      if (const auto it = requests_.find(o.object); it != requests_.end()) {
        node.used -= it->second;
        requests_.erase(it);
      }
      --node.used.pods;
    }
    if (after.empty()) return;
    api::Resources requests = api::PodRequests(api::Object::FromTree(*o.after), false);
    Node& node = NodeNamed(after);
    node.used += requests;
    ++node.used.pods;
    requests_[o.object] = requests;
    if (!o.by.starts_with("kube-scheduler")) {
      node.past_scheduler = true;
      return;
    }
    if (node.past_scheduler) return;
    Judged();
    const std::string what = TooMuch(node, requests);
    if (what.empty() || node.reported) return;
    node.reported = true;
    Violate(o.seq, std::string(o.by),
            fmt::format("{} binds {} to {}, whose pods then ask for more than it has: {}", o.by,
                        ObjectOf(o), after, what),
            {ObjectOf(o), fmt::format("nodes/{}", after)});
  }

  // Of what the pod asks for: the scheduler looks at nothing else, but at the number of pods
  // (fit.go fitsRequest). What a node does not name it has none of.
  static std::string TooMuch(const Node& node, const api::Resources& asked) {
    const api::Resources &u = node.used, &m = node.most;
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
  absl::flat_hash_map<std::uint64_t, api::Resources> requests_;  // looked up only
};

}  // namespace

OracleEntry SchedFitsOracle() {
  return {&FitsInfo(), [] { return std::unique_ptr<Oracle>(new Fits); }, ""};
}

}  // namespace ksim::check
