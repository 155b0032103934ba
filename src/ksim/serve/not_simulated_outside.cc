#include "ksim/serve/not_simulated_outside.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/scenario/fault_arguments.h"
#include "ksim/value/value.h"

namespace ksim::serve {
namespace {

using scenario::Manifest;
using scenario::Step;
using scenario::StepKind;
using store::CommitOp;
using value::Value;

bool IsLeaving(const Value& object) { return object.Get("metadata").Has("deletionTimestamp"); }

// The propagation that a deletion asked for stands in the finalizers (registry/generic/registry
// store.go deletionFinalizersForGarbageCollection).
std::string CascadeOf(const Value& object) {
  for (const Value& finalizer : object.Get("metadata").Get("finalizers").items()) {
    if (finalizer.AsString() == "foregroundDeletion") return "foreground";
    if (finalizer.AsString() == "orphan") return "orphan";
  }
  return "background";
}

Step StepOf(StepKind kind, const Value& object) {
  Step step;
  step.kind = kind;
  step.objects = {Manifest(object)};
  step.wait = false;
  return step;
}

}  // namespace

NotSimulatedOutside::NotSimulatedOutside(const scenario::Scenario& scenario, scenario::World& world)
    : finder_(scenario, world.kinds(), no_file_, scenario::Clients::kOutsideToo) {
  finder_.LookAtScenario();
  finder_.Take();  // of the scenario itself its user was told before
  world.sim().bus().Subscribe(
      sim::Bus::Stage::kOracle, {sim::EventKind::kCommit},
      [this](const sim::Event& e) { OnCommit(e.payload.As<store::CommitPayload>()); });
}

void NotSimulatedOutside::OnCommit(const store::CommitPayload& commit) {
  if (!commit.parts()) return;
  const bool outside = commit.by.name().starts_with(scenario::kOutside);
  switch (commit.op) {
    case CommitOp::kCreate: {
      const Value& object = commit.kv.value();
      if (outside) LookAt(StepOf(StepKind::kCreate, object), commit);
      finder_.Note(Manifest(object));
      return;
    }
    case CommitOp::kUpdate: {
      const Value& object = commit.kv.value();
      if (!outside || !IsLeaving(object) || IsLeaving(commit.prev.value())) return;
      Step step = StepOf(StepKind::kDelete, object);
      step.cascade = CascadeOf(object);
      return LookAt(step, commit);
    }
    case CommitOp::kDelete: {
      const Value& object = commit.prev.value();
      if (outside && !IsLeaving(object)) LookAt(StepOf(StepKind::kDelete, object), commit);
      finder_.Forget(Manifest(object));
      return;
    }
  }
}

void NotSimulatedOutside::LookAt(const Step& step, const store::CommitPayload& commit) {
  const Manifest& manifest = step.objects.front();
  finder_.LookAtStep(step, fmt::format("{} {}/{}", scenario::ToString(step.kind), manifest.Kind(),
                                       manifest.Name()));
  for (scenario::NotSimulated& one : finder_.Take()) {
    one.file = commit.by.name();
    found_.push_back(std::move(one));
  }
}

}  // namespace ksim::serve
