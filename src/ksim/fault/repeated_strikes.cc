#include "ksim/fault/repeated_strikes.h"

namespace ksim::fault {

Repetition::Repetition(FaultCall& call, std::int64_t usual_times)
    : sim_(call.sim()),
      begun_(call.sim().now()),
      lasts_(call.Time("for")),
      left_(call.Int("times")),
      first_(call.Struck()),
      last_(call.Over()) {
  if (left_ == 0 && !lasts_) left_ = usual_times;
  counts_ = left_ > 0;
}

std::optional<Duration> Repetition::rest() const {
  if (!lasts_) return std::nullopt;
  return *lasts_ - (sim_.now() - begun_);
}

void Repetition::Struck(std::uint64_t event) {
  if (!std::exchange(has_struck_, true)) first_(event);
  if (counts_ && --left_ == 0) last_(event);
}

FaultEffect StrikeRepeatedly(
    FaultCall& call, std::int64_t usual_times,
    const std::function<std::function<void()>(const std::shared_ptr<Repetition>&)>& attach) {
  const auto repetition = std::make_shared<Repetition>(call, usual_times);
  const std::function<void()> detach = attach(repetition);
  FaultEffect effect;
  effect.lasts = repetition->rest();
  // The first strike ends the waiting, but takes nothing back.
  effect.undo = [repetition, detach] {
    if (!repetition->has_struck()) detach();
  };
  effect.passed_over = [repetition] { return repetition->passed_over(); };
  effect.strikes = [repetition, detach] {
    FaultEffect going_on;
    going_on.lasts = repetition->rest();
    going_on.undo = detach;
    return going_on;
  };
  return effect;
}

FaultEffect StrikeRequests(FaultCall& call, std::int64_t usual_times,
                           std::function<Strike(const api::Request&)> strike) {
  client::FaultHooks& hooks = call.cluster().fault_hooks();
  return StrikeRepeatedly(call, usual_times, [&](const std::shared_ptr<Repetition>& repetition) {
    const int judge =
        hooks.AddJudge([repetition, strike = std::move(strike)](const api::Request& q) {
          if (repetition->over()) return client::Mishap();
          Strike what = strike(q);
          if (what.struck) repetition->Struck(q.event);
          if (!what.passed_over.empty()) repetition->PassOver(std::move(what.passed_over));
          return std::move(what.mishap);
        });
    return [&hooks, judge] { hooks.RemoveJudge(judge); };
  });
}

}  // namespace ksim::fault
