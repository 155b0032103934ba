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
      {sim::EventKind::kRuntime},
      {"a pod that was removed by force, not by its kubelet, may still run",
       "pods of anything but a StatefulSet"},
      "no pod of a StatefulSet ran"};
  return info;
}

class AtMostOne : public Oracle {
 public:
  AtMostOne() : Oracle(AtMostOneInfo()) {}

  void On(const Facts& facts, const Observation& o) override {
    if (o.container.empty()) return;
    const std::uint64_t object = api::ObjectHash("pods", o.ns, o.name);
    auto& running = running_[object];
    const auto key = std::make_pair(std::string(o.node), std::string(o.uid));
    if (o.action == "exit" || o.action == "kill") {
      if (--running[key] <= 0) running.erase(key);
      return;
    }
    if (o.action != "start" || !OfStatefulSet(facts, object)) return;
    Judged();
    for (const auto& [other, count] : running) {
      if (other.first == o.node || Forced(facts, object, other.second)) continue;
      Violate(
          o.seq, std::string(o.actor),
          fmt::format("pods/{}/{} runs on {} (uid {}) while it runs on {} (uid {}){}", o.ns, o.name,
                      o.node, o.uid, other.first, other.second, Believed(facts, object)),
          {fmt::format("pods/{}/{}", o.ns, o.name)});
      break;
    }
    ++running[key];
  }

 private:
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

  std::map<std::uint64_t, std::map<std::pair<std::string, std::string>, int>> running_;
};

}  // namespace

OracleEntry AtMostOneOracle() {
  return {&AtMostOneInfo(), [] { return std::unique_ptr<Oracle>(new AtMostOne); }, ""};
}

}  // namespace ksim::check
