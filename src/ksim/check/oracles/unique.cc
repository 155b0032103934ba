// watch.unique and resume.unique: no event comes twice.
// Source: etcd tests/robustness/validate/watch.go validateUnique.
#include <fmt/format.h>

#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"

namespace ksim::check {
namespace {

class Unique : public Oracle {
 public:
  Unique(const OracleInfo& info, bool resumed) : Oracle(info), resumed_(resumed) {}

  void On(const Facts& facts, const Observation& o) override {
    Scope scope(facts.delivery(), resumed_);
    const SequenceStep& step = scope.step;
    if (!step.judged) return;
    Judged();
    // A reflector has also had all that lies before the list that it continues from.
    const bool again = step.again || (resumed_ && step.data && step.before_start);
    if (!again || scope.Reported(Bit::kUnique)) return;
    scope.Report(Bit::kUnique);
    Violate(o.seq, scope.Who(), fmt::format("{}: {} comes again", scope.Name(), Event(o)),
            {ObjectOf(o)});
  }

 private:
  bool resumed_;
};

const OracleInfo& UniqueInfo() {
  static const OracleInfo info{"watch.unique",
                               Guarantee::kSafety,
                               "No event comes twice on one watch.",
                               {sim::EventKind::kDeliver},
                               {"an object's later versions are other events",
                                "another watch from the same revision gets the same events"},
                               "no event of a watch was delivered"};
  return info;
}

const OracleInfo& ResumeUniqueInfo() {
  static const OracleInfo info{
      "resume.unique",
      Guarantee::kSafety,
      "No event comes twice to a reflector between two lists, over all its connections.",
      {sim::EventKind::kDeliver},
      {"after a list, also after one that was forced by 410, what it held comes again as list "
       "items",
       "handlers hear of an object again at a resync or a list: that is no watch event"},
      "no reflector got an event after a list"};
  return info;
}

}  // namespace

OracleEntry WatchUniqueOracle() {
  return {&UniqueInfo(), [] { return std::unique_ptr<Oracle>(new Unique(UniqueInfo(), false)); },
          ""};
}

OracleEntry ResumeUniqueOracle() {
  return {&ResumeUniqueInfo(),
          [] { return std::unique_ptr<Oracle>(new Unique(ResumeUniqueInfo(), true)); }, ""};
}

}  // namespace ksim::check
