// Writes into the ConfigMap `inventory` how many ReplicaSets there are. wrong-start does not wait
// until its caches are filled: for a moment after each start there are none, and it says so.
#include "ksim/client/workqueue.h"
#include "ksim/controllers/samples/sample.h"
#include "ksim/controllers/samples/samples.h"

namespace ksim::controllers {
namespace {

using value::Value;

class Inventory : public Sample {
 public:
  explicit Inventory(ControllerContext context)
      : Sample(std::move(context)),
        queue_(context_.process, client::DefaultControllerRateLimiter(context_.process)),
        loop_(context_.connection, context_.name, queue_, *this) {}

  void Start() override {
    handler_.add = [this](const api::Object&, bool) { queue_.Add(kKey); };
    handler_.del = [this](const client::Deleted&) { queue_.Add(kKey); };
    Listen(sets_, &handler_);
    Listen(maps_, &handler_);
    loop_.Start(1, Awaited());
  }

  sim::Task<Result> Reconcile(std::string) override {
    const Value count = Value::Of(std::to_string(Cache(sets_).size()));
    const auto inventory = co_await client_.Get(maps_, "default", "inventory");
    if (!inventory.ok()) co_return Result::Done();  // when it comes we hear of it
    if (inventory->tree().Get("data").Get("sets") == count) co_return Result::Done();
    const Value data = value::Obj({{"sets", count}});
    const Result published = co_await Publish("default", "inventory", data);
    co_return published;
  }

 private:
  static constexpr const char* kKey = "default/inventory";
  virtual std::vector<client::SharedInformer*> Awaited() {
    return {&Informer(sets_), &Informer(maps_)};
  }

  client::WorkQueue queue_;
  client::ReconcileLoop loop_;
  client::HandlerFuncs handler_;
};

class WrongStart : public Inventory {
 public:
  using Inventory::Inventory;
  std::vector<client::SharedInformer*> Awaited() override { return {}; }  // WRONG
};

}  // namespace

ControllerRows StartSamples() {
  return {{.name = "wrong-start",
           .text = "Begins to work before its caches are filled.",
           .make = &MakeController<WrongStart>,
           .second_part = "handlers",
           .twin = "right-start"},
          {.name = "right-start",
           .text = "Counts ReplicaSets once its caches are filled.",
           .make = &MakeController<Inventory>,
           .second_part = "handlers"}};
}

}  // namespace ksim::controllers
