// exhaustive: all sets of at most `bound` non-zero answers, breadth first over the questions that
// the nominal run asked: first every single answer, then every pair, and so on. The seed is the
// scenario's throughout.
#include <algorithm>

#include "ksim/fuzz/planner.h"

namespace ksim::fuzz {
namespace {

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
    job.strategy.params = ToParams(SetOf(number - 1));
    return job;
  }

 private:
  static std::uint64_t Choose(std::uint64_t n, std::uint64_t k) {
    unsigned __int128 c = 1;
    for (std::uint64_t i = 1; i <= k; ++i) c = c * (n - k + i) / i;
    return static_cast<std::uint64_t>(c);
  }

  // The index-th set, in the order of size, then of the questions.
  std::vector<Answer> SetOf(std::uint64_t index) const {
    std::uint64_t k = 1;
    for (std::uint64_t level : levels_) {
      if (index < level) break;
      index -= level;
      ++k;
    }
    std::vector<Answer> out;
    std::uint64_t next = 0;
    while (k > 0 && next < answers_.size()) {
      const std::uint64_t with = Choose(answers_.size() - next - 1, k - 1);
      if (index < with) {
        out.push_back(answers_[next]);
        --k;
      } else {
        index -= with;
      }
      ++next;
    }
    return out;
  }

  std::uint64_t seed_;
  std::vector<Answer> answers_;  // all single ones, in the order of the questions
  std::vector<std::uint64_t> levels_;
  std::uint64_t size_ = 0;
};

}  // namespace

std::unique_ptr<Planner> MakeExhaustive(const scenario::Scenario& scenario, std::uint32_t bound) {
  return std::make_unique<Exhaustive>(scenario, bound);
}

}  // namespace ksim::fuzz
