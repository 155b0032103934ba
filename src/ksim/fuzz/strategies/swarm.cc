// swarm: runs differ in what can go wrong at all, not only in when. Each run draws which kinds of
// faults are on, for each of these which sites (links, watches, processes), for each site a rate
// and a favourite size, and how many faults there may be in all. A run with one kind
// on one link shows what a run with everything everywhere hides. In one run of eight, chains of
// events that are due within one latency of each other also change places. Other orders of a
// guest's goroutines are no faults, and take none of those that a run may have.
//
// Kinds of faults that ksim learnt later are possible in one run of four at all. The other three
// draw what the same seeds drew before, so that a new kind costs known bugs no seeds. Most of these
// runs have few kinds, and few faults of each: what is asked about late and seldom gets its turn,
// and is not drowned.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ksim/base/hash.h"
#include "ksim/fault/drawn_faults.h"
#include "ksim/fuzz/pruned_swarm.h"
#include "ksim/fuzz/strategy.h"

namespace ksim::fuzz {
namespace {

constexpr std::uint32_t kRates[] = {1, 2, 4, 16, 64};
constexpr std::uint32_t kHighRates = 3, kFew = 3;  // so many of the first
constexpr std::uint32_t kMost[] = {1, 2, 4, 8, 32, 1000};

class Swarm : public Strategy {
 public:
  Swarm(std::uint64_t seed, bool may_order, const std::vector<std::uint64_t>& without)
      : Strategy("swarm"),
        draws_(seed),
        without_(without.begin(), without.end()),
        left_(kMost[draws_.Below(std::size(kMost), Hash64("most"))]),
        large_(AllLarge(seed)),
        has_later_kinds_(draws_.OneIn(4, Hash64("later"))),
        has_few_kinds_(has_later_kinds_ && !draws_.OneIn(4, Hash64("few"))),
        swaps_(may_order && draws_.OneIn(8, kOrder)
                   ? kRates[draws_.Below(std::size(kRates), kOrder ^ kRate)]
                   : 0) {}
  bool orders() const override { return swaps_ != 0; }

 protected:
  std::uint32_t AnswerOpen(std::string_view site, std::uint64_t hash, std::uint64_t key,
                           std::uint32_t n) override {
    const auto [it, added] = sites_.try_emplace(hash);
    if (added) it->second = Plan(site, hash, n);
    const SitePlan& plan = it->second;
    if (plan.rate == 0 || !draws_.OneIn(plan.rate, hash, key)) return 0;
    if (KindOf(site) != kReseed && !TakeOne(plan.kind)) return 0;
    // A site's questions need not all have as many answers: only some writes are refused by 409.
    return plan.size == 0 ? SizeOf(site, n, hash, key) : std::min(plan.size, n - 1);
  }

  std::uint32_t FirstOpen(const sim::OrderQuestion& q) override {
    if (!draws_.OneIn(4 * swaps_, kOrder, q.key)) return 0;
    return 1 + draws_.Below(q.n - 1, kOrder ^ kSize, q.key);
  }

 private:
  struct SitePlan {
    std::uint64_t kind = 0;  // hash
    std::uint32_t rate = 0;  // 0: off
    std::uint32_t size = 0;  // 0: drawn each time
  };
  SitePlan Plan(std::string_view site, std::uint64_t hash, std::uint32_t n) const {
    SitePlan plan;
    if (!has_later_kinds_ && IsLater(KindOf(site))) return plan;
    if (without_.contains(hash)) return plan;
    plan.kind = Hash64(KindOf(site));
    if (has_few_kinds_ ? !draws_.OneIn(8, plan.kind) : draws_.OneIn(3, plan.kind)) return plan;
    if (!has_few_kinds_ && !draws_.OneIn(2, hash ^ kSite)) return plan;
    const std::uint32_t rates = has_few_kinds_ ? kHighRates : std::size(kRates);
    plan.rate = kRates[draws_.Below(rates, hash ^ kRate)];
    if (large_)
      plan.size = Affordable(site, n, n - 1, hash);
    else if (!draws_.OneIn(4, hash ^ kFavourite))
      plan.size = SizeOf(site, n, hash);
    return plan;
  }

  // Whether the run may have one more fault of the kind.
  bool TakeOne(std::uint64_t kind) {
    if (!has_few_kinds_) {
      if (--left_ == 0) AnswerNoMore();
      return true;
    }
    const std::uint32_t most = kMost[draws_.Below(kFew, kind ^ kMostOfKind)];
    std::uint32_t& left = left_of_.try_emplace(kind, most).first->second;
    if (left == 0) return false;
    --left;
    return true;
  }

  static bool IsLater(std::string_view kind) {
    constexpr std::string_view kFault = "fault.";
    return kind.starts_with(kFault) && fault::IsLaterKind(kind.substr(kFault.size()));
  }

  std::uint32_t SizeOf(std::string_view site, std::uint32_t n, std::uint64_t hash,
                       std::uint64_t key = 0) const {
    return Affordable(site, n, 1 + draws_.Below(n - 1, hash ^ kSize, key), hash, key);
  }

  // A run that waits for a message for 15 minutes costs as much as five others: three in four of
  // the longest delays are the next shorter one.
  std::uint32_t Affordable(std::string_view site, std::uint32_t n, std::uint32_t size,
                           std::uint64_t hash, std::uint64_t key = 0) const {
    const bool longest = size == n - 1 && n > 2 && KindOf(site) == "delay";
    return longest && !draws_.OneIn(4, hash ^ kLongest, key) ? size - 1 : size;
  }

  // Different draws about one site.
  static constexpr std::uint64_t kSite = 1, kRate = 2, kFavourite = 3, kSize = 4, kOrder = 5,
                                 kLongest = 6, kMostOfKind = 7;
  Draws draws_;
  absl::flat_hash_set<std::uint64_t> without_;  // sites that are off
  std::uint32_t left_;
  bool large_;
  bool has_later_kinds_, has_few_kinds_;
  std::uint32_t swaps_;  // 0: everything in its order; n: one question in 4n is a change of places
  absl::flat_hash_map<std::uint64_t, SitePlan> sites_;         // looked up only
  absl::flat_hash_map<std::uint64_t, std::uint32_t> left_of_;  // by kind; looked up only
};

}  // namespace

std::shared_ptr<Strategy> MakeSwarm(std::uint64_t seed, bool may_order) {
  return MakeSwarmWithout(seed, may_order, {});
}

std::shared_ptr<Strategy> MakeSwarmWithout(std::uint64_t seed, bool may_order,
                                           const std::vector<std::uint64_t>& without) {
  return std::make_shared<Swarm>(seed, may_order, without);
}

}  // namespace ksim::fuzz
