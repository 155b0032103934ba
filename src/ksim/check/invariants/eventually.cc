// MakeEventually of judge.h: `eventually`: true once, of each selected object that is not deleted
// before, or of the set. An error is no answer, and is told if none comes.
#include <fmt/format.h>

#include "ksim/check/invariants/judge.h"

namespace ksim::check {
namespace {

class Eventually : public Judge {
 public:
  Eventually(const Invariant& invariant, const InvariantSurroundings& surroundings)
      : Judge(invariant, surroundings) {}

 protected:
  void OnChange(const Facts&, const Observation& o, const SelectedChange& change) override {
    if (!about_one()) return Look(AtWrite(o, change), &set_done_);
    if (change.is) Look(AtWrite(o, change), &change.object->done);
  }

  void AtEnd(const Facts&, const RunEnd& end) override {
    if (forgives()) return;
    if (!about_one()) {
      if (!set_done_) LookAtLast(nullptr, end.t, &set_done_);
      return;
    }
    for (std::size_t i = 0; i < selection().size(); ++i) {
      SelectedObject& object = selection().at(i);
      if (!object.done) LookAtLast(&object, end.t, &object.done);
    }
  }

 private:
  void Look(const Moment& moment, bool* done) {
    if (!*done) *done = expression().Evaluate(moment).holds();
    if (*done) Judged();
  }

  void LookAtLast(const SelectedObject* object, std::int64_t now, bool* done) {
    const Moment moment = AtRest(object, now);
    Answer answer;
    if (!expression().IsAboutTheWrite()) answer = expression().Evaluate(moment);
    *done = answer.holds();
    if (*done) return Judged();
    const std::string why =
        answer.is == Answer::Is::kError ? fmt::format(" ({})", answer.error) : "";
    Report(object == nullptr ? 0 : object->seq, "", object,
           fmt::format("eventually {}: it never was true of {}{}{}", expression().text(),
                       Subject(object), why, Values(expression(), moment)));
  }

  bool set_done_ = false;
};

}  // namespace

std::unique_ptr<InvariantOracle> MakeEventually(const Invariant& invariant,
                                                const InvariantSurroundings& surroundings) {
  return std::make_unique<Eventually>(invariant, surroundings);
}

}  // namespace ksim::check
