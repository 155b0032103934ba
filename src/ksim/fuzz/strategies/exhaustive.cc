// exhaustive: all sets of at most `bound` non-zero answers, breadth first over the questions that
// the nominal run asked: first every single answer, then every pair, and so on. The seed is the
// scenario's throughout.
//
// Reduced, it leaves out a set whose run would do what another one does. Take one answer away from
// a set: if the run of the others is known, and
//
//   its question was never asked there, then the set's run is that run;
//   another run of fewer or earlier answers went on from that question in the same way
//     (continuations.h), then the answer leads to the same in both: that run with this answer is in
//     the list, before this one.
//
// Both runs are done, so nothing that either found up to there is lost. Numbers are those of the
// whole list, so a run can be done again by its number, and shards leave out what they know of.
#include <algorithm>
#include <map>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ksim/base/check.h"
#include "ksim/base/status.h"
#include "ksim/fuzz/continuations.h"
#include "ksim/fuzz/planner.h"
#include "ksim/fuzz/run.h"
#include "ksim/sim/mix.h"

namespace ksim::fuzz {
namespace {

using Set = std::vector<std::uint32_t>;  // indices of answers, in the order of their questions

class Exhaustive : public Planner {
 public:
  Exhaustive(const scenario::Scenario& scenario, std::uint32_t bound) : seed_(scenario.seed) {
    for (const Question& q : RunNominally(scenario).questions) {
      // Larger sizes first: they beat more of the protocol's constants.
      for (std::uint32_t a = q.sizes; a-- > 1;) {
        Answer answer = q.about;
        answer.answer = a;
        answers_.push_back(answer);
      }
    }
    // How many sets there are of each size; stops where the count would not fit.
    std::uint64_t of_size = 1;
    for (std::uint64_t k = 1; k <= bound && k <= answers_.size(); ++k) {
      const unsigned __int128 next =
          static_cast<unsigned __int128>(of_size) * (answers_.size() - k + 1) / k;
      if (next > (~std::uint64_t{0} >> 1)) break;
      of_size = static_cast<std::uint64_t>(next);
      levels_.push_back(of_size);
      size_ += of_size;
    }
  }
  std::uint64_t size() const override { return size_; }

  Job JobOf(std::uint64_t number) const override {
    Job job;
    job.number = number;
    job.seed = seed_;
    job.strategy.name = "answers";
    job.strategy.seed = seed_;
    std::vector<Answer> answers;
    for (const std::uint32_t i : SetOf(number)) answers.push_back(answers_[i]);
    job.strategy.params = ToParams(answers);
    return job;
  }

 protected:
  std::uint64_t seed() const { return seed_; }
  const std::vector<Answer>& answers() const { return answers_; }
  std::size_t levels() const { return levels_.size(); }

  // The set of a number, in the order of size, then of the questions.
  Set SetOf(std::uint64_t number) const {
    std::uint64_t index = number - 1, k = 1;
    for (std::uint64_t level : levels_) {
      if (index < level) break;
      index -= level;
      ++k;
    }
    Set out;
    std::uint32_t next = 0;
    while (k > 0 && next < answers_.size()) {
      const std::uint64_t with = Choose(answers_.size() - next - 1, k - 1);
      if (index < with) {
        out.push_back(next);
        --k;
      } else {
        index -= with;
      }
      ++next;
    }
    return out;
  }

  // Whether the number is the first of a size.
  bool BeginsLevel(std::uint64_t number) const {
    std::uint64_t first = 1;
    for (const std::uint64_t level : levels_) {
      if (number == first) return true;
      first += level;
    }
    return false;
  }

 private:
  static std::uint64_t Choose(std::uint64_t n, std::uint64_t k) {
    unsigned __int128 c = 1;
    for (std::uint64_t i = 1; i <= k; ++i) c = c * (n - k + i) / i;
    return static_cast<std::uint64_t>(c);
  }

