// Strict reading of YAML mappings against a schema Type: unknown fields with a suggestion, wrong
// types, bad durations and counts, each with its place. All problems are collected; reading goes on
// with the default.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/base/diagnostic.h"
#include "ksim/base/time.h"
#include "ksim/scenario/schema.h"
#include "ksim/value/yaml.h"

namespace ksim::scenario {

// The problems of one file. Nodes that `--set` put in have negative line numbers: Problems shows
// theirs under the flag's own text.
class Problems {
 public:
  explicit Problems(const value::YamlFile& file) : file_(file) {}
  void Error(const Span& span, std::string message, std::string hint = "");
  void Warning(const Span& span, std::string message, std::string hint = "");
  void AddFlag(std::string text) { flags_.push_back(std::move(text)); }
  int flag_count() const { return static_cast<int>(flags_.size()); }
  std::vector<Diagnostic> errors, warnings;

 private:
  Diagnostic At(const Span& span, std::string message, std::string hint) const;
  const value::YamlFile& file_;
  std::vector<std::string> flags_;
};

// `the string "three"`, `the number 3`, `a list`, ...: what a node is, for messages.
std::string Describe(const value::YamlNode& node);

// "20M", "100k", "7": a whole number with k, M or G. nullopt for anything else.
std::optional<std::int64_t> ParseCount(std::string_view text);

// `did you mean "x"?`, or the list of all when nothing is near.
std::string Suggest(std::string_view word, const std::vector<std::string_view>& known);

// The sign that a duration may have. Only a clock may run behind: a time, a limit or a wait below
// zero would be over before it began, or never.
enum class Sign : std::uint8_t { kNotNegative, kAny };

class MappingReader {
 public:
  // `where` is the path of the mapping in messages: spec.cluster. A node that is no mapping is
  // reported; then every field is missing.
  MappingReader(Problems& problems, const value::YamlNode& node, const Type& type,
                std::string where);

  const value::YamlNode& node() const { return node_; }
  const std::string& where() const { return where_; }
  std::string PathTo(std::string_view field) const;
  Problems& problems() { return problems_; }
  bool is_mapping() const { return node_.kind == value::YamlNode::Kind::kMapping; }

  const value::YamlNode* Find(std::string_view field) const { return node_.Find(field); }
  bool Has(std::string_view field) const { return Find(field) != nullptr; }

  std::string String(std::string_view field, std::string fallback = {});
  // Reports a missing field.
  std::string RequiredString(std::string_view field);
  std::int64_t Integer(std::string_view field, std::int64_t fallback, std::int64_t min);
  std::optional<std::int64_t> OptionalInteger(std::string_view field, std::int64_t min);
  std::int64_t Count(std::string_view field, std::int64_t fallback);
  bool Bool(std::string_view field, bool fallback);
  std::optional<Duration> OptionalDuration(std::string_view field, Sign sign = Sign::kNotNegative);
  Duration DurationOf(std::string_view field, Duration fallback);
  std::vector<std::string> Strings(std::string_view field, std::vector<std::string> fallback);
  // A mapping of strings; numbers and booleans are taken as they are written when `scalars`.
  std::vector<std::pair<std::string, std::string>> Map(std::string_view field, bool scalars);
  // The items of a list; reports anything else.
  std::vector<const value::YamlNode*> List(std::string_view field);

  void WrongType(std::string_view field, std::string_view expected, std::string hint = "");

 private:
  Problems& problems_;
  const value::YamlNode& node_;
  std::string where_;
};

// A scalar as a duration; nullopt and a problem if it is none.
std::optional<Duration> ReadDuration(Problems& problems, const value::YamlNode& node,
                                     const std::string& path, Sign sign = Sign::kNotNegative);
bool IsNull(const value::YamlNode& node);

}  // namespace ksim::scenario
