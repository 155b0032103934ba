// spec.steps.
#include <fmt/format.h>

#include <algorithm>

#include "ksim/base/status.h"
#include "ksim/kubectl/verbs/wait_condition.h"
#include "ksim/scenario/parse.h"
#include "ksim/scenario/size_bounds.h"
#include "ksim/value/selector.h"

namespace ksim::scenario {
namespace {

using value::YamlNode;

// --- objects: a path, {file}, {document}, {documents: all}, {object}, {objects} -----------------

void AddFile(ParseContext& context, const Span& span, const std::string& path, Step* step) {
  const std::string full = path.starts_with('/') || path == "-" ? path : context.directory + path;
  absl::StatusOr<std::string> text = context.read_named(full);
  if (!text.ok()) {
    context.problems.Error(span, fmt::format("cannot read {}: {}", full, Message(text.status())));
    return;
  }
  auto file = std::make_shared<value::YamlFile>(value::ParseYaml(*text, full));
  std::vector<Manifest> manifests =
      ReadManifestFile(context.kinds, file, &context.problems.errors, &context.problems.warnings);
  if (manifests.empty() && file->errors.empty())
    context.problems.Error(span, fmt::format("{} holds no objects", full));
  for (Manifest& m : manifests) step->objects.push_back(std::move(m));
}

void AddDocument(ParseContext& context, MappingReader& reader, Step* step) {
  const std::string wanted = reader.String("document");
  bool found = false;
  std::vector<std::string_view> known;
  for (Document& d : context.documents) {
    known.push_back(d.label);
    if (d.label != wanted) continue;
    found = d.used = true;
    for (const Manifest& m : d.manifests) step->objects.push_back(m);
  }
  if (found || wanted.empty()) return;
  std::string hint = Suggest(wanted, known);
  if (known.empty()) hint = "put the manifest into this file after a line of ---";
  context.problems.Error(reader.Find("document")->span,
                         fmt::format("there is no document {} after ---", wanted), hint);
}

void AddAllDocuments(ParseContext& context, MappingReader& reader, Step* step) {
  const YamlNode& node = *reader.Find("documents");
  if (node.text != "all") {
    reader.WrongType("documents", "all");
    return;
  }
  if (context.documents.empty())
    context.problems.Error(node.span, "there are no documents after ---");
  for (Document& d : context.documents) {
    d.used = true;
    for (const Manifest& m : d.manifests) step->objects.push_back(m);
  }
}

void AddInline(ParseContext& context, const YamlNode& node, std::vector<std::string> place,
               Step* step) {
  for (Manifest& m :
       ReadManifests(context.problems, context.kinds, context.file, node, std::move(place)))
    step->objects.push_back(std::move(m));
}

// Reads what names objects. `place` leads to the value of the step's field.
void ReadObjects(ParseContext& context, MappingReader& reader, std::vector<std::string> place,
                 Step* step) {
  const std::vector<std::string_view> ways{"file", "document", "documents", "object", "objects"};
  const auto given =
      std::count_if(ways.begin(), ways.end(), [&](std::string_view w) { return reader.Has(w); });
  if (given > 1)
    context.problems.Error(reader.node().span, fmt::format("{} takes only one of {}",
                                                           reader.where(), fmt::join(ways, ", ")));
  if (reader.Has("file") && !reader.String("file").empty())
    AddFile(context, reader.Find("file")->span, reader.String("file"), step);
  if (reader.Has("document")) AddDocument(context, reader, step);
  if (reader.Has("documents")) AddAllDocuments(context, reader, step);
  if (reader.Has("object")) {
    place.push_back("object");
    AddInline(context, *reader.Find("object"), place, step);
  }
  place.push_back("objects");
  std::size_t i = 0;
  for (const YamlNode* item : reader.List("objects")) {
    std::vector<std::string> at = place;
    at.push_back(std::to_string(i++));
    AddInline(context, *item, std::move(at), step);
  }
}

void ReadApply(ParseContext& context, MappingReader& reader, Step* step) {
  step->server_side = reader.Bool("serverSide", false);
  step->force = reader.Bool("forceConflicts", false);
  step->field_manager = reader.String("fieldManager", "kubectl");
  if (step->server_side) return;
  for (const char* field : {"forceConflicts", "fieldManager"})
    if (reader.Has(field))
      context.problems.Error(reader.Find(field)->span,
                             fmt::format("{} needs serverSide: true", field));
}

void ParseManifestStep(ParseContext& context, const YamlNode& node, const std::string& where,
                       std::vector<std::string> place, Step* step) {
  if (node.kind == YamlNode::Kind::kScalar && !IsNull(node)) {
    AddFile(context, node.span, node.text, step);
    return;
  }
  const std::size_t errors = context.problems.errors.size();
  const bool apply = step->kind == StepKind::kApply;
  MappingReader reader(context.problems, node, apply ? ApplyType() : ManifestRefType(), where);
  if (!reader.is_mapping() && !IsNull(node)) return;
  ReadObjects(context, reader, std::move(place), step);
  if (apply) ReadApply(context, reader, step);
  if (step->objects.empty() && context.problems.errors.size() == errors)
    context.problems.Error(node.span, fmt::format("{} names no objects", where),
                           "write {document: KIND/NAME}, {file: PATH} or {object: {...}}");
}

// --- targets ---------------------------------------------------------------------------------

void ReadSelector(MappingReader& reader, Step* step) {
  step->selector = reader.String("selector");
  if (step->selector.empty()) return;
  if (const auto selector = value::LabelSelector::Parse(step->selector); !selector.ok())
    reader.problems().Error(reader.Find("selector")->span,
                            fmt::format("bad selector: {}", Message(selector.status())));
}

void ParseDelete(ParseContext& context, MappingReader& reader, std::vector<std::string> place,
                 Step* step) {
  step->ns = reader.String("namespace", "default");
  if (reader.Has("resource")) {
    ReadResource(context, reader, &step->resource, &step->name, false);
    ReadSelector(reader, step);
    step->all = reader.Bool("all", false);
    if (step->name.empty() && step->selector.empty() && !step->all && !reader.Has("limit"))
      context.problems.Error(reader.node().span, "delete wants a name, a selector or all: true");
  } else {
    ReadObjects(context, reader, std::move(place), step);
    if (step->objects.empty() && context.problems.errors.empty())
      context.problems.Error(reader.node().span, "delete names no objects");
  }
  step->limit = reader.OptionalInteger("limit", 1);
  step->grace_period_seconds = reader.OptionalInteger("gracePeriodSeconds", 0);
  step->cascade = reader.String("cascade", "background");
  const std::vector<std::string_view> cascades{"background", "orphan", "foreground"};
  if (std::find(cascades.begin(), cascades.end(), step->cascade) == cascades.end())
    context.problems.Error(reader.Find("cascade")->span,
                           fmt::format("unknown cascade \"{}\"", step->cascade),
                           Suggest(step->cascade, cascades));
  step->wait = reader.Bool("wait", true);
}

void ParsePatch(ParseContext& context, MappingReader& reader, Step* step) {
  ReadResource(context, reader, &step->resource, &step->name, true);
  step->ns = reader.String("namespace", "default");
  step->patch_type = reader.String("type", "strategic");
  step->subresource = reader.String("subresource");
  const std::vector<std::string_view> types{"strategic", "merge", "json"};
  if (std::find(types.begin(), types.end(), step->patch_type) == types.end())
    context.problems.Error(reader.Find("type")->span,
                           fmt::format("unknown patch type \"{}\"", step->patch_type),
                           Suggest(step->patch_type, types));
  const YamlNode* patch = reader.Find("patch");
  if (patch == nullptr) {
    context.problems.Error(reader.node().span, fmt::format("{}.patch is missing", reader.where()));
    return;
  }
  const bool wants_list = step->patch_type == "json";
  const auto kind = wants_list ? YamlNode::Kind::kSequence : YamlNode::Kind::kMapping;
  if (patch->kind != kind)
    reader.WrongType("patch", wants_list ? "a list of operations" : "a mapping");
  step->patch = patch->ToValue();
}

void ParseMark(ParseContext& context, MappingReader& reader, Step* step) {
  ReadResource(context, reader, &step->resource, &step->name, false);
  step->ns = reader.String("namespace", "default");
  ReadSelector(reader, step);
  step->overwrite = reader.Bool("overwrite", false);
  if (step->name.empty() && step->selector.empty())
    context.problems.Error(
        reader.node().span,
        fmt::format("{} wants a name (TYPE/NAME) or a selector", reader.where()));
  const YamlNode* set = reader.Find("set");
  if (set == nullptr || set->kind != YamlNode::Kind::kMapping || set->entries.empty()) {
    context.problems.Error(set == nullptr ? reader.node().span : set->span,
                           fmt::format("{}.set must be a mapping of what to set", reader.where()));
    return;
  }
  for (const YamlNode::Entry& e : set->entries) {
    if (IsNull(e.value)) {
      step->set.emplace_back(e.key, std::nullopt);
    } else if (e.value.kind == YamlNode::Kind::kScalar && e.value.ToValue().is_string()) {
      step->set.emplace_back(e.key, e.value.text);
    } else {
      context.problems.Error(e.value.span, fmt::format("{}.set.{} must be a string or null, got {}",
                                                       reader.where(), e.key, Describe(e.value)));
    }
  }
}

// `for` of a wait: a condition, or a list of them.
void ReadConditions(ParseContext& context, MappingReader& reader, Step* step) {
  const YamlNode* node = reader.Find("for");
  if (node == nullptr) return;
  if (node->kind == YamlNode::Kind::kSequence)
    step->wait_for = reader.Strings("for", {});
  else if (std::string text = reader.String("for"); !text.empty())
    step->wait_for = {std::move(text)};
  for (std::string& text : step->wait_for) text = kubectl::WithoutShellQuotes(text);
  if (const auto problem = kubectl::CheckConditions(step->wait_for, context.compat))
    context.problems.Error(node->span, problem->message, problem->hint);
}

void ParseWait(ParseContext& context, MappingReader& reader, Step* step) {
  ReadResource(context, reader, &step->resource, &step->name, false);
  step->ns = reader.String("namespace", "default");
  ReadSelector(reader, step);
  if (reader.Bool("all", false) && !(step->name.empty() && step->selector.empty()))
    context.problems.Error(reader.Find("all")->span,
                           "setting 'all' parameter but found a name or a selector");
  ReadConditions(context, reader, step);
  step->where = ReadWhere(reader, "where");
  step->timeout = reader.DurationOf("timeout", step->timeout);
  if (step->wait_for.empty() == step->where.terms().empty() &&
      !(reader.Has("where") && step->where.terms().empty()))
    context.problems.Error(reader.node().span,
                           fmt::format("{} wants one of for and where", reader.where()));
}

// --- rollout, setImage, expose, autoscale, createJob ---

// Whether the target is one of these kinds; an error if it is not.
void CheckKind(ParseContext& context, MappingReader& reader, const Step& step,
               std::vector<std::string_view> kinds) {
  const api::ResourceInfo* const info = context.kinds.ByName(step.resource);
  if (info == nullptr) return;
  const bool known = std::find(kinds.begin(), kinds.end(), info->kind) != kinds.end();
  if (known && !info->custom) return;
  context.problems.Error(reader.Find("resource")->span,
                         fmt::format("{} is not for a {}", reader.where(),
                                     known ? info->kind + "." + info->group : info->kind),
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
  const bool of_all = step->command != "pause" && step->command != "resume";
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
  CheckKind(context, reader, *step,
            {"Deployment", "ReplicaSet", "Pod", "Service", "ReplicationController"});
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

void ParseRolloutStep(ParseContext& context, MappingReader& reader, Step* step) {
  ReadResource(context, reader, &step->resource, &step->name, true);
  step->ns = reader.String("namespace", "default");
  if (step->kind == StepKind::kRollout) return ParseRollout(context, reader, step);
  if (step->kind == StepKind::kSetImage) return ParseImages(context, reader, step);
  if (step->kind == StepKind::kExpose) return ParseExpose(context, reader, step);
  if (step->kind == StepKind::kCreateJob) {
    CheckKind(context, reader, *step, {"CronJob"});
    step->new_name = reader.RequiredString("name");
    return;
  }
  ParseAutoscale(context, reader, step);
}

// A node's name: {node: NAME} or the name itself.
void ParseNodeStep(ParseContext& context, const YamlNode& node, const Type& type,
                   const std::string& where, Step* step) {
  step->resource = "nodes";
  step->timeout = Duration();  // kubectl drain's default: no limit
  if (node.kind == YamlNode::Kind::kScalar && !IsNull(node)) {
    step->name = node.text;
    return;
  }
  MappingReader reader(context.problems, node, type, where);
  step->name = reader.RequiredString("node");
  if (type.Find("timeout") == nullptr) return;
  step->grace_period_seconds = reader.OptionalInteger("gracePeriodSeconds", 0);
  step->force = reader.Bool("force", false);
  step->ignore_daemon_sets = reader.Bool("ignoreDaemonSets", false);
  step->timeout = reader.DurationOf("timeout", Duration());
}

void ParseArguments(ParseContext& context, const YamlNode& node, const Type& type,
                    const std::string& where, std::vector<std::string> place, Step* step) {
  switch (step->kind) {
    case StepKind::kCreate:
    case StepKind::kApply:
    case StepKind::kReplace:
      return ParseManifestStep(context, node, where, std::move(place), step);
    case StepKind::kCordon:
    case StepKind::kUncordon:
    case StepKind::kRemoveNode:
    case StepKind::kDrain:
      return ParseNodeStep(context, node, type, where, step);
    case StepKind::kAddNode:
      step->node = ParseNode(context, node, where);
      return;
    default:
      break;
  }
  if (step->kind == StepKind::kDelete && node.kind == YamlNode::Kind::kScalar && !IsNull(node))
    return AddFile(context, node.span, node.text, step);
  MappingReader reader(context.problems, node, type, where);
  if (!reader.is_mapping()) return;
  switch (step->kind) {
    case StepKind::kDelete:
      return ParseDelete(context, reader, std::move(place), step);
    case StepKind::kPatch:
      return ParsePatch(context, reader, step);
    case StepKind::kScale:
      ReadResource(context, reader, &step->resource, &step->name, true);
      step->ns = reader.String("namespace", "default");
      if (!reader.Has("replicas"))
        context.problems.Error(node.span, fmt::format("{}.replicas is missing", where));
      step->replicas = reader.Integer("replicas", 0, 0);
      if (const api::ResourceInfo* info = context.kinds.ByName(step->resource);
          info != nullptr && info->kind == "ReplicaSet" && reader.Has("replicas"))
        CheckReplicas(context.problems, reader.Find("replicas")->span, where + ".replicas",
                      step->replicas);
      return;
    case StepKind::kLabel:
    case StepKind::kAnnotate:
      return ParseMark(context, reader, step);
    case StepKind::kRollout:
    case StepKind::kSetImage:
    case StepKind::kExpose:
    case StepKind::kAutoscale:
    case StepKind::kCreateJob:
      return ParseRolloutStep(context, reader, step);
    case StepKind::kEvict:
      step->resource = "pods";
      step->name = reader.RequiredString("pod");
      step->ns = reader.String("namespace", "default");
      step->grace_period_seconds = reader.OptionalInteger("gracePeriodSeconds", 0);
      return;
    default:
      return ParseWait(context, reader, step);
  }
}

std::optional<Step> ParseStep(ParseContext& context, const YamlNode& node, std::size_t index) {
  const std::string where = fmt::format("spec.steps[{}]", index);
  if (node.kind != YamlNode::Kind::kMapping) {
    context.problems.Error(node.span,
                           fmt::format("{} must be a mapping, got {}", where, Describe(node)),
                           "as in {at: 0s, create: {file: pod.yaml}}");
    return std::nullopt;
  }
  std::vector<std::string_view> kinds = StepType().names();
  kinds.erase(kinds.begin(), kinds.begin() + 3);  // at, when, as
  const YamlNode::Entry* action = nullptr;
  Step step;
  step.span = node.span;
  for (const YamlNode::Entry& e : node.entries) {
    if (e.key == "at" || e.key == "when" || e.key == "as") continue;
    const auto it = std::find(kinds.begin(), kinds.end(), e.key);
    if (it == kinds.end()) {
      context.problems.Error(e.key_span, fmt::format("unknown kind of step \"{}\"", e.key),
                             Suggest(e.key, kinds));
      return std::nullopt;
    }
    if (action != nullptr) {
      context.problems.Error(
          e.key_span, fmt::format("{} does two things: {} and {}", where, action->key, e.key),
          "make it two steps");
      return std::nullopt;
    }
    action = &e;
    step.kind = static_cast<StepKind>(it - kinds.begin());
  }
  if (const YamlNode* at = node.Find("at"))
    step.at = ReadDuration(context.problems, *at, where + ".at");
  if (const YamlNode* when = node.Find("when"))
    step.when = ParseTrigger(context, *when, where + ".when");
  if (node.Find("at") != nullptr && node.Find("when") != nullptr)
    context.problems.Error(node.span, where + " has both at and when", "keep one of them");
  if (const YamlNode* as = node.Find("as")) {
    step.as = as->text;
    if (as->kind != YamlNode::Kind::kScalar || IsNull(*as) || step.as.empty())
      context.problems.Error(
          as->span, fmt::format("{}.as must be the name of a user, got {}", where, Describe(*as)));
    if (step.kind == StepKind::kAddNode)
      context.problems.Error(as->span, "a machine joins in nobody's name");
  }
  if (action == nullptr) {
    context.problems.Error(node.span, where + " does nothing",
                           fmt::format("add one of {}", fmt::join(kinds, ", ")));
    return std::nullopt;
  }
  ParseArguments(
      context, action->value, *StepType().Find(action->key)->of,
      fmt::format("{}.{}", where, action->key),
      {std::to_string(context.index), "spec", "steps", std::to_string(index), action->key}, &step);
  return step;
}

}  // namespace

std::vector<Step> ParseSteps(ParseContext& context, MappingReader& spec) {
  std::vector<Step> steps;
  std::size_t index = 0;
  for (const YamlNode* node : spec.List("steps")) {
    if (std::optional<Step> step = ParseStep(context, *node, index++))
      steps.push_back(*std::move(step));
  }
  return steps;
}

}  // namespace ksim::scenario
