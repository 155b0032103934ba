// MakeEachWrite of judge.h: `always` and `never`: judged at each write of a selected object. What
// has no answer is a violation, too. An object, or the set, that is reported is reported again only
// after it was mended.
#include <fmt/format.h>

#include "ksim/check/invariants/judge.h"

namespace ksim::check {
namespace {

class EachWrite : public Judge {
 public:
  EachWrite(const Invariant& invariant, const InvariantSurroundings& surroundings)
      : Judge(invariant, surroundings) {}

 protected:
  void OnChange(const Facts&, const Observation& o, const SelectedChange& change) override {
    if (!about_one()) return Look(o, change, nullptr, &set_broken_);
    if (change.is) return Look(o, change, change.object, &change.object->broken);
    // It is gone: that is judged by who names the operation.
    if (!expression().Uses("operation") || o.op != CommitOp::kDelete) return;
    bool broken = false;
    Look(o, change, &*change.gone, &broken);
  }
  void AtEnd(const Facts&, const RunEnd&) override {}

 private:
  void Look(const Observation& o, const SelectedChange& change, const SelectedObject* object,
            bool* broken) {
    Judged();
    const Moment moment = AtWrite(o, change);
    const Answer answer = expression().Evaluate(moment);
    const bool always = invariant_.kind == InvariantKind::kAlways;
    const bool good = answer.is == (always ? Answer::Is::kTrue : Answer::Is::kFalse);
    if (!good && !*broken) Violated(o, moment, answer, object);
    *broken = !good;
  }

  void Violated(const Observation& o, const Moment& moment, const Answer& answer,
                const SelectedObject* object) {
    const std::string found = answer.is == Answer::Is::kError
                                  ? fmt::format("it has no answer ({})", answer.error)
                                  : fmt::format("it is {}", answer.holds() ? "true" : "false");
    Report(o.seq, std::string(o.by), object,
           fmt::format("{} {}: {} of {} since {}{}", ToString(invariant_.kind), expression().text(),
                       found, Subject(object), WriteInWords(o), Values(expression(), moment)));
  }

  bool set_broken_ = false;
};

}  // namespace

std::unique_ptr<InvariantOracle> MakeEachWrite(const Invariant& invariant,
                                               const InvariantSurroundings& surroundings) {
  return std::make_unique<EachWrite>(invariant, surroundings);
}

}  // namespace ksim::check
