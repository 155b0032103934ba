// Deletes a session (a ConfigMap with the label `session`) a minute after it was made. wrong-clock
// subtracts the creation's time, which an API server's clock gave, from its own clock's. Whichever
// is off, sessions are too short or too long. right-clock measures from when it first saw the
// session; a restart makes that longer, but never shorter.
//
// Seen in crossplane#7524, knative/serving#561; kubernetes#6193 asks controllers to do the latter.
#include <map>

#include "ksim/controllers/samples/sample.h"
#include "ksim/controllers/samples/samples.h"

namespace ksim::controllers {
namespace {

constexpr Duration kSessionLength = Minutes(1);

class Sessions : public Sample {
 public:
  using Sample::Sample;
  void Start() override { controller_ = Builder().For(maps_).Build(*this); }

  sim::Task<Result> Reconcile(std::string key) override {
    const api::Object session = Cached(maps_, key);
    if (session.empty() || session.Label("session").empty()) co_return Result::Done();
    const Duration age = AgeOf(session);
    if (age < kSessionLength) co_return Result::RequeueAfter(kSessionLength - age);
    const std::string ns(session.ns()), name(session.name());
    api::DeleteOptions options;
    options.uid = std::string(session.uid());
    const auto gone = co_await client_.Delete(maps_, ns, name, options);
    const bool over = gone.ok() || api::IsNotFound(gone.status()) || api::IsConflict(gone.status());
    if (!over) co_return Result::Error(gone.status());
    co_return Result::Done();
  }

 private:
  virtual Duration AgeOf(const api::Object& session) {
    const VirtualTime now = context_.process.SteadyNow();
    return now - seen_.try_emplace(std::string(session.uid()), now).first->second;
  }

  std::map<std::string, VirtualTime> seen_;  // first, by uid
};

class WrongClock : public Sessions {
 public:
  using Sessions::Sessions;
  Duration AgeOf(const api::Object& session) override {
    const VirtualTime now = context_.process.Now();
    return now - session.creation_time().value_or(now);  // WRONG: two clocks
  }
};

}  // namespace

ControllerRows ClockSamples() {
  return {{.name = "wrong-clock",
           .text = "Compares its own clock with another machine's.",
           .make = &MakeController<WrongClock>,
           .second_part = "handlers",
           .twin = "right-clock"},
          {.name = "right-clock",
           .text = "Ends sessions after a minute by its own clock.",
           .make = &MakeController<Sessions>,
           .second_part = "handlers"}};
}

}  // namespace ksim::controllers
