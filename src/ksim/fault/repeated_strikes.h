// Faults that befall one thing after the other: `times` of them, or all `for` a time, or whichever
// is over first. Until the first such a fault waits, and is skipped if none comes.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "ksim/api/request.h"
#include "ksim/client/rest/fault_hooks.h"
#include "ksim/fault/fault_call.h"

namespace ksim::fault {

// How often the fault has struck, and whether it goes on.
class Repetition {
 public:
  // `usual_times`: how often it strikes where the scenario says neither `times` nor `for`.
  Repetition(FaultCall& call, std::int64_t usual_times);
  Repetition(const Repetition&) = delete;

  bool over() const { return counts_ && left_ == 0; }
  bool has_struck() const { return has_struck_; }
  const std::string& passed_over() const { return passed_over_; }
  // How much of `for` is left.
  std::optional<Duration> rest() const;

  // It strikes one more; `event` is the seq of what it strikes.
  void Struck(std::uint64_t event);
  // It could not strike what came.
  void PassOver(std::string why) { passed_over_ = std::move(why); }

 private:
  sim::Simulation& sim_;
  const VirtualTime begun_;
  const std::optional<Duration> lasts_;
  std::int64_t left_;    // strikes that are still to come, if they are counted
  bool counts_ = false;  // else it strikes all
  bool has_struck_ = false;
  std::string passed_over_;
  const std::function<void(std::uint64_t)> first_, last_;
};

// Begins the fault. `attach` makes it act, and returns what takes that back.
FaultEffect StrikeRepeatedly(
    FaultCall& call, std::int64_t usual_times,
    const std::function<std::function<void()>(const std::shared_ptr<Repetition>&)>& attach);

// Strike: a fault's effect on one request.
struct Strike {
  Strike() = default;
  static Strike Not(std::string why = "") {
    Strike none;
    none.passed_over = std::move(why);
    return none;
  }
  static Strike Of(client::Mishap mishap = client::Mishap()) {
    Strike strike;
    strike.struck = true;
    strike.mishap = std::move(mishap);
    return strike;
  }
  bool struck = false;
  client::Mishap mishap;    // of a request that it has struck
  std::string passed_over;  // why it could not strike this one; "" if it was not meant
};

// The same of requests as they arrive at a server: `strike` is called for each until the fault is
// over.
FaultEffect StrikeRequests(FaultCall& call, std::int64_t usual_times,
                           std::function<Strike(const api::Request&)> strike);

}  // namespace ksim::fault
