// oneOnNode: creating pods never brings a DaemonSet to a second pod on a node, or with maxSurge to
// a third one.
#include <fmt/format.h>

#include <string>

#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/workloads/creations.h"
#include "ksim/controllers/daemonset/daemon_pods.h"
#include "ksim/controllers/daemonset/daemon_rollout.h"

namespace ksim::check {
namespace {

const OracleInfo& OneOnNodeInfo() {
  static const OracleInfo info{
      "oneOnNode",
      Guarantee::kSafety,
      "Creating pods never brings a DaemonSet to more than one pod for a node; with maxSurge it "
      "may "
      "have two.",
      {sim::EventKind::kRequest, sim::EventKind::kCommit, sim::EventKind::kResponse,
       sim::EventKind::kActor},
      {"pods that are being deleted, or have ended, do not count",
       "a second pod of a node that a surging update replaces; who once allowed a surge may have "
       "two",
       "one more for each creation whose answer was lost, or whose sender died or gave up first",
       "pods that an earlier life of the controller made, or another replica of it, until it was "
       "told of them",
       "pods that are adopted, or that somebody else makes for the DaemonSet: only creations are "
       "judged"},
      "no pod of a DaemonSet was created"};
  return info;
}

using value::Value;

class OneOnNode : public Creations {
 public:
  OneOnNode() : Creations(OneOnNodeInfo(), "DaemonSet", "daemonsets") {}

 private:
  std::int64_t AskedBy(const Value& daemon_set) const override {
    return controllers::AllowsSurge(api::Object::FromTree(daemon_set)) ? 2 : 1;
  }
  std::string PlaceOf(const Value& pod) const override {
    const std::string node = controllers::TargetNodeOf(api::Object::FromTree(pod));
    return node.empty() ? "-" : node;
  }
  std::string Describe(std::int64_t have, std::string_view owner, const Value& pod,
                       std::int64_t most) const override {
    return fmt::format("makes it {} pods of {} for {}, which was never to have more than {}", have,
                       owner, PlaceOf(pod), most);
  }
};

}  // namespace

OracleEntry OneOnNodeOracle() {
  return {&OneOnNodeInfo(), [] { return std::unique_ptr<Oracle>(new OneOnNode); }, ""};
}

}  // namespace ksim::check
