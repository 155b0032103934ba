// Kubernetes' libraries of URLs, quantities and semantic versions: libraries.h.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "ksim/base/status.h"
#include "ksim/cel/functions/libraries.h"
#include "ksim/cel/functions/opaque.h"
#include "ksim/cel/functions/semver.h"
#include "ksim/cel/functions/url.h"
#include "ksim/cel/values/go_text.h"
#include "ksim/value/quantity.h"

namespace ksim::cel {
namespace {

struct UrlValue {
  Url url;
  std::string text;
  static TypePtr CelType() { return StructType("kubernetes.URL"); }
  bool operator==(const UrlValue& o) const { return text == o.text; }
};

struct QuantityValue {
  value::Quantity quantity;
  // Not of the form that upstream keeps as a whole number: 1000m, 1.0, 1.5Gi.
  bool fractional = false;
  static TypePtr CelType() { return StructType("kubernetes.Quantity"); }
  bool operator==(const QuantityValue& o) const { return quantity == o.quantity; }
};

struct SemverValue {
  Semver version;
  static TypePtr CelType() { return StructType("kubernetes.Semver"); }
  bool operator==(const SemverValue& o) const { return version.Compare(o.version) == 0; }
};

Val ParseUrl(Arguments a) {
  std::string error;
  std::optional<Url> url = Url::ParseRequest(a[0].AsText(), &error);
  if (!url.has_value())
    return Val::Error("URL parse error during conversion from string: " + error);
  // url.Parse takes the fragment off, ParseRequestURI does not.
  const std::string text(a[0].AsText());
  if (const std::size_t hash = text.find('#'); hash != std::string::npos) {
    url = Url::ParseRequest(text.substr(0, hash), &error);
    if (!url.has_value()) {
      return Val::Error("URL parse error during conversion from string: " + error);
    }
  }
  return MakeOpaque(UrlValue{*std::move(url), text});
}

const Url& UrlOf(const Val& v) { return OpaqueValue<UrlValue>(v).url; }

Val QueryOf(Arguments a) {
  std::vector<std::pair<Val, Val>> entries;
  for (const auto& [name, texts] : UrlOf(a[0]).Query()) {
    std::vector<Val> items;
    for (const std::string& text : texts) items.push_back(Val::String(text));
    entries.emplace_back(Val::String(name), Val::List(std::move(items)));
  }
  return Val::Map(std::move(entries));
}

const value::Quantity& QuantityOf(const Val& v) { return OpaqueValue<QuantityValue>(v).quantity; }

Val FromQuantity(value::Quantity q, bool fractional = false) {
  return MakeOpaque(QuantityValue{std::move(q), fractional});
}

int OrderQuantities(const value::Quantity& a, const value::Quantity& b) {
  return a < b ? -1 : a == b ? 0 : 1;
}

// Whether ParseQuantity keeps a text in parts of one, whatever it amounts to.
bool IsFractionalText(std::string_view text) {
  const std::size_t end = std::min(text.find_first_not_of("+-0123456789."), text.size());
  const std::size_t point = text.substr(0, end).find('.');
  const std::size_t digits = point == std::string_view::npos ? 0 : end - point - 1;
  const std::string_view suffix = text.substr(end);
  if (suffix == "m" || suffix == "u" || suffix == "n") return true;
  if (suffix.ends_with('i')) return digits > 0;
  constexpr std::string_view kSuffixes = "kMGTPE";
  const std::size_t at = suffix.size() == 1 ? kSuffixes.find(suffix[0]) : std::string_view::npos;
  return digits > (at == std::string_view::npos ? 0 : 3 * (at + 1));
}

// Whether a quantity is a whole number of int64.
bool IsWhole(const value::Quantity& q) { return value::Quantity::FromInt(q.Value()) == q; }

bool IsInteger(const Val& v) {
  return !OpaqueValue<QuantityValue>(v).fractional && IsWhole(QuantityOf(v));
}

// AsApproximateFloat64: through the milli value or the whole one, both exact where they fit.
double Approximate(const value::Quantity& q) {
  if (IsWhole(q)) return static_cast<double>(q.Value());
  if (value::Quantity::FromMilli(q.MilliValue()) == q) {
    return static_cast<double>(q.MilliValue()) * std::pow(10, -3);
  }
  return ParseDouble(q.ToString()).value_or(static_cast<double>(q.MilliValue()) / 1e3);
}

value::Quantity WholeQuantity(const Val& v) {
  return value::Quantity::FromInt(v.AsInt(), value::Quantity::Format::kDecimalExponent);
}

Val ParseSemver(std::string_view text, bool normalize) {
  std::string error;
  const std::optional<Semver> version = Semver::Parse(text, normalize, &error);
  if (!version.has_value()) return Val::Error(error);
  return MakeOpaque(SemverValue{*version});
}

Val IsSemver(std::string_view text, bool normalize) {
  std::string error;
  return Val::Bool(Semver::Parse(text, normalize, &error).has_value());
}

const Semver& SemverOf(const Val& v) { return OpaqueValue<SemverValue>(v).version; }

}  // namespace

void AddUrlFunctions(FunctionTable* table) {
  table->Add("url", "string_to_url (string) -> kubernetes.URL", ParseUrl);
  const auto text = [table](const char* function, const std::string& id,
                            std::string (*get)(const Url&)) {
    table->Add(function, "." + id + " (kubernetes.URL) -> string",
               [get](Arguments a) { return Val::String(get(UrlOf(a[0]))); });
  };
  text("getScheme", "url_get_scheme", [](const Url& u) { return u.scheme; });
  text("getHost", "url_get_host", [](const Url& u) { return u.host; });
  text("getHostname", "url_get_hostname", [](const Url& u) { return u.Hostname(); });
  text("getPort", "url_get_port", [](const Url& u) { return u.Port(); });
  text("getEscapedPath", "url_get_escaped_path", [](const Url& u) { return u.EscapedPath(); });
  table->Add("getQuery", ".url_get_query (kubernetes.URL) -> map(string, list(string))", QueryOf);
  table->Add("isURL", "is_url_string (string) -> bool", [](Arguments a) {
    std::string error;
    return Val::Bool(Url::ParseRequest(a[0].AsText(), &error).has_value());
  });
}

void AddQuantityFunctions(FunctionTable* table) {
  table->Add("quantity", "string_to_quantity (string) -> kubernetes.Quantity", [](Arguments a) {
    auto q = value::Quantity::Parse(a[0].AsText());
    return q.ok() ? FromQuantity(*std::move(q), IsFractionalText(a[0].AsText()))
                  : Val::Error(Message(q.status()));
  });
  table->Add("isQuantity", "is_quantity_string (string) -> bool",
             [](Arguments a) { return Val::Bool(value::Quantity::Parse(a[0].AsText()).ok()); });
  table->Add("sign", "quantity_sign (kubernetes.Quantity) -> int",
             [](Arguments a) { return Val::Int(QuantityOf(a[0]).Sign()); });
  const std::string two = " (kubernetes.Quantity, kubernetes.Quantity) -> ";
  table->Add("isGreaterThan", ".quantity_is_greater_than" + two + "bool", [](Arguments a) {
    return Val::Bool(OrderQuantities(QuantityOf(a[0]), QuantityOf(a[1])) > 0);
  });
  table->Add("isLessThan", ".quantity_is_less_than" + two + "bool", [](Arguments a) {
    return Val::Bool(OrderQuantities(QuantityOf(a[0]), QuantityOf(a[1])) < 0);
  });
  table->Add("compareTo", ".quantity_compare_to" + two + "int", [](Arguments a) {
    return Val::Int(OrderQuantities(QuantityOf(a[0]), QuantityOf(a[1])));
  });
  table->Add("asApproximateFloat", ".quantity_get_float (kubernetes.Quantity) -> double",
             [](Arguments a) { return Val::Double(Approximate(QuantityOf(a[0]))); });
  table->Add("asInteger", ".quantity_get_int (kubernetes.Quantity) -> int", [](Arguments a) {
    if (!IsInteger(a[0])) return Val::Error("cannot convert value to integer");
    return Val::Int(QuantityOf(a[0]).Value());
  });
  table->Add("isInteger", ".quantity_is_integer (kubernetes.Quantity) -> bool",
             [](Arguments a) { return Val::Bool(IsInteger(a[0])); });
  table->Add("add", ".quantity_add" + two + "kubernetes.Quantity",
             [](Arguments a) { return FromQuantity(QuantityOf(a[0]) + QuantityOf(a[1])); });
  table->Add("add", ".quantity_add_int (kubernetes.Quantity, int) -> kubernetes.Quantity",
             [](Arguments a) { return FromQuantity(QuantityOf(a[0]) + WholeQuantity(a[1])); });
  table->Add("sub", ".quantity_sub" + two + "kubernetes.Quantity",
             [](Arguments a) { return FromQuantity(QuantityOf(a[0]) - QuantityOf(a[1])); });
  table->Add("sub", ".quantity_sub_int (kubernetes.Quantity, int) -> kubernetes.Quantity",
             [](Arguments a) { return FromQuantity(QuantityOf(a[0]) - WholeQuantity(a[1])); });
}

void AddSemverFunctions(FunctionTable* table) {
  table->Add("semver", "string_to_semver (string) -> kubernetes.Semver",
             [](Arguments a) { return ParseSemver(a[0].AsText(), false); });
  table->Add("semver", "string_bool_to_semver (string, bool) -> kubernetes.Semver",
             [](Arguments a) { return ParseSemver(a[0].AsText(), a[1].is_true()); });
  table->Add("isSemver", "is_semver_string (string) -> bool",
             [](Arguments a) { return IsSemver(a[0].AsText(), false); });
  table->Add("isSemver", "is_semver_string_bool (string, bool) -> bool",
             [](Arguments a) { return IsSemver(a[0].AsText(), a[1].is_true()); });
  const std::string two = " (kubernetes.Semver, kubernetes.Semver) -> ";
  table->Add("isGreaterThan", ".semver_is_greater_than" + two + "bool",
             [](Arguments a) { return Val::Bool(SemverOf(a[0]).Compare(SemverOf(a[1])) > 0); });
  table->Add("isLessThan", ".semver_is_less_than" + two + "bool",
             [](Arguments a) { return Val::Bool(SemverOf(a[0]).Compare(SemverOf(a[1])) < 0); });
  table->Add("compareTo", ".semver_compare_to" + two + "int",
             [](Arguments a) { return Val::Int(SemverOf(a[0]).Compare(SemverOf(a[1]))); });
  const auto part = [table](const char* function, const std::string& id,
                            std::uint64_t Semver::* member) {
    table->Add(function, "." + id + " (kubernetes.Semver) -> int", [member](Arguments a) {
      return Val::Int(static_cast<std::int64_t>(SemverOf(a[0]).*member));
    });
  };
  part("major", "semver_major", &Semver::major);
  part("minor", "semver_minor", &Semver::minor);
  part("patch", "semver_patch", &Semver::patch);
}

}  // namespace ksim::cel
