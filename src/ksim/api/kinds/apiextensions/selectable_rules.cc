#include "ksim/api/kinds/apiextensions/selectable_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ksim::api {

using value::Value;

namespace {

constexpr std::size_t kMostSelectable = 8;  // MaxSelectableFields

// The next token of a path: a delimiter, a text in quotes, or what comes before the next delimiter.
std::string_view NextToken(std::string_view text) {
  constexpr std::string_view kDelimiters = ".[]";
  if (text.empty() || kDelimiters.find(text.front()) != text.npos) return text.substr(0, 1);
  if (text.front() != '\'') return text.substr(0, text.find_first_of(kDelimiters));
  for (std::size_t i = 1; i < text.size(); ++i)
    if (text[i] == '\'' && text[i - 1] != '\\') return text.substr(0, i + 1);
  return text;
}

// ValidFieldPath without array notation: where a path leads.
struct FoundField {
  std::string path;  // field.Path.String
  const Value* schema = nullptr;
  std::string problem;
};

FoundField FindField(std::string_view text, const Value& root) {
  FoundField found;
  found.schema = &root;
  const auto fail = [&found](std::string problem) {
    found.problem = std::move(problem);
    return found;
  };
  while (!text.empty()) {
    const std::string_view token = NextToken(text);
    text.remove_prefix(token.size());
    if (token == "[") return fail("array notation is not allowed");
    if (token != ".") return fail(fmt::format("expected [ or . but got: {}", token));
    if (text.empty()) return fail("unexpected end of JSON path");
    const std::string_view name = NextToken(text);
    text.remove_prefix(name.size());
    const Value& properties = found.schema->Get("properties");
    const Value& more = found.schema->Get("additionalProperties");
    if (!properties.is_null()) {
      const Value* const next = properties.Find(value::Atom(name));
      if (next == nullptr) return fail("does not refer to a valid field");
      found.path += fmt::format("{}{}", found.path.empty() ? "" : ".", name);
      found.schema = next;
    } else if (more.is_object()) {
      found.path += fmt::format("[{}]", name);
      found.schema = &more;
    } else {
      return fail("does not refer to a valid field");
    }
  }
  return found;
}

bool HasSelectableFields(const Value& crd) {
  const Value& versions = crd.Get("spec").Get("versions");
  return std::any_of(versions.items().begin(), versions.items().end(),
                     [](const Value& v) { return !v.Get("selectableFields").is_null(); });
}

}  // namespace

void ValidateSelectableFields(const Value& fields, const Value& schema, const FieldPath& path,
                              FieldErrorList* errors) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string_view text = fields.at(i).Get("jsonPath").AsString();
    const FieldPath item = path.Index(i);
    const FieldPath at = item.Child("jsonPath");
    if (text.empty()) {
      errors->Required(at);
      continue;
    }
    const FoundField found = FindField(text, schema);
    if (!found.problem.empty()) {
      errors->Invalid(at, text, fmt::format("is an invalid path: {}", found.problem));
      continue;
    }
    if (found.path == "metadata" || found.path.starts_with("metadata."))
      errors->Invalid(at, text, "must not point to fields in metadata");
    const std::string_view type = found.schema->Get("type").AsString();
    if (type != "string" && type != "boolean" && type != "integer")
      errors->Invalid(at, text,
                      "must point to a field of type string, boolean or integer. Enum string "
                      "fields and strings with formats are allowed.");
    if (!seen.insert(found.path).second) errors->Duplicate(at, text);
  }
  if (seen.size() > kMostSelectable) errors->TooMany(path, seen.size(), kMostSelectable);
}

Value WithoutSelectableFields(Value crd, const Value* old) {
  if (!HasSelectableFields(crd) || (old != nullptr && HasSelectableFields(*old))) return crd;
  const value::Path kVersions{"spec", "versions"};
  std::vector<Value> versions;
  for (const Value& v : crd.Get(kVersions).items()) versions.push_back(v.Erase("selectableFields"));
  return crd.Set(kVersions, Value::Array(std::move(versions)));
}

}  // namespace ksim::api
