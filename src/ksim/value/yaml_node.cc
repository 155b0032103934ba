// Implements YamlNode and YamlFile of yaml.h.
#include <algorithm>

#include "ksim/value/yaml.h"
#include "ksim/value/yaml_schema.h"

namespace ksim::value {

const YamlNode::Entry* YamlNode::FindEntry(std::string_view key) const {
  const auto it = std::find_if(entries.begin(), entries.end(),
                               [key](const Entry& entry) { return entry.key == key; });
  return it == entries.end() ? nullptr : &*it;
}

const YamlNode* YamlNode::Find(std::string_view key) const {
  const Entry* entry = FindEntry(key);
  return entry == nullptr ? nullptr : &entry->value;
}

namespace {

template <typename Resolve>
Value TreeOf(const YamlNode& node, Resolve resolve) {
  switch (node.kind) {
    case YamlNode::Kind::kScalar:
      return node.plain ? resolve(node.text) : Value::String(node.text);
    case YamlNode::Kind::kSequence: {
      std::vector<Value> values;
      values.reserve(node.items.size());
      for (const YamlNode& item : node.items) values.push_back(TreeOf(item, resolve));
      return Value::Array(std::move(values));
    }
    case YamlNode::Kind::kMapping: {
      std::vector<Value::Member> members;
      members.reserve(node.entries.size());
      for (const YamlNode::Entry& entry : node.entries)
        members.emplace_back(entry.key, TreeOf(entry.value, resolve));
      return Value::Object(std::move(members));
    }
  }
  return Value();
}

}  // namespace

Value YamlNode::ToValue() const { return TreeOf(*this, ResolveCore); }

Value YamlNode::ToManifestValue() const {
  return TreeOf(*this, [](std::string_view plain) {
    return IsFileMode(plain) ? ResolveKubectl(plain).value : ResolveCore(plain);
  });
}

Value YamlNode::ToKubectlValue() const {
  return TreeOf(*this, [](std::string_view plain) { return ResolveKubectl(plain).value; });
}

Diagnostic YamlFile::At(const Span& span, std::string message, std::string hint) const {
  Diagnostic d;
  d.file = name;
  d.span = span;
  d.message = std::move(message);
  d.hint = std::move(hint);
  if (span.line > 0 && static_cast<std::size_t>(span.line) <= lines.size()) {
    d.source_line = lines[static_cast<std::size_t>(span.line) - 1];
  }
  return d;
}

}  // namespace ksim::value
