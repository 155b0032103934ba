// Runs a pod NAME-pod for each ConfigMap with the label `task: yes`, and writes into it what became
// of that. wrong-exists takes "already exists" for a failure of the task. It says that the cache is
// behind, or that an answer was lost: the pod is the task's own, and runs. right-exists asks whose
// it is.
//
// Seen in tektoncd/pipeline#4741: the TaskRun has failed for good while its pod runs.
#include <fmt/format.h>

#include "ksim/api/pod.h"
#include "ksim/controllers/samples/sample.h"
#include "ksim/controllers/samples/samples.h"

namespace ksim::controllers {
namespace {

using value::Value;

class Runner : public Sample {
 public:
  using Sample::Sample;
  void Start() override {
    const auto task_of = [](const api::Object& pod) {
      std::vector<std::string> keys;
      if (!pod.Label("of").empty()) keys.push_back(fmt::format("{}/{}", pod.ns(), pod.Label("of")));
      return keys;
    };
    controller_ = Builder().For(maps_).Watches(pods_, task_of).Build(*this);
  }

  sim::Task<Result> Reconcile(std::string key) override {
    const api::Object task = Cached(maps_, key);
    if (task.empty() || task.Label("task") != "yes") co_return Result::Done();
    if (task.tree().Get("data").Has("result")) co_return Result::Done();
    const api::Object pod = Cache(pods_).Get(task.ns(), PodOf(task));
    if (pod.empty()) {
      const Result made = co_await Make(task);
      co_return made;
    }
    if (!IsOf(pod, task)) co_return Result::RequeueAfter(Seconds(10));  // until it is gone
    const std::string_view phase = api::PodView(pod).phase();
    if (phase == "Pending") co_return Result::Done();  // we shall hear of it
    const std::string result = phase == "Failed" ? "failed" : "ran";
    const Result told = co_await Tell(task, result);
    co_return told;
  }

 protected:
  static std::string PodOf(const api::Object& task) { return fmt::format("{}-pod", task.name()); }
  static bool IsOf(const api::Object& pod, const api::Object& task) {
    return pod.Label("task-uid") == task.uid();
  }

  sim::Task<Result> Tell(api::Object task, std::string result) {
    const std::string ns(task.ns()), name(task.name());
    const Value patch = value::Obj({{"data", value::Obj({{"result", Value::Of(result)}})}});
    const client::PatchOptions merge(api::PatchType::kMerge);
    const auto told = co_await client_.Patch(maps_, ns, name, patch, merge);
    if (!told.ok() && !api::IsNotFound(told.status())) co_return Result::Error(told.status());
    co_return Result::Done();
  }

 private:
  virtual sim::Task<Result> IsThere(api::Object task) {
    const std::string ns(task.ns()), name = PodOf(task);
    const auto pod = co_await client_.Get(pods_, ns, name);
    if (!pod.ok()) co_return Result::Error(pod.status());
    if (!IsOf(*pod, task)) co_return Result::Error("another task's pod has the name");
    co_return Result::Done();  // it is ours, and we shall hear of it
  }

  sim::Task<Result> Make(api::Object task) {
    const Value labels =
        value::Obj({{"of", Value::Of(task.name())}, {"task-uid", Value::Of(task.uid())}});
    const Value metadata = value::Obj({{"name", Value::Of(PodOf(task))},
                                       {"namespace", Value::Of(task.ns())},
                                       {"labels", labels}});
    const Value container = value::Obj({{"name", Value::Of("c")}, {"image", Value::Of("nginx")}});
    const api::Object pod = api::Object::FromTree(
        value::Obj({{"apiVersion", Value::Of("v1")},
                    {"kind", Value::Of("Pod")},
                    {"metadata", metadata},
                    {"spec", value::Obj({{"containers", value::Arr({container})}})}}));
    const auto made = co_await client_.Create(pods_, pod);
    if (made.ok()) co_return Result::Done();
    if (!api::IsAlreadyExists(made.status())) co_return Result::Error(made.status());
    const Result there = co_await IsThere(task);
    co_return there;
  }
};

class WrongExists : public Runner {
 public:
  using Runner::Runner;
  sim::Task<Result> IsThere(api::Object task) override {
    const Result told = co_await Tell(task, "failed");  // WRONG: it was made, by us
    co_return told;
  }
};

}  // namespace

ControllerRows ExistsSamples() {
  return {{.name = "wrong-exists",
           .text = "Takes \"already exists\" for a failure.",
           .make = &MakeController<WrongExists>,
           .second_part = "handlers",
           .twin = "right-exists"},
          {.name = "right-exists",
           .text = "Runs a pod for each task.",
           .make = &MakeController<Runner>,
           .second_part = "handlers"}};
}

}  // namespace ksim::controllers
