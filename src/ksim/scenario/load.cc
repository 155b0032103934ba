#include "ksim/scenario/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <tuple>

#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/registry.h"
#include "ksim/scenario/controller_parts.h"
#include "ksim/scenario/initial.h"
#include "ksim/scenario/parse.h"
#include "ksim/scenario/size_bounds.h"
#include "ksim/scenario/stages.h"
#include "ksim/value/json.h"

namespace ksim::scenario {
namespace {

using value::YamlFile;
using value::YamlNode;

// No scenario or manifest that people or programs write is near to that; a device has no end.
constexpr std::int64_t kMostBytes = 32 << 20;

struct Source {
  std::shared_ptr<YamlFile> file;
  std::optional<std::size_t> scenario;  // which document is the Scenario
};

Diagnostic FileError(const std::string& file, std::string message, std::string hint = "") {
  Diagnostic d;
  d.file = file;
  d.message = std::move(message);
  d.hint = std::move(hint);
  return d;
}

// A file of the command line: also a pipe, and - for standard input.
absl::StatusOr<std::string> ReadArgument(const std::string& path) {
  return os::ReadFile(path, kMostBytes);
}

// A file that a scenario names is on the disk: what is no file may never end, or never begin.
absl::StatusOr<std::string> ReadNamed(const std::string& path) {
  if (path != "-" && os::Exists(path) && !os::IsDirectory(path) && !os::IsRegularFile(path))
    return absl::FailedPreconditionError("it is no regular file");
  return ReadArgument(path);
}

void AppendTooManyPods(const Scenario& scenario, Problems* problems) {
  for (Diagnostic& d : TooManyPods(scenario)) problems->errors.push_back(std::move(d));
}

bool LooksLikeScenario(const YamlNode& document) {
  const YamlNode* kind = document.Find("kind");
  const YamlNode* version = document.Find("apiVersion");
  return (kind != nullptr && kind->text == "Scenario") ||
         (version != nullptr && version->text.starts_with("ksim.dev/"));
}

// A scenario of the program's; null if the path names none.
const RegisteredScenario* RegisteredAs(const std::string& path, const LoadOptions& options) {
  return options.program == nullptr ? nullptr : options.program->FindScenario(path);
}

// Reads what the command line names: a file, or a scenario whose text the program registered.
FileReader ReaderOfArguments(const LoadOptions& options) {
  const FileReader files = options.read ? options.read : ReadArgument;
  return [files, &options](const std::string& path) -> absl::StatusOr<std::string> {
    const RegisteredScenario* const own = RegisteredAs(path, options);
    return own == nullptr ? files(path) : own->text;
  };
}

std::vector<std::string> Expand(const std::vector<std::string>& paths, const LoadOptions& options,
                                Loaded* loaded) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (const RegisteredScenario* const own = RegisteredAs(path, options)) {
      files.push_back(own->path.empty() ? path : own->path);
      continue;
    }
    if (path == "-" || !os::IsDirectory(path)) {
      files.push_back(path);
      continue;
    }
    const absl::StatusOr<std::vector<std::string>> names = os::ListDirectory(path, ".yaml");
    if (!names.ok()) {
      loaded->errors.push_back(FileError(path, std::string(Message(names.status()))));
      continue;
    }
    for (const std::string& name : *names)
      files.push_back(path.ends_with('/') ? path + name : path + "/" + name);
  }
  loaded->nothing = files.empty() && loaded->errors.empty();
  return files;
}

void FindScenario(Source* source, Loaded* loaded) {
  for (std::size_t i = 0; i < source->file->documents.size(); ++i) {
    const YamlNode& document = source->file->documents[i];
    if (!LooksLikeScenario(document)) continue;
    if (source->scenario) {
      loaded->errors.push_back(source->file->At(document.span, "a second Scenario in one file",
                                                "give each Scenario a file of its own"));
      continue;
    }
    source->scenario = i;
  }
}

// Whether the problem lies in the Scenario, which kubectl never sees, and not in a manifest beside
// it.
bool IsInScenario(const Diagnostic& d, const YamlFile& file, std::size_t scenario) {
  const std::size_t next = scenario + 1;
  const int first = file.documents[scenario].span.line;
  const int last = next < file.documents.size() ? file.documents[next].span.line
                                                : static_cast<int>(file.lines.size()) + 1;
  return d.span.line >= first && d.span.line < last;
}

