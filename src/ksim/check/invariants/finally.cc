// MakeFinally of judge.h: `finally`: true when the run is over, of each selected object that is
// there, or of the set. What has no answer is a violation.
#include <fmt/format.h>

#include "ksim/check/invariants/judge.h"

namespace ksim::check {
namespace {

class Finally : public Judge {
 public:
  Finally(const Invariant& invariant, const InvariantSurroundings& surroundings)
      : Judge(invariant, surroundings) {}

  std::string WhyNot() const override {
    if (!ever() || judged() || forgives()) return Judge::WhyNot();
    return "vacuous: at the end none of the objects was there";
  }

 protected:
  void OnChange(const Facts&, const Observation& o, const SelectedChange&) override {
    last_ = o.seq;
  }

  void AtEnd(const Facts&, const RunEnd& end) override {
    if (forgives()) return;
    if (!about_one()) {
      if (ever()) Judged();
      return Look(nullptr, end.t);
    }
    for (std::size_t i = 0; i < selection().size(); ++i) {
      Judged();
      Look(&selection().at(i), end.t);
    }
  }

 private:
  void Look(const SelectedObject* object, std::int64_t now) {
    const Moment moment = AtRest(object, now);
    const Answer answer = expression().Evaluate(moment);
    if (answer.holds()) return;
    const std::string found = answer.is == Answer::Is::kError
                                  ? fmt::format("it has no answer ({})", answer.error)
                                  : "it is false";
    Report(object == nullptr ? last_ : object->seq, "", object,
           fmt::format("finally {}: {} of {} at the end{}", expression().text(), found,
                       Subject(object), Values(expression(), moment)));
  }

  std::uint64_t last_ = 0;  // the last commit of the set
};

}  // namespace

std::unique_ptr<InvariantOracle> MakeFinally(const Invariant& invariant,
                                             const InvariantSurroundings& surroundings) {
  return std::make_unique<Finally>(invariant, surroundings);
}

}  // namespace ksim::check
