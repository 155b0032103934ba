// watch.reliable and resume.reliable: no event is missing between the revision asked for and the
// last that came, and each is what the commit says.
// Source: etcd tests/robustness/validate/watch.go validateReliable, validateIsCreate,
// validateFilter. What is missing before the first event is watch.resumable's as well, as there.
#include <fmt/format.h>

#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"

namespace ksim::check {
namespace {

class Reliable : public Oracle {
 public:
  Reliable(const OracleInfo& info, bool resumed) : Oracle(info), resumed_(resumed) {}

  void On(const Facts& facts, const Observation& o) override {
    Scope scope(facts.delivery(), resumed_);
    const SequenceStep& step = scope.step;
    if (!step.judged) return;
    Judged();
    if (scope.Reported(Bit::kReliable)) return;
    const auto violate = [&](std::uint64_t first, const std::string& what,
                             std::vector<std::string> objects) {
      scope.Report(Bit::kReliable);
      Violate(first, scope.Who(), fmt::format("{}: {}", scope.Name(), what), std::move(objects));
    };
    if (!step.state_problem.empty()) return violate(o.seq, step.state_problem.str(), {});
    if (step.data && step.change == nullptr)
      return violate(o.seq, fmt::format("{}, which no commit made", Event(o)), {ObjectOf(o)});
    if (step.wrong)
      return violate(
          o.seq, fmt::format("{} is not what the commit was ({})", Event(o), Commit(*step.change)),
          {ObjectOf(o)});
    if (step.lost != nullptr)
      return violate(step.bookmark, Missing(facts, *step.lost, "before a bookmark that covers it"),
                     {step.lost->Name()});
    if (step.missing != nullptr)
      return violate(o.seq, Missing(facts, *step.missing, fmt::format("before {}", Event(o))),
                     {step.missing->Name()});
  }

  // Reports changes that a bookmark covered and the watch never delivered.
  void Finish(const Facts& facts, const RunEnd&) override {
    if (resumed_) return;
    for (const auto& stream : facts.streams()) {
      const SequenceStep step = stream->sequence.Unkept();
      if (step.lost == nullptr || Has(stream->reported, Bit::kReliable)) continue;
      Set(&stream->reported, Bit::kReliable);
      Violate(step.bookmark, stream->client.str(),
              fmt::format("{}: {}", stream->Name(),
                          Missing(facts, *step.lost, "though a bookmark covers it")),
              {step.lost->Name()});
    }
  }

 private:
  static std::string Missing(const Facts& facts, const CommittedChange& change,
                             std::string_view where) {
    return fmt::format("{} did not come {}{}", Commit(change), where,
                       Believed(facts, change.object));
  }

  bool resumed_;
};

const OracleInfo& ReliableInfo() {
  static const OracleInfo info{
      "watch.reliable",
      Guarantee::kSafety,
      "No event between the revision that a watch was asked from and the last one delivered, or a "
      "bookmark, is missing, and each is what the commit was.",
      {sim::EventKind::kDeliver},
      {"a watch ends at any time, and what was on its way is lost with it",
       "a watch never delivers a bookmark",
       "a selector turns an update into ADDED (it matches now) or DELETED (no more)",
       "an object that is created and deleted while no watch is open is never seen"},
      "no event of a watch was delivered"};
  return info;
}

const OracleInfo& ResumeReliableInfo() {
  static const OracleInfo info{
      "resume.reliable",
      Guarantee::kSafety,
      "Between two lists a reflector misses no event, over all its connections.",
      {sim::EventKind::kDeliver},
      {"a list closes any gap: intermediate states before it are missing, objects created and "
       "deleted before it are never seen, one deleted and recreated comes as one update",
       "bookmarks raise the revision from which a watch is resumed"},
      "no reflector got an event after a list"};
  return info;
}

}  // namespace

OracleEntry WatchReliableOracle() {
  return {&ReliableInfo(),
          [] { return std::unique_ptr<Oracle>(new Reliable(ReliableInfo(), false)); }, ""};
}

OracleEntry ResumeReliableOracle() {
  return {&ResumeReliableInfo(),
          [] { return std::unique_ptr<Oracle>(new Reliable(ResumeReliableInfo(), true)); }, ""};
}

}  // namespace ksim::check
