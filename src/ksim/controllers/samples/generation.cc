// Rolls out nginx of the tag that the ConfigMap `release` names to the Deployment `web`, looks each
// five seconds whether that is done, and then says so in the label `released`. wrong-generation
// looks at the counts of the status. Until the Deployment's controller has seen the new template
// they are those of the old one, which was rolled out well. right-generation waits until the status
// is about this generation.
//
// Seen in openstack-k8s-operators/neutron-operator#335 and cilium/cilium-cli#1383.
#include <fmt/format.h>

#include "ksim/controllers/samples/sample.h"
#include "ksim/controllers/samples/samples.h"

namespace ksim::controllers {
namespace {

using value::Value;

constexpr Duration kLookAgain = Seconds(5);

class Releaser : public Sample {
 public:
  explicit Releaser(ControllerContext context)
      : Sample(std::move(context)), deployments_(context_.Resource("apps", "deployments")) {}

  void Start() override { controller_ = Builder().For(maps_).Build(*this); }

  sim::Task<Result> Reconcile(std::string key) override {
    const api::Object release = Cached(maps_, key);
    if (release.empty() || release.name() != "release") co_return Result::Done();
    const std::string ns(release.ns()), tag(release.tree().Get("data").Get("tag").AsString());
    const std::string image = fmt::format("nginx:{}", tag);
    const auto there = co_await client_.Get(deployments_, ns, "web");
    if (!there.ok() && !api::IsNotFound(there.status())) co_return Result::Error(there.status());
    if (!there.ok()) co_return Result::RequeueAfter(kLookAgain);
    const api::Object deployment = *there;
    if (deployment.Label("released") == tag) co_return Result::Done();
    if (ImageOf(deployment) != image) {
      const Value container = value::Obj({{"name", Value::Of("c")}, {"image", Value::Of(image)}});
      const Value containers = value::Obj({{"containers", value::Arr({container})}});
      const Value spec = value::Obj({{"template", value::Obj({{"spec", containers}})}});
      const Result started = co_await Patch(deployment, Value::EmptyObject(), spec);
      if (!started.ok()) co_return started;
      co_return Result::RequeueAfter(kLookAgain);
    }
    if (!IsOver(deployment)) co_return Result::RequeueAfter(kLookAgain);
    const Value mark = value::Obj({{"labels", value::Obj({{"released", Value::Of(tag)}})}});
    const Result told = co_await Patch(deployment, mark, Value::EmptyObject());
    co_return told;
  }

 protected:
  // Whether the counts are those of a rollout that is over.
  static bool AllUpdated(const api::Object& deployment) {
    const std::int64_t wanted = deployment.spec().Get("replicas").AsInt();
    const Value& status = deployment.status();
    for (const char* count : {"replicas", "updatedReplicas", "availableReplicas"})
      if (status.Get(count).AsInt() != wanted) return false;
    return true;
  }

 private:
  virtual bool IsOver(const api::Object& deployment) {
    const std::int64_t seen = deployment.status().Get("observedGeneration").AsInt();
    return seen >= deployment.generation() && AllUpdated(deployment);
  }

  static std::string_view ImageOf(const api::Object& deployment) {
    const Value& pod = deployment.spec().Get("template").Get("spec");
    for (const Value& container : pod.Get("containers").items())
      return container.Get("image").AsString();
    return {};
  }

  // Patches the version that was looked at, and no other.
  sim::Task<Result> Patch(api::Object deployment, Value metadata, Value spec) {
    const std::string ns(deployment.ns()), name(deployment.name());
    const Value version = Value::Of(std::to_string(deployment.resource_version()));
    const Value patch =
        value::Obj({{"metadata", metadata.Set("resourceVersion", version)}, {"spec", spec}});
    const client::PatchOptions strategic;
    const auto written = co_await client_.Patch(deployments_, ns, name, patch, strategic);
    if (!written.ok()) co_return Result::Error(written.status());
    co_return Result::Done();
  }

  const api::ResourceInfo* deployments_;
};

class WrongGeneration : public Releaser {
 public:
  using Releaser::Releaser;
  bool IsOver(const api::Object& deployment) override {
    return AllUpdated(deployment);  // WRONG: of which template?
  }
};

}  // namespace

ControllerRows GenerationSamples() {
  return {{.name = "wrong-generation",
           .text = "Reads a status without asking which generation it is about.",
           .make = &MakeController<WrongGeneration>,
           .second_part = "handlers",
           .twin = "right-generation"},
          {.name = "right-generation",
           .text = "Rolls an image out, and says when that is done.",
           .make = &MakeController<Releaser>,
           .second_part = "handlers"}};
}

}  // namespace ksim::controllers
