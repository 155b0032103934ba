#include "ksim/scenario/parse.h"

#include <fmt/format.h>

#include "ksim/api/core/kind_service.h"
#include "ksim/base/status.h"
#include "ksim/kubectl/arguments/resource_argument.h"
#include "ksim/scenario/initial.h"
#include "ksim/scenario/stages.h"

namespace ksim::scenario {
namespace {

using value::YamlNode;

void CheckConstant(MappingReader& reader, std::string_view field, std::string_view expected) {
  const std::string got = reader.RequiredString(field);
  if (got.empty() || got == expected) return;
  reader.problems().Error(
      reader.Find(field)->span, fmt::format("{} must be {}, got \"{}\"", field, expected, got),
      Nearest(got, {expected}).empty() ? "" : fmt::format("did you mean \"{}\"?", expected));
}

Limit ParseLimit(ParseContext& context, const YamlNode& node) {
  Limit limit;
  if (node.kind == YamlNode::Kind::kScalar) {
    if (const auto d = ReadDuration(context.problems, node, "spec.limit")) limit.time = *d;
    return limit;
  }
  MappingReader reader(context.problems, node, LimitType(), "spec.limit");
  limit.time = reader.DurationOf("time", limit.time);
  limit.events = reader.Count("events", limit.events);
  limit.instant = reader.Count("instant", limit.instant);
  return limit;
}

api::Compat ParseCompatField(MappingReader& spec) {
  const YamlNode* node = spec.Find("compat");
  if (node == nullptr) return api::kDefaultCompat;
  if (node->kind == YamlNode::Kind::kScalar && !node->plain) {
    if (const auto compat = api::ParseCompat(node->text)) return *compat;
  }
  std::string hint = "known: \"1.25\", \"1.30\", \"1.36\"";
  const bool bare = node->kind == YamlNode::Kind::kScalar && node->plain;
  if (bare && api::ParseCompat(node->text))
    hint =
        fmt::format("write \"{}\" with the quotes: without them YAML reads a number", node->text);
  spec.problems().Error(
      node->span, fmt::format("spec.compat must be a version as a string, got {}", Describe(*node)),
      hint);
  return api::kDefaultCompat;
}

std::uint64_t ParseSeed(MappingReader& spec) {
  return static_cast<std::uint64_t>(spec.Integer("seed", 1, 0));
}

std::optional<std::uint64_t> ParseBootSeed(MappingReader& spec) {
  if (spec.Find("bootSeed") == nullptr) return std::nullopt;
  return static_cast<std::uint64_t>(spec.Integer("bootSeed", 1, 0));
}

std::optional<Duration> ParseUntil(MappingReader& spec) {
  const YamlNode* node = spec.Find("until");
  if (node == nullptr || (node->kind == YamlNode::Kind::kScalar && node->text == "quiescent"))
    return std::nullopt;
  if (node->kind == YamlNode::Kind::kScalar && node->ToValue().is_string() &&
      !ParseDuration(node->text).ok()) {
    spec.problems().Error(
        node->span,
        fmt::format("spec.until must be a duration or quiescent, got {}", Describe(*node)),
        Nearest(node->text, {"quiescent"}).empty() ? "" : "did you mean \"quiescent\"?");
    return std::nullopt;
  }
  return spec.OptionalDuration("until");
}

void ReadDocuments(ParseContext& context) {
  for (std::size_t i = 0; i < context.file->documents.size(); ++i) {
    const YamlNode& node = context.file->documents[i];
    if (i == context.index) continue;
    Document document;
    document.span = node.span;
    document.manifests =
        ReadManifests(context.problems, context.kinds, context.file, node, {std::to_string(i)});
    TakeStages(&document.manifests, &context.stages);
    if (!document.manifests.empty()) {
      const Manifest& first = document.manifests.front();
      document.label = fmt::format("{}/{}", first.Kind(), first.Name());
    }
    context.documents.push_back(std::move(document));
  }
}

// Without steps, everything after `---` is created at time 0.
void AddDefaultStep(ParseContext& context, Scenario* scenario) {
  Step step;
  step.at = Duration();
  step.kind = StepKind::kCreate;
  for (Document& d : context.documents) {
    d.used = true;
    for (const Manifest& m : d.manifests) step.objects.push_back(m);
  }
  if (!step.objects.empty()) scenario->steps.push_back(std::move(step));
}

void CheckDocumentsUsed(ParseContext& context) {
  for (const Document& d : context.documents) {
    if (d.used || d.label.empty()) continue;
    context.problems.Error(
        d.span, fmt::format("no step names the document {}", d.label),
        fmt::format("add \"- {{at: 0s, create: {{document: {}}}}}\" to spec.steps, or take it out",
                    d.label));
  }
}

// A server answers 404 to a kind that it does not have.
void CheckKindsDefined(ParseContext& context, const Scenario& scenario) {
  if (scenario.cluster.any_kind) return;
  for (const Manifest* m : UndefinedKinds(scenario)) {
    if (IsStage(*m)) continue;  // RefuseStagesInSteps has a word for these
    Problems problems(m->file != nullptr ? *m->file : *context.file);
    problems.Error(
        SpanOfField(*m, "kind"),
        fmt::format("no matches for kind \"{}\" in version \"{}\"", m->Kind(), m->ApiVersion()),
        "add its CustomResourceDefinition, or \"anyKind: true\" to spec.cluster");
    for (Diagnostic& d : problems.errors) context.problems.errors.push_back(std::move(d));
  }
}

// Whether there is a step, good or bad: an empty list is none.
bool NamesSteps(const MappingReader& spec) {
  const YamlNode* steps = spec.Find("steps");
  if (steps == nullptr || IsNull(*steps)) return false;
  return steps->kind != YamlNode::Kind::kSequence || !steps->items.empty();
}

void ParseSpec(ParseContext& context, const YamlNode& node, Scenario* s) {
  MappingReader spec(context.problems, node, SpecType(), "spec");
  s->seed = ParseSeed(spec);
  s->boot_seed = ParseBootSeed(spec);
  s->compat = context.compat = ParseCompatField(spec);
  s->until = ParseUntil(spec);
  s->quiet_for = spec.DurationOf("quietFor", s->quiet_for);
  if (const YamlNode* limit = spec.Find("limit")) s->limit = ParseLimit(context, *limit);
  s->cluster.program = context.program;
  if (const YamlNode* cluster = spec.Find("cluster"))
    s->cluster = ParseCluster(context, *cluster, s->compat);
  ReadInitialField(context, spec, s);
  const YamlNode* cluster = spec.Find("cluster");
  AddInitialNodes(cluster != nullptr && cluster->Find("nodes") != nullptr, s);
  s->steps = ParseSteps(context, spec);
  if (!NamesSteps(spec)) AddDefaultStep(context, s);
  s->faults = ParseFaults(context, spec, s->cluster, s->steps);
  s->overrides = ParseOverrides(context, spec);
  if (const YamlNode* fuzz = spec.Find("fuzz")) s->fuzz = ParseFuzz(context, *fuzz);
  s->expect = ParseExpect(context, spec);
  s->invariants = ParseInvariants(context, spec);
  s->checks = spec.Strings("checks", s->checks);
  CheckNames(spec, "checks", Oracles(), "oracle");
  CheckKindsDefined(context, *s);
}

}  // namespace

std::string NameOfFile(std::string_view path) {
  if (path == "-") return "stdin";
  path.remove_prefix(path.rfind('/') + 1);  // npos + 1 = 0
  const std::size_t dot = path.rfind('.');
  return std::string(path.substr(0, dot == 0 ? std::string_view::npos : dot));
}

void CheckKnown(Problems& problems, const Span& span, std::string_view name,
                const std::vector<Named>& known, std::string_view what) {
  const Named* found = FindNamed(known, name);
  if (found == nullptr)
    problems.Error(span, fmt::format("unknown {} \"{}\"", what, name),
                   Suggest(name, NamesOf(known)));
  else if (!found->available)
    problems.Error(span, fmt::format("the {} {} is not in this version of ksim", what, name));
}

void CheckNames(MappingReader& reader, std::string_view field, const std::vector<Named>& known,
                std::string_view what) {
  if (!reader.Has(field)) return;
  for (const YamlNode& item : reader.Find(field)->items) {
    std::string_view name = item.text;
    if (name == "*" || item.kind != YamlNode::Kind::kScalar) continue;
    const bool taken_away = name.starts_with("-");
    if (taken_away) name.remove_prefix(1);
    if (!taken_away || FindNamed(known, name) == nullptr)
      CheckKnown(reader.problems(), item.span, name, known, what);
  }
}

namespace {

// The names with versions at which the resource is served, whose argument names another version;
// "" if it is no such argument.
std::string ServedInsteadOf(const ParseContext& context, const std::string& type) {
  const std::size_t first = type.find('.');
  const std::size_t second = first == type.npos ? type.npos : type.find('.', first + 1);
  if (second == type.npos) return "";
  const api::ResourceInfo* const known =
      context.kinds.ByName(type.substr(0, first) + type.substr(second));
  if (known == nullptr) return "";
  std::vector<std::string> names;
  for (const api::ResourceInfo* const r : context.kinds.all())
    if (r->group == known->group && r->resource == known->resource &&
        (r->custom || api::IsServed(*r, context.compat)))
      names.push_back(kubectl::VersionedName(*r));
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

const api::ResourceInfo* FindResource(ParseContext& context, const std::string& type,
                                      const Span& span) {
  const std::vector<const api::ResourceInfo*> all = context.kinds.AllByName(type);
  // kubectl would take the first of several groups; in a file that is more likely a slip.
  if (all.size() > 1 && all.front()->custom) {
    std::vector<std::string> groups, names;
    for (const api::ResourceInfo* const r : all) {
      groups.push_back(r->group);
      names.push_back(r->group_resource());
    }
    context.problems.Error(
        span, fmt::format("\"{}\" is a resource of {}", type, fmt::join(groups, " and of ")),
        fmt::format("write {}", fmt::join(names, " or ")));
    return nullptr;
  }
  // A version that no definition of the scenario serves in the end may be served in between:
  // kubectl finds out when it gets there.
  const api::ResourceInfo* const info =
      kubectl::ResourceOfArgument(context.kinds, type, context.compat);
  if (info != nullptr) return info;
  if (!all.empty() && all.front()->custom) return all.front();
  if (const std::string served = ServedInsteadOf(context, type); !served.empty()) {
    context.problems.Error(span, fmt::format("the server does not serve \"{}\"", type),
                           fmt::format("it serves {}", served));
    return nullptr;
  }
  std::vector<std::string_view> known;
  for (const api::ResourceInfo* r : context.kinds.all()) known.push_back(r->resource);
  const std::string near = Nearest(type, known);
  context.problems.Error(
      span, fmt::format("unknown resource type \"{}\"", type),
      near.empty() ? "`ksim explain kinds` lists them" : fmt::format("did you mean \"{}\"?", near));
  return nullptr;
}

void CheckIsStored(ParseContext& context, const std::string& type, const Span& span,
                   std::string_view why) {
  const api::ResourceInfo* const info = context.kinds.ByName(type);
  if (info == nullptr || !kubectl::NamesVersion(type, *info) || !api::IsConverted(*info)) return;
  context.problems.Error(span, fmt::format("\"{}\" names a version, and {}", type, why),
                         fmt::format("write {}", info->group_resource()));
}

void ReadResource(ParseContext& context, MappingReader& reader, std::string* resource,
                  std::string* name, bool name_required) {
  std::string text = reader.RequiredString("resource");
  if (text.empty()) return;
  const std::size_t slash = text.find('/');
  if (slash != std::string::npos) {
    *name = text.substr(slash + 1);
    text.resize(slash);
  }
  const api::ResourceInfo* info = FindResource(context, text, reader.Find("resource")->span);
  if (info == nullptr) return;
  *resource =
      kubectl::NamesVersion(text, *info) ? kubectl::VersionedName(*info) : info->group_resource();
  if (name_required && name->empty())
    context.problems.Error(reader.Find("resource")->span,
                           fmt::format("{} wants TYPE/NAME", reader.PathTo("resource")),
                           fmt::format("as in {}/my-{}", info->resource, info->singular));
}

value::Where ReadWhere(MappingReader& reader, std::string_view field) {
  if (!reader.Has(field)) return {};
  const std::string text = reader.String(field);
  if (text.empty()) return {};
  absl::StatusOr<value::Where> where = value::Where::Parse(text);
  if (where.ok()) return *std::move(where);
  // "column C: what": C counts in the text, whose first character may be a quote in the file.
  const YamlNode& node = *reader.Find(field);
  std::string_view message = Message(where.status());
  Span span = node.span;
  int column = 0;
  if (message.starts_with("column ")) {
    message.remove_prefix(7);
    while (!message.empty() && message.front() >= '0' && message.front() <= '9') {
      column = column * 10 + (message.front() - '0');
      message.remove_prefix(1);
    }
    if (message.starts_with(": ")) message.remove_prefix(2);
  }
  const int at = span.column + column - 1 + (node.plain ? 0 : 1);
  if (column > 0 && span.line == span.end_line && at < span.end_column) span.column = at;
  reader.problems().Error(span, fmt::format("{}: {}", reader.PathTo(field), message));
  return {};
}

Scenario ParseScenario(ParseContext& context, std::size_t index) {
  context.index = index;
  Scenario scenario;
  scenario.name = NameOfFile(context.file->name);
  MappingReader root(context.problems, context.file->documents[index], ScenarioType(), "");
  if (!root.is_mapping()) return scenario;
  CheckConstant(root, "apiVersion", "ksim.dev/v1");
  CheckConstant(root, "kind", "Scenario");
  if (const YamlNode* node = root.Find("metadata")) {
    MappingReader metadata(context.problems, *node, MetadataType(), "metadata");
    scenario.name = metadata.String("name", scenario.name);
    scenario.description = metadata.String("description");
    metadata.Map("labels", false);
    metadata.Map("annotations", false);
  }
  ReadDocuments(context);
  if (const YamlNode* node = root.Find("spec")) {
    ParseSpec(context, *node, &scenario);
  } else {
    AddDefaultStep(context, &scenario);
  }
  CheckDocumentsUsed(context);
  std::vector<Manifest>& stages = scenario.cluster.stages;
  stages.insert(stages.end(), context.stages.begin(), context.stages.end());
  RefuseStagesInSteps(scenario.steps, &context.problems.errors);
  CheckStages(stages, &context.problems.errors, &context.problems.warnings);
  return scenario;
}

}  // namespace ksim::scenario
