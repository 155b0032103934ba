#include "ksim/kubelet/stages/sprig_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "ksim/value/go_format.h"
#include "ksim/value/json.h"
#include "ksim/value/text.h"

namespace ksim::kubelet {
namespace {
namespace sprig {

using value::Value;

constexpr std::int64_t kLongestSprigList = 10000;
constexpr std::int64_t kLongestSprigText = 1 << 20;

void GiveText(TemplateCall& call, std::string_view text) { call.result = Datum(Value::Of(text)); }
void GiveInt(TemplateCall& call, std::int64_t n) { call.result = Datum(Value::Int(n)); }
void GiveBool(TemplateCall& call, bool b) { call.result = Datum(Value::Bool(b)); }

// --- choices ---

void Default(TemplateCall& call) {
  const bool given = IsTrueToTemplate(call.arguments.back());
  call.result = given ? call.arguments.back() : call.arguments[0];
}
void IsEmpty(TemplateCall& call) { GiveBool(call, !IsTrueToTemplate(call.arguments[0])); }
void Coalesce(TemplateCall& call) {
  for (const Datum& d : call.arguments) {
    if (!IsTrueToTemplate(d)) continue;
    call.result = d;
    return;
  }
}
void Ternary(TemplateCall& call) {
  if (!call.arguments[2].value.is_bool()) {
    call.error = "the condition of ternary is no boolean";
    return;
  }
  call.result = call.arguments[call.arguments[2].value.AsBool() ? 0 : 1];
}

// --- maps and lists ---

void Dict(TemplateCall& call) {
  if (call.arguments.size() % 2 != 0) {
    call.error = "dict has a name without a value";
    return;
  }
  value::ObjectBuilder out;
  for (std::size_t i = 0; i < call.arguments.size(); i += 2)
    out.Add(call.Text(i), call.arguments[i + 1].value);
  call.result = Datum(out.Build());
}
void Get(TemplateCall& call) {
  const Value& v = call.arguments[0].value;
  const std::string name = call.Text(1);
  call.result = call.arguments[0];
  call.result.value = v.Has(name) ? v.Get(name) : Value::Of("");
}
void HasKey(TemplateCall& call) { GiveBool(call, call.arguments[0].value.Has(call.Text(1))); }
void List(TemplateCall& call) {
  std::vector<Value> items;
  for (const Datum& d : call.arguments) items.push_back(d.value);
  call.result = Datum(Value::Array(std::move(items)));
}
void Ends(TemplateCall& call, bool first) {
  const Value v = call.arguments[0].value;
  if (!v.is_array()) {
    call.error = fmt::format("cannot find {} of type {}", first ? "first" : "last",
                             TemplateTypeName(call.arguments[0]));
    return;
  }
  call.result = call.arguments[0];
  call.result.value = v.at(first || v.empty() ? 0 : v.size() - 1);
}
void First(TemplateCall& call) { Ends(call, true); }
void Last(TemplateCall& call) { Ends(call, false); }
void Has(TemplateCall& call) {
  bool found = false;
  for (const Value& item : call.arguments[1].value.items())
    found = found || item == call.arguments[0].value;
  GiveBool(call, found);
}
void Until(TemplateCall& call) {
  std::vector<Value> items;
  const std::int64_t n = call.Number(0);
  if (n > kLongestSprigList) call.error = "a list of so many numbers is too long";
  for (std::int64_t i = 0; i < n && call.error.empty(); ++i) items.push_back(Value::Int(i));
  call.result = Datum(Value::Array(std::move(items)));
}
void ToJsonText(TemplateCall& call) { GiveText(call, value::GoJson(call.arguments[0].value)); }

// --- whole numbers ---

void Add(TemplateCall& call) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    if (__builtin_add_overflow(sum, call.Number(i), &sum)) call.error = "the sum is too large";
  GiveInt(call, sum);
}
void Add1(TemplateCall& call) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(call.Number(0), std::int64_t{1}, &sum))
    call.error = "the sum is too large";
  GiveInt(call, sum);
}
void Sub(TemplateCall& call) {
  std::int64_t difference = 0;
  if (__builtin_sub_overflow(call.Number(0), call.Number(1), &difference))
    call.error = "the difference is too large";
  GiveInt(call, difference);
}
void Mul(TemplateCall& call) {
  std::int64_t product = 1;
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    if (__builtin_mul_overflow(product, call.Number(i), &product))
      call.error = "the product is too large";
  GiveInt(call, product);
}
void Divide(TemplateCall& call, bool rest) {
  const std::int64_t a = call.Number(0), b = call.Number(1);
  if (b == 0 || b == -1) {
    if (b == 0) call.error = "integer divide by zero";
    GiveInt(call, rest ? 0 : -std::max(a, -INT64_MAX));
    return;
  }
  GiveInt(call, rest ? a % b : a / b);
}
void Div(TemplateCall& call) { Divide(call, false); }
void Mod(TemplateCall& call) { Divide(call, true); }
void Extreme(TemplateCall& call, bool most) {
  std::int64_t out = call.Number(0);
  for (std::size_t i = 1; i < call.arguments.size(); ++i)
    out = most ? std::max(out, call.Number(i)) : std::min(out, call.Number(i));
  GiveInt(call, out);
}
void Max(TemplateCall& call) { Extreme(call, true); }
void Min(TemplateCall& call) { Extreme(call, false); }
void ToInt(TemplateCall& call) { GiveInt(call, call.Number(0)); }

