// Announces in a ConfigMap NAME-ready that all pods of a ReplicaSet are ready. wrong-predicate
// listens with GenerationChanged, which drops every write of a status, and resyncs too: the one
// event that it waits for never comes.
#include <fmt/format.h>

#include "ksim/api/replicaset.h"
#include "ksim/controllers/samples/sample.h"
#include "ksim/controllers/samples/samples.h"

namespace ksim::controllers {
namespace {

using value::Value;

class Announcer : public Sample {
 public:
  using Sample::Sample;
  void Start() override { controller_ = Builder().For(sets_, Predicates()).Build(*this); }

  sim::Task<Result> Reconcile(std::string key) override {
    const api::Object set = Cached(sets_, key);
    if (set.empty()) co_return Result::Done();
    const api::ReplicaSetView view(set);
    if (view.ready_replicas() < view.replicas()) co_return Result::Done();  // we shall hear of it
    const std::string ns(set.ns()), name = fmt::format("{}-ready", set.name());
    const Value data = value::Obj({{"ready", Value::Of(std::to_string(view.ready_replicas()))}});
    const Result published = co_await Publish(ns, name, data);
    co_return published;
  }

 private:
  virtual std::vector<client::Predicate> Predicates() { return {}; }
};

class WrongPredicate : public Announcer {
 public:
  using Announcer::Announcer;
  // WRONG: what it waits for is a change of status.
  std::vector<client::Predicate> Predicates() override { return {client::GenerationChanged()}; }
};

}  // namespace

ControllerRows PredicateSamples() {
  return {{.name = "wrong-predicate",
           .text = "Waits for a status, and filters out what changes no generation.",
           .make = &MakeController<WrongPredicate>,
           .second_part = "handlers",
           .twin = "right-predicate"},
          {.name = "right-predicate",
           .text = "Announces that a ReplicaSet is ready.",
           .make = &MakeController<Announcer>,
           .second_part = "handlers"}};
}

}  // namespace ksim::controllers
