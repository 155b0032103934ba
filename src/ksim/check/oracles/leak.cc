// noLeak: after an owner is gone nothing that it owned is left. bugs 29, 36, 52.
#include <fmt/format.h>

#include <map>
#include <set>

#include "ksim/check/oracles/all.h"
#include "ksim/check/oracles/words.h"

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
    const Change& c = *facts.history().Newest(o.object);
    if (c.after.is_null()) {
      objects_.erase(o.object);
      uids_.erase(std::string(c.uid()));
      return;
    }
    uids_.insert(std::string(c.uid()));
    if (!c.after.Get("metadata").Get("ownerReferences").empty()) objects_[o.object] = &c;
  }

  void Finish(const Facts& facts, const RunEnd& end) override {
    if (end.cut || !end.quiet || !facts.faults().empty()) return;
    if (!facts.SawActor("garbagecollector")) return;
    Judged();
    for (const auto& [object, change] : objects_) {
      bool alive = false;
      for (const value::Value& owner : change->after.Get("metadata").Get("ownerReferences").items())
        alive = alive || uids_.count(std::string(owner.Get("uid").AsString())) != 0;
      if (!alive)
        Violate(change->seq, "",
                fmt::format("{} is left, and all its owners are gone", change->Name()),
                {change->Name()});
    }
  }

 private:
  std::map<std::uint64_t, const Change*> objects_;  // with owners
  std::set<std::string> uids_;
};

}  // namespace

OracleEntry NoLeakOracle() {
  return {&LeakInfo(), [] { return std::unique_ptr<Oracle>(new Leak); }, ""};
}

}  // namespace ksim::check