// --- texts ---

// strval: "%v" of what is no string.
std::string Strval(const Datum& d) { return d.missing ? "<nil>" : PrintedByTemplate(d); }

void ToString(TemplateCall& call) { GiveText(call, Strval(call.arguments[0])); }
void Quoted(TemplateCall& call, bool doubly) {
  std::string out;
  for (const Datum& d : call.arguments) {
    if (d.missing || d.value.is_null()) continue;
    if (!out.empty()) out += ' ';
    out += doubly ? value::GoQuote(Strval(d)) : fmt::format("'{}'", Strval(d));
  }
  GiveText(call, out);
}
void QuoteText(TemplateCall& call) { Quoted(call, true); }
void SquoteText(TemplateCall& call) { Quoted(call, false); }

void ChangeCase(TemplateCall& call, char from, char to, int by) {
  std::string text = call.Text(0);
  for (char& c : text)
    if (c >= from && c <= to) c = static_cast<char>(c + by);
  GiveText(call, text);
}
void Lower(TemplateCall& call) { ChangeCase(call, 'A', 'Z', 'a' - 'A'); }
void Upper(TemplateCall& call) { ChangeCase(call, 'a', 'z', 'A' - 'a'); }

std::string TrimmedText(std::string_view text, std::string_view of) {
  const std::size_t first = text.find_first_not_of(of);
  if (first == text.npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(of) - first + 1));
}
void Trim(TemplateCall& call) { GiveText(call, TrimmedText(call.Text(0), " \t\r\n\v\f")); }
void TrimAll(TemplateCall& call) {
  const std::string of = call.Text(0);
  GiveText(call, TrimmedText(call.Text(1), of));
}
void TrimPrefix(TemplateCall& call) {
  const std::string prefix = call.Text(0), text = call.Text(1);
  GiveText(call, text.starts_with(prefix) ? text.substr(prefix.size()) : text);
}
void TrimSuffix(TemplateCall& call) {
  const std::string suffix = call.Text(0), text = call.Text(1);
  GiveText(call, text.ends_with(suffix) ? text.substr(0, text.size() - suffix.size()) : text);
}
void Contains(TemplateCall& call) {
  const std::string part = call.Text(0);
  GiveBool(call, call.Text(1).find(part) != std::string::npos);
}
void HasPrefix(TemplateCall& call) {
  const std::string prefix = call.Text(0);
  GiveBool(call, call.Text(1).starts_with(prefix));
}
void HasSuffix(TemplateCall& call) {
  const std::string suffix = call.Text(0);
  GiveBool(call, call.Text(1).ends_with(suffix));
}

std::string Replaced(std::string_view text, std::string_view old, std::string_view by) {
  std::string out;
  while (!old.empty() && text.find(old) != text.npos) {
    const std::size_t at = text.find(old);
    out += text.substr(0, at);
    out += by;
    text.remove_prefix(at + old.size());
  }
  return out + std::string(text);
}
void Replace(TemplateCall& call) {
  const std::string old = call.Text(0), by = call.Text(1);
  GiveText(call, Replaced(call.Text(2), old, by));
}
void Repeat(TemplateCall& call) {
  const std::int64_t times = call.Number(0);
  const std::string text = call.Text(1);
  std::string out;
  if (times > kLongestSprigList ||
      times * static_cast<std::int64_t>(text.size()) > kLongestSprigText)
    call.error = "so many repetitions are too long";
  for (std::int64_t i = 0; i < times && call.error.empty(); ++i) out += text;
  GiveText(call, out);
}

