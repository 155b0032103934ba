#include "ksim/cel/functions/format.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "ksim/cel/functions/libraries.h"
#include "ksim/cel/values/go_text.h"
#include "ksim/cel/values/operations.h"
#include "ksim/value/text.h"

namespace ksim::cel {
namespace {

constexpr int kDefaultPrecision = 6;

std::string Quoted(const Val& v, const std::string& text) {
  if (v.is_string()) return value::GoQuote(text);
  if (v.kind() == ValKind::kBytes) return "b" + value::GoQuote(text);
  if (v.is_double() && !std::isfinite(v.AsDouble())) return value::GoQuote(text);
  return text;
}

std::string FormatItem(const Val& v, std::string* problem);

std::string FormatList(const Val& v, std::string* problem) {
  std::string text = "[";
  for (std::size_t i = 0; i < v.list().size(); ++i) {
    const Val item = v.list().at(i);
    if (i > 0) text += ", ";
    text += Quoted(item, FormatItem(item, problem));
    if (!problem->empty()) return "";
  }
  return text + "]";
}

std::string FormatMap(const Val& v, std::string* problem) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (std::size_t i = 0; i < v.map().visible(); ++i) {
    const Val key = v.map().key(i);
    if (!key.is_string() && !key.is_bool() && !key.is_int() && !key.is_uint()) {
      *problem = "no formatting function for map key of type " + std::string(key.type_name());
      return "";
    }
    const Val item = v.map().value(i);
    entries.emplace_back(Quoted(key, key.ToText()), Quoted(item, FormatItem(item, problem)));
    if (!problem->empty()) return "";
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text = "{";
  for (const auto& [key, item] : entries) {
    if (text.size() > 1) text += ", ";
    text += key + ":" + item;
  }
  return text + "}";
}

// A member of a list or map.
std::string FormatItem(const Val& v, std::string* problem) {
  switch (v.kind()) {
    case ValKind::kTimestamp:
      return "timestamp(" + value::GoQuote(TimestampText(v)) + ")";
    case ValKind::kDuration:
      return "duration(" + value::GoQuote(DurationText(v.AsInt())) + ")";
    case ValKind::kDouble:
      if (std::isnan(v.AsDouble())) return "NaN";
      if (std::isinf(v.AsDouble())) return v.AsDouble() < 0 ? "-Inf" : "+Inf";
      return DoubleFixed(v.AsDouble(), kDefaultPrecision);
    case ValKind::kOptional:
    case ValKind::kOpaque:
      *problem = "no formatting function for " + std::string(v.type_name());
      return "";
    default:
      return ApplyClause({}, v, problem);
  }
}

std::string FormatText(const Val& v, std::string* problem) {
  switch (v.kind()) {
    case ValKind::kList:
      return FormatList(v, problem);
    case ValKind::kMap:
      return FormatMap(v, problem);
    case ValKind::kNull:
      return "null";
    case ValKind::kOptional:
    case ValKind::kOpaque:
      *problem = ClauseComplaint({}, v.type_name());
      return "";
    default:
      break;
  }
  const Val text = ConvertTo(v, TypeKind::kString);
  if (text.is_error()) *problem = "could not convert argument %!q(" + text.ToText() + ") to string";
  return std::string(text.AsText());
}

std::string FormatReal(const FormatClause& clause, const Val& v, std::string* problem) {
  const bool special = v.is_string() && (v.AsText() == "NaN" || v.AsText() == "Infinity" ||
                                         v.AsText() == "-Infinity");
  if (!v.is_double() && !special) {
    *problem = ClauseComplaint(clause, v.type_name());
    return "";
  }
  const double d = v.is_double() ? v.AsDouble() : ParseDouble(v.AsText()).value_or(0);
  // golang.org/x/text writes these its own way.
  if (std::isnan(d)) return "NaN";
  if (std::isinf(d)) return d < 0 ? "-\xE2\x88\x9E" : "\xE2\x88\x9E";
  const int precision = clause.precision.value_or(kDefaultPrecision);
  if (clause.verb == 'f') {
    std::string text = DoubleFixed(d, precision);
    // The locale en_US groups the digits of a number.
    const std::size_t first = text[0] == '-' ? 1 : 0;
    std::size_t at = std::min(text.find('.'), text.size());
    while (at > first + 3) {
      at -= 3;
      text.insert(at, ",");
    }
    return text;
  }
  // x/text: 1.000000 x 10^03 with superscript is %e's of a printer.
  std::string text = DoubleScientific(d, precision);
  const std::size_t e = text.find('e');
  std::string exponent = text.substr(e + 1);
  text.resize(e);
  static constexpr const char* kSuperscripts[] = {
      "\xE2\x81\xB0", "\xC2\xB9",     "\xC2\xB2",     "\xC2\xB3",     "\xE2\x81\xB4",
      "\xE2\x81\xB5", "\xE2\x81\xB6", "\xE2\x81\xB7", "\xE2\x81\xB8", "\xE2\x81\xB9"};
  text +=
      "\xE2\x80\xAF\xC3\x97\xE2\x80\xAF"
      "10";
  for (const char c : exponent) {
    if (c == '-') text += "\xE2\x81\xBB";
    if (value::IsDigit(c)) text += kSuperscripts[c - '0'];
  }
  return text;
}

std::string InBase(const Val& v, int base) {
  char buffer[80];
  const auto end = v.is_uint() ? std::to_chars(buffer, buffer + sizeof buffer, v.AsUint(), base)
                               : std::to_chars(buffer, buffer + sizeof buffer, v.AsInt(), base);
  return {buffer, end.ptr};
}

std::string FormatInteger(const FormatClause& clause, const Val& v, std::string* problem) {
  const bool integer = v.is_int() || v.is_uint();
  switch (clause.verb) {
    case 'd':
      if (integer) return InBase(v, 10);
      break;
    case 'o':
      if (integer) return InBase(v, 8);
      break;
    case 'b':
      if (integer) return InBase(v, 2);
      if (v.is_bool()) return v.is_true() ? "1" : "0";
      break;
    default: {
      const bool bytes = v.is_string() || v.kind() == ValKind::kBytes;
      if (!integer && !bytes) break;
      std::string text;
      if (integer) text = InBase(v, 16);
      for (const char c : bytes ? v.AsText() : std::string_view()) {
        constexpr char kHex[] = "0123456789abcdef";
        text += kHex[static_cast<unsigned char>(c) >> 4];
        text += kHex[static_cast<unsigned char>(c) & 15];
      }
      if (clause.verb == 'X') {
        for (char& c : text) c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 32) : c;
      }
      return text;
    }
  }
  *problem = ClauseComplaint(clause, v.type_name());
  return "";
}

std::string QuoteText(std::string_view text) {
  std::string out = "\"";
  for (const char32_t rune : Runes(text)) {
    constexpr std::string_view kSpecial = "\a\b\f\n\r\t\v\\\"";
    constexpr std::string_view kLetters = "abfnrtv\\\"";
    const std::size_t at =
        rune < 0x80 ? kSpecial.find(static_cast<char>(rune)) : std::string_view::npos;
    if (at != std::string_view::npos) {
      out += '\\';
      out += kLetters[at];
    } else {
      value::AppendUtf8(rune, &out);
    }
  }
  return out + "\"";
}

}  // namespace

