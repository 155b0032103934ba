#include "ksim/scenario/stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include "ksim/base/status.h"
#include "ksim/kubelet/stages/stage.h"
#include "ksim/kubelet/stages/stage_reader.h"
#include "ksim/value/text.h"

namespace ksim::scenario {
namespace {

using value::YamlFile;
using value::YamlNode;

// Where byte `offset` of a scalar's text stands in its file; the scalar itself where that cannot be
// told, as of a folded text.
Span PlaceInScalar(const YamlFile& file, const Span& scalar, std::string_view text,
                   std::size_t offset) {
  const value::LineColumn place = value::PlaceOf(text, offset);
  const bool block = scalar.end_line > scalar.line;
  const auto line = static_cast<std::size_t>(scalar.line + (block ? place.line : 0));
  if (scalar.line <= 0 || line > file.lines.size() || (!block && place.line > 1)) return scalar;
  // The line of the text, which the file has behind an indentation or a quote.
  for (int i = 1; i < place.line; ++i) text.remove_prefix(text.find('\n') + 1);
  const std::string_view wanted = text.substr(0, text.find('\n'));
  const std::string& source = file.lines[line - 1];
  const std::size_t from = block ? 0 : static_cast<std::size_t>(scalar.column - 1);
  const std::size_t at = source.find(wanted, std::min(from, source.size()));
  if (at == source.npos) return scalar;
  Span span;
  span.line = span.end_line = static_cast<int>(line);
  span.column = value::Column(source, at) + place.column - 1;
  span.end_column = span.column + 1;
  return span;
}

const value::Value& FieldOf(const value::Value& tree, const std::string& field) {
  static const value::Value kNothing;
  const absl::StatusOr<value::Path> path = value::Path::Parse(field);
  return path.ok() ? tree.Get(*path) : kNothing;
}

Diagnostic DiagnosticOf(const Manifest& stage, const kubelet::StageProblem& problem) {
  Span span = SpanOfField(stage, problem.field, problem.at_key ? Part::kKey : Part::kValue);
  if (problem.offset && stage.file)
    span = PlaceInScalar(*stage.file, span, FieldOf(stage.tree, problem.field).AsString(),
                         *problem.offset);
  Diagnostic d;
  d.file = stage.Name();
  if (stage.file) d = stage.file->At(span, "", "");
  d.message = problem.message;
  d.hint = problem.hint;
  if (problem.warning) d.severity = Diagnostic::Severity::kWarning;
  return d;
}

Diagnostic AtStage(const Manifest& stage, std::string message, std::string hint) {
  if (stage.file)
    return stage.file->At(SpanOfField(stage, "metadata.name"), std::move(message), std::move(hint));
  Diagnostic d;
  d.file = stage.Name();
  d.message = std::move(message);
  d.hint = std::move(hint);
  return d;
}

void AddStageFile(ParseContext& context, const YamlNode& item, ClusterSpec* spec) {
  const std::string path = item.text.starts_with('/') ? item.text : context.directory + item.text;
  const absl::StatusOr<std::string> text = context.read_named(path);
  if (!text.ok()) {
    context.problems.Error(item.span,
                           fmt::format("cannot read {}: {}", path, Message(text.status())));
    return;
  }
  auto file = std::make_shared<YamlFile>(value::ParseYaml(*text, path));
  std::vector<Manifest> objects =
      ReadManifestFile(context.kinds, file, &context.problems.errors, &context.problems.warnings);
  const std::size_t before = spec->stages.size();
  TakeStages(&objects, &spec->stages);
  if (!file->errors.empty()) return;
  if (!objects.empty())
    context.problems.Error(
        item.span, fmt::format("{} holds a {}, which is no Stage", path, objects.front().Kind()),
        "name what a step creates in the step");
  else if (spec->stages.size() == before)
    context.problems.Error(item.span, fmt::format("{} holds no Stages", path));
}

}  // namespace

bool IsStage(const Manifest& manifest) {
  return manifest.Kind() == "Stage" && manifest.ApiVersion().starts_with("kwok.x-k8s.io/");
}

void TakeStages(std::vector<Manifest>* objects, std::vector<Manifest>* stages) {
  const auto others = std::stable_partition(objects->begin(), objects->end(),
                                            [](const Manifest& m) { return !IsStage(m); });
  std::move(others, objects->end(), std::back_inserter(*stages));
  objects->erase(others, objects->end());
}

void ReadStagesField(ParseContext& context, MappingReader& cluster, ClusterSpec* spec) {
  std::size_t i = 0;
  for (const YamlNode* item : cluster.List("stages")) {
    const std::string number = std::to_string(i++);
    if (item->kind == YamlNode::Kind::kScalar && !IsNull(*item)) {
      AddStageFile(context, *item, spec);
      continue;
    }
    std::vector<Manifest> objects =
        ReadManifests(context.problems, context.kinds, context.file, *item,
                      {std::to_string(context.index), "spec", "cluster", "stages", number});
    TakeStages(&objects, &spec->stages);
    for (const Manifest& other : objects)
      context.problems.Error(item->span, fmt::format("a {} is no Stage", other.Kind()),
                             "name what a step creates in the step");
  }
}

void RefuseStagesInSteps(const std::vector<Step>& steps, std::vector<Diagnostic>* errors) {
  for (const Step& step : steps)
    for (const Manifest& m : step.objects)
      if (IsStage(m))
        errors->push_back(AtStage(m, "a step makes no Stage: Stages are there from the beginning",
                                  "put it behind --- without a step, or name its file in "
                                  "spec.cluster.stages"));
}

void CheckStages(const std::vector<Manifest>& stages, std::vector<Diagnostic>* errors,
                 std::vector<Diagnostic>* warnings) {
  std::map<std::string, int> names;
  for (const Manifest& stage : stages) {
    std::vector<kubelet::StageProblem> problems;
    static_cast<void>(kubelet::ReadStage(stage.tree, &problems));
    for (const kubelet::StageProblem& problem : problems)
      (problem.warning ? warnings : errors)->push_back(DiagnosticOf(stage, problem));
    if (++names[stage.Name()] == 2)
      errors->push_back(AtStage(stage, fmt::format("two Stages are called \"{}\"", stage.Name()),
                                "take one of the sets of Stages, or give each its own name"));
  }
}

std::shared_ptr<const kubelet::StageSet> StagesOf(const ClusterSpec& cluster) {
  std::vector<kubelet::Stage> stages;
  std::vector<kubelet::StageProblem> problems;
  for (const Manifest& m : cluster.stages)
    if (std::optional<kubelet::Stage> stage = kubelet::ReadStage(m.tree, &problems))
      stages.push_back(*std::move(stage));
  if (stages.empty()) return nullptr;
  return std::make_shared<const kubelet::StageSet>(std::move(stages));
}

}  // namespace ksim::scenario
