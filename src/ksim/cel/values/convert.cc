// Conversions of operations.h, and the text of values.
#include <algorithm>
#include <cmath>

#include "ksim/cel/values/go_text.h"
#include "ksim/cel/values/operations.h"
#include "ksim/value/text.h"

namespace ksim::cel {
namespace {

std::string_view NameOf(TypeKind kind) {
  switch (kind) {
    case TypeKind::kBool:
      return "bool";
    case TypeKind::kInt:
      return "int";
    case TypeKind::kUint:
      return "uint";
    case TypeKind::kDouble:
      return "double";
    case TypeKind::kString:
      return "string";
    case TypeKind::kBytes:
      return "bytes";
    case TypeKind::kTimestamp:
      return "google.protobuf.Timestamp";
    case TypeKind::kDuration:
      return "google.protobuf.Duration";
    default:
      return "type";
  }
}

Val ConversionError(const Val& v, TypeKind kind) {
  return Val::Error("type conversion error from '" + std::string(v.type_name()) + "' to '" +
                    std::string(NameOf(kind)) + "'");
}

constexpr std::int64_t kFirstUnix = -62135596800;
constexpr std::int64_t kLastUnix = 253402300799;

Val TimestampInRange(const Val& v) {
  if (v.seconds() < kFirstUnix || v.seconds() > kLastUnix) return Val::Error("timestamp overflow");
  return v;
}

std::optional<bool> ParseBool(std::string_view text) {
  for (const std::string_view t : {"1", "t", "T", "TRUE", "true", "True"}) {
    if (text == t) return true;
  }
  for (const std::string_view f : {"0", "f", "F", "FALSE", "false", "False"}) {
    if (text == f) return false;
  }
  return std::nullopt;
}

Val FromString(const Val& v, TypeKind kind) {
  const std::string_view text = v.AsText();
  switch (kind) {
    case TypeKind::kInt:
      if (const auto i = value::ParseGoInt(text)) return Val::Int(*i);
      break;
    case TypeKind::kUint:
      if (const auto u = ParseUint(text)) return Val::Uint(*u);
      break;
    case TypeKind::kDouble:
      if (const auto d = ParseDouble(text)) return Val::Double(*d);
      break;
    case TypeKind::kBool:
      if (const auto b = ParseBool(text)) return Val::Bool(*b);
      break;
    case TypeKind::kBytes:
      return Val::Bytes(text);
    case TypeKind::kDuration:
      if (const auto d = ParseDuration(text)) return Val::Duration(*d);
      break;
    case TypeKind::kTimestamp:
      if (const auto t = ParseTimestamp(text)) return TimestampInRange(*t);
      break;
    default:
      break;
  }
  return ConversionError(v, kind);
}

Val FromInt(const Val& v, TypeKind kind) {
  const std::int64_t i = v.AsInt();
  switch (kind) {
    case TypeKind::kUint:
      if (i < 0) return Val::Error("unsigned integer overflow");
      return Val::Uint(static_cast<std::uint64_t>(i));
    case TypeKind::kDouble:
      return Val::Double(static_cast<double>(i));
    case TypeKind::kString:
      return Val::String(std::to_string(i));
    case TypeKind::kTimestamp:
      return TimestampInRange(Val::Timestamp(i, 0));
    default:
      return ConversionError(v, kind);
  }
}

Val FromUint(const Val& v, TypeKind kind) {
  const std::uint64_t u = v.AsUint();
  switch (kind) {
    case TypeKind::kInt:
      if (u > static_cast<std::uint64_t>(INT64_MAX)) return Val::Error("integer overflow");
      return Val::Int(static_cast<std::int64_t>(u));
    case TypeKind::kDouble:
      return Val::Double(static_cast<double>(u));
    case TypeKind::kString:
      return Val::String(std::to_string(u));
    default:
      return ConversionError(v, kind);
  }
}

Val FromDouble(const Val& v, TypeKind kind) {
  const double d = v.AsDouble();
  switch (kind) {
    case TypeKind::kInt:
      if (!(d > -9223372036854775808.0 && d < 9223372036854775808.0)) {
        return Val::Error("integer overflow");
      }
      return Val::Int(static_cast<std::int64_t>(d));
    case TypeKind::kUint:
      if (!(d >= 0 && d < 18446744073709551616.0)) return Val::Error("unsigned integer overflow");
      return Val::Uint(static_cast<std::uint64_t>(d));
    case TypeKind::kString:
      return Val::String(DoubleG(d));
    default:
      return ConversionError(v, kind);
  }
}

ValKind KindOf(TypeKind kind) {
  switch (kind) {
    case TypeKind::kBool:
      return ValKind::kBool;
    case TypeKind::kInt:
      return ValKind::kInt;
    case TypeKind::kUint:
      return ValKind::kUint;
    case TypeKind::kDouble:
      return ValKind::kDouble;
    case TypeKind::kString:
      return ValKind::kString;
    case TypeKind::kBytes:
      return ValKind::kBytes;
    case TypeKind::kTimestamp:
      return ValKind::kTimestamp;
    case TypeKind::kDuration:
      return ValKind::kDuration;
    default:
      return ValKind::kError;
  }
}

std::string FormatDouble(double d) {
  if (std::isnan(d)) return "double(\"NaN\")";
  if (std::isinf(d)) return d < 0 ? "double(\"-Infinity\")" : "double(\"Infinity\")";
  std::string text = DoubleF(d);
  if (text.find('.') == std::string::npos) text += ".0";
  return text;
}

std::string FormatBytes(std::string_view bytes) {
  std::string text = "b\"";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += '\\';
    for (const int shift : {6, 3, 0}) text += static_cast<char>('0' + ((byte >> shift) & 7));
  }
  return text + "\"";
}

}  // namespace

