// noLeak: after an owner is gone nothing that it owned is left. Bugs:
// kubernetes#109485, #56121; rabbitmq/cluster-operator#758.
#include <fmt/format.h>

#include <map>

#include "absl/container/flat_hash_set.h"
#include "ksim/api/core/fields.h"
#include "ksim/base/hash.h"
#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"

namespace ksim::check {
namespace {

const OracleInfo& LeakInfo() {
  static const OracleInfo info{"noLeak",
                               Guarantee::kLiveness,
                               "After an owner is deleted nothing that it owned is left.",
                               {sim::EventKind::kCommit},
                               {"dependents that were orphaned on purpose have no owner any more",
                                "a dependent with another owner that lives"},
                               "no garbage collector ran to the end of the run"};
  return info;
}

class Leak : public Oracle {
 public:
  Leak() : Oracle(LeakInfo()) {}

  void On(const Facts& facts, const Observation& o) override {
    if (o.after->is_null()) {
      objects_.erase(o.object);
      uids_.erase(Hash64(o.uid));
      return;
    }
    if (o.op == CommitOp::kCreate) uids_.insert(Hash64(o.uid));  // an update leaves it as it is
    if (OwnersOf(*o.after).empty())
      objects_.erase(o.object);
    else
      objects_[o.object] = facts.history().Newest(o.object);
  }

  void Finish(const Facts& facts, const RunEnd& end) override {
    if (end.cut || !end.quiet || !facts.faults().empty()) return;
    if (!facts.SawActor("garbagecollector")) return;
    Judged();
    for (const auto& [object, change] : objects_) {
      bool alive = false;
      for (const value::Value& owner : OwnersOf(change->after).items())
        alive = alive || uids_.contains(Hash64(owner.Get("uid").AsString()));
      if (!alive)
        Violate(change->seq, "",
                fmt::format("{} is left, and all its owners are gone", change->Name()),
                {change->Name()});
    }
  }

 private:
  static const value::Value& OwnersOf(const value::Value& tree) {
    return tree.Get(api::Fields().metadata).Get(api::Fields().owner_references);
  }

  std::map<std::uint64_t, const CommittedChange*> objects_;  // with owners
  absl::flat_hash_set<std::uint64_t> uids_;  // of what there is: hashes; looked up only
};

}  // namespace

OracleEntry NoLeakOracle() {
  return {&LeakInfo(), [] { return std::unique_ptr<Oracle>(new Leak); }, ""};
}

}  // namespace ksim::check
