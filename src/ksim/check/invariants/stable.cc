// MakeStable of judge.h: `stable`: once the user is done and faults are over, and some time has
// passed, the objects are written a few times at most. Judged at the end: only then it is known
// which step was the last.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "ksim/check/invariants/judge.h"

namespace ksim::check {
namespace {

class Stable : public Judge {
 public:
  Stable(const Invariant& invariant, const InvariantSurroundings& surroundings)
      : Judge(invariant, surroundings) {}

  std::string WhyNot() const override {
    if (!ever() || judged() || forgives()) return Judge::WhyNot();
    return "vacuous: the run was over before `after` had passed";
  }

 protected:
  void OnChange(const Facts& facts, const Observation& o, const SelectedChange&) override {
    Begin(facts);
    if (!IsBy(o.by) || o.t < From()) return;
    const std::string key = o.ns.empty() ? std::string(o.name) : fmt::format("{}/{}", o.ns, o.name);
    ++by_object_[key];
    ++count_;
    if (count_ == invariant_.writes + 1) {
      first_ = o.seq;
      who_ = o.by;
      write_ = WriteInWords(o);
    }
  }

  void AtEnd(const Facts& facts, const RunEnd& end) override {
    Begin(facts);
    if (!ever() || (end.t < From() && !end.quiet)) return;
    Judged();
    if (count_ <= invariant_.writes) return;
    const auto most =
        std::max_element(by_object_.begin(), by_object_.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    SelectedObject object;
    object.key = most->first;
    Report(first_, who_, &object,
           fmt::format("at most {} writes from {} after the last step and fault on: there were {} "
                       "of the {}, {} of {}; the first above was that {}",
                       invariant_.writes, FormatDuration(invariant_.after), count_, ObjectsWord(),
                       most->second, ObjectName(object), write_));
  }

 private:
  std::int64_t From() const { return calm_ + invariant_.after.ns(); }

  // Begins anew after a step or a fault: that was not the end.
  void Begin(const Facts& facts) {
    const std::int64_t calm = std::max(facts.last_step(), facts.last_fault());
    if (calm == calm_) return;
    calm_ = calm;
    count_ = 0;
    by_object_.clear();
  }

  // A part of a process counts as the process.
  bool IsBy(std::string_view actor) const {
    const std::string& by = invariant_.by;
    return by.empty() || actor == by ||
           (actor.size() > by.size() && actor.starts_with(by) && actor[by.size()] == '/');
  }
  std::string ObjectsWord() const { return invariant_.resource; }

  std::int64_t calm_ = 0;  // the last step or fault
  std::int64_t count_ = 0;
  std::map<std::string, std::int64_t> by_object_;
  std::uint64_t first_ = 0;
  std::string who_, write_;
};

}  // namespace

std::unique_ptr<InvariantOracle> MakeStable(const Invariant& invariant,
                                            const InvariantSurroundings& surroundings) {
  return std::make_unique<Stable>(invariant, surroundings);
}

}  // namespace ksim::check
