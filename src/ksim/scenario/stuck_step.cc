#include "ksim/scenario/stuck_step.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/api/object.h"
#include "ksim/controllers/kind_effects.h"
#include "ksim/controllers/registry.h"
#include "ksim/kubelet/stages/stage.h"
#include "ksim/scenario/controller_parts.h"
#include "ksim/scenario/not_simulated.h"
#include "ksim/scenario/stages.h"

namespace ksim::scenario {
namespace {

using controllers::ControllerInfo;

// The objects that a step is about: one name, or all of a kind.
struct Awaited {
  const api::ResourceInfo* kind = nullptr;
  std::string ns, name;  // name "": any
};

std::vector<Awaited> AwaitedBy(const Step& step, World& world) {
  std::vector<Awaited> out;
  const auto add = [&out](const api::ResourceInfo* kind, std::string ns, std::string name) {
    if (kind == nullptr) return;
    Awaited one;
    one.kind = kind;
    one.ns = std::move(ns);
    one.name = std::move(name);
    out.push_back(std::move(one));
  };
  for (const Manifest& m : step.objects) {
    const std::string_view ns = m.tree.Get("metadata").Get("namespace").AsString();
    add(world.kinds().ByKind(m.ApiVersion(), m.Kind()), std::string(ns.empty() ? "default" : ns),
        m.Name());
  }
  if (step.kind == StepKind::kDrain)
    add(world.kinds().ByName("pods"), "", "");
  else if (step.objects.empty())
    add(world.kinds().ByName(step.resource), step.ns, step.name);
  return out;
}

bool IsAwaited(const api::Object& object, const Awaited& awaited, const Step& step) {
  if (step.kind == StepKind::kDrain)
    return object.tree().Get("spec").Get("nodeName").AsString() == step.name;
  if (!awaited.name.empty() && object.name() != awaited.name) return false;
  return !awaited.kind->namespaced || object.ns() == awaited.ns;
}

std::string WhoRemoves(std::string_view finalizer, const Scenario& scenario) {
  const ControllerInfo* who = controllers::ControllerOfFinalizer(finalizer);
  if (who == nullptr) return fmt::format("nobody has removed its finalizer \"{}\"", finalizer);
  if (MissingController(scenario.cluster, scenario.compat, who->name) == nullptr)
    return fmt::format("the {} has not removed its finalizer \"{}\"", who->Title(), finalizer);
  return fmt::format("the {} would have removed its finalizer \"{}\", and this run has none",
                     who->Title(), finalizer);
}

std::string WhyPodStays(const api::Object& pod, std::string_view node, const Scenario& scenario,
                        World& world) {
  const sim::Process* kubelet = world.sim().FindProcess("kubelet/" + std::string(node));
  const std::shared_ptr<const kubelet::StageSet> stages = StagesOf(scenario.cluster);
  if (kubelet != nullptr && kubelet->alive() && stages != nullptr && stages->Selects(pod))
    return "no Stage has deleted it";
  if (kubelet != nullptr && kubelet->alive())
    return fmt::format("the kubelet of {} has not ended it", node);
  const ControllerInfo* collector = MissingController(scenario.cluster, scenario.compat, "podgc");
  return fmt::format(
      "the kubelet of {} would have ended it, and does not run{}", node,
      collector == nullptr ? "" : fmt::format("; there is no {} either", collector->Title()));
}

// Why an object that is marked for deletion is still there.
std::string WhyStays(const api::Object& object, const Scenario& scenario, World& world) {
  const value::Value& finalizers = object.tree().Get("metadata").Get("finalizers");
  for (const value::Value& f : finalizers.items()) return WhoRemoves(f.AsString(), scenario);
  const value::Value& spec = object.tree().Get("spec");
  if (object.kind() == "Namespace")
    for (const value::Value& f : spec.Get("finalizers").items())
      return WhoRemoves(f.AsString(), scenario);
  const std::string_view node = spec.Get("nodeName").AsString();
  const bool bound = object.kind() == "Pod" && !node.empty();
  return bound ? WhyPodStays(object, node, scenario, world) : "";
}

std::string WhyStuckInDeletion(const Step& step, const Scenario& scenario, World& world) {
  for (const Awaited& awaited : AwaitedBy(step, world)) {
    for (const api::Object& object : world.Objects(*awaited.kind)) {
      const bool leaving = !object.tree().Get("metadata").Get("deletionTimestamp").is_null();
      if (!leaving || !IsAwaited(object, awaited, step)) continue;
      const std::string why = WhyStays(object, scenario, world);
      return fmt::format("it waits for {}/{} to be gone{}{}", awaited.kind->known_as(),
                         object.name(), why.empty() ? "" : "; ", why);
    }
  }
  return "";
}

std::string WhyStuckInWait(const Step& step, const Scenario& scenario, World& world) {
  const api::ResourceInfo* kind = world.kinds().ByName(step.resource);
  if (kind == nullptr) return "";
  const controllers::KindEffect* row = controllers::EffectOf(kind->group, kind->kind);
  if (row == nullptr || row->effect != controllers::Effect::kNeedsController) return "";
  if (MissingController(scenario.cluster, scenario.compat, row->controller) == nullptr) return "";
  const std::string name = step.name.empty() ? "" : "/" + step.name;
  return fmt::format("it waits for {}{}, and this run has no controller for {}", kind->known_as(),
                     name, kind->kind);
}

}  // namespace

std::string WhyStuck(const Step& step, const Scenario& scenario, World& world) {
  const bool deletes =
      step.kind == StepKind::kDelete || step.kind == StepKind::kDrain ||
      (step.kind == StepKind::kWait && !step.wait_for.empty() && step.wait_for.front() == "delete");
  if (deletes) return WhyStuckInDeletion(step, scenario, world);
  return step.kind == StepKind::kWait ? WhyStuckInWait(step, scenario, world) : "";
}

}  // namespace ksim::scenario
