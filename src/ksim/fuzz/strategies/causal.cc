// causal: faults where they count. The nominal run tells which events led a component to write
// (event, delivery, handler, reconcile, request: each event names its cause). A fault elsewhere
// mostly spoils what nobody acts upon; Sieve prunes its test plans in the same way. Of four runs
//
//   two are those of swarm without the sites at which no question led to a write;
//   one draws one to three questions that did, and answers them: the kind first, then the site,
//     then the question, since most questions are about messages, and a link with much traffic is
//     worth no more than one with little;
//   one is that of swarm, since the nominal run does not have all places.
#include <algorithm>
#include <map>
#include <string>

#include "ksim/base/hash.h"
#include "ksim/fuzz/planner.h"

namespace ksim::fuzz {
namespace {

constexpr std::uint32_t kFaults[] = {1, 1, 2, 3};

class Causal : public Planner {
 public:
  explicit Causal(const scenario::Scenario& scenario) {
    const NominalRun run = RunNominally(scenario, true);
    std::map<std::string, std::map<std::string, std::vector<Question>, std::less<>>, std::less<>>
        by_kind;
    for (std::size_t i = 0; i < run.questions.size(); ++i) {
      const std::string& site = run.places[i].site;
      if (run.places[i].led_to_write)
        by_kind[std::string(KindOf(site))][site].push_back(run.questions[i]);
    }
    std::map<std::string, bool> useful;  // by site
    for (std::size_t i = 0; i < run.questions.size(); ++i)
      useful[run.places[i].site] |= run.places[i].led_to_write;
    std::vector<value::Value> without;
    for (const auto& [site, led_to_write] : useful)
      if (!led_to_write) without.push_back(value::Value::Of(Hex(Hash64(site))));
    pruned_ = value::Obj({{"without", value::Value::Array(std::move(without))}});
    for (const auto& [kind, sites] : by_kind) {
      Kind& one = kinds_.emplace_back();
      one.name = kind;
      for (const auto& [site, questions] : sites) one.sites.push_back(questions);
    }
  }

  Job JobOf(std::uint64_t number) const override {
    const Draws draws(number);
    Job job;
    job.number = job.seed = job.strategy.seed = number;
    const std::uint32_t how = draws.Below(4, Hash64("how"));
    if (kinds_.empty() || how != 0) {
      job.strategy.name = "swarm";
      if (how > 1) job.strategy.params = pruned_;
      return job;
    }
    std::vector<Answer> answers;
    const std::uint32_t most = kFaults[draws.Below(std::size(kFaults), Hash64("most"))];
    for (std::uint32_t i = 0; i < most; ++i) answers.push_back(Drawn(draws, AllLarge(number), i));
    std::sort(answers.begin(), answers.end());
    job.strategy.name = "answers";
    job.strategy.params = ToParams(answers);
    return job;
  }

 private:
  struct Kind {
    std::string name;
    std::vector<std::vector<Question>> sites;
  };

  template <class T>
  static const T& One(const std::vector<T>& of, const Draws& draws, std::uint64_t what,
                      std::uint32_t i) {
    return of[draws.Below(static_cast<std::uint32_t>(of.size()), what, i)];
  }

  Answer Drawn(const Draws& draws, bool large, std::uint32_t i) const {
    const Kind& kind = One(kinds_, draws, Hash64("kind"), i);
    const Question& q = One(One(kind.sites, draws, Hash64("site"), i), draws, Hash64("place"), i);
    Answer answer = q.about;
    answer.answer = 1 + draws.Below(q.sizes - 1, Hash64("size"), i);
    // A run that waits for a message for 15 minutes costs as much as five others.
    if (large) answer.answer = q.sizes - (kind.name == "delay" && q.sizes > 2 ? 2 : 1);
    return answer;
  }

  value::Value pruned_;  // parameters of a swarm without the sites that led to nothing
  std::vector<Kind>
      kinds_;  // by name; their sites too, each with the questions that led to a write
};

}  // namespace

std::unique_ptr<Planner> MakeCausal(const scenario::Scenario& scenario) {
  return std::make_unique<Causal>(scenario);
}

}  // namespace ksim::fuzz
