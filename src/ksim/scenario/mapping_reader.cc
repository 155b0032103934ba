#include "ksim/scenario/mapping_reader.h"

#include <fmt/format.h>

#include <limits>

namespace ksim::scenario {

using value::Value;
using value::YamlNode;

Diagnostic Problems::At(const Span& span, std::string message, std::string hint) const {
  if (span.line >= 0) return file_.At(span, std::move(message), std::move(hint));
  Diagnostic d;
  d.file = flags_[static_cast<std::size_t>(-span.line - 1)];
  d.message = std::move(message);
  d.hint = std::move(hint);
  return d;
}

void Problems::Error(const Span& span, std::string message, std::string hint) {
  errors.push_back(At(span, std::move(message), std::move(hint)));
}

void Problems::Warning(const Span& span, std::string message, std::string hint) {
  Diagnostic d = At(span, std::move(message), std::move(hint));
  d.severity = Diagnostic::Severity::kWarning;
  warnings.push_back(std::move(d));
}

bool IsNull(const YamlNode& node) {
  return node.kind == YamlNode::Kind::kScalar && node.ToValue().is_null();
}

std::string Describe(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::kSequence) return "a list";
  if (node.kind == YamlNode::Kind::kMapping) return "a mapping";
  const Value v = node.ToValue();
  switch (v.type()) {
    case Value::Type::kNull:
      return "nothing";
    case Value::Type::kBool:
      return fmt::format("the boolean {}", node.text);
    case Value::Type::kInt:
    case Value::Type::kDouble:
      return fmt::format("the number {}", node.text);
    default:
      return fmt::format("the string \"{}\"", node.text);
  }
}

std::optional<std::int64_t> ParseCount(std::string_view text) {
  std::int64_t factor = 1;
  if (text.empty()) return std::nullopt;
  switch (text.back()) {
    case 'k':
      factor = 1'000;
      break;
    case 'M':
      factor = 1'000'000;
      break;
    case 'G':
      factor = 1'000'000'000;
      break;
    default:
      break;
  }
  if (factor != 1) text.remove_suffix(1);
  if (text.empty() || text.size() > 15) return std::nullopt;
  std::int64_t n = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    n = n * 10 + (c - '0');
  }
  if (n > std::numeric_limits<std::int64_t>::max() / factor) return std::nullopt;
  return n * factor;
}

std::string Suggest(std::string_view word, const std::vector<std::string_view>& known) {
  const std::string near = Nearest(word, known);
  if (!near.empty()) return fmt::format("did you mean \"{}\"?", near);
  if (known.empty() || known.size() > 24) return "";
  return fmt::format("known: {}", fmt::join(known, ", "));
}

MappingReader::MappingReader(Problems& problems, const YamlNode& node, const Type& type,
                             std::string where)
    : problems_(problems), node_(node), where_(std::move(where)) {
  if (!is_mapping()) {
    if (!IsNull(node))
      problems_.Error(node.span,
                      fmt::format("{} must be a mapping, got {}",
                                  where_.empty() ? "the document" : where_, Describe(node)));
    return;
  }
  for (const YamlNode::Entry& e : node.entries) {
    if (type.Find(e.key) != nullptr) continue;
    problems_.Error(e.key_span,
                    fmt::format("unknown field \"{}\" in {}", e.key,
                                where_.empty() ? std::string(type.name) : where_),
                    Suggest(e.key, type.names()));
  }
}

std::string MappingReader::PathTo(std::string_view field) const {
  return where_.empty() ? std::string(field) : fmt::format("{}.{}", where_, field);
}

void MappingReader::WrongType(std::string_view field, std::string_view expected, std::string hint) {
  const YamlNode* n = Find(field);
  problems_.Error(n->span,
                  fmt::format("{} must be {}, got {}", PathTo(field), expected, Describe(*n)),
                  std::move(hint));
}

std::string MappingReader::String(std::string_view field, std::string fallback) {
  const YamlNode* n = Find(field);
  if (n == nullptr) return fallback;
  if (n->kind == YamlNode::Kind::kScalar && n->ToValue().is_string()) return n->text;
  const bool scalar = n->kind == YamlNode::Kind::kScalar && !IsNull(*n);
  WrongType(field, "a string", scalar ? fmt::format("write \"{}\" with the quotes", n->text) : "");
  return fallback;
}

std::string MappingReader::RequiredString(std::string_view field) {
  if (is_mapping() && !Has(field))
    problems_.Error(node_.span, fmt::format("{} is missing", PathTo(field)));
  return String(field);
}

