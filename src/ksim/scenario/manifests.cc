// Kubernetes manifests as users write them: shape, kind, and where their fields stand.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "ksim/registry.h"
#include "ksim/scenario/parse.h"

namespace ksim::scenario {
namespace {

using value::YamlNode;

std::string Scalar(const YamlNode& node, std::string_view field) {
  const YamlNode* n = node.Find(field);
  return n != nullptr && n->kind == YamlNode::Kind::kScalar ? n->text : "";
}

// Groups whose kinds are fixed; a kind of another group is a custom resource.
bool BuiltInGroup(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return true;
  const std::string_view group = api_version.substr(0, slash);
  return group.ends_with(".k8s.io") || group.find('.') == std::string_view::npos;
}

// meta.UnsafeGuessKindToResource: Policy -> policies, Class -> classes, Foo -> foos.
std::string GuessPlural(std::string_view kind) {
  std::string s;
  for (char c : kind) s.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  if (s.ends_with("s") || s.ends_with("x") || s.ends_with("ch") || s.ends_with("sh"))
    return s + "es";
  if (s.ends_with("y")) return s.substr(0, s.size() - 1) + "ies";
  return s + "s";
}

void AddCustomKind(api::Kinds& kinds, std::string_view api_version, std::string_view kind) {
  const std::size_t slash = api_version.find('/');
  api::ResourceInfo info;
  info.group = std::string(api_version.substr(0, slash));
  info.version = std::string(api_version.substr(slash + 1));
  info.kind = std::string(kind);
  info.resource = GuessPlural(kind);
  for (char c : kind)
    info.singular.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  info.has_status = true;
  info.has_generation = true;
  info.custom = true;
  info.storage_prefix = info.group + "/" + info.resource;
  // Another version of it is stored where that is.
  info.stored_version = info.version;
  if (const api::ResourceInfo* other = kinds.ByResource(info.group, info.resource))
    info.stored_version = other->stored_version.empty() ? other->version : other->stored_version;
  kinds.Add(std::move(info));
}

void CheckKind(Problems& problems, api::Kinds& kinds, const YamlNode& node) {
  const std::string api_version = Scalar(node, "apiVersion");
  const std::string kind = Scalar(node, "kind");
  if (LearnKind(kinds, api_version, kind)) return;
  std::string hint;
  std::vector<std::string_view> known;
  const api::ResourceInfo* same_kind = nullptr;
  for (const api::ResourceInfo* r : kinds.all()) {
    known.push_back(r->kind);
    const bool other_version = same_kind != nullptr && same_kind->group == r->group;
    if (r->kind == kind && !other_version) same_kind = r;
  }
  if (same_kind != nullptr) hint = fmt::format("write apiVersion: {}", same_kind->api_version());
  const std::string near = hint.empty() ? Nearest(kind, known) : "";
  if (!near.empty()) hint = fmt::format("did you mean \"{}\"?", near);
  const YamlNode* place = node.Find(hint.starts_with("write") ? "apiVersion" : "kind");
  problems.Error(place->span,
                 fmt::format("no matches for kind \"{}\" in version \"{}\"", kind, api_version),
                 hint);
}

// Whether the node looks like an object at all; reports what is missing.
bool CheckShape(Problems& problems, const YamlNode& node) {
  if (node.kind != YamlNode::Kind::kMapping) {
    problems.Error(node.span, fmt::format("a manifest must be a mapping, got {}", Describe(node)));
    return false;
  }
  bool good = true;
  for (std::string_view field : {"apiVersion", "kind"}) {
    if (!Scalar(node, field).empty()) continue;
    const YamlNode* n = node.Find(field);
    problems.Error(n == nullptr ? node.span : n->span,
                   n == nullptr ? fmt::format("the manifest has no {}", field)
                                : fmt::format("{} must be a string, got {}", field, Describe(*n)),
                   field == "kind" ? "as in kind: Pod" : "as in apiVersion: v1");
    good = false;
  }
  return good;
}

bool CheckName(Problems& problems, const YamlNode& node) {
  const YamlNode* metadata = node.Find("metadata");
  if (metadata != nullptr && metadata->kind != YamlNode::Kind::kMapping) {
    problems.Error(metadata->span,
                   fmt::format("metadata must be a mapping, got {}", Describe(*metadata)));
    return false;
  }
  if (metadata != nullptr &&
      !(Scalar(*metadata, "name").empty() && Scalar(*metadata, "generateName").empty()))
    return true;
  problems.Error(metadata == nullptr ? node.span : metadata->span, "resource name may not be empty",
                 "add metadata: {name: ...}");
  return false;
}

// The deepest node on the way, and whether it is the end of it.
const YamlNode* Descend(const YamlNode* node, std::string_view path, Part part, Span* span) {
  while (!path.empty() && node != nullptr) {
    std::string key;
    if (path.front() == '.') path.remove_prefix(1);
    if (path.front() == '[') {
      const std::size_t close = path.find(']');
      if (close == std::string_view::npos) return node;
      key = std::string(path.substr(1, close - 1));
      path.remove_prefix(close + 1);
    } else {
      const std::size_t end = path.find_first_of(".[");
      key = std::string(path.substr(0, end));
      path.remove_prefix(end == std::string_view::npos ? path.size() : end);
    }
    const YamlNode* next = nullptr;
    if (node->kind == YamlNode::Kind::kSequence) {
      const bool digits = !key.empty() && std::all_of(key.begin(), key.end(),
                                                      [](char c) { return c >= '0' && c <= '9'; });
      const std::size_t i = digits && key.size() < 9 ? std::stoul(key) : node->items.size();
      if (i < node->items.size()) next = &node->items[i];
      if (next != nullptr) *span = next->span;
    } else if (const YamlNode::Entry* e = node->FindEntry(key)) {
      next = &e->value;
      const bool value = part == Part::kValue && e->value.kind == YamlNode::Kind::kScalar;
      *span = value ? e->value.span : e->key_span;
    }
    if (next == nullptr) return node;
    node = next;
  }
  return node;
}

// kubectl takes whatever has items for a list.
bool IsList(const YamlNode& node) {
  const YamlNode* items = node.Find("items");
  return Scalar(node, "kind").ends_with("List") && items != nullptr &&
         items->kind == YamlNode::Kind::kSequence;
}

// An item of a PodList that does not say so is a Pod (apimachinery unstructured/helpers.go
// decodeToList).
YamlNode ItemOf(const YamlNode& list, const YamlNode& item) {
  const std::string kind = Scalar(list, "kind");
  YamlNode out = item;
  if (kind == "List" || item.kind != YamlNode::Kind::kMapping || !Scalar(item, "kind").empty())
    return out;
  std::erase_if(out.entries,
                [](const YamlNode::Entry& e) { return e.key == "kind" || e.key == "apiVersion"; });
  for (const char* field : {"apiVersion", "kind"}) {
    out.entries.push_back(*list.FindEntry(field));
    out.entries.back().value.span = item.span;
  }
  out.entries.back().value.text.resize(kind.size() - std::string_view("List").size());
  return out;
}

}  // namespace

bool LearnKind(api::Kinds& kinds, std::string_view api_version, std::string_view kind) {
  if (kinds.ByKind(api_version, kind) != nullptr) return true;
  if (BuiltInGroup(api_version)) return false;
  const std::string_view group = api_version.substr(0, api_version.find('/'));
  for (const api::ResourceInfo* r : kinds.all())
    if (r->defined && r->kind == kind && r->group == group) return false;
  AddCustomKind(kinds, api_version, kind);
  return true;
}

void LearnDefinition(api::Kinds& kinds, const Manifest& manifest) {
  if (manifest.Kind() != "CustomResourceDefinition") return;
  // Validation finds a definition without names.
  const auto added = kinds.AddFromCrd(manifest.tree);
  static_cast<void>(added);
}

void LearnOwnKinds(api::Kinds& kinds, const Registry* program) {
  if (program == nullptr) return;
  for (const api::ResourceInfo& kind : program->kinds()) kinds.Add(kind);
}

void LearnKinds(api::Kinds& kinds, const Scenario& scenario) {
  LearnOwnKinds(kinds, scenario.cluster.program.get());
  for (const Manifest& m : scenario.initial) LearnDefinition(kinds, m);
  for (const Step& step : scenario.steps)
    for (const Manifest& m : step.objects) LearnDefinition(kinds, m);
  for (const Manifest& m : scenario.initial) LearnKind(kinds, m.ApiVersion(), m.Kind());
  for (const Step& step : scenario.steps)
    for (const Manifest& m : step.objects) LearnKind(kinds, m.ApiVersion(), m.Kind());
}

namespace {

bool IsOwnKind(const Registry* program, const api::ResourceInfo& info) {
  if (program == nullptr) return false;
  return std::any_of(program->kinds().begin(), program->kinds().end(), [&info](const auto& kind) {
    return kind.group == info.group && kind.resource == info.resource;
  });
}

}  // namespace

std::vector<const Manifest*> UndefinedKinds(const Scenario& scenario) {
  api::Kinds kinds;
  LearnKinds(kinds, scenario);
  const Registry* const program = scenario.cluster.program.get();
  std::vector<const Manifest*> out;
  std::vector<const api::ResourceInfo*> seen;
  for (const Step& step : scenario.steps) {
    for (const Manifest& m : step.objects) {
      const api::ResourceInfo* const info = kinds.ByKind(m.ApiVersion(), m.Kind());
      if (info == nullptr || !info->custom || info->defined || IsOwnKind(program, *info)) continue;
      if (std::find(seen.begin(), seen.end(), info) != seen.end()) continue;
      seen.push_back(info);
      out.push_back(&m);
    }
  }
  return out;
}

std::string Manifest::Name() const {
  const value::Value& metadata = tree.Get("metadata");
  const std::string_view name = metadata.Get("name").AsString();
  return std::string(name.empty() ? metadata.Get("generateName").AsString() : name);
}

std::vector<Manifest> ReadManifests(Problems& problems, api::Kinds& kinds,
                                    const std::shared_ptr<const value::YamlFile>& file,
                                    const YamlNode& node, std::vector<std::string> place) {
  std::vector<Manifest> out;
  if (!CheckShape(problems, node)) return out;
  if (IsList(node)) {
    const std::vector<YamlNode>& items = node.Find("items")->items;
    place.push_back("items");
    for (std::size_t i = 0; i < items.size(); ++i) {
      std::vector<std::string> at = place;
      at.push_back(std::to_string(i));
      const YamlNode item = ItemOf(node, items[i]);
      for (Manifest& m : ReadManifests(problems, kinds, file, item, std::move(at)))
        out.push_back(std::move(m));
    }
    return out;
  }
  CheckKind(problems, kinds, node);
  if (!CheckName(problems, node)) return out;
  Manifest manifest(node.ToManifestValue());
  manifest.file = file;
  manifest.place = std::move(place);
  manifest.span = node.span;
  LearnDefinition(kinds, manifest);
  out.push_back(std::move(manifest));
  return out;
}

std::vector<Diagnostic> DuplicateKeyWarnings(const value::YamlFile& file) {
  std::vector<Diagnostic> out = file.duplicate_keys;
  for (Diagnostic& d : out) {
    d.severity = Diagnostic::Severity::kWarning;
    d.message += "; kubectl takes this one";
  }
  return out;
}

std::vector<Manifest> ReadManifestFile(api::Kinds& kinds,
                                       const std::shared_ptr<const value::YamlFile>& file,
                                       std::vector<Diagnostic>* errors,
                                       std::vector<Diagnostic>* warnings) {
  Problems problems(*file);
  std::vector<Manifest> out;
  for (std::size_t i = 0; i < file->documents.size(); ++i)
    for (Manifest& m :
         ReadManifests(problems, kinds, file, file->documents[i], {std::to_string(i)}))
      out.push_back(std::move(m));
  auto append = [](std::vector<Diagnostic>* to, const std::vector<Diagnostic>& from) {
    to->insert(to->end(), from.begin(), from.end());
  };
  append(errors, file->errors);
  append(errors, problems.errors);
  append(warnings, file->warnings);
  append(warnings, DuplicateKeyWarnings(*file));
  append(warnings, problems.warnings);
  return out;
}

const YamlNode* NodeAt(const value::YamlFile& file, const std::vector<std::string>& place) {
  if (place.empty()) return nullptr;
  const std::size_t document = std::stoul(place.front());
  if (document >= file.documents.size()) return nullptr;
  const YamlNode* node = &file.documents[document];
  for (std::size_t i = 1; i < place.size() && node != nullptr; ++i) {
    if (node->kind == YamlNode::Kind::kSequence) {
      const std::size_t n = std::stoul(place[i]);
      node = n < node->items.size() ? &node->items[n] : nullptr;
    } else {
      node = node->Find(place[i]);
    }
  }
  return node;
}

Span SpanOfField(const Manifest& manifest, std::string_view field, Part part) {
  if (!manifest.file) return Span();
  const YamlNode* node = NodeAt(*manifest.file, manifest.place);
  if (node == nullptr) return manifest.span;
  Span span = manifest.span;
  Descend(node, field, part, &span);
  return span;
}

}  // namespace ksim::scenario