// A key that is given twice in the Scenario is a mistake. Returns whether there is one.
bool RejectDuplicateKeys(const YamlFile& file, std::size_t scenario, Loaded* loaded) {
  bool found = false;
  for (const Diagnostic& d : file.duplicate_keys) {
    if (!IsInScenario(d, file, scenario)) continue;
    found = true;
    loaded->errors.push_back(d);
  }
  return found;
}

// Reads one file; nullopt when there is nothing to go on with.
std::optional<Source> ReadSource(const std::string& path, const FileReader& read, Loaded* loaded) {
  if (path.empty()) {
    loaded->errors.push_back(FileError("", "\"\" is no file"));
    return std::nullopt;
  }
  const absl::StatusOr<std::string> text = read(path);
  if (!text.ok()) {
    loaded->errors.push_back(
        FileError(path, fmt::format("cannot read it: {}", Message(text.status()))));
    return std::nullopt;
  }
  Source source;
  source.file = std::make_shared<YamlFile>(value::ParseYaml(*text, path));
  if (!source.file->errors.empty()) {
    loaded->errors.insert(loaded->errors.end(), source.file->errors.begin(),
                          source.file->errors.end());
    return std::nullopt;
  }
  if (source.file->documents.empty()) {
    loaded->errors.push_back(FileError(path, "there is nothing in it"));
    return std::nullopt;
  }
  FindScenario(&source, loaded);
  if (source.scenario && RejectDuplicateKeys(*source.file, *source.scenario, loaded))
    return std::nullopt;
  return source;
}

// Puts `--seed` and `--set` into the document before it is read.
void ApplyFlags(const LoadOptions& options, YamlNode* document, Problems* problems,
                Loaded* loaded) {
  std::vector<std::string> all = options.set;
  if (options.seed) all.insert(all.begin(), fmt::format("spec.seed={}", *options.seed));
  for (const std::string& assignment : all) {
    problems->AddFlag("--set " + assignment);
    const std::string wrong = ApplySet(document, assignment, problems->flag_count());
    if (!wrong.empty()) loaded->errors.push_back(FileError("--set " + assignment, wrong));
  }
}

void Take(Problems& problems, const std::vector<Diagnostic>& yaml_warnings, Loaded* loaded) {
  std::stable_sort(problems.errors.begin(), problems.errors.end(),
                   [](const Diagnostic& a, const Diagnostic& b) {
                     return std::tie(a.file, a.span.line, a.span.column) <
                            std::tie(b.file, b.span.line, b.span.column);
                   });
  loaded->errors.insert(loaded->errors.end(), problems.errors.begin(), problems.errors.end());
  std::vector<Diagnostic>& out = loaded->warnings;
  out.insert(out.end(), yaml_warnings.begin(), yaml_warnings.end());
  out.insert(out.end(), problems.warnings.begin(), problems.warnings.end());
}

// Whatever kubectl reads differently, or without a word, matters in manifests only.
std::vector<Diagnostic> ManifestWarnings(const YamlFile& file, std::size_t scenario) {
  std::vector<Diagnostic> out;
  for (const auto& list : {file.warnings, DuplicateKeyWarnings(file)})
    for (const Diagnostic& d : list)
      if (!IsInScenario(d, file, scenario)) out.push_back(d);
  return out;
}

// --from: the state of a real cluster, beside whatever the scenario says.
void LoadInitial(const LoadOptions& options, bool nodes_given, Scenario* scenario, Loaded* loaded) {
  if (options.from.empty()) return;
  const FileReader read = options.read ? options.read : ReadArgument;
  const absl::StatusOr<std::string> text = read(options.from);
  if (!text.ok()) {
    loaded->errors.push_back(
        FileError(options.from, fmt::format("cannot read it: {}", Message(text.status()))));
    return;
  }
  if (!scenario->initial.empty())
    loaded->errors.push_back(FileError("--from", "the scenario has an initial state already"));
  api::Kinds kinds;
  ReadInitialFile(std::make_shared<YamlFile>(value::ParseYaml(*text, options.from)), kinds,
                  scenario, &loaded->errors, &loaded->warnings);
  if (scenario->initial.empty() && loaded->errors.empty())
    loaded->errors.push_back(FileError(options.from, "there are no objects in it"));
  AddInitialNodes(nodes_given, scenario);
}

