// watch.resumable: a watch from a revision begins with the first event after it.
// Source: etcd tests/robustness/validate/watch.go validateResumable; stricter: a bookmark before
// any event shows as well that something is missing.
#include <fmt/format.h>

#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"

namespace ksim::check {
namespace {

const OracleInfo& ResumableInfo() {
  static const OracleInfo info{
      "watch.resumable",
      Guarantee::kSafety,
      "A watch from a revision begins with the first event after it.",
      {sim::EventKind::kDeliver},
      {"the revision is too old: the watch is answered 410 instead",
       "a watch from \"\" or \"0\" begins with the state, as of any revision",
       "nothing comes at all"},
      "no watch from a revision got an event"};
  return info;
}

class Resumable : public Oracle {
 public:
  Resumable() : Oracle(ResumableInfo()) {}

  void On(const Facts& facts, const Observation& o) override {
    const Delivery& d = facts.delivery();
    const SequenceStep& step = d.step;
    if (!step.judged || !step.data) return;
    if (step.first) Judged();
    if (Has(d.stream->reported, Bit::kResumable)) return;
    const std::int64_t start = d.stream->sequence.start();
    if (step.before_start) {
      Report(o.seq, d.stream,
             fmt::format("begins after revision {}, but delivers {}", start, Event(o)),
             ObjectOf(o));
      return;
    }
    if (!step.first) return;
    const CommittedChange* missing = step.lost != nullptr ? step.lost : step.missing;
    if (missing == nullptr) return;
    Report(step.lost != nullptr ? step.bookmark : o.seq, d.stream,
           fmt::format("begins after revision {} with {}, and {} did not come{}", start, Event(o),
                       Commit(*missing), Believed(facts, missing->object)),
           missing->Name());
  }

  void Finish(const Facts& facts, const RunEnd&) override {
    for (const auto& stream : facts.streams()) {
      const SequenceStep step = stream->sequence.Unkept();
      if (step.lost == nullptr || !step.first || Has(stream->reported, Bit::kResumable)) continue;
      Judged();
      Report(step.bookmark, stream.get(),
             fmt::format("begins after revision {}, and {} did not come though a bookmark covers "
                         "it{}",
                         stream->sequence.start(), Commit(*step.lost),
                         Believed(facts, step.lost->object)),
             step.lost->Name());
    }
  }

 private:
  void Report(std::uint64_t first, Stream* stream, const std::string& what, std::string object) {
    Set(&stream->reported, Bit::kResumable);
    Violate(first, stream->client.str(), fmt::format("{} {}", stream->Name(), what),
            {std::move(object)});
  }
};

}  // namespace

OracleEntry WatchResumableOracle() {
  return {&ResumableInfo(), [] { return std::unique_ptr<Oracle>(new Resumable); }, ""};
}

}  // namespace ksim::check
