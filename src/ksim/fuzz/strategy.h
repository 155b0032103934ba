// Strategies: who answers the decisions of a run of `ksim fuzz`. Each is a pure function of its
// name, parameters and seed; a trace's header carries the three (StrategySpec), and Make gives the
// same strategy again.
//
//   nominal     nothing happens
//   random      {rate: N}              every question is answered non-zero once in N times
//   swarm       {without: [site]}      a drawn subset of kinds and sites with drawn rates, a drawn
//                                      number of faults; these sites are off
//   pct         {depth: D, steps: K}   chain priorities with D-1 change points in K steps
//   answers     {answers: [{site, key, answer}]}   these, all others 0: what exhaustive and
//                                      coverage campaigns run; site is the hash of its name, in hex
//
// Outside the fault window every answer is 0.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "ksim/base/time.h"
#include "ksim/scenario/scenario.h"
#include "ksim/sim/decisions.h"
#include "ksim/value/value.h"

namespace ksim::fuzz {

struct StrategySpec {
  StrategySpec() = default;
  std::string name = "nominal";
  std::uint64_t seed = 1;
  value::Value params = value::Value::EmptyObject();
};

// An answer by the hash of its site's name.
struct Answer {
  std::uint64_t site = 0;
  std::uint64_t key = 0;
  std::uint32_t answer = 0;
  friend auto operator<=>(const Answer&, const Answer&) = default;
};

// A question that a run asked.
struct Question {
  Question() = default;
  Answer about;             // answer: 0
  std::uint32_t sizes = 0;  // answers 1 .. sizes-1
};

// The base of all: the window, and which kinds may be answered at all.
class Strategy : public sim::Strategy {
 public:
  explicit Strategy(std::string_view name) : name_(name) {}
  std::string_view name() const final { return name_; }
  std::uint32_t Answer(std::string_view site, std::uint64_t key, std::uint32_t n) final;
  std::uint32_t First(const sim::OrderQuestion& question) final;
  // The window opens, and closes for good.
  void SetOpen(bool open) {
    if (open_ && !open) FallSilent();
    open_ = open;
  }
  void SetKinds(std::vector<std::string> kinds) {
    kinds_ = std::move(kinds);
  }  // before it is asked
  // Told each question before it is answered. A strategy that has fallen silent is not asked.
  void SetListener(std::function<void(const Question&)> listener) {
    listener_ = std::move(listener);
  }

 protected:
  // Answers a question of a kind that may be answered, in the window. `hash` is of the site's name.
  virtual std::uint32_t AnswerOpen(std::string_view site, std::uint64_t hash, std::uint64_t key,
                                   std::uint32_t n) = 0;
  virtual std::uint32_t FirstOpen(const sim::OrderQuestion&) { return 0; }
  void AnswerNoMore() { FallSilent(); }  // from here on AnswerOpen would say 0 to everything

 private:
  bool MayAnswer(std::string_view site, std::uint64_t hash);

  std::string name_;
  bool open_ = false;
  std::vector<std::string> kinds_;
  std::function<void(const Question&)> listener_;
  absl::flat_hash_map<std::uint64_t, bool> may_answer_;  // sites by their hash; looked up only
};

// A site's first part: "delay", "fault.dropWatch".
std::string_view KindOf(std::string_view site);

// At sites of this kind a guest asks whether its goroutines shall go other ways from there.
inline constexpr std::string_view kReseed = "reseed";

// The kinds that a scenario lets a campaign use: "fault.VERB", "delay", "order" and, where there
// are guests, "reseed" by spec.fuzz.faults. pct orders events without asking.
std::vector<std::string> KindsOf(const scenario::Scenario& scenario);

// In one run of four every size is the largest, and the window too: what has to beat five minutes
// is not beaten by nine seconds, nor while faults come for two minutes only.
bool AllLarge(std::uint64_t seed);

// How long faults come: the scenario's window, or 30 s, 2 min or 15 min, drawn by the seed among
// those that are not over before the last step's time; none is that long: the longest.
Duration WindowOf(const scenario::Scenario& scenario, const StrategySpec& strategy);

// InvalidArgument for an unknown name or bad parameters.
absl::StatusOr<std::shared_ptr<Strategy>> Make(const StrategySpec& spec,
                                               const std::vector<std::string>& kinds);

value::Value ToParams(const std::vector<Answer>& answers);  // of `answers`

// The strategies, one file each.
std::shared_ptr<Strategy> MakeRandom(std::uint64_t seed, std::uint32_t rate);
std::shared_ptr<Strategy> MakeSwarm(std::uint64_t seed, bool may_order);
std::shared_ptr<Strategy> MakePct(std::uint64_t seed, std::uint32_t depth, std::uint64_t steps,
                                  bool may_reseed);
std::shared_ptr<Strategy> MakeAnswers(std::vector<Answer> answers);

// Draws of a strategy: a pure function of its seed and what is asked.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t Bits(std::uint64_t what, std::uint64_t key = 0) const;
  std::uint32_t Below(std::uint32_t n, std::uint64_t what, std::uint64_t key = 0) const;
  bool OneIn(std::uint32_t n, std::uint64_t what, std::uint64_t key = 0) const {
    return Below(n, what, key) == 0;
  }

 private:
  std::uint64_t seed_;
};

}  // namespace ksim::fuzz
