// Expectations: `eventually`, `finally`, `always` and `never`, judged on what is committed in the
// store.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/base/time.h"
#include "ksim/scenario/run_report.h"
#include "ksim/scenario/scenario.h"
#include "ksim/sim/simulation.h"
#include "ksim/trace/header.h"
#include "ksim/value/selector.h"

namespace ksim::scenario {

class Expectations {
 public:
  // Subscribes itself; must live as long as the bus is used. Violations of `always` and `never` are
  // emitted when they happen, those of the others at Close.
  Expectations(sim::Simulation& sim, const api::Kinds& kinds, std::vector<Expectation> list);
  Expectations(const Expectations&) = delete;
  Expectations& operator=(const Expectations&) = delete;

  // The run is over: what was to come true and has not is a violation, and so is what was to hold
  // at every commit where nothing was ever committed; unless it is about one of these resources.
  void Close(std::span<const std::string_view> not_judged = {});
  const std::vector<trace::Violation>& violations() const { return violations_; }
  bool empty() const { return judged_.empty(); }

  // These are for after Close, and have an answer for each in the list:
  // whether it was to happen once, did, and is over, so that the run only went through that state;
  std::vector<bool> PassedThrough() const;
  // whether there was something that it spoke of, or it was violated.
  std::vector<bool> Applied() const;

  // Those that were not violated and never applied: no object was selected, or `after` never came.
  std::vector<ExpectationNote> Vacuous() const;
  // Those that held once and do not hold at the end, and whose words do not say which is meant.
  std::vector<ExpectationNote> NotLasting() const;

 private:
  struct Judged {
    Judged() = default;
    Expectation what;
    std::string resource;  // as commits name it
    value::LabelSelector selector;
    std::map<std::string, bool> objects;  // namespace/name of those selected -> where holds
    std::int64_t matching = 0;
    bool met = false;
    bool violated = false;
    bool seen = false;  // some object of the resource
    bool applied = false;
    bool begun = false;                // `after` is over
    std::uint64_t last = 0;            // the last commit that it was judged on
    std::optional<VirtualTime> came;   // when it held for the first time, also if too late
    std::optional<VirtualTime> since;  // from when on it has held; nothing: it does not hold
    VirtualTime lost;                  // when it ceased to hold
    std::uint64_t lost_by = 0;         // the commit after which it did
  };
  void OnCommit(const sim::Event& e);
  void Judge(Judged& j, VirtualTime now, std::uint64_t commit);
  // Judges the state at the moment `after` as soon as that is over.
  void BeginAfter(Judged& j);
  static void Update(Judged& j, const std::string& key, const value::Value& object, bool there);
  // Whether there is something that it speaks of.
  static bool Applies(const Judged& j);
  static bool Holds(const Judged& j);
  static bool Missed(const Judged& j);
  void Violate(Judged& j, std::uint64_t first, bool running);
  static std::string Observed(const Judged& j);

  sim::Simulation& sim_;
  std::vector<Judged> judged_;
  std::vector<trace::Violation> violations_;
};

// In words: "eventually 2 pods with app=web where status.phase == Running within 30s".
std::string Describe(const Expectation& e);

}  // namespace ksim::scenario
