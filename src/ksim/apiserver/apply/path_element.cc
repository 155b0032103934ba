#include "ksim/apiserver/apply/path_element.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/value/json.h"

namespace ksim::apiserver {
namespace {

using value::Value;

// value.Compare: numbers before text before booleans.
int Rank(const Value& v) {
  if (v.is_number()) return 0;
  if (v.is_string()) return 1;
  return v.is_bool() ? 2 : 3;
}

std::strong_ordering CompareScalars(const Value& a, const Value& b) {
  if (Rank(a) != Rank(b)) return Rank(a) <=> Rank(b);
  if (a.is_int() && b.is_int()) return a.AsInt() <=> b.AsInt();
  if (a.is_string()) return a.AsString().compare(b.AsString()) <=> 0;
  if (a.is_bool()) return a.AsBool() <=> b.AsBool();
  return value::ToJson(a).compare(value::ToJson(b)) <=> 0;
}

// value.FieldList.Compare.
std::strong_ordering CompareKeys(const Value& a, const Value& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const Value::Member& x = a.member(i);
    const Value::Member& y = b.member(i);
    if (x.name != y.name) return x.name.text().compare(y.name.text()) <=> 0;
    if (const auto order = CompareScalars(x.value, y.value); order != 0) return order;
  }
  return a.size() <=> b.size();
}

}  // namespace

PathElement PathElement::Field(std::string_view name) {
  return PathElement(Kind::kField, std::string(name), Value());
}
PathElement PathElement::Key(Value fields) {
  return PathElement(Kind::kKey, std::string(), std::move(fields));
}
PathElement PathElement::Item(Value scalar) {
  return PathElement(Kind::kItem, std::string(), std::move(scalar));
}
PathElement PathElement::Index(std::int64_t position) {
  return PathElement(Kind::kIndex, std::string(), Value::Int(position));
}

std::string PathElement::ToString() const {
  switch (kind_) {
    case Kind::kField:
      return "f:" + name_;
    case Kind::kKey:
      return "k:" + value::ToJson(value_);
    case Kind::kItem:
      return "v:" + value::ToJson(value_);
    case Kind::kIndex:
      break;
  }
  return "i:" + value::ToJson(value_);
}

absl::StatusOr<std::optional<PathElement>> PathElement::Parse(std::string_view text) {
  if (text.size() < 2) return absl::InvalidArgumentError("key must be 2 characters long:");
  if (text[1] != ':') return absl::InvalidArgumentError(fmt::format("missing colon: {}", text));
  const std::string_view rest = text.substr(2);
  if (text[0] == 'f') return Field(rest);
  if (text[0] != 'k' && text[0] != 'v' && text[0] != 'i') return std::nullopt;
  absl::StatusOr<Value> parsed = value::ParseJson(rest);
  if (!parsed.ok()) return parsed.status();
  const bool fits = text[0] == 'k'   ? parsed->is_object()
                    : text[0] == 'i' ? parsed->is_int()
                                     : !parsed->is_object() && !parsed->is_array();
  if (!fits) return absl::InvalidArgumentError(fmt::format("no path element: {}", text));
  if (text[0] == 'k') return Key(*std::move(parsed));
  if (text[0] == 'v') return Item(*std::move(parsed));
  return Index(parsed->AsInt());
}

std::string PathElement::Print() const {
  switch (kind_) {
    case Kind::kField:
      return "." + name_;
    case Kind::kItem:
      return "[=" + value::ToJson(value_) + "]";
    case Kind::kIndex:
      return "[" + value::ToJson(value_) + "]";
    case Kind::kKey:
      break;
  }
  std::string out = "[";
  for (const Value::Member& m : value_.members()) {
    if (out.size() > 1) out += ",";
    out.append(m.name.text()).append("=").append(value::ToJson(m.value));
  }
  return out + "]";
}

std::strong_ordering operator<=>(const PathElement& a, const PathElement& b) {
  if (a.kind_ != b.kind_) return a.kind_ <=> b.kind_;
  if (a.kind_ == PathElement::Kind::kField) return a.name_.compare(b.name_) <=> 0;
  if (a.kind_ == PathElement::Kind::kKey) return CompareKeys(a.value_, b.value_);
  return CompareScalars(a.value_, b.value_);
}

std::string Print(const FieldPath& path) {
  std::string out;
  for (const PathElement& element : path) out += element.Print();
  return out;
}

}  // namespace ksim::apiserver
