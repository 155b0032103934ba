// watch.ordered and resume.ordered: events come in the order of revisions, those too that come
// again or that no commit made.
// Source: etcd tests/robustness/validate/watch.go validateOrdered; ours is stricter: by (revision,
// place in the revision).
#include <fmt/format.h>

#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"

namespace ksim::check {
namespace {

class Ordered : public Oracle {
 public:
  Ordered(const OracleInfo& info, bool resumed) : Oracle(info), resumed_(resumed) {}

  void On(const Facts& facts, const Observation& o) override {
    Scope scope(facts.delivery(), resumed_);
    const SequenceStep& step = scope.step;
    if (!step.judged || !step.data) return;
    Judged();
    if ((step.above == 0 && !step.back) || scope.Reported(Bit::kOrdered)) return;
    scope.Report(Bit::kOrdered);
    // In one revision events have an order as well.
    const std::int64_t before = step.above != 0 ? step.above : scope.sequence().last();
    Violate(o.seq, scope.Who(),
            fmt::format("{}: {} comes after revision {}", scope.Name(), Event(o), before),
            {ObjectOf(o)});
  }

 private:
  bool resumed_;
};

const OracleInfo& OrderedInfo() {
  static const OracleInfo info{
      "watch.ordered",
      Guarantee::kSafety,
      "Events of one watch come in the order of their revisions.",
      {sim::EventKind::kDeliver},
      {"the ADDED events that a watch without a revision begins with come in any order",
       "a DELETED event has the revision of the deletion, not of the object's last write"},
      "no event of a watch was delivered"};
  return info;
}

const OracleInfo& ResumeOrderedInfo() {
  static const OracleInfo info{
      "resume.ordered",
      Guarantee::kSafety,
      "The events that a reflector gets between two lists come in the order of their revisions, "
      "over all its connections.",
      {sim::EventKind::kDeliver},
      {"a list begins anew, also at an older revision (that is view.monotone's affair)",
       "a process that restarts begins anew"},
      "no reflector got an event after a list"};
  return info;
}

}  // namespace

OracleEntry WatchOrderedOracle() {
  return {&OrderedInfo(), [] { return std::unique_ptr<Oracle>(new Ordered(OrderedInfo(), false)); },
          ""};
}

OracleEntry ResumeOrderedOracle() {
  return {&ResumeOrderedInfo(),
          [] { return std::unique_ptr<Oracle>(new Ordered(ResumeOrderedInfo(), true)); }, ""};
}

}  // namespace ksim::check