  std::uint64_t seed_;
  std::vector<Answer> answers_;  // all single ones, in the order of the questions
  std::vector<std::uint64_t> levels_;
  std::uint64_t size_ = 0;
};

class Reduced : public Exhaustive {
 public:
  Reduced(const scenario::Scenario& scenario, std::uint32_t bound) : Exhaustive(scenario, bound) {
    for (const Answer& a : answers()) {
      const auto [it, added] = question_of_.try_emplace(QuestionId(a), questions_);
      questions_ += added ? 1 : 0;
      place_of_.push_back(it->second);
    }
    LearnOf({}, ContinuationsWithoutFaults(scenario));
  }

  Job JobOf(std::uint64_t number) const override {
    Job job = Exhaustive::JobOf(number);
    job.continuations = SetOf(number).size() < levels();
    return job;
  }

  bool BeginsBatch(std::uint64_t number) const override { return BeginsLevel(number); }

  bool Skips(std::uint64_t number) const override {
    const Set set = SetOf(number);
    for (std::size_t i = 0; i < set.size(); ++i) {
      Set others = set;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      const auto known = known_.find(others);
      if (known == known_.end()) continue;
      const Fate fate = known->second[place_of_[set[i]]];
      if (fate == Fate::kNeverAsked || fate == Fate::kKnown) return true;
    }
    return false;
  }

  void Learn(const std::vector<RunOutcome>& batch) override {
    for (const RunOutcome& o : batch) {
      const bool whole = o.code != kUndecided && o.code != kCrashed;
      if (whole && !o.continuations.empty()) LearnOf(SetOf(o.number), o.continuations);
    }
  }

 private:
  // The knowledge of a question in a run.
  enum class Fate : std::uint8_t {
    kNeverAsked,
    kKnown,  // an earlier run goes on from it in the same way
    kNew,    // no earlier run does
    kOpen    // an answer of the run's own is still to come, or is the question's
  };

  std::vector<Continuation> ContinuationsWithoutFaults(const scenario::Scenario& scenario) const {
    RunSetup setup;
    StrategySpec& strategy = setup.strategy.emplace();
    strategy.name = "answers";
    strategy.seed = seed();
    strategy.params = ToParams({});
    setup.continuations = true;
    absl::StatusOr<std::unique_ptr<Run>> run = Run::Make(scenario, std::move(setup));
    KSIM_CHECK(run.ok()) << Message(run.status());
    return (*run)->Execute().continuations;
  }

  // `asked`: in the run of the set.
  void LearnOf(const Set& set, const std::vector<Continuation>& asked) {
    std::vector<Fate>& fates = known_[set];
    fates.assign(questions_, Fate::kNeverAsked);
    std::size_t to_come = set.size();
    for (const Continuation& c : asked) {
      const auto place = question_of_.find(c.question);
      if (place == question_of_.end()) continue;  // a question that the nominal run did not ask
      const bool own = std::any_of(set.begin(), set.end(),
                                   [&](std::uint32_t i) { return place_of_[i] == place->second; });
      Fate& fate = fates[place->second];
      if (own || to_come > 0)
        fate = Fate::kOpen;
      else
        fate = seen_.insert(sim::Mix(c.question + c.hash)).second ? Fate::kNew : Fate::kKnown;
      if (own) --to_come;
    }
    // Two answers to one question are no set of their own.
    for (const std::uint32_t i : set) {
      if (fates[place_of_[i]] == Fate::kOpen) fates[place_of_[i]] = Fate::kKnown;
    }
  }

  absl::flat_hash_map<std::uint64_t, std::uint32_t> question_of_;  // by id; looked up only
  std::vector<std::uint32_t> place_of_;                            // the question of each answer
  std::uint32_t questions_ = 0;
  std::map<Set, std::vector<Fate>> known_;  // by the answers of the run; of each question
  absl::flat_hash_set<std::uint64_t> seen_;
};

}  // namespace

std::unique_ptr<Planner> MakeExhaustive(const scenario::Scenario& scenario, std::uint32_t bound,
                                        bool reduced) {
  if (reduced) return std::make_unique<Reduced>(scenario, bound);
  return std::make_unique<Exhaustive>(scenario, bound);
}

}  // namespace ksim::fuzz
