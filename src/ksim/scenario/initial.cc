#include "ksim/scenario/initial.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "ksim/api/core/kind_service.h"
#include "ksim/base/status.h"
#include "ksim/scenario/initial/initial_objects.h"
#include "ksim/scenario/schema.h"
#include "ksim/scenario/stages.h"

namespace ksim::scenario {
namespace {

using value::YamlFile;
using value::YamlNode;

std::string TextAt(const YamlNode& node, std::string_view field) {
  const YamlNode* found = node.Find(field);
  return found != nullptr ? found->text : "";
}

// Kinds that `kubectl get` prints and no store holds.
bool IsComputed(std::string_view api_version, std::string_view kind) {
  return kind == "ComponentStatus" || api_version.starts_with("metrics.k8s.io/") ||
         kind == "APIService";
}

// A file of a real cluster has kinds that ksim does not know: they are left out, and told of once.
class InitialReader {
 public:
  InitialReader(const std::shared_ptr<const YamlFile>& file, api::Kinds& kinds,
                std::vector<Diagnostic>* errors, std::vector<Diagnostic>* warnings)
      : file_(file), kinds_(kinds), errors_(errors), warnings_(warnings) {}

  void Read(const YamlNode& node, const std::vector<std::string>& place) {
    const YamlNode* items = node.Find("items");
    const bool is_list = items != nullptr && items->kind == YamlNode::Kind::kSequence &&
                         TextAt(node, "kind").ends_with("List");
    if (!is_list) return ReadOne(node, place);
    for (std::size_t i = 0; i < items->items.size(); ++i) {
      std::vector<std::string> at = place;
      at.insert(at.end(), {"items", std::to_string(i)});
      Read(items->items[i], at);
    }
  }

  std::vector<Manifest> Take() { return std::move(objects_); }

 private:
  void ReadOne(const YamlNode& node, const std::vector<std::string>& place) {
    const std::string version = TextAt(node, "apiVersion"), kind = TextAt(node, "kind");
    if (IsComputed(version, kind)) return;
    const bool named = !version.empty() && !kind.empty();
    if (named && !LearnKind(kinds_, version, kind)) {
      if (!left_out_.insert(version + " " + kind).second) return;
      Diagnostic d = file_->At(
          node.span,
          fmt::format("ksim does not know {} {}: such objects are left out", version, kind));
      d.severity = Diagnostic::Severity::kWarning;
      warnings_->push_back(std::move(d));
      return;
    }
    Problems problems(*file_);
    std::vector<Manifest> read = ReadManifests(problems, kinds_, file_, node, place);
    for (Manifest& m : read) objects_.push_back(std::move(m));
    errors_->insert(errors_->end(), problems.errors.begin(), problems.errors.end());
  }

