// Deletes ConfigMaps ten seconds after they were labelled `expired: yes`. wrong-byname names in the
// request what it deletes, and no more: if the one that it means was deleted meanwhile and another
// one of that name made, that one is deleted. right-byname demands the uid that it has seen, and a
// 409 tells it that there is another one.
//
// Seen in kubernetes#29522 (the node controller) and kcp-dev/kcp#643.
#include <map>

#include "ksim/controllers/samples/sample.h"
#include "ksim/controllers/samples/samples.h"

namespace ksim::controllers {
namespace {

constexpr Duration kExpiryGrace = Seconds(10);

class Expirer : public Sample {
 public:
  using Sample::Sample;
  void Start() override { controller_ = Builder().For(maps_).Build(*this); }

  sim::Task<Result> Reconcile(std::string key) override {
    const api::Object map = Cached(maps_, key);
    if (map.empty() || map.Label("expired") != "yes") co_return Result::Done();
    const VirtualTime now = context_.process.SteadyNow();
    const VirtualTime since = since_.try_emplace(std::string(map.uid()), now).first->second;
    if (now < since + kExpiryGrace) co_return Result::RequeueAfter(since + kExpiryGrace - now);
    const std::string ns(map.ns()), name(map.name());
    const api::DeleteOptions options = OptionsFor(map);
    const auto gone = co_await client_.Delete(maps_, ns, name, options);
    const bool over = gone.ok() || api::IsNotFound(gone.status()) || api::IsConflict(gone.status());
    if (!over) co_return Result::Error(gone.status());
    co_return Result::Done();
  }

 private:
  virtual api::DeleteOptions OptionsFor(const api::Object& map) {
    api::DeleteOptions options;
    options.uid = std::string(map.uid());
    return options;
  }

  std::map<std::string, VirtualTime> since_;  // when each was first seen expired, by uid
};

class WrongByname : public Expirer {
 public:
  using Expirer::Expirer;
  api::DeleteOptions OptionsFor(const api::Object&) override { return {}; }  // WRONG: whichever
};

}  // namespace

ControllerRows BynameSamples() {
  return {{.name = "wrong-byname",
           .text = "Deletes by name, whichever object has it by then.",
           .make = &MakeController<WrongByname>,
           .second_part = "handlers",
           .twin = "right-byname"},
          {.name = "right-byname",
           .text = "Deletes what has expired, and nothing that came after it.",
           .make = &MakeController<Expirer>,
           .second_part = "handlers"}};
}

}  // namespace ksim::controllers