std::string IndentedText(std::int64_t by, std::string_view text) {
  const std::string pad(static_cast<std::size_t>(std::clamp<std::int64_t>(by, 0, 200)), ' ');
  return pad + Replaced(text, "\n", "\n" + pad);
}
void Indent(TemplateCall& call) { GiveText(call, IndentedText(call.Number(0), call.Text(1))); }
void Nindent(TemplateCall& call) {
  GiveText(call, "\n" + IndentedText(call.Number(0), call.Text(1)));
}
void JoinTexts(TemplateCall& call) {
  const std::string separator = call.Text(0);
  std::vector<std::string> parts;
  for (const Value& item : call.arguments[1].value.items())
    if (!item.is_null()) parts.push_back(PrintedByTemplate(Datum(item)));
  GiveText(call, value::Join(parts, separator));
}
void SplitList(TemplateCall& call) {
  const std::string separator = call.Text(0), text = call.Text(1);
  std::vector<Value> parts;
  std::size_t at = 0;
  while (!separator.empty()) {
    const std::size_t next = text.find(separator, at);
    if (next == text.npos) break;
    parts.push_back(Value::Of(text.substr(at, next - at)));
    at = next + separator.size();
  }
  parts.push_back(Value::Of(text.substr(at)));
  call.result = Datum(Value::Array(std::move(parts)));
}

}  // namespace sprig

constexpr TemplateFunction kSprigFunctions[] = {{"add", 1, -1, sprig::Add},
                                                {"add1", 1, 1, sprig::Add1},
                                                {"coalesce", 1, -1, sprig::Coalesce},
                                                {"contains", 2, 2, sprig::Contains},
                                                {"default", 2, 2, sprig::Default},
                                                {"dict", 0, -1, sprig::Dict},
                                                {"div", 2, 2, sprig::Div},
                                                {"empty", 1, 1, sprig::IsEmpty},
                                                {"first", 1, 1, sprig::First},
                                                {"get", 2, 2, sprig::Get},
                                                {"has", 2, 2, sprig::Has},
                                                {"hasKey", 2, 2, sprig::HasKey},
                                                {"hasPrefix", 2, 2, sprig::HasPrefix},
                                                {"hasSuffix", 2, 2, sprig::HasSuffix},
                                                {"indent", 2, 2, sprig::Indent},
                                                {"int", 1, 1, sprig::ToInt},
                                                {"int64", 1, 1, sprig::ToInt},
                                                {"join", 2, 2, sprig::JoinTexts},
                                                {"last", 1, 1, sprig::Last},
                                                {"list", 0, -1, sprig::List},
                                                {"lower", 1, 1, sprig::Lower},
                                                {"max", 1, -1, sprig::Max},
                                                {"min", 1, -1, sprig::Min},
                                                {"mod", 2, 2, sprig::Mod},
                                                {"mul", 1, -1, sprig::Mul},
                                                {"nindent", 2, 2, sprig::Nindent},
                                                {"quote", 0, -1, sprig::QuoteText},
                                                {"repeat", 2, 2, sprig::Repeat},
                                                {"replace", 3, 3, sprig::Replace},
                                                {"splitList", 2, 2, sprig::SplitList},
                                                {"squote", 0, -1, sprig::SquoteText},
                                                {"sub", 2, 2, sprig::Sub},
                                                {"ternary", 3, 3, sprig::Ternary},
                                                {"toJson", 1, 1, sprig::ToJsonText},
                                                {"toString", 1, 1, sprig::ToString},
                                                {"trim", 1, 1, sprig::Trim},
                                                {"trimAll", 2, 2, sprig::TrimAll},
                                                {"trimPrefix", 2, 2, sprig::TrimPrefix},
                                                {"trimSuffix", 2, 2, sprig::TrimSuffix},
                                                {"until", 1, 1, sprig::Until},
                                                {"upper", 1, 1, sprig::Upper}};

}  // namespace

const TemplateFunction* FindSprigFunction(std::string_view name) {
  const auto* it = std::find_if(std::begin(kSprigFunctions), std::end(kSprigFunctions),
                                [&](const TemplateFunction& f) { return f.name == name; });
  return it == std::end(kSprigFunctions) ? nullptr : it;
}

void AppendSprigFunctionNames(std::vector<std::string_view>* names) {
  for (const TemplateFunction& f : kSprigFunctions) names->push_back(f.name);
}

}  // namespace ksim::kubelet
