// Stamps the ConfigMap `settings` once there is a pod `go`. On a conflict wrong-retry gets the
// newest version's number and sends what it had, from a cache that is behind: whatever somebody
// else has written meanwhile is undone. The conflict was there to prevent that. right-retry goes
// away, and comes again when the cache has what it did not have.
#include "ksim/controllers/samples/sample.h"
#include "ksim/controllers/samples/samples.h"

namespace ksim::controllers {
namespace {

using value::Value;

class Stamper : public Sample {
 public:
  using Sample::Sample;
  void Start() override {
    controller_ =
        Builder()
            .For(maps_)
            .Watches(pods_,
                     [](const api::Object& pod) {
                       return std::vector<std::string>{std::string(pod.ns()) + "/settings"};
                     })
            .Build(*this);
  }

  sim::Task<Result> Reconcile(std::string key) override {
    const api::Object settings = Cached(maps_, key);
    if (settings.empty() || settings.tree().Get("data").Has("stamp")) co_return Result::Done();
    if (Cache(pods_).Get(settings.ns(), "go").empty()) co_return Result::Done();
    const value::Path path{"data", "stamp"};
    const api::Object stamped = api::Object::FromTree(settings.tree().Set(path, Value::Of("done")),
                                                      settings.resource_version());
    const auto written = co_await client_.Update(maps_, stamped);
    if (written.ok()) co_return Result::Done();
    if (!api::IsConflict(written.status())) co_return Result::Error(written.status());
    const Result again = co_await AfterConflict(stamped, written.status());
    co_return again;
  }

 private:
  virtual sim::Task<Result> AfterConflict(api::Object stamped, api::Status why) = 0;
};

class WrongRetry : public Stamper {
 public:
  using Stamper::Stamper;
  sim::Task<Result> AfterConflict(api::Object stamped, api::Status) override {
    const std::string ns(stamped.ns()), name(stamped.name());
    const auto live = co_await client_.Get(maps_, ns, name);
    if (!live.ok()) co_return Result::Error(live.status());
    // WRONG: the number is new, the object is not.
    const api::Object forced = stamped.WithResourceVersion(live->resource_version());
    const auto written = co_await client_.Update(maps_, forced);
    if (!written.ok()) co_return Result::Error(written.status());
    co_return Result::Done();
  }
};

class RightRetry : public Stamper {
 public:
  using Stamper::Stamper;
  sim::Task<Result> AfterConflict(api::Object, api::Status why) override {
    co_return Result::Error(why);
  }
};

}  // namespace

ControllerRows RetrySamples() {
  return {{.name = "wrong-retry",
           .text = "Sends after a conflict what it had, with the newest version's number.",
           .make = &MakeController<WrongRetry>,
           .second_part = "handlers",
           .twin = "right-retry"},
          {.name = "right-retry",
           .text = "Comes again after a conflict, with what there is.",
           .make = &MakeController<RightRetry>,
           .second_part = "handlers"}};
}

}  // namespace ksim::controllers
