// Tells in a ConfigMap NAME-info how many replicas a ReplicaSet was asked for, once a generation.
// wrong-identity remembers by name what it has told. A ReplicaSet that was deleted and made anew,
// both in a gap of the watch or while the key waited, has the same name and begins at generation 1
// as the other did: it is never told of. A uid is never given twice.
#include <fmt/format.h>

#include <map>

#include "ksim/api/replicaset.h"
#include "ksim/controllers/samples/sample.h"
#include "ksim/controllers/samples/samples.h"

namespace ksim::controllers {
namespace {

using value::Value;

class Teller : public Sample {
 public:
  using Sample::Sample;
  void Start() override { controller_ = Builder().For(sets_).Build(*this); }

  sim::Task<Result> Reconcile(std::string key) override {
    const api::Object set = Cached(sets_, key);
    if (set.empty()) {
      Forget(key);
      co_return Result::Done();
    }
    if (told_[Identity(set)] == set.generation()) co_return Result::Done();
    const std::string ns(set.ns()), name = fmt::format("{}-info", set.name());
    const std::string replicas = std::to_string(api::ReplicaSetView(set).replicas());
    const Value data = value::Obj({{"replicas", Value::Of(replicas)}});
    const Result told = co_await Publish(ns, name, data);
    if (told.ok()) told_[Identity(set)] = set.generation();
    co_return told;
  }

 protected:
  std::map<std::string, std::int64_t> told_;  // generations

 private:
  virtual std::string Identity(const api::Object& set) { return std::string(set.uid()); }
  virtual void Forget(const std::string&) {}  // nobody comes by that uid again
};

class WrongIdentity : public Teller {
 public:
  using Teller::Teller;
  std::string Identity(const api::Object& set) override { return set.key(); }  // WRONG
  void Forget(const std::string& key) override { told_.erase(key); }           // if it is noticed
};

}  // namespace

ControllerRows IdentitySamples() {
  return {{.name = "wrong-identity",
           .text = "Knows objects by their names, whatever their uids.",
           .make = &MakeController<WrongIdentity>,
           .second_part = "handlers",
           .twin = "right-identity"},
          {.name = "right-identity",
           .text = "Knows objects by their uids.",
           .make = &MakeController<Teller>,
           .second_part = "handlers"}};
}

}  // namespace ksim::controllers
