// answers: a sorted list of records (site hash, key, answer); what is not in it is 0. Never read in
// order: an answer stays with its subject when the run around it changes.
#include <algorithm>

#include "ksim/base/hash.h"
#include "ksim/fuzz/strategy.h"

namespace ksim::fuzz {
namespace {

class Answers : public Strategy {
 public:
  explicit Answers(std::vector<fuzz::Answer> answers)
      : Strategy("answers"), answers_(std::move(answers)) {
    std::sort(answers_.begin(), answers_.end());
    const std::uint64_t order = Hash64("order");
    orders_ = std::any_of(answers_.begin(), answers_.end(),
                          [order](const fuzz::Answer& a) { return a.site == order; });
  }
  bool orders() const override { return orders_; }

 protected:
  std::uint32_t AnswerOpen(std::string_view, std::uint64_t hash, std::uint64_t key,
                           std::uint32_t n) override {
    return Find(hash, key, n);
  }
  std::uint32_t FirstOpen(const sim::OrderQuestion& q) override {
    return Find(Hash64("order"), q.key, q.n);
  }

 private:
  std::uint32_t Find(std::uint64_t site, std::uint64_t key, std::uint32_t n) const {
    const auto less = [](const fuzz::Answer& a, const fuzz::Answer& b) {
      return std::pair(a.site, a.key) < std::pair(b.site, b.key);
    };
    fuzz::Answer wanted;
    wanted.site = site;
    wanted.key = key;
    const auto it = std::lower_bound(answers_.begin(), answers_.end(), wanted, less);
    const bool found = it != answers_.end() && it->site == site && it->key == key;
    return found && it->answer < n ? it->answer : 0;
  }

  std::vector<fuzz::Answer> answers_;
  bool orders_ = false;
};

}  // namespace

std::shared_ptr<Strategy> MakeAnswers(std::vector<Answer> answers) {
  return std::make_shared<Answers>(std::move(answers));
}

}  // namespace ksim::fuzz
