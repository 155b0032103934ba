// watch.unique and resume.unique: no event comes twice.
// Source: etcd tests/robustness/validate/watch.go validateUnique.
#include <fmt/format.h>

#include "ksim/check/oracles/all.h"
#include "ksim/check/oracles/words.h"

namespace ksim::check {
namespace {

class Unique : public Oracle {
 public:
  Unique(const OracleInfo& info, bool resumed) : Oracle(info), resumed_(resumed) {}

  void On(const Facts& facts, const Observation& o) override {
    const Delivery& d = facts.delivery();
    const Step& step = resumed_ ? d.resumed : d.step;
    if (!step.judged) return;
    Judged();
    std::uint32_t* reported = resumed_ ? &d.informer->reported : &d.stream->reported;
    // What lies before the list that a reflector goes on from it has had as well.
    const bool again = step.again || (resumed_ && step.data && step.before_start);
    if (!again || Has(*reported, Bit::kUnique)) return;
    Set(reported, Bit::kUnique);
    Violate(
        o.seq, resumed_ ? d.informer->name : d.stream->client,
        fmt::format("{}: {} comes again", resumed_ ? d.informer->name : d.stream->Name(), Event(o)),
        {ObjectOf(o)});
  }

 private:
  bool resumed_;
};

const OracleInfo& WatchInfo() {
  static const OracleInfo info{"watch.unique",
                               Guarantee::kSafety,
                               "No event comes twice on one watch.",
                               {sim::EventKind::kDeliver},
                               {"an object's later versions are other events",
                                "another watch from the same revision gets the same events"},
                               "no event of a watch was delivered"};
  return info;
}

const OracleInfo& ResumeInfo() {
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
  return {&WatchInfo(), [] { return std::unique_ptr<Oracle>(new Unique(WatchInfo(), false)); }, ""};
}

OracleEntry ResumeUniqueOracle() {
  return {&ResumeInfo(), [] { return std::unique_ptr<Oracle>(new Unique(ResumeInfo(), true)); },
          ""};
}

}  // namespace ksim::check
