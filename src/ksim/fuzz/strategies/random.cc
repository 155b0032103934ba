// random: every question about a fault is answered non-zero once in `rate` times, each size alike.
#include "ksim/base/hash.h"
#include "ksim/fuzz/strategy.h"

namespace ksim::fuzz {
namespace {

class Random : public Strategy {
 public:
  Random(std::uint64_t seed, std::uint32_t rate) : Strategy("random"), draws_(seed), rate_(rate) {}

 protected:
  std::uint32_t AnswerOpen(std::string_view, std::uint64_t hash, std::uint64_t key,
                           std::uint32_t n) override {
    if (!draws_.OneIn(rate_, hash, key)) return 0;
    return 1 + draws_.Below(n - 1, hash ^ kSize, key);
  }

 private:
  static constexpr std::uint64_t kSize = 0x73697a65;  // another draw about the same question
  Draws draws_;
  std::uint32_t rate_;
};

}  // namespace

std::shared_ptr<Strategy> MakeRandom(std::uint64_t seed, std::uint32_t rate) {
  return std::make_shared<Random>(seed, rate);
}

}  // namespace ksim::fuzz