std::string ClauseComplaint(const FormatClause& clause, std::string_view type_name) {
  std::string text;
  switch (clause.verb) {
    case 'd':
      text = "decimal clause can only be used on integers";
      break;
    case 'f':
      text = "fixed-point clause can only be used on doubles";
      break;
    case 'e':
      text = "scientific clause can only be used on doubles";
      break;
    case 'b':
      text = "only integers and bools can be formatted as binary";
      break;
    case 'x':
    case 'X':
      text = "only integers, byte buffers, and strings can be formatted as hex";
      break;
    case 'o':
      text = "octal clause can only be used on integers";
      break;
    default:
      text =
          "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, "
          "types, durations, and timestamps";
      break;
  }
  return text + ", was given " + std::string(type_name);
}

std::string ApplyClause(const FormatClause& clause, const Val& v, std::string* problem) {
  if (clause.verb == 's') return FormatText(v, problem);
  if (clause.verb == 'f' || clause.verb == 'e') return FormatReal(clause, v, problem);
  return FormatInteger(clause, v, problem);
}

FormatResult FormatString(
    std::string_view format, std::size_t count,
    const std::function<std::string(const FormatClause&, std::size_t, std::string*)>& apply) {
  FormatResult result;
  const auto fail = [&result](std::string problem) {
    result.problem = std::move(problem);
    return result;
  };
  for (std::size_t i = 0; i < format.size();) {
    if (format[i] != '%') {
      result.text += format[i++];
      continue;
    }
    if (i + 1 < format.size() && format[i + 1] == '%') {
      result.text += '%';
      i += 2;
      continue;
    }
    if (result.used >= count) {
      return fail("index " + std::to_string(result.used) + " out of range");
    }
    if (++i >= format.size()) return fail("unexpected end of string");
    FormatClause clause;
    const std::string parsing = "could not parse formatting clause: ";
    if (format[i] == '.') {
      const std::size_t from = ++i;
      while (i < format.size() && value::IsDigit(format[i])) ++i;
      const std::string precision = parsing + "error while parsing precision: ";
      if (i >= format.size()) return fail(precision + "could not find end of precision specifier");
      int digits = 0;
      const auto read = std::from_chars(format.data() + from, format.data() + i, digits);
      if (read.ec != std::errc()) {
        return fail(precision + "error while converting precision to integer: strconv.Atoi: " +
                    "parsing \"\": invalid syntax");
      }
      clause.precision = std::min(digits, 10000);
    }
    clause.verb = format[i++];
    if (std::string_view("sdfebxXo").find(clause.verb) == std::string_view::npos) {
      return fail(parsing + "unrecognized formatting clause \"" + clause.verb + "\"");
    }
    std::string problem;
    result.text += apply(clause, result.used++, &problem);
    if (!problem.empty()) return fail("error during formatting: " + problem);
  }
  return result;
}

void AddFormatFunction(FunctionTable* table) {
  table->Add("format", ".string_format (string, list(dyn)) -> string", [](Arguments a) {
    const Val& list = a[1];
    const FormatResult result =
        FormatString(a[0].AsText(), list.list().size(),
                     [&list](const FormatClause& clause, std::size_t i, std::string* problem) {
                       return ApplyClause(clause, list.list().at(i), problem);
                     });
    return result.problem.empty() ? Val::String(result.text) : Val::Error(result.problem);
  });
  table->Add("strings.quote", "strings_quote (string) -> string",
             [](Arguments a) { return Val::String(QuoteText(a[0].AsText())); });
}

}  // namespace ksim::cel
