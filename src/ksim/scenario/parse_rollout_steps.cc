#include "ksim/scenario/parse_rollout_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace ksim::scenario {
namespace {

using value::YamlNode;

// Whether the target is one of these kinds; an error if it is not.
void CheckKind(ParseContext& context, MappingReader& reader, const Step& step,
               std::vector<std::string_view> kinds) {
  const api::ResourceInfo* const info = context.kinds.ByName(step.resource);
  if (info == nullptr || std::find(kinds.begin(), kinds.end(), info->kind) != kinds.end()) return;
  context.problems.Error(reader.Find("resource")->span,
                         fmt::format("{} is not for a {}", reader.where(), info->kind),
                         fmt::format("it is for {}", fmt::join(kinds, ", ")));
}

void ParseRollout(ParseContext& context, MappingReader& reader, Step* step) {
  step->command = reader.String("command", "status");
  const std::vector<std::string_view> commands{"status", "history", "undo",
                                               "pause",  "resume",  "restart"};
  if (std::find(commands.begin(), commands.end(), step->command) == commands.end())
    context.problems.Error(reader.Find("command")->span,
                           fmt::format("unknown rollout command \"{}\"", step->command),
                           Suggest(step->command, commands));
  const bool of_all = step->command == "status" || step->command == "restart";
  CheckKind(context, reader, *step,
            of_all ? std::vector<std::string_view>{"Deployment", "DaemonSet", "StatefulSet"}
                   : std::vector<std::string_view>{"Deployment"});
  step->revision = reader.Integer("revision", 0, 0);
  step->timeout = reader.DurationOf("timeout", Duration());
}

void ParseImages(ParseContext& context, MappingReader& reader, Step* step) {
  CheckKind(context, reader, *step,
            {"Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "Pod",
             "ReplicationController"});
  const YamlNode* const images = reader.Find("images");
  if (images == nullptr || images->kind != YamlNode::Kind::kMapping || images->entries.empty()) {
    context.problems.Error(
        images == nullptr ? reader.node().span : images->span,
        fmt::format("{}.images must be a mapping of containers to images", reader.where()));
    return;
  }
  for (const YamlNode::Entry& e : images->entries) {
    if (e.value.kind == YamlNode::Kind::kScalar && !IsNull(e.value)) {
      step->set.emplace_back(e.key, e.value.text);
    } else {
      context.problems.Error(e.value.span, fmt::format("{}.images.{} must be an image, got {}",
                                                       reader.where(), e.key, Describe(e.value)));
    }
  }
}

void ParseExpose(ParseContext& context, MappingReader& reader, Step* step) {
  CheckKind(context, reader, *step, {"Deployment", "ReplicaSet", "Pod", "ReplicationController"});
  step->new_name = reader.String("name");
  step->port = reader.Integer("port", 0, 0);
  if (const YamlNode* const target = reader.Find("targetPort"); target != nullptr)
    step->target_port = target->text;
  step->service_type = reader.String("type");
}

void ParseAutoscale(ParseContext& context, MappingReader& reader, Step* step) {
  CheckKind(context, reader, *step,
            {"Deployment", "ReplicaSet", "StatefulSet", "ReplicationController"});
  step->new_name = reader.String("name");
  step->min_replicas = reader.Integer("min", 0, 0);
  step->max_replicas = reader.Integer("max", 0, 0);
  step->cpu_percent = reader.Integer("cpuPercent", 0, 0);
  if (step->max_replicas < 1 || step->max_replicas < step->min_replicas)
    context.problems.Error(
        reader.node().span,
        fmt::format("{}.max must be at least 1 and at least min", reader.where()));
}

}  // namespace

void ParseRolloutStep(ParseContext& context, MappingReader& reader, Step* step) {
  ReadResource(context, reader, &step->resource, &step->name, true);
  step->ns = reader.String("namespace", "default");
  if (step->kind == StepKind::kRollout) return ParseRollout(context, reader, step);
  if (step->kind == StepKind::kSetImage) return ParseImages(context, reader, step);
  if (step->kind == StepKind::kExpose) return ParseExpose(context, reader, step);
  ParseAutoscale(context, reader, step);
}

}  // namespace ksim::scenario
