// --set PATH=VALUE.
#include <fmt/format.h>

#include "ksim/scenario/load.h"

namespace ksim::scenario {
namespace {

using value::YamlFile;
using value::YamlNode;

// a.b[0].c -> a b 0 c; empty if it is no path.
std::vector<std::string> SplitPath(const std::string& path) {
  std::vector<std::string> out;
  std::string part;
  bool bracket = false;
  for (char c : path) {
    if (c == '.' || c == '[' || c == ']') {
      if (part.empty() && !(c != ']' && bracket)) return {};
      if (!part.empty()) out.push_back(std::exchange(part, ""));
      bracket = c == ']';
      continue;
    }
    part += c;
    bracket = false;
  }
  if (!part.empty()) out.push_back(part);
  return out;
}

// Names of variants have dots: cluster.variants.event.deleteRV.
std::vector<std::string> JoinVariant(std::vector<std::string> names) {
  if (names.size() < 5 || names[1] != "cluster" || names[2] != "variants") return names;
  for (std::size_t i = 4; i < names.size(); ++i) names[3] += "." + names[i];
  names.resize(4);
  return names;
}

// The item or the field below; made if it is missing. Null when the list is too short.
YamlNode* Below(YamlNode* at, const std::string& name, const Span& place) {
  if (at->kind == YamlNode::Kind::kSequence) {
    const bool digits = name.find_first_not_of("0123456789") == std::string::npos;
    const std::size_t i = digits && name.size() < 7 ? std::stoul(name) : at->items.size();
    return i < at->items.size() ? &at->items[i] : nullptr;
  }
  if (at->kind != YamlNode::Kind::kMapping) {
    *at = YamlNode();
    at->kind = YamlNode::Kind::kMapping;
    at->span = place;
  }
  for (YamlNode::Entry& e : at->entries)
    if (e.key == name) return &e.value;
  at->entries.emplace_back();
  YamlNode::Entry& entry = at->entries.back();
  entry.key = name;
  entry.key_span = place;
  entry.value.plain = true;
  entry.value.span = place;
  return &entry.value;
}

void MoveTo(YamlNode* node, const Span& place) {
  node->span = place;
  for (YamlNode& item : node->items) MoveTo(&item, place);
  for (YamlNode::Entry& e : node->entries) {
    e.key_span = place;
    MoveTo(&e.value, place);
  }
}

}  // namespace

std::string ApplySet(YamlNode* scenario, const std::string& assignment, int flag) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) return "want PATH=VALUE";
  std::string path = assignment.substr(0, equals);
  if (!path.starts_with("spec.") && !path.starts_with("metadata.")) path = "spec." + path;
  const std::vector<std::string> names = JoinVariant(SplitPath(path));
  if (names.empty()) return fmt::format("\"{}\" is not a path", path);
  YamlFile parsed = value::ParseYaml(assignment.substr(equals + 1), "--set");
  if (!parsed.errors.empty()) return parsed.errors.front().message;
  if (!parsed.duplicate_keys.empty()) return parsed.duplicate_keys.front().message;
  YamlNode node;
  node.plain = true;
  if (!parsed.documents.empty()) node = std::move(parsed.documents.front());
  const Span place{-flag, 0, -flag, 0};
  YamlNode* at = scenario;
  for (const std::string& name : names) {
    // All of them, also those that the file names: only a later flag takes one out again.
    if (path == "spec.cluster.variants.all" && name == "all") at->entries.clear();
    YamlNode* next = Below(at, name, place);
    if (next == nullptr)
      return fmt::format("there is no item {} in the list of {}", name, at->items.size());
    at = next;
  }
  // A shell takes the quotes away that a version needs in a file.
  if (path == "spec.compat" && node.kind == YamlNode::Kind::kScalar) node.plain = false;
  *at = std::move(node);
  MoveTo(at, place);
  return "";
}

}  // namespace ksim::scenario
