#include "ksim/controllers/daemonset/daemon_pods.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "ksim/api/views/node_selector.h"
#include "ksim/api/views/taints.h"

namespace ksim::controllers {

using value::Path;
using value::Value;

namespace {

constexpr std::string_view kNoExecute = "NoExecute";
constexpr std::string_view kNoSchedule = "NoSchedule";
constexpr std::string_view kTemplateGeneration = "deprecated.daemonset.template.generation";
constexpr std::string_view kNodeNameField = "metadata.name";

// AddOrUpdateTolerationInPodSpec with the operator Exists. One that is the same but for its time
// loses that.
Value WithToleration(const Value& spec, std::string_view key, std::string_view effect) {
  const Value wanted = value::Obj(
      {{"key", Value::Of(key)}, {"operator", Value::Of("Exists")}, {"effect", Value::Of(effect)}});
  std::vector<Value> all;
  bool found = false;
  for (const Value& t : spec.Get("tolerations").items()) {
    const bool same = t.Get("key").AsString() == key && t.Get("effect").AsString() == effect &&
                      t.Get("operator").AsString() == "Exists" && t.Get("value").AsString().empty();
    found = found || same;
    all.push_back(same ? wanted : t);
  }
  if (!found) all.push_back(wanted);
  return spec.Set("tolerations", Value::Array(std::move(all)));
}

}  // namespace

Value WithDaemonTolerations(const Value& pod_spec) {
  // Its node's troubles are no reason for a daemon to leave it, nor to stay away.
  Value spec = WithToleration(pod_spec, "node.kubernetes.io/not-ready", kNoExecute);
  spec = WithToleration(spec, "node.kubernetes.io/unreachable", kNoExecute);
  spec = WithToleration(spec, "node.kubernetes.io/disk-pressure", kNoSchedule);
  spec = WithToleration(spec, "node.kubernetes.io/memory-pressure", kNoSchedule);
  spec = WithToleration(spec, "node.kubernetes.io/pid-pressure", kNoSchedule);
  spec = WithToleration(spec, "node.kubernetes.io/unschedulable", kNoSchedule);
  if (spec.Get("hostNetwork").AsBool())
    spec = WithToleration(spec, "node.kubernetes.io/network-unavailable", kNoSchedule);
  return spec;
}

std::optional<std::int64_t> TemplateGenerationOf(const api::Object& daemon_set) {
  const std::string_view text = daemon_set.Annotation(kTemplateGeneration);
  std::int64_t generation = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), generation);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return generation;
}

Value DaemonPodTemplate(const api::Object& daemon_set, std::string_view hash) {
  static const Path kLabels{"metadata", "labels"};
  const Value& given = daemon_set.spec().Get("template");
  Value made = given.Set("spec", WithDaemonTolerations(given.Get("spec")));
  const std::optional<std::int64_t> generation = TemplateGenerationOf(daemon_set);
  Value labels = given.Get(kLabels).is_null() ? Value::EmptyObject() : given.Get(kLabels);
  if (generation) {
    const std::string text = std::to_string(*generation);
    labels = std::move(labels).Set(kDaemonGenerationLabel, Value::Of(text));
  }
  if (!hash.empty()) labels = std::move(labels).Set(kDaemonHashLabel, Value::Of(hash));
  return std::move(made).Set(kLabels, labels);
}

// ReplaceDaemonSetPodNodeNameNodeAffinity
Value PinnedTo(const Value& pod_template, std::string_view node) {
  static const Path kTerms{"spec", "affinity", "nodeAffinity",
                           "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"};
  const Value field = value::Obj({{"key", Value::Of(kNodeNameField)},
                                  {"operator", Value::Of("In")},
                                  {"values", value::Arr({Value::Of(node)})}});
  const Value term = value::Obj({{"matchFields", value::Arr({field})}});
  return pod_template.Set(kTerms, value::Arr({term}));
}

// GetTargetNodeName
std::string TargetNodeOf(const api::Object& pod) {
  if (!pod.node_name().empty()) return std::string(pod.node_name());
  static const Path kTerms{"affinity", "nodeAffinity",
                           "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"};
  for (const Value& term : pod.spec().Get(kTerms).items()) {
    for (const Value& field : term.Get("matchFields").items()) {
      if (field.Get("key").AsString() != kNodeNameField || field.Get("operator").AsString() != "In")
        continue;
      const Value& names = field.Get("values");
      return names.size() == 1 ? std::string(names.at(0).AsString()) : std::string();
    }
  }
  return {};
}

bool IsUpdatedDaemonPod(const api::Object& pod, std::string_view hash,
                        std::optional<std::int64_t> generation) {
  if (!hash.empty() && pod.Label(kDaemonHashLabel) == hash) return true;
  return generation && pod.Label(kDaemonGenerationLabel) == std::to_string(*generation);
}

void SortDaemonPods(std::vector<api::Object>* pods) {
  const auto key = [](const api::Object& pod) {
    return std::make_tuple(pod.node_name().empty(), pod.creation_time(), pod.name());
  };
  std::sort(pods->begin(), pods->end(),
            [&key](const api::Object& a, const api::Object& b) { return key(a) < key(b); });
}

DaemonPlacement::DaemonPlacement(const api::Object& daemon_set) {
  static const Path kPodSpec{"template", "spec"};
  const Value& spec = daemon_set.spec().Get(kPodSpec);
  node_name_ = spec.Get("nodeName").AsString();
  pod_ = api::Object::FromTree(value::Obj({{"spec", WithDaemonTolerations(spec)}}));
}

RunsOnNode DaemonPlacement::On(const api::Object& node) const {
  if (!node_name_.empty() && node_name_ != node.name()) return {};
  if (!api::MatchesRequiredNodeAffinity(pod_, node)) return {};
  const Value& taints = node.spec().Get("taints");
  const Value& tolerations = pod_.spec().Get("tolerations");
  RunsOnNode runs;
  runs.should_continue = api::FirstUntolerated(taints, tolerations, {kNoExecute}) == nullptr;
  runs.should_run =
      runs.should_continue && api::FirstUntolerated(taints, tolerations, {kNoSchedule}) == nullptr;
  return runs;
}

}  // namespace ksim::controllers
