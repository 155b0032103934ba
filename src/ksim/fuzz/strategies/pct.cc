// pct: probabilistic concurrency testing (Burckhardt et al., ASPLOS 2010) on chains of events. Each
// chain has a drawn priority; of the chains that are due the highest goes first. At each of d-1
// change points, drawn among the steps of the nominal run, the chain that would run drops below all
// others. The bound 1/(n * k^(d-1)) holds for bugs of order inside the window only.
//
// The goroutines of guests are no chains that it knows. Now and then it has a guest run them in a
// drawn order from there on; the bound does not hold for them.
#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "ksim/base/hash.h"
#include "ksim/fuzz/strategy.h"

namespace ksim::fuzz {
namespace {

class Pct : public Strategy {
 public:
  Pct(std::uint64_t seed, std::uint32_t depth, std::uint64_t steps, bool may_reseed)
      : Strategy("pct"), draws_(seed) {
    if (!may_reseed) AnswerNoMore();
    for (std::uint32_t i = 1; i < depth; ++i)
      changes_.push_back(1 + draws_.Bits(Hash64("change"), i) % std::max<std::uint64_t>(steps, 1));
    std::sort(changes_.begin(), changes_.end(), std::greater<>());
  }
  bool orders() const override { return true; }

 protected:
  std::uint32_t AnswerOpen(std::string_view site, std::uint64_t hash, std::uint64_t key,
                           std::uint32_t n) override {
    return KindOf(site) == kReseed && draws_.OneIn(kReseedRate, hash, key) ? n - 1 : 0;
  }

  std::uint32_t FirstOpen(const sim::OrderQuestion& q) override {
    std::uint32_t best = Highest(q);
    while (!changes_.empty() && q.step >= changes_.back()) {
      changes_.pop_back();
      dropped_[q.chains[best]] = ++drops_;
      best = Highest(q);
    }
    return best;
  }

 private:
  static constexpr std::uint32_t kReseedRate = 8;

  // The lowest goes first. Chains that dropped are behind all others, the last dropped last.
  using Rank = std::pair<std::uint64_t, std::uint64_t>;
  Rank RankOf(std::uint64_t chain) const {
    const auto dropped = dropped_.find(chain);
    return {dropped == dropped_.end() ? 0 : dropped->second, ~draws_.Bits(order_, chain)};
  }
  std::uint32_t Highest(const sim::OrderQuestion& q) const {
    std::uint32_t best = 0;
    Rank lowest = RankOf(q.chains[0]);
    for (std::uint32_t i = 1; i < q.n; ++i) {
      const Rank rank = RankOf(q.chains[i]);
      if (rank >= lowest) continue;
      best = i;
      lowest = rank;
    }
    return best;
  }

  Draws draws_;
  const std::uint64_t order_ = Hash64("order");
  std::vector<std::uint64_t> changes_;  // steps, the next one last
  std::uint64_t drops_ = 0;
  absl::flat_hash_map<std::uint64_t, std::uint64_t> dropped_;  // looked up only
};

}  // namespace

std::shared_ptr<Strategy> MakePct(std::uint64_t seed, std::uint32_t depth, std::uint64_t steps,
                                  bool may_reseed) {
  return std::make_shared<Pct>(seed, depth, steps, may_reseed);
}

}  // namespace ksim::fuzz
