#include "ksim/cel/functions/named_format.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/cel/functions/libraries.h"
#include "ksim/cel/functions/opaque.h"
#include "ksim/cel/functions/regex.h"
#include "ksim/cel/functions/url.h"
#include "ksim/cel/values/go_text.h"
#include "ksim/value/base64.h"
#include "ksim/value/selector.h"

namespace ksim::cel {
namespace {

using Problems = std::vector<std::string>;

bool Matches(std::string_view text, const char* pattern) {
  std::string error;
  return Regex::Compile(pattern, &error)->Matches(text);
}

constexpr char kLabel[] = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";
constexpr char kSubdomain[] = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";

void CheckLength(std::string_view text, std::size_t most, Problems* problems) {
  if (text.size() > most) {
    problems->push_back("must be no more than " + std::to_string(most) + " bytes");
  }
}

Problems LabelProblems(std::string_view text) {
  Problems problems;
  CheckLength(text, 63, &problems);
  if (Matches(text, kLabel)) return problems;
  if (Matches(text, kSubdomain)) {
    problems.emplace_back("must not contain dots");
  } else {
    problems.emplace_back(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
        "and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', "
        "regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')");
  }
  return problems;
}

Problems SubdomainProblems(std::string_view text) {
  Problems problems;
  CheckLength(text, 253, &problems);
  if (!Matches(text, kSubdomain)) {
    problems.emplace_back(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' "
        "or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex "
        "used for validation is "
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
  }
  return problems;
}

Problems Label1035Problems(std::string_view text) {
  Problems problems;
  CheckLength(text, 63, &problems);
  if (!Matches(text, "^[a-z]([-a-z0-9]*[a-z0-9])?$")) {
    problems.emplace_back(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with "
        "an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "
        "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')");
  }
  return problems;
}

// maskTrailingDash: what a prefix ends with does not count.
std::string Masked(std::string_view text) {
  if (text.size() <= 1 || !text.ends_with('-')) return std::string(text);
  return std::string(text.substr(0, text.size() - 2)) + "a";
}

Problems UriProblems(std::string_view text) {
  std::string error;
  if (Url::ParseRequest(text, &error).has_value()) return {};
  return {error};
}

Problems UuidProblems(std::string_view text) {
  const bool valid =
      Matches(text, "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$");
  if (valid) return {};
  return {"does not match the UUID format"};
}

Problems ByteProblems(std::string_view text) {
  const bool valid = Matches(text,
                             "^(?:[A-Za-z0-9+\\/]{4})*(?:[A-Za-z0-9+\\/]{2}==|[A-Za-z0-9+\\/]{3}=|"
                             "[A-Za-z0-9+\\/]{4})$");
  if (valid) return {};
  return {"invalid base64"};
}

bool IsDate(std::string_view text) {
  return text.size() == 10 && ParseTimestamp(std::string(text) + "T00:00:00Z").has_value();
}

Problems DateProblems(std::string_view text) {
  if (IsDate(text)) return {};
  return {"invalid date"};
}

// strfmt.IsDateTime.
Problems DateTimeProblems(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  const std::size_t t = lower.find('t');
  bool valid = t != std::string::npos && IsDate(lower.substr(0, t));
  if (valid) {
    const std::string time = lower.substr(t + 1, lower.find('t', t + 1) - t - 1);
    valid =
        Matches(time, "^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$");
    valid = valid && time.substr(0, 2) <= "23" && time.substr(3, 2) <= "59" &&
            time.substr(6, 2) <= "59";
  }
  if (valid) return {};
  return {"invalid datetime"};
}

struct NamedFormat {
  const char* function;  // format.dns1123Label
  std::uint64_t regex_size;
  Problems (*problems)(std::string_view);
};

constexpr std::array<NamedFormat, 13> kFormats = {{
    {"dns1123Label", 30, LabelProblems},
    {"dns1123Subdomain", 60, SubdomainProblems},
    {"dns1035Label", 30, Label1035Problems},
    {"qualifiedName", 60, [](std::string_view s) { return value::LabelKeyProblems(s); }},
    {"dns1123LabelPrefix", 30, [](std::string_view s) { return LabelProblems(Masked(s)); }},
    {"dns1123SubdomainPrefix", 60, [](std::string_view s) { return SubdomainProblems(Masked(s)); }},
    {"dns1035LabelPrefix", 30, [](std::string_view s) { return Label1035Problems(Masked(s)); }},
    {"labelValue", 40, [](std::string_view s) { return value::LabelValueProblems(s); }},
    {"uri", 1103, UriProblems},
    {"uuid", 70, UuidProblems},
    {"byte", 84, ByteProblems},
    {"date", 71, DateProblems},
    {"datetime", 71, DateTimeProblems},
}};

struct FormatValue {
  const NamedFormat* format;
  static TypePtr CelType() { return StructType("kubernetes.NamedFormat"); }
  bool operator==(const FormatValue& o) const { return format == o.format; }
};

Val ValidateText(Arguments a) {
  const NamedFormat& format = *OpaqueValue<FormatValue>(a[0]).format;
  std::vector<Val> items;
  for (const std::string& problem : format.problems(a[1].AsText())) {
    items.push_back(Val::String(problem));
  }
  return items.empty() ? Val::None() : Val::Optional(Val::List(std::move(items)));
}

}  // namespace

std::optional<std::uint64_t> MaxRegexSize(const Val& format) {
  const FormatValue* v = OpaqueOf<FormatValue>::Get(format);
  if (v == nullptr) return std::nullopt;
  return v->format->regex_size;
}

void AddNamedFormatFunctions(FunctionTable* table) {
  table->Add("validate",
             ".format-validate (kubernetes.NamedFormat, string) -> optional(list(string))",
             ValidateText);
  table->Add("format.named", "format-named (string) -> optional(kubernetes.NamedFormat)",
             [](Arguments a) {
               for (const NamedFormat& format : kFormats) {
                 if (a[0].AsText() == format.function) {
                   return Val::Optional(MakeOpaque(FormatValue{&format}));
                 }
               }
               return Val::None();
             });
  for (const NamedFormat& format : kFormats) {
    std::string name = "format.";
    name += format.function;
    table->Add(name, name + " () -> kubernetes.NamedFormat",
               [&format](Arguments) { return MakeOpaque(FormatValue{&format}); });
  }
}

}  // namespace ksim::cel
