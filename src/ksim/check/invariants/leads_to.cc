// MakeLeadsTo of judge.h: `leadsTo`: whenever `when` is true, `then` is within the time, of the
// same object or of the set. An object that is deleted while it waits is let go. When nothing is
// left to do in a run, nothing more will come true; in a campaign only that counts, since while
// there are faults nothing happens in a promised time.
#include <fmt/format.h>

#include <deque>
#include <utility>

#include "ksim/check/invariants/judge.h"

namespace ksim::check {
namespace {

class LeadsTo : public Judge {
 public:
  LeadsTo(const Invariant& invariant, const InvariantSurroundings& surroundings)
      : Judge(invariant, surroundings) {}

  std::string WhyNot() const override {
    if (!ever() || judged() || forgives()) return Judge::WhyNot();
    return "vacuous: `when` was never true";
  }

  std::int64_t deadline() const override {
    return waiting_.empty() ? kNoDeadline : waiting_.front().first + invariant_.within->ns();
  }

  void Pass(const Facts&, std::int64_t now) override {
    while (deadline() < now) {
      const auto [since, key] = waiting_.front();
      const std::int64_t at = deadline();
      waiting_.pop_front();
      SelectedObject* object = about_one() ? selection().Find(key) : &set_;
      if (object != nullptr && object->since == since && !ComesTrue(*object, at))
        Missed(object, at, "not by " + FormatDuration(Duration(at)));
    }
  }

 protected:
  void OnChange(const Facts&, const Observation& o, const SelectedChange& change) override {
    if (about_one() && !change.is) return;
    Look(o, AtWrite(o, change), about_one() ? change.object : &set_);
  }

  void AtEnd(const Facts&, const RunEnd& end) override {
    if (!end.quiet || forgives()) return;
    const auto look = [this, &end](SelectedObject* object) {
      if (object->since && !ComesTrue(*object, end.t))
        Missed(object, end.t, "not when nothing was left to do");
    };
    if (!about_one()) return look(&set_);
    for (std::size_t i = 0; i < selection().size(); ++i) look(&selection().at(i));
  }

 private:
  void Look(const Observation& o, const Moment& moment, SelectedObject* object) {
    const Answer q = then().Evaluate(moment);
    object->error = q.error;
    if (q.holds()) {
      object->since.reset();
      object->broken = false;
    }
    const Answer p = expression().Evaluate(moment);
    if (p.is == Answer::Is::kError) return NoAnswer(o, p, object);
    object->done = false;
    if (!p.holds()) return;
    Judged();
    if (q.holds() || object->since || object->broken) return;
    object->since = o.t;
    object->first = o.seq;
    object->revision = o.rv;
    if (!campaign() && invariant_.within)
      waiting_.emplace_back(o.t, about_one() ? object->key : "");
  }

  // `when` is evaluated at writes, and what has no answer is told; once until it has one.
  void NoAnswer(const Observation& o, const Answer& p, SelectedObject* object) {
    if (std::exchange(object->done, true)) return;
    Report(o.seq, std::string(o.by), Named(object),
           fmt::format("{}: it has no answer to `when` ({}) of {} since {}", Words(), p.error,
                       Subject(Named(object)), WriteInWords(o)));
  }

  // Time may have made it true.
  bool ComesTrue(SelectedObject& object, std::int64_t now) {
    if (then().IsAboutTheWrite()) return false;
    const Answer q = then().Evaluate(AtRest(Named(&object), now));
    object.error = q.error;
    if (q.holds()) object.since.reset();
    return q.holds();
  }

  void Missed(SelectedObject* object, std::int64_t now, const std::string& how) {
    object->broken = true;
    const std::string why = object->error.empty() ? "" : fmt::format(" ({})", object->error);
    const SelectedObject* named = Named(object);
    Report(object->first, "", named,
           fmt::format("{}: it was true of {} at revision {} ({}), and `then` was {}{}{}", Words(),
                       Subject(named), object->revision, FormatDuration(Duration(*object->since)),
                       how, why, Values(then(), AtRest(named, now))));
    object->since.reset();
  }

  const SelectedObject* Named(const SelectedObject* object) const {
    return about_one() ? object : nullptr;
  }
  std::string Words() const {
    const std::string within =
        invariant_.within ? " within " + FormatDuration(*invariant_.within) : "";
    return fmt::format("whenever {}, then {}{}", expression().text(), then().text(), within);
  }

  SelectedObject set_;  // of the set as a whole
  // Since when, and who: in the order of their deadlines; also those that have come true since.
  std::deque<std::pair<std::int64_t, std::string>> waiting_;
};

}  // namespace

std::unique_ptr<InvariantOracle> MakeLeadsTo(const Invariant& invariant,
                                             const InvariantSurroundings& surroundings) {
  return std::make_unique<LeadsTo>(invariant, surroundings);
}

}  // namespace ksim::check