// Whether the document, or a flag, says which nodes the cluster has.
bool GivesNodes(const YamlNode& document) {
  const YamlNode* node = &document;
  for (const char* field : {"spec", "cluster", "nodes"})
    if (node != nullptr) node = node->Find(field);
  return node != nullptr;
}

// A scenario of a program of which nothing runs is hardly meant.
void WarnOfIdleProgram(const Scenario& scenario, const YamlNode& document, Problems* problems) {
  const Registry* const program = scenario.cluster.program.get();
  if (program == nullptr || program->controllers().empty()) return;
  if (RunsOwnController(scenario.cluster)) return;
  problems->Warning(document.span,
                    fmt::format("no controller of {} runs: spec.cluster.controllers names none of "
                                "them",
                                program->program()),
                    fmt::format("write controllers: [\"*\", {}]", program->controllers()[0].name));
}

void LoadScenario(const Source& source, const std::vector<Manifest>& stages,
                  const LoadOptions& options, Loaded* loaded) {
  Problems problems(*source.file);
  ApplyFlags(options, &source.file->documents[*source.scenario], &problems, loaded);
  api::Kinds kinds;
  LearnOwnKinds(kinds, options.program.get());
  ParseContext context(source.file, problems, kinds);
  context.program = options.program;
  context.directory = options.directory.value_or(DirectoryOf(source.file->name));
  context.read_named = options.read ? options.read : ReadNamed;
  context.stages = stages;
  loaded->scenarios.push_back(ParseScenario(context, *source.scenario));
  loaded->files.push_back(source.file->name);
  LoadInitial(options, GivesNodes(source.file->documents[*source.scenario]),
              &loaded->scenarios.back(), loaded);
  AppendTooManyPods(loaded->scenarios.back(), &problems);
  WarnOfIdleProgram(loaded->scenarios.back(), source.file->documents[*source.scenario], &problems);
  Take(problems, ManifestWarnings(*source.file, *source.scenario), loaded);
}

// The flags alone, read as a Scenario: what a run of plain manifests is configured by. Nobody has
// said in them how programs end, and those of Jobs do.
Scenario FlagsOnly(const LoadOptions& options, Loaded* loaded) {
  auto file = std::make_shared<YamlFile>(value::ParseYaml(
      "apiVersion: ksim.dev/v1\nkind: Scenario\nspec: {cluster: {jobsEndAfter: 10s}}\n",
      "command line"));
  Problems problems(*file);
  ApplyFlags(options, &file->documents[0], &problems, loaded);
  api::Kinds kinds;
  LearnOwnKinds(kinds, options.program.get());
  ParseContext context(file, problems, kinds);
  context.program = options.program;
  context.read_named = options.read ? options.read : ReadNamed;
  Scenario scenario = ParseScenario(context, 0);
  if (options.program != nullptr && scenario.cluster.controllers == ClusterSpec().controllers)
    for (const RegisteredController& c : options.program->controllers())
      scenario.cluster.controllers.push_back(c.name);
  Take(problems, {}, loaded);
  LoadInitial(options, GivesNodes(file->documents[0]), &scenario, loaded);
  return scenario;
}

// Plain manifests need not define their kinds: whoever tries them out is told.
void ServeAnyKind(Scenario* scenario, Loaded* loaded) {
  for (const Manifest* m : UndefinedKinds(*scenario)) {
    scenario->cluster.any_kind = true;
    Problems problems(*m->file);
    problems.Warning(SpanOfField(*m, "kind"),
                     fmt::format("no CustomResourceDefinition defines {} in {}: a cluster answers "
                                 "404, this run serves it (cluster.anyKind)",
                                 m->Kind(), m->ApiVersion()));
    for (Diagnostic& d : problems.warnings) loaded->warnings.push_back(std::move(d));
  }
}

