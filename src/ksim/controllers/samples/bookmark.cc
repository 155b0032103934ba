// Tells in a ConfigMap NAME-census how many pods there are beside a ReplicaSet of the namespace
// default, as of the ReplicaSet's last change or later: an older census says nothing of it. Its
// informer of pods has that namespace alone.
//
// wrong-bookmark waits until its cache has come so far. While pods of its namespace change that is
// soon; while they do not only a bookmark tells of it, and no server promises one (kubernetes.io,
// "Kubernetes API Concepts", Watch bookmarks). right-bookmark asks the server where its cache is
// older.
#include <fmt/format.h>

#include "ksim/controllers/samples/sample.h"
#include "ksim/controllers/samples/samples.h"

namespace ksim::controllers {
namespace {

using value::Value;

constexpr const char* kNamespace = "default";
constexpr Duration kLookAgain = Seconds(10);

class Census : public Sample {
 public:
  using Sample::Sample;
  void Start() override {
    client::InformerOptions here;
    here.ns = kNamespace;
    counted_ = &context_.informers.For(pods_, here);
    controller_ = Builder().For(sets_).Build(*this);
  }

  sim::Task<Result> Reconcile(std::string key) override {
    const api::Object set = Cached(sets_, key);
    if (set.ns() != kNamespace) co_return Result::Done();  // or gone
    if (counted_->applied_resource_version() >= set.resource_version()) {
      const std::size_t pods = counted_->lister().size();
      const Result told = co_await Tell(set, pods);
      co_return told;
    }
    const Result later = co_await TellOnceItIsKnown(set);
    co_return later;
  }

 protected:
  sim::Task<Result> Tell(api::Object set, std::size_t pods) {
    const std::string ns(set.ns()), name = fmt::format("{}-census", set.name());
    const Value data = value::Obj({{"pods", Value::Of(std::to_string(pods))}});
    const Result told = co_await Publish(ns, name, data);
    co_return told;
  }

 private:
  virtual sim::Task<Result> TellOnceItIsKnown(api::Object set) {
    const auto pods = co_await client_.List(pods_, kNamespace, api::ListOptions());
    if (!pods.ok()) co_return Result::Error(pods.status());
    const std::size_t count = pods->items.size();
    const Result told = co_await Tell(set, count);
    co_return told;
  }

  client::SharedInformer* counted_ = nullptr;
};

class WrongBookmark : public Census {
 public:
  using Census::Census;
  sim::Task<Result> TellOnceItIsKnown(api::Object) override {
    co_return Result::RequeueAfter(kLookAgain);  // WRONG: nobody need say that nothing happened
  }
};

}  // namespace

ControllerRows BookmarkSamples() {
  return {{.name = "wrong-bookmark",
           .text = "Waits until bookmarks say that its cache is as new as an object.",
           .make = &MakeController<WrongBookmark>,
           .second_part = "handlers",
           .twin = "right-bookmark"},
          {.name = "right-bookmark",
           .text = "Counts the pods beside each ReplicaSet, not before its last change.",
           .make = &MakeController<Census>,
           .second_part = "handlers"}};
}

}  // namespace ksim::controllers
