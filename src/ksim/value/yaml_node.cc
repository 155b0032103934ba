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

Value YamlNode::ToValue() const {
  switch (kind) {
    case Kind::kScalar:
      return plain ? ResolveCore(text) : Value::String(text);
    case Kind::kSequence: {
      std::vector<Value> values;
      values.reserve(items.size());
      for (const YamlNode& item : items) values.push_back(item.ToValue());
      return Value::Array(std::move(values));
    }
    case Kind::kMapping: {
      std::vector<Value::Member> members;
      members.reserve(entries.size());
      for (const Entry& entry : entries) members.emplace_back(entry.key, entry.value.ToValue());
      return Value::Object(std::move(members));
    }
  }
  return Value();
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