Val ConvertTo(const Val& v, TypeKind kind) {
  if (v.kind() == KindOf(kind)) return v;
  switch (v.kind()) {
    case ValKind::kString:
      return FromString(v, kind);
    case ValKind::kInt:
      return FromInt(v, kind);
    case ValKind::kUint:
      return FromUint(v, kind);
    case ValKind::kDouble:
      return FromDouble(v, kind);
    case ValKind::kBool:
      if (kind == TypeKind::kString) return Val::String(v.is_true() ? "true" : "false");
      break;
    case ValKind::kBytes:
      if (kind == TypeKind::kString) {
        if (!value::IsUtf8(v.AsText())) {
          return Val::Error("invalid UTF-8 in bytes, cannot convert to string");
        }
        return Val::String(v.text_tree());
      }
      break;
    case ValKind::kTimestamp:
      if (kind == TypeKind::kString) return Val::String(TimestampText(v));
      if (kind == TypeKind::kInt) return Val::Int(v.seconds());
      break;
    case ValKind::kDuration:
      if (kind == TypeKind::kString) return Val::String(DurationText(v.AsInt()));
      if (kind == TypeKind::kInt) return Val::Int(v.AsInt());
      break;
    case ValKind::kNull:
      if (kind == TypeKind::kString) return Val::String("null");
      break;
    case ValKind::kType:
      if (kind == TypeKind::kString) return Val::String(v.type_value()->name);
      break;
    default:
      break;
  }
  return ConversionError(v, kind);
}

std::string FormatLiteral(const Val& v) {
  switch (v.kind()) {
    case ValKind::kNull:
      return "null";
    case ValKind::kString:
      return value::GoQuote(v.AsText());
    case ValKind::kBytes:
      return FormatBytes(v.AsText());
    case ValKind::kDouble:
      return FormatDouble(v.AsDouble());
    case ValKind::kUint:
      return std::to_string(v.AsUint()) + "u";
    case ValKind::kTimestamp:
      return "timestamp(\"" + TimestampText(Val::Timestamp(v.seconds(), v.nanos())) + "\")";
    case ValKind::kDuration:
      return "duration(\"" + DurationText(v.AsInt()) + "\")";
    case ValKind::kList: {
      std::string text = "[";
      for (std::size_t i = 0; i < v.list().size(); ++i) {
        if (i > 0) text += ", ";
        text += FormatLiteral(v.list().at(i));
      }
      return text + "]";
    }
    case ValKind::kMap: {
      std::vector<std::string> entries;
      for (std::size_t i = 0; i < v.map().visible(); ++i) {
        entries.push_back(FormatLiteral(v.map().key(i)) + ": " + FormatLiteral(v.map().value(i)));
      }
      std::sort(entries.begin(), entries.end());
      return "{" + value::Join(entries, ", ") + "}";
    }
    case ValKind::kOptional:
      if (v.optional_value() == nullptr) return "optional.none()";
      return "optional.of(" + FormatLiteral(*v.optional_value()) + ")";
    case ValKind::kOpaque:
      return std::string(v.type_name());
    default:
      return v.ToText();
  }
}

}  // namespace ksim::cel
