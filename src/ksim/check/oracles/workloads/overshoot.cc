// noOvershoot: creating pods never brings a ReplicaSet above the replicas it was asked for. bugs
// 21, 24, 54.
#include <fmt/format.h>

#include <string>

#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/workloads/creations.h"

namespace ksim::check {
namespace {

const OracleInfo& OvershootInfo() {
  static const OracleInfo info{
      "noOvershoot",
      Guarantee::kSafety,
      "Creating pods never brings a ReplicaSet above the replicas it was asked for.",
      {sim::EventKind::kRequest, sim::EventKind::kCommit, sim::EventKind::kResponse,
       sim::EventKind::kActor},
      {"pods that are being deleted, or have ended, do not count",
       "after scaling down there are too many until they are deleted, and a controller that has "
       "not seen it yet goes on creating: the largest number ever asked for is the bound",
       "one more for each creation whose answer was lost, or whose sender died or gave up first, "
       "also if it comes true only then",
       "a controller that has started anew, or leads since a standby's turn came, knows only what "
       "its API server's cache does: pods made before do not count until it was told of them, nor "
       "against what it had decided by then: it goes on with a sync's creations, and sends one "
       "again that was answered 429",
       "nor do pods that another replica of the controller makes, which leads beside it as long as "
       "one of the two was paused or heard of its renewal late, until it was told of them",
       "pods that are adopted, or come back to life: only creations are judged"},
      "no pod of a ReplicaSet was created"};
  return info;
}

using value::Value;

class Overshoot : public Creations {
 public:
  Overshoot() : Creations(OvershootInfo(), "ReplicaSet", "replicasets") {}

 private:
  std::int64_t AskedBy(const Value& replica_set) const override {
    const Value& replicas = replica_set.Get("spec").Get("replicas");
    return replicas.is_int() ? replicas.AsInt() : 1;
  }
  std::string PlaceOf(const Value&) const override { return {}; }
  std::string Describe(std::int64_t have, std::string_view owner, const Value&,
                       std::int64_t most) const override {
    return fmt::format("makes it {} pods of {}, which was never asked for more than {}", have,
                       owner, most);
  }
};

}  // namespace

OracleEntry NoOvershootOracle() {
  return {&OvershootInfo(), [] { return std::unique_ptr<Oracle>(new Overshoot); }, ""};
}

}  // namespace ksim::check
