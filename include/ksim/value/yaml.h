// YAML 1.2 core documents as trees of nodes with places, read through libyaml's event API.
//
// Errors: unterminated strings, tabs as indentation, undefined aliases, non-scalar keys, nesting
// deeper than 1000. Keys that are given twice are told apart from these: of them kubectl takes the
// last, as sigs.k8s.io/yaml and Go's encoding/json do, and so do the nodes. Anchors and aliases are
// resolved; a copy keeps the places of its parts, but stands at the alias itself. Plain scalars
// resolve by the 1.2 core schema (null, true/false, decimal/0o/0x integers, floats) or by kubectl's
// reader (goyaml.v2, partly YAML 1.1); what that takes differently (yes, no, on, off, y, n, 010,
// 0b1, 1_000, the key <<) is a warning, but for the mode of a file (0644).
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/base/diagnostic.h"
#include "ksim/value/value.h"

namespace ksim::value {

struct YamlNode {
  enum class Kind { kScalar, kSequence, kMapping };
  struct Entry;
  YamlNode() = default;
  Kind kind = Kind::kScalar;
  Span span;
  std::string text;    // scalar as written, unquoted and unescaped
  bool plain = false;  // scalar without quotes
  std::vector<YamlNode> items;
  std::vector<Entry> entries;                        // in file order
  const YamlNode* Find(std::string_view key) const;  // null if missing
  const Entry* FindEntry(std::string_view key) const;
  Value ToValue() const;         // by the core schema
  Value ToKubectlValue() const;  // by kubectl's reader, which takes 0755 for 493 and yes for true
  // By the core schema, but for the mode of a file: 0755 is 493. Manifests are read so, and what
  // kubectl takes differently is the warning.
  Value ToManifestValue() const;
};
struct YamlNode::Entry {
  Entry() = default;
  std::string key;
  Span key_span;
  YamlNode value;
};

struct YamlFile {
  YamlFile() = default;
  std::string name;                 // for diagnostics
  std::vector<std::string> lines;   // of the source
  std::vector<YamlNode> documents;  // empty documents (only comments) are left out
  std::vector<Diagnostic> errors;   // when not empty, `documents` are those read before
  std::vector<Diagnostic> warnings;
  std::vector<Diagnostic> duplicate_keys;  // as errors, at the later key
  // A diagnostic at a place in this file, with its source line.
  Diagnostic At(const Span& span, std::string message, std::string hint = "") const;
};

// Reads every document of `text`. Never throws; problems are in the result. JSON is YAML, so this
// reads .json files too; JSON objects may follow each other without a `---`.
YamlFile ParseYaml(std::string_view text, std::string_view name);

// Block style as kubectl -o yaml prints (sorted names, two spaces, quoted where needed).
std::string ToYaml(const Value& v);

}  // namespace ksim::value