void LoadManifests(const std::vector<Source>& sources, const LoadOptions& options, Loaded* loaded) {
  Scenario scenario = FlagsOnly(options, loaded);
  const std::string file = sources.empty() ? options.from : sources.front().file->name;
  scenario.name = NameOfFile(file);
  api::Kinds kinds;
  LearnOwnKinds(kinds, options.program.get());
  std::vector<Step> steps;
  for (const Source& source : sources) {
    Step step;
    if (steps.empty()) step.at = Duration();
    step.kind = StepKind::kCreate;
    step.objects = ReadManifestFile(kinds, source.file, &loaded->errors, &loaded->warnings);
    TakeStages(&step.objects, &scenario.cluster.stages);
    if (!step.objects.empty()) steps.push_back(std::move(step));
  }
  CheckStages(scenario.cluster.stages, &loaded->errors, &loaded->warnings);
  for (Step& s : scenario.steps) steps.push_back(std::move(s));
  scenario.steps = std::move(steps);
  if (options.create_namespaces && !scenario.steps.empty()) {
    std::vector<Manifest>& first = scenario.steps.front().objects;
    std::vector<Manifest> missing = MissingNamespaces(scenario, kinds);
    first.insert(first.begin(), missing.begin(), missing.end());
  }
  for (Diagnostic& d : TooManyPods(scenario)) loaded->errors.push_back(std::move(d));
  ServeAnyKind(&scenario, loaded);
  loaded->scenarios.push_back(std::move(scenario));
  loaded->files.push_back(file);
}

bool HoldsStagesAlone(const Source& source) {
  return std::all_of(
      source.file->documents.begin(), source.file->documents.end(),
      [](const YamlNode& document) { return IsStage(Manifest(document.ToValue())); });
}

// The Stages of files that hold nothing else go to the scenarios beside them.
std::vector<Manifest> TakeStagesBeside(std::vector<Source>* sources, Loaded* loaded) {
  std::vector<Manifest> stages;
  const bool beside = std::any_of(sources->begin(), sources->end(),
                                  [](const Source& s) { return s.scenario.has_value(); });
  if (!beside) return stages;
  api::Kinds kinds;
  std::vector<Source> others;
  for (Source& source : *sources) {
    if (source.scenario || !HoldsStagesAlone(source)) {
      others.push_back(std::move(source));
      continue;
    }
    std::vector<Manifest> read =
        ReadManifestFile(kinds, source.file, &loaded->errors, &loaded->warnings);
    TakeStages(&read, &stages);
  }
  *sources = std::move(others);
  return stages;
}

void RejectMixture(const std::vector<Source>& sources, Loaded* loaded) {
  const Source* scenario = nullptr;
  const Source* manifest = nullptr;
  for (const Source& s : sources) (s.scenario ? scenario : manifest) = &s;
  if (scenario == nullptr || manifest == nullptr) return;
  loaded->errors.push_back(
      FileError(manifest->file->name,
                fmt::format("a plain manifest beside the scenario {}", scenario->file->name),
                "run them separately, or name the manifest in a step: {at: 0s, create: PATH}"));
}

}  // namespace

std::string DirectoryOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

Loaded Load(const std::vector<std::string>& paths, const LoadOptions& options) {
  Loaded loaded;
  const FileReader read = ReaderOfArguments(options);
  std::vector<Source> sources;
  for (const std::string& path : Expand(paths, options, &loaded))
    if (std::optional<Source> s = ReadSource(path, read, &loaded)) sources.push_back(*std::move(s));
  const std::vector<Manifest> stages = TakeStagesBeside(&sources, &loaded);
  RejectMixture(sources, &loaded);
  std::vector<Source> manifests;
  for (const Source& source : sources) {
    if (source.scenario)
      LoadScenario(source, stages, options, &loaded);
    else
      manifests.push_back(source);
  }
  const bool state_alone = paths.empty() && !options.from.empty();
  if (state_alone) loaded.nothing = false;
  if (!manifests.empty() || state_alone) LoadManifests(manifests, options, &loaded);
  if (options.strict) {
    for (Diagnostic& d : loaded.warnings) {
      d.severity = Diagnostic::Severity::kError;
      loaded.errors.push_back(std::move(d));
    }
    loaded.warnings.clear();
  }
  return loaded;
}

Loaded ParseScenarioTree(const value::Value& tree, const std::string& directory,
                         std::shared_ptr<const Registry> program) {
  Loaded loaded;
  const std::string text = value::ToJson(tree);
  LoadOptions options;
  options.directory = directory;
  options.program = std::move(program);
  options.read = [&text](const std::string&) -> absl::StatusOr<std::string> { return text; };
  const std::optional<Source> source = ReadSource("scenario in the header", options.read, &loaded);
  if (!source) return loaded;
  if (!source->scenario) {
    loaded.errors.push_back(FileError("scenario in the header", "it is not a Scenario"));
    return loaded;
  }
  LoadScenario(*source, {}, options, &loaded);
  loaded.warnings.clear();
  return loaded;
}

}  // namespace ksim::scenario