std::optional<std::int64_t> MappingReader::OptionalInteger(std::string_view field,
                                                           std::int64_t min) {
  const YamlNode* n = Find(field);
  if (n == nullptr) return std::nullopt;
  const Value v = n->kind == YamlNode::Kind::kScalar ? n->ToValue() : Value();
  if (!v.is_int()) {
    WrongType(field, "an integer", fmt::format("write a number, as in {}: 3", field));
    return std::nullopt;
  }
  if (v.AsInt() < min) {
    problems_.Error(n->span,
                    fmt::format("{} must be at least {}, got {}", PathTo(field), min, v.AsInt()));
    return std::nullopt;
  }
  return v.AsInt();
}

std::int64_t MappingReader::Integer(std::string_view field, std::int64_t fallback,
                                    std::int64_t min) {
  return OptionalInteger(field, min).value_or(fallback);
}

std::int64_t MappingReader::Count(std::string_view field, std::int64_t fallback) {
  const YamlNode* n = Find(field);
  if (n == nullptr) return fallback;
  if (n->kind == YamlNode::Kind::kScalar) {
    const std::optional<std::int64_t> count = ParseCount(n->text);
    if (count && *count > 0) return *count;
  }
  WrongType(field, "a count such as 500, 100k or 20M");
  return fallback;
}

bool MappingReader::Bool(std::string_view field, bool fallback) {
  const YamlNode* n = Find(field);
  if (n == nullptr) return fallback;
  const Value v = n->kind == YamlNode::Kind::kScalar ? n->ToValue() : Value();
  if (v.is_bool()) return v.AsBool();
  WrongType(field, "true or false");
  return fallback;
}

std::optional<Duration> ReadDuration(Problems& problems, const YamlNode& node,
                                     const std::string& path, Sign sign) {
  if (node.kind == YamlNode::Kind::kScalar) {
    const absl::StatusOr<Duration> d = ParseDuration(node.text);
    if (d.ok() && (sign == Sign::kAny || *d >= Duration())) return *d;
    if (d.ok()) {
      problems.Error(node.span, path + " must not be negative");
      return std::nullopt;
    }
    const std::string hint =
        node.ToValue().is_int() ? fmt::format("write {}s", node.text) : "units: ns us ms s m h";
    problems.Error(
        node.span,
        fmt::format("{} must be a duration such as 30s or 1m30s, got {}", path, Describe(node)),
        hint);
    return std::nullopt;
  }
  problems.Error(node.span,
                 fmt::format("{} must be a duration such as 30s, got {}", path, Describe(node)));
  return std::nullopt;
}

std::optional<Duration> MappingReader::OptionalDuration(std::string_view field, Sign sign) {
  const YamlNode* n = Find(field);
  if (n == nullptr) return std::nullopt;
  return ReadDuration(problems_, *n, PathTo(field), sign);
}

Duration MappingReader::DurationOf(std::string_view field, Duration fallback) {
  return OptionalDuration(field).value_or(fallback);
}

std::vector<const YamlNode*> MappingReader::List(std::string_view field) {
  std::vector<const YamlNode*> out;
  const YamlNode* n = Find(field);
  if (n == nullptr || IsNull(*n)) return out;
  if (n->kind != YamlNode::Kind::kSequence) {
    WrongType(field, "a list", "begin each item with \"- \"");
    return out;
  }
  for (const YamlNode& item : n->items) out.push_back(&item);
  return out;
}

std::vector<std::string> MappingReader::Strings(std::string_view field,
                                                std::vector<std::string> fallback) {
  if (!Has(field)) return fallback;
  std::vector<std::string> out;
  for (const YamlNode* item : List(field)) {
    if (item->kind == YamlNode::Kind::kScalar && !IsNull(*item))
      out.push_back(item->text);
    else
      problems_.Error(item->span, fmt::format("{} must be a list of names, got {} in it",
                                              PathTo(field), Describe(*item)));
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> MappingReader::Map(std::string_view field,
                                                                    bool scalars) {
  std::vector<std::pair<std::string, std::string>> out;
  const YamlNode* n = Find(field);
  if (n == nullptr || IsNull(*n)) return out;
  if (n->kind != YamlNode::Kind::kMapping) {
    WrongType(field, "a mapping");
    return out;
  }
  for (const YamlNode::Entry& e : n->entries) {
    const bool scalar = e.value.kind == YamlNode::Kind::kScalar;
    if (scalar && (scalars || e.value.ToValue().is_string())) {
      out.emplace_back(e.key, e.value.text);
      continue;
    }
    problems_.Error(
        e.value.span,
        fmt::format("{}.{} must be a string, got {}", PathTo(field), e.key, Describe(e.value)),
        scalar ? fmt::format("write \"{}\" with the quotes", e.value.text) : "");
  }
  return out;
}

}  // namespace ksim::scenario
