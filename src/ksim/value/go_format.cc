#include "ksim/value/go_format.h"

#include "ksim/value/json.h"
#include "ksim/value/number.h"
#include "ksim/value/text.h"

namespace ksim::value {
namespace {

void Append(const Value& v, std::string* out);

void AppendArray(const Value& v, std::string* out) {
  *out += '[';
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (i > 0) *out += ' ';
    Append(v.at(i), out);
  }
  *out += ']';
}

void AppendObject(const Value& v, std::string* out) {
  *out += "map[";
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (i > 0) *out += ' ';
    *out += v.member(i).name.text();
    *out += ':';
    Append(v.member(i).value, out);
  }
  *out += ']';
}

void Append(const Value& v, std::string* out) {
  switch (v.type()) {
    case Value::Type::kNull:
      *out += "<nil>";
      return;
    case Value::Type::kString:
      *out += v.AsString();
      return;
    case Value::Type::kDouble:
      AppendDouble(v.AsDouble(), out);
      if (out->ends_with(".0")) out->resize(out->size() - 2);
      return;
    case Value::Type::kArray:
      return AppendArray(v, out);
    case Value::Type::kObject:
      return AppendObject(v, out);
    default:
      AppendJson(v, out);
  }
}

void AppendSyntax(const Value& v, std::string* out) {
  if (v.is_null()) {
    *out += "interface {}(nil)";
  } else if (v.is_string()) {
    *out += GoQuote(v.AsString());
  } else if (v.is_array()) {
    *out += "[]interface {}{";
    for (std::size_t i = 0; i < v.size(); ++i) {
      if (i > 0) *out += ", ";
      AppendSyntax(v.at(i), out);
    }
    *out += '}';
  } else if (v.is_object()) {
    *out += "map[string]interface {}{";
    for (std::size_t i = 0; i < v.size(); ++i) {
      if (i > 0) *out += ", ";
      *out += GoQuote(v.member(i).name.text()) + ":";
      AppendSyntax(v.member(i).value, out);
    }
    *out += '}';
  } else {
    Append(v, out);
  }
}

// The line separators U+2028 and U+2029 in UTF-8, but for the last byte.
constexpr std::string_view kSeparatorStart = "\xE2\x80";

}  // namespace

std::string GoFormat(const Value& v) {
  std::string out;
  Append(v, &out);
  return out;
}

int CompareGoText(const Value& a, const Value& b) {
  // A string's text is itself.
  if (a.is_string() && b.is_string()) return a.AsString().compare(b.AsString());
  return GoFormat(a).compare(GoFormat(b));
}

std::string GoSyntax(const Value& v) {
  std::string out;
  AppendSyntax(v, &out);
  return out;
}

std::string GoJson(const Value& v, int indent) {
  const std::string json = indent > 0 ? ToPrettyJson(v, indent) : ToJson(v);
  std::string out;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '<' || c == '>' || c == '&') {
      out += c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : "\\u0026";
    } else if (std::string_view(json).substr(i).starts_with(kSeparatorStart) &&
               i + 2 < json.size() && (json[i + 2] == '\xA8' || json[i + 2] == '\xA9')) {
      out += json[i + 2] == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += c;
    }
  }
  return out;
}

std::string_view JsonWord(const Value& v) {
  switch (v.type()) {
    case Value::Type::kObject:
      return "object";
    case Value::Type::kArray:
      return "array";
    case Value::Type::kBool:
      return "bool";
    case Value::Type::kString:
      return "string";
    default:
      return "number";
  }
}

std::string_view GoTypeName(const Value& v) {
  switch (v.type()) {
    case Value::Type::kNull:
      return "%!s(<nil>)";
    case Value::Type::kBool:
      return "bool";
    case Value::Type::kInt:
      return "int64";
    case Value::Type::kDouble:
      return "float64";
    case Value::Type::kString:
      return "string";
    case Value::Type::kArray:
      return "[]interface {}";
    case Value::Type::kObject:
      return "map[string]interface {}";
  }
  return "";
}

}  // namespace ksim::value
