// Expectations: `eventually` and `always`, judged on what is committed in the store.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/base/time.h"
#include "ksim/scenario/scenario.h"
#include "ksim/sim/simulation.h"
#include "ksim/trace/header.h"
#include "ksim/value/selector.h"

namespace ksim::scenario {

class Expectations {
 public:
  // Subscribes itself; must live as long as the bus is used. Violations of `always` are emitted
  // when they happen, those of `eventually` at Close.
  Expectations(sim::Simulation& sim, const api::Kinds& kinds, std::vector<Expectation> list);
  Expectations(const Expectations&) = delete;
  Expectations& operator=(const Expectations&) = delete;

  // The run is over: what was to happen eventually and has not is a violation, and so is what was
  // to hold always where nothing was ever committed; unless it is about one of these resources.
  void Close(std::initializer_list<std::string_view> not_judged = {});
  // For each in the list: whether it was to happen eventually, did, and is over: a state that the
  // run went through.
  std::vector<bool> PassedThrough() const;
  const std::vector<trace::Violation>& violations() const { return violations_; }
  bool empty() const { return judged_.empty(); }

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
    std::optional<VirtualTime> came;  // when it held for the first time, also if too late
  };
  void OnCommit(const sim::Event& e);
  void Update(Judged& j, const std::string& key, const value::Value& object, bool there);
  bool Holds(const Judged& j) const;
  void Violate(Judged& j, std::uint64_t first);
  static std::string Observed(const Judged& j);

  sim::Simulation& sim_;
  std::vector<Judged> judged_;
  std::vector<trace::Violation> violations_;
};

// In words: "eventually 2 pods with app=web where status.phase == Running within 30s".
std::string Describe(const Expectation& e);

}  // namespace ksim::scenario
