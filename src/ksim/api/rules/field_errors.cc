#include "ksim/api/rules/field_errors.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/core/go_text.h"
#include "ksim/value/json.h"
#include "ksim/value/timestamp.h"

namespace ksim::api {

using value::Value;

namespace {

std::string Body(std::string_view type, std::string_view bad, std::string_view detail) {
  std::string body(type);
  if (!bad.empty()) body += fmt::format(": {}", bad);
  if (!detail.empty()) body += fmt::format(": {}", detail);
  return body;
}

std::string GoMap(const Value& map) {
  if (!map.is_object()) return "map[string]string(nil)";
  std::string out = "map[string]string{";
  for (const Value::Member& m : map.members()) {
    if (out.back() != '{') out += ", ";
    out += fmt::format("{}:{}", GoQuote(m.name.text()), GoQuote(m.value.AsString()));
  }
  return out + "}";
}

std::string GoStrings(const Value& list) {
  if (!list.is_array()) return "[]string(nil)";
  std::vector<std::string> items;
  for (const Value& v : list.items()) items.emplace_back(v.AsString());
  return GoStringSlice(items);
}

std::string GoSelector(const Value& selector) {
  const Value& expressions = selector.Get("matchExpressions");
  std::string list = "[]v1.LabelSelectorRequirement(nil)";
  if (expressions.is_array()) {
    list = "[]v1.LabelSelectorRequirement{";
    for (const Value& e : expressions.items()) {
      if (list.back() != '{') list += ", ";
      list += fmt::format("v1.LabelSelectorRequirement{{Key:{}, Operator:{}, Values:{}}}",
                          GoQuote(e.Get("key").AsString()), GoQuote(e.Get("operator").AsString()),
                          GoStrings(e.Get("values")));
    }
    list += "}";
  }
  return fmt::format("v1.LabelSelector{{MatchLabels:{}, MatchExpressions:{}}}",
                     GoMap(selector.Get("matchLabels")), list);
}

std::string GoIntOrString(const Value& v) {
  return fmt::format("intstr.IntOrString{{Type:{}, IntVal:{}, StrVal:{}}}", v.is_string() ? 1 : 0,
                     v.AsInt(), GoQuote(v.AsString()));
}

// time.Time.String of a whole second in UTC.
std::string GoTime(const Value& v) {
  std::string text(v.AsString());
  if (text.size() < 20) return text;
  text[10] = ' ';
  return text.substr(0, 19) + " +0000 UTC";
}

}  // namespace

void FieldPath::AppendTo(std::string* out) const {
  if (parent_ != nullptr) parent_->AppendTo(out);
  switch (kind_) {
    case Kind::kField:
      if (!out->empty()) *out += '.';
      *out += name_.empty() ? "[]" : name_;
      break;
    case Kind::kIndex:
      *out += fmt::format("[{}]", index_);
      break;
    case Kind::kKey:
      *out += fmt::format("[{}]", name_);
      break;
  }
}

std::string FieldPath::ToString() const {
  std::string out;
  AppendTo(&out);
  return out;
}

std::string GoValue(const Value& v, GoShape shape, Compat compat) {
  const bool as_json = ProfileOf(compat).bad_values_as_json;
  if (v.is_null() && shape != GoShape::kStringMap && shape != GoShape::kStringSlice) {
    return as_json ? "null" : "\"null\"";
  }
  if (as_json) return value::ToJson(v);
  switch (shape) {
    case GoShape::kStringMap:
      return GoMap(v);
    case GoShape::kStringSlice:
      return GoStrings(v);
    case GoShape::kLabelSelector:
      return GoSelector(v);
    case GoShape::kIntOrString:
      return GoIntOrString(v);
    case GoShape::kTime:
      return GoTime(v);
    case GoShape::kStringer:
      return std::string(v.AsString());
    case GoShape::kOther:
      break;
  }
  return value::ToJson(v);
}

void FieldErrorList::Add(std::string reason, std::string body, std::string field) {
  causes_.emplace_back(std::move(reason), std::move(body), std::move(field));
}

void FieldErrorList::Required(const FieldPath& field, std::string_view detail) {
  Add("FieldValueRequired", Body("Required value", "", detail), field.ToString());
}

void FieldErrorList::Forbidden(const FieldPath& field, std::string_view detail) {
  Add("FieldValueForbidden", Body("Forbidden", "", detail), field.ToString());
}

void FieldErrorList::TooLong(const FieldPath& field, std::int64_t max) {
  const std::string detail = profile_.too_long_as_may_not_be
                                 ? fmt::format("may not be more than {} bytes", max)
                                 : fmt::format("must have at most {} bytes", max);
  Add("FieldValueTooLong", Body("Too long", "", detail), field.ToString());
}

void FieldErrorList::TooMany(const FieldPath& field, std::size_t items, std::size_t max) {
  const std::string detail =
      fmt::format("must have at most {} {}", max, max == 1 ? "item" : "items");
  Add("FieldValueTooMany", Body("Too many", std::to_string(items), detail), field.ToString());
}

void FieldErrorList::Invalid(const FieldPath& field, std::string_view bad,
                             std::string_view detail) {
  Add("FieldValueInvalid", Body("Invalid value", GoQuote(bad), detail), field.ToString());
}

void FieldErrorList::Invalid(const FieldPath& field, std::int64_t bad, std::string_view detail) {
  Add("FieldValueInvalid", Body("Invalid value", std::to_string(bad), detail), field.ToString());
}

void FieldErrorList::Invalid(const FieldPath& field, const Value& bad, GoShape shape,
                             std::string_view detail) {
  Add("FieldValueInvalid", Body("Invalid value", GoValue(bad, shape, compat_), detail),
      field.ToString());
}

void FieldErrorList::InvalidAll(const FieldPath& field, std::string_view bad,
                                const std::vector<std::string>& details) {
  for (const std::string& detail : details) Invalid(field, bad, detail);
}

void FieldErrorList::NotSupported(const FieldPath& field, std::string_view bad,
                                  std::initializer_list<std::string_view> supported) {
  std::string detail = "supported values: ";
  for (const std::string_view value : supported) {
    if (detail.back() == '"') detail += ", ";
    detail += GoQuote(value);
  }
  Add("FieldValueNotSupported", Body("Unsupported value", GoQuote(bad), detail), field.ToString());
}

void FieldErrorList::Duplicate(const FieldPath& field, std::string_view bad) {
  Add("FieldValueDuplicate", Body("Duplicate value", GoQuote(bad), ""), field.ToString());
}

void FieldErrorList::DuplicateAs(const FieldPath& field, std::string_view bad) {
  Add("FieldValueDuplicate", Body("Duplicate value", std::string(bad), ""), field.ToString());
}

void FieldErrorList::NotFound(const FieldPath& field, std::string_view bad) {
  Add("FieldValueNotFound", Body("Not found", GoQuote(bad), ""), field.ToString());
}

void FieldErrorList::NonNegative(const FieldPath& field, const Value& number) {
  if (number.AsInt() < 0) Invalid(field, number.AsInt(), "must be greater than or equal to 0");
}

void ValidateChoice(std::string_view choice, bool required, const FieldPath& path,
                    std::initializer_list<std::string_view> allowed, FieldErrorList* errors) {
  if (choice.empty() && required) return errors->Required(path);
  if (std::find(allowed.begin(), allowed.end(), choice) != allowed.end()) return;
  errors->NotSupported(path, choice, allowed);
}

}  // namespace ksim::api
