#include "ksim/value/go_format.h"

#include "ksim/value/json.h"
#include "ksim/value/number.h"

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

}  // namespace

std::string GoFormat(const Value& v) {
  std::string out;
  Append(v, &out);
  return out;
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