  std::shared_ptr<const YamlFile> file_;
  api::Kinds& kinds_;
  std::vector<Diagnostic>* errors_;
  std::vector<Diagnostic>* warnings_;
  std::vector<Manifest> objects_;
  std::set<std::string> left_out_;
};

// Definitions first: the kinds that they define may stand before them.
void LearnDefinitions(const YamlFile& file, const YamlNode& node, api::Kinds& kinds) {
  const YamlNode* items = node.Find("items");
  if (items != nullptr)
    for (const YamlNode& item : items->items) LearnDefinitions(file, item, kinds);
  else if (TextAt(node, "kind") == "CustomResourceDefinition")
    LearnDefinition(kinds, Manifest(node.ToValue()));
}

// Two objects of one name: the second, at its place.
void CheckNamedOnce(const std::vector<Manifest>& objects, std::vector<Diagnostic>* errors) {
  std::set<std::string> seen;
  for (const Manifest& m : objects) {
    const std::string group = m.ApiVersion().substr(0, m.ApiVersion().find('/'));
    const std::string key =
        fmt::format("{} {} {} {}", m.ApiVersion().find('/') == std::string::npos ? "" : group,
                    m.Kind(), m.tree.Get("metadata").Get("namespace").AsString(), m.Name());
    if (seen.insert(key).second) continue;
    Diagnostic d;
    if (m.file) d = m.file->At(m.span, "", "");
    d.message = fmt::format("{}/{} is there twice", m.Kind(), m.Name());
    errors->push_back(std::move(d));
  }
}

void TakeInitial(std::vector<Manifest> objects, const api::Kinds& kinds, Scenario* scenario,
                 std::vector<Diagnostic>* errors, std::vector<Diagnostic>* warnings) {
  TakeStages(&objects, &scenario->cluster.stages);
  scenario->initial = PrepareInitial(std::move(objects), kinds, warnings);
  CheckNamedOnce(scenario->initial, errors);
}

NodeSpec NodeOf(const Manifest& node) {
  NodeSpec spec;
  spec.name = node.Name();
  for (const value::Value::Member& m : node.tree.Get("status").Get("capacity").members()) {
    const bool text = m.value.is_string();
    spec.capacity.emplace_back(
        m.name.text(), text ? std::string(m.value.AsString()) : std::to_string(m.value.AsInt()));
  }
  return spec;
}

}  // namespace

void ReadInitialFile(const std::shared_ptr<const YamlFile>& file, api::Kinds& kinds,
                     Scenario* scenario, std::vector<Diagnostic>* errors,
                     std::vector<Diagnostic>* warnings) {
  errors->insert(errors->end(), file->errors.begin(), file->errors.end());
  for (const YamlNode& document : file->documents) LearnDefinitions(*file, document, kinds);
  InitialReader reader(file, kinds, errors, warnings);
  for (std::size_t i = 0; i < file->documents.size(); ++i)
    reader.Read(file->documents[i], {std::to_string(i)});
  TakeInitial(reader.Take(), kinds, scenario, errors, warnings);
}

void ReadInitialField(ParseContext& context, MappingReader& spec, Scenario* scenario) {
  const YamlNode* node = spec.Find("initial");
  if (node == nullptr) return;
  MappingReader reader(context.problems, *node, InitialType(), "spec.initial");
  std::vector<Diagnostic>*errors = &context.problems.errors, *warnings = &context.problems.warnings;
  if (!reader.is_mapping()) return;
  if (reader.Has("file") == reader.Has("objects")) {
    context.problems.Error(node->span, "spec.initial wants file or objects, one of them",
                           "write initial: {file: cluster.yaml}");
    return;
  }
  if (reader.Has("objects")) {
    InitialReader objects(context.file, context.kinds, errors, warnings);
    std::size_t i = 0;
    for (const YamlNode* item : reader.List("objects"))
      objects.Read(*item, {std::to_string(context.index), "spec", "initial", "objects",
                           std::to_string(i++)});
    return TakeInitial(objects.Take(), context.kinds, scenario, errors, warnings);
  }
  const std::string name = reader.RequiredString("file");
  if (name.empty()) return;
  const std::string path = name.starts_with('/') ? name : context.directory + name;
  const absl::StatusOr<std::string> text = context.read_named(path);
  if (!text.ok()) {
    context.problems.Error(reader.Find("file")->span,
                           fmt::format("cannot read {}: {}", path, Message(text.status())));
    return;
  }
  ReadInitialFile(std::make_shared<YamlFile>(value::ParseYaml(*text, path)), context.kinds,
                  scenario, errors, warnings);
}

void AddInitialNodes(bool nodes_given, Scenario* scenario) {
  std::vector<NodeSpec> found;
  for (const Manifest& m : scenario->initial)
    if (m.Kind() == "Node" && m.ApiVersion() == "v1") found.push_back(NodeOf(m));
  if (found.empty()) return;
  std::vector<NodeSpec>& nodes = scenario->cluster.nodes;
  if (!nodes_given) nodes.clear();
  const std::vector<std::string> named = scenario->cluster.NodeNames();
  for (NodeSpec& node : found)
    if (std::find(named.begin(), named.end(), node.name) == named.end())
      nodes.push_back(std::move(node));
}

std::vector<Manifest> MissingNamespaces(const Scenario& scenario, const api::Kinds& kinds) {
  std::set<std::string> there{"default", "kube-system", "kube-public", "kube-node-lease"};
  const auto note = [&there](const std::vector<Manifest>& objects) {
    for (const Manifest& m : objects)
      if (m.Kind() == "Namespace") there.insert(m.Name());
  };
  note(scenario.initial);
  for (const Step& step : scenario.steps) note(step.objects);
  std::vector<Manifest> made;
  for (const Step& step : scenario.steps) {
    for (const Manifest& m : step.objects) {
      const api::ResourceInfo* kind = kinds.ByKind(m.ApiVersion(), m.Kind());
      const std::string ns(m.tree.Get("metadata").Get("namespace").AsString());
      if (kind == nullptr || !kind->namespaced || ns.empty() || !there.insert(ns).second) continue;
      made.emplace_back(value::Obj({{"apiVersion", value::Value::Of("v1")},
                                    {"kind", value::Value::Of("Namespace")},
                                    {"metadata", value::Obj({{"name", value::Value::Of(ns)}})}}));
    }
  }
  return made;
}

}  // namespace ksim::scenario
