#include "ksim/api/structural/findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ksim/api/core/go_text.h"
#include "ksim/value/go_format.h"

namespace ksim::api {

using value::Value;

void TellFinding(const Finding& f, std::string_view place, FieldErrorList* errors) {
  const Compat compat = errors->compat();
  using Kind = Finding::Kind;
  std::string field(place);
  if (f.kind != Kind::kComposite && !f.name.empty() && f.name != ".") {
    std::string_view name = f.name;
    if (name.starts_with(".")) name.remove_prefix(1);
    if (!field.empty()) field += '.';
    field += name;
  }
  if (field.empty()) field = "<nil>";
  const auto add = [&](const char* reason, std::string body) {
    errors->Add(reason, std::move(body), field);
  };
  const std::string bad = ShownValue(f.bad, compat);
  switch (f.kind) {
    case Kind::kRequired:
      return add("FieldValueRequired", "Required value");
    case Kind::kTooLong:
      return add("FieldValueTooLong",
                 ProfileOf(compat).too_long_as_may_not_be
                     ? fmt::format("Too long: may not be more than {} {}", f.most,
                                   f.most == 1 ? "byte" : "bytes")
                     : fmt::format("Too long: may not be longer than {}", f.most));
    case Kind::kTooMany: {
      const bool one = f.most == 1 && ProfileOf(compat).bad_values_as_json;
      return add("FieldValueTooMany", fmt::format("Too many: {}: must have at most {} {}", bad,
                                                  f.most, one ? "item" : "items"));
    }
    case Kind::kEnum: {
      std::vector<std::string> allowed;
      for (const Value& one : f.allowed.items())
        allowed.push_back(
            GoQuote(one.is_string() ? std::string(one.AsString()) : value::GoJson(one)));
      return add("FieldValueNotSupported",
                 fmt::format("Unsupported value: {}: supported values: {}", bad,
                             fmt::join(allowed, ", ")));
    }
    case Kind::kType:
      return add("FieldValueTypeInvalid", fmt::format("Invalid value: {}: {}", bad, f.message));
    default:
      return add("FieldValueInvalid", fmt::format("Invalid value: {}: {}", bad, f.message));
  }
}

std::string ShownValue(const Value& v, Compat compat) {
  if (v.is_string()) return GoQuote(v.AsString());
  if (v.is_number() || v.is_bool()) return value::GoFormat(v);
  const bool as_json = ProfileOf(compat).bad_values_as_json;
  if (v.is_null()) return as_json ? "null" : "\"null\"";
  return as_json ? value::GoJson(v) : value::GoSyntax(v);
}

}  // namespace ksim::api
