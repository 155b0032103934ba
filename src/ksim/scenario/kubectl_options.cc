#include "ksim/scenario/kubectl_options.h"

#include "ksim/base/check.h"

namespace ksim::scenario {
namespace {

kubectl::Manifests ManifestsOf(const Step& step) {
  kubectl::Manifests out;
  for (const Manifest& manifest : step.objects) out.push_back(manifest.tree);
  return out;
}

kubectl::Target KubectlTarget(const Step& step) {
  kubectl::Target target;
  target.resource = step.resource;
  target.ns = step.ns;
  target.name = step.name;
  target.selector = step.selector;
  return target;
}

kubectl::CreateOptions CreateOptionsOf(const Step& step) {
  kubectl::CreateOptions o;
  o.manifests = ManifestsOf(step);
  return o;
}

kubectl::ApplyOptions ApplyOptionsOf(const Step& step) {
  kubectl::ApplyOptions o;
  o.manifests = ManifestsOf(step);
  o.server_side = step.server_side;
  o.force_conflicts = step.force;
  o.field_manager = step.field_manager;
  return o;
}

kubectl::ReplaceOptions ReplaceOptionsOf(const Step& step) {
  kubectl::ReplaceOptions o;
  o.manifests = ManifestsOf(step);
  return o;
}

kubectl::PatchOptions PatchOptionsOf(const Step& step) {
  kubectl::PatchOptions o;
  o.target = KubectlTarget(step);
  o.type = step.patch_type;
  o.subresource = step.subresource;
  o.patch = step.patch;
  return o;
}

kubectl::DeleteOptions DeleteOptionsOf(const Step& step) {
  kubectl::DeleteOptions o;
  o.manifests = ManifestsOf(step);
  o.target = KubectlTarget(step);
  o.limit = step.limit;
  o.grace_period_seconds = step.grace_period_seconds;
  o.cascade = step.cascade;
  o.wait = step.wait;
  return o;
}

kubectl::ScaleOptions ScaleOptionsOf(const Step& step) {
  kubectl::ScaleOptions o;
  o.target = KubectlTarget(step);
  o.replicas = step.replicas;
  return o;
}

kubectl::MarkOptions MarkOptionsOf(const Step& step) {
  kubectl::MarkOptions o;
  o.label = step.kind == StepKind::kLabel;
  o.target = KubectlTarget(step);
  o.set = step.set;
  o.overwrite = step.overwrite;
  return o;
}

kubectl::CordonOptions CordonOptionsOf(const Step& step) {
  kubectl::CordonOptions o;
  o.cordon = step.kind == StepKind::kCordon;
  o.node = step.name;
  return o;
}

kubectl::WaitOptions WaitOptionsOf(const Step& step) {
  kubectl::WaitOptions o;
  o.target = KubectlTarget(step);
  o.wait_for = step.wait_for;
  o.where = step.where;
  o.timeout = step.timeout;
  return o;
}

kubectl::DrainOptions DrainOptionsOf(const Step& step) {
  kubectl::DrainOptions o;
  o.node = step.name;
  o.force = step.force;
  o.ignore_daemon_sets = step.ignore_daemon_sets;
  o.timeout = step.timeout;
  o.grace_period_seconds = step.grace_period_seconds;
  return o;
}

kubectl::EvictOptions EvictOptionsOf(const Step& step) {
  kubectl::EvictOptions o;
  o.ns = step.ns;
  o.name = step.name;
  o.grace_period_seconds = step.grace_period_seconds;
  return o;
}

kubectl::RolloutOptions RolloutOptionsOf(const Step& step) {
  kubectl::RolloutOptions o;
  o.command = step.command;
  o.target = KubectlTarget(step);
  o.revision = step.revision;
  o.timeout = step.timeout;
  return o;
}

kubectl::SetImageOptions SetImageOptionsOf(const Step& step) {
  kubectl::SetImageOptions o;
  o.target = KubectlTarget(step);
  for (const auto& [container, image] : step.set) o.images.emplace_back(container, *image);
  return o;
}

kubectl::ExposeOptions ExposeOptionsOf(const Step& step) {
  kubectl::ExposeOptions o;
  o.target = KubectlTarget(step);
  o.name = step.new_name;
  o.port = step.port;
  o.target_port = step.target_port;
  o.type = step.service_type;
  return o;
}

kubectl::AutoscaleOptions AutoscaleOptionsOf(const Step& step) {
  kubectl::AutoscaleOptions o;
  o.target = KubectlTarget(step);
  o.name = step.new_name;
  o.min = step.min_replicas;
  o.max = step.max_replicas;
  o.cpu_percent = step.cpu_percent;
  return o;
}

kubectl::CreateJobOptions CreateJobOptionsOf(const Step& step) {
  kubectl::CreateJobOptions o;
  o.from = KubectlTarget(step);
  o.name = step.new_name;
  return o;
}

}  // namespace

kubectl::VerbOptions KubectlOptionsOf(const Step& step) {
  switch (step.kind) {
    case StepKind::kCreate:
      return CreateOptionsOf(step);
    case StepKind::kApply:
      return ApplyOptionsOf(step);
    case StepKind::kReplace:
      return ReplaceOptionsOf(step);
    case StepKind::kPatch:
      return PatchOptionsOf(step);
    case StepKind::kDelete:
      return DeleteOptionsOf(step);
    case StepKind::kScale:
      return ScaleOptionsOf(step);
    case StepKind::kLabel:
    case StepKind::kAnnotate:
      return MarkOptionsOf(step);
    case StepKind::kCordon:
    case StepKind::kUncordon:
      return CordonOptionsOf(step);
    case StepKind::kWait:
      return WaitOptionsOf(step);
    case StepKind::kDrain:
      return DrainOptionsOf(step);
    case StepKind::kEvict:
      return EvictOptionsOf(step);
    case StepKind::kRollout:
      return RolloutOptionsOf(step);
    case StepKind::kSetImage:
      return SetImageOptionsOf(step);
    case StepKind::kExpose:
      return ExposeOptionsOf(step);
    case StepKind::kAutoscale:
      return AutoscaleOptionsOf(step);
    case StepKind::kCreateJob:
      return CreateJobOptionsOf(step);
    default:
      break;
  }
  KSIM_CHECK(false) << ToString(step.kind) << " is no command of kubectl";
  return CreateOptionsOf(step);
}

}  // namespace ksim::scenario
