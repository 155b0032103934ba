#include "ksim/api/structural/schema_validator.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "ksim/api/core/go_text.h"
#include "ksim/api/structural/correlation.h"
#include "ksim/api/structural/findings.h"
#include "ksim/api/structural/formats.h"
#include "ksim/api/structural/go_regexp.h"
#include "ksim/value/go_format.h"

namespace ksim::api {

using value::Value;

namespace {

// The way to a value, made a text when an error needs it.
struct SchemaPlace {
  const SchemaPlace* parent = nullptr;
  std::string_view name;
  std::size_t index = 0;
  enum class Kind : std::uint8_t { kRoot, kProperty, kKey, kIndex } kind = Kind::kRoot;

  std::string Text() const {
    std::string text = parent == nullptr ? std::string() : parent->Text();
    if (kind == Kind::kIndex) return text + fmt::format("[{}]", index);
    // A key of additionalProperties follows a point even at the root.
    if (kind == Kind::kKey || (kind == Kind::kProperty && !text.empty())) text += '.';
    return text.append(name);
  }
};

// schemaInfoForType: the JSON type of a value and its format.
std::pair<std::string_view, std::string_view> TypeOfValue(const Value& v) {
  if (v.is_bool()) return {"boolean", ""};
  if (v.is_string()) return {"string", ""};
  if (v.is_int()) return {"integer", "int64"};
  if (v.is_double()) return {"number", "float64"};
  return v.is_array() ? std::pair<std::string_view, std::string_view>{"array", ""}
                      : std::pair<std::string_view, std::string_view>{"object", ""};
}

// swag.IsFloat64AJSONInteger
bool IsWhole(double f) {
  constexpr double kMost = 9007199254740991.0;
  if (!std::isfinite(f) || f < -kMost || f > kMost) return false;
  const double g = std::trunc(f);
  if (f == g) return true;
  const double sum = std::fabs(f) + std::fabs(g);
  return std::fabs(f - g) / std::min(sum, std::numeric_limits<double>::max()) < 1e-9;
}

std::int64_t GoInt64(double d) {
  if (d >= 9.2e18) return std::numeric_limits<std::int64_t>::min();  // as Go on amd64
  if (d <= -9.2e18) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(d);
}

std::string GoNumber(double d) { return value::GoFormat(Value::Double(d)); }

std::int64_t RuneCount(std::string_view text) {
  std::int64_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return count;
}

class SchemaWalk {
 public:
  SchemaWalk(Compat compat, bool ratchets) : compat_(compat), ratchets_(ratchets) {}

  // Validates a field or an item; what is as it was is good (ratchetingValueValidator).
  Findings Validate(const SchemaNode& s, const Value& v, const SchemaPlace& at, const Value* old) {
    Findings result = Judge(s, v, at, old);
    if (!result.valid() && old != nullptr && *old == v) result.errors.clear();
    return result;
  }

 private:
  using Kind = Finding::Kind;

  Findings Judge(const SchemaNode& s, const Value& v, const SchemaPlace& at, const Value* old) {
    Findings result;
    const bool typed = !s.type.empty() || s.int_or_string;
    if (v.is_null()) {
      result.Merge(JudgeNull(s, typed, at));
      JudgeEnum(s, v, at, &result);
      return result;
    }
    const bool known = IsSupportedFormat(s.format, compat_) || IsNumberFormat(s);
    const std::string_view format = known ? s.format : "";
    if (typed || !format.empty()) {
      result.Merge(JudgeType(s, v, at, format));
      ++result.matches;
    }
    result.Merge(JudgeLogic(s, v, at, old));
    ++result.matches;
    if (v.is_string()) {
      JudgeText(s, v, at, &result);
      ++result.matches;
      if (!format.empty()) {
        if (!HasFormat(v.AsString(), format))
          result.Add(Finding(Kind::kType, at.Text(),
                             fmt::format("{} in body must be of type {}: {}", at.Text(), format,
                                         GoQuote(v.AsString())),
                             v));
        ++result.matches;
      }
    }
    if (v.is_number()) {
      JudgeRange(s, v, at, &result);
      if (s.bounds != nullptr) JudgeNumber(*s.bounds, v, at, &result);
      result.matches += 2;
    }
    if (v.is_array()) {
      JudgeItems(s, v, at, old, &result);
      result.matches += 2;
    }
    JudgeEnum(s, v, at, &result);
    ++result.matches;
    if (v.is_object()) {
      JudgeFields(s, v, at, old, &result);
      ++result.matches;
    }
    ++result.matches;
    return result;
  }

  static std::string TypesOf(const SchemaNode& s) {
    return s.int_or_string ? "integer,string" : std::string(s.type);
  }

  static Finding WrongType(const SchemaPlace& at, std::string_view wanted, std::string_view is) {
    const std::string name = at.Text();
    std::string message =
        fmt::format("{} in body must be of type {}: {}", name, wanted, GoQuote(is));
    return Finding(Kind::kType, name, std::move(message), Value::Of(is));
  }

  static Findings JudgeNull(const SchemaNode& s, bool typed, const SchemaPlace& at) {
    Findings result;
    if (typed && !s.HasType("null") && !s.nullable) {
      result.Add(WrongType(at, TypesOf(s), "null"));
    } else {
      result.matches = 1;
    }
    return result;
  }

  static Findings JudgeType(const SchemaNode& s, const Value& v, const SchemaPlace& at,
                            std::string_view wanted) {
    Findings result;
    const auto [type, format] = TypeOfValue(v);
    const bool sequence = v.is_string() || v.is_array();
    const bool whole = v.is_double() && IsWhole(v.AsDouble()) && s.HasType("integer");
    const bool int_as_number = v.is_int() && s.HasType("number");
    const bool fits = s.HasType(type) || whole || int_as_number;
    if (!sequence && !wanted.empty() && !fits && format != wanted) {
      result.Add(WrongType(at, wanted, format));
      return result;
    }
    const bool numeric = s.HasType("number") || s.HasType("integer");
    const bool by_format = !numeric && !wanted.empty() && sequence;
    if (!by_format && !fits) {
      result.Add(WrongType(at, TypesOf(s), type));
      return result;
    }
    result.matches = 1;
    return result;
  }

  // schemaPropsValidator
  Findings JudgeLogic(const SchemaNode& s, const Value& v, const SchemaPlace& at,
                      const Value* old) {
    Findings main;
    const auto say = [&](std::string_view what) {
      main.Add(Finding(Kind::kComposite, "", fmt::format("{} {}", GoQuote(at.Text()), what)));
    };
    if (!s.any_of.empty()) JudgeAnyOf(s, v, at, old, say, &main);
    if (!s.one_of.empty()) JudgeOneOf(s, v, at, old, say, &main);
    if (!s.all_of.empty()) {
      std::size_t good = 0;
      for (const auto& one : s.all_of) {
        Findings result = Judge(*one, v, at, old);
        good += result.valid();
        main.Merge(std::move(result));
      }
      if (good != s.all_of.size())
        say(fmt::format("must validate all the schemas (allOf){}",
                        good == 0 ? ". None validated" : ""));
    }
    if (s.not_ != nullptr && Judge(*s.not_, v, at, old).valid())
      say("must not validate the schema (not)");
    ++main.matches;
    return main;
  }

  template <class Say>
  void JudgeAnyOf(const SchemaNode& s, const Value& v, const SchemaPlace& at, const Value* old,
                  const Say& say, Findings* main) {
    Findings best;
    bool any = false;
    for (const auto& one : s.any_of) {
      Findings result = Judge(*one, v, at, old);
      if (result.valid()) return main->Merge(std::move(result));
      if (!any || result.matches > best.matches) best = std::move(result);
      any = true;
    }
    say("must validate at least one schema (anyOf)");
    main->Merge(std::move(best));
  }

  template <class Say>
  void JudgeOneOf(const SchemaNode& s, const Value& v, const SchemaPlace& at, const Value* old,
                  const Say& say, Findings* main) {
    Findings best, first;
    bool any = false;
    int good = 0;
    for (const auto& one : s.one_of) {
      Findings result = Judge(*one, v, at, old);
      if (result.valid()) {
        if (++good == 1) first = std::move(result);
        continue;
      }
      if (good == 0 && (!any || result.matches > best.matches)) best = std::move(result);
      any = true;
    }
    if (good == 1) return main->Merge(std::move(first));
    say(fmt::format(
        "must validate one and only one schema (oneOf). {}",
        good == 0 ? "Found none valid" : fmt::format("Found {} valid alternatives", good)));
    if (good == 0) main->Merge(std::move(best));
  }

  static void JudgeText(const SchemaNode& s, const Value& v, const SchemaPlace& at,
                        Findings* result) {
    const std::string_view text = v.AsString();
    if (s.bounds != nullptr && (s.bounds->max_length || s.bounds->min_length)) {
      const std::int64_t length = RuneCount(text);
      if (s.bounds->max_length && length > *s.bounds->max_length) {
        Finding finding(Kind::kTooLong, at.Text(),
                        fmt::format("{} in body should be at most {} chars long", at.Text(),
                                    *s.bounds->max_length),
                        v);
        finding.most = *s.bounds->max_length;
        return result->Add(std::move(finding));
      }
      if (s.bounds->min_length && length < *s.bounds->min_length)
        return result->Add(Finding(Kind::kOther, at.Text(),
                                   fmt::format("{} in body should be at least {} chars long",
                                               at.Text(), *s.bounds->min_length),
                                   v));
    }
    const GoRegexp* const pattern = s.pattern();
    if (pattern == nullptr || pattern->Matches(text)) return;
    std::string shown(s.pattern_text);
    if (!pattern->problem().empty()) shown += ", but pattern is invalid: " + pattern->problem();
    result->Add(Finding(Kind::kOther, at.Text(),
                        fmt::format("{} in body should match '{}'", at.Text(), shown), v));
  }

  // StripUnsupportedFormatsPostProcessorForVersion leaves numbers their formats.
  bool IsNumberFormat(const SchemaNode& s) const {
    if (!ProfileOf(compat_).schemas_judge_number_ranges) return false;
    if (s.type == "integer") return s.format == "int32" || s.format == "int64";
    return s.type == "number" && (s.format == "float" || s.format == "double");
  }

  // IsValueValidAgainstRange of the value itself.
  void JudgeRange(const SchemaNode& s, const Value& v, const SchemaPlace& at,
                  Findings* result) const {
    if (!ProfileOf(compat_).schemas_judge_number_ranges) return;
    const double d = v.AsDouble();
    bool fits = true;
    std::string format;
    if (s.type == "integer") {
      const double most = s.format == "int32" ? 0x1p31 : 0x1p63;
      const bool in_range = d >= -most && d < most;
      fits = v.is_int() ? in_range || s.format != "int32" : IsWhole(d) && in_range;
    } else if (s.type == "number" && s.format == "float") {
      fits = std::fabs(d) <= static_cast<double>(std::numeric_limits<float>::max());
    }
    if (fits) return;
    if (IsNumberFormat(s)) format = s.format;
    const std::string of =
        format.empty() ? "(default format)" : fmt::format("with format {}", format);
    result->Add(
        Finding(Kind::kComposite, "",
                fmt::format("Checked value must be of type {} {} in {}", s.type, of, at.Text())));
  }

  static void JudgeNumber(const SchemaNode::Bounds& b, const Value& v, const SchemaPlace& at,
                          Findings* result) {
    const auto say = [&](std::string_view what, const std::string& bound) {
      result->Add(Finding(Kind::kOther, at.Text(),
                          fmt::format("{} in body should be {} {}", at.Text(), what, bound), v));
    };
    if (b.multiple_of) JudgeMultiple(*b.multiple_of, v, at, result);
    // An integer meets the whole part of a bound.
    const bool whole = v.is_int();
    const auto beyond = [&](double bound, bool exclusive, bool above) {
      if (whole) {
        const std::int64_t limit = GoInt64(bound);
        if (v.AsInt() == limit) return exclusive;
        return (v.AsInt() > limit) == above;
      }
      if (v.AsDouble() == bound) return exclusive;
      return (v.AsDouble() > bound) == above;
    };
    const auto text = [&](double bound) {
      return whole ? std::to_string(GoInt64(bound)) : GoNumber(bound);
    };
    if (b.minimum && beyond(*b.minimum, b.exclusive_minimum, false))
      say(b.exclusive_minimum ? "greater than" : "greater than or equal to", text(*b.minimum));
    if (b.maximum && beyond(*b.maximum, b.exclusive_maximum, true))
      say(b.exclusive_maximum ? "less than" : "less than or equal to", text(*b.maximum));
  }

  static void JudgeMultiple(double factor, const Value& v, const SchemaPlace& at,
                            Findings* result) {
    const bool whole = v.is_int();
    const std::string shown = whole ? std::to_string(GoInt64(factor)) : GoNumber(factor);
    if (whole ? GoInt64(factor) <= 0 : factor <= 0) {
      result->Add(Finding(
          Kind::kOther, at.Text(),
          fmt::format("factor MultipleOf declared for {} must be positive: {}", at.Text(), shown),
          whole ? Value::Int(GoInt64(factor)) : Value::Double(factor)));
      return;
    }
    const double data = v.AsDouble();
    const bool multiple = whole ? v.AsInt() % GoInt64(factor) == 0
                                : IsWhole(factor < 1 ? 1 / factor * data : data / factor);
    if (multiple) return;
    result->Add(Finding(Kind::kOther, at.Text(),
                        fmt::format("{} in body should be a multiple of {}", at.Text(), shown), v));
  }

  void JudgeItems(const SchemaNode& s, const Value& v, const SchemaPlace& at, const Value* old,
                  Findings* result) {
    if (s.items != nullptr) {
      const ItemCorrelation correlation(s, v, old);
      for (std::size_t i = 0; i < v.size(); ++i) {
        const SchemaPlace below{&at, {}, i, SchemaPlace::Kind::kIndex};
        result->Merge(Validate(*s.items, v.at(i), below, correlation.OldOf(v.at(i))));
      }
    }
    if (s.bounds == nullptr) return;
    const auto size = static_cast<std::int64_t>(v.size());
    if (s.bounds->min_items && size < *s.bounds->min_items)
      result->Add(Finding(
          Kind::kOther, at.Text(),
          fmt::format("{} in body should have at least {} items", at.Text(), *s.bounds->min_items),
          Value::Int(size)));
    if (s.bounds->max_items && size > *s.bounds->max_items)
      result->Add(TooMany(at, "items", *s.bounds->max_items, size));
    if (s.bounds->unique_items && HasTwice(v))
      result->Add(Finding(Kind::kOther, at.Text(),
                          fmt::format("{} in body shouldn't contain duplicates", at.Text())));
  }

  static bool HasTwice(const Value& list) {
    for (std::size_t i = 0; i < list.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (list.at(i) == list.at(j)) return true;
    return false;
  }

  static Finding TooMany(const SchemaPlace& at, std::string_view what, std::int64_t most,
                         std::int64_t size) {
    Finding finding(Kind::kTooMany, at.Text(),
                    fmt::format("{} in body should have at most {} {}", at.Text(), most, what),
                    Value::Int(size));
    finding.most = most;
    return finding;
  }

  // basicCommonValidator: numbers are compared as the enum's own type.
  static void JudgeEnum(const SchemaNode& s, const Value& v, const SchemaPlace& at,
                        Findings* result) {
    if (s.enumeration.empty()) return;
    for (const Value& allowed : s.enumeration.items()) {
      if (allowed.is_null()) continue;
      const bool numbers = v.is_number() && allowed.is_number();
      if (v == allowed || (numbers && v.AsDouble() == allowed.AsDouble())) return;
    }
    Finding finding(
        Kind::kEnum, at.Text(),
        fmt::format("{} in body should be one of {}", at.Text(), value::GoFormat(s.enumeration)),
        v);
    finding.allowed = s.enumeration;
    result->Add(std::move(finding));
  }

  void JudgeFields(const SchemaNode& s, const Value& v, const SchemaPlace& at, const Value* old,
                   Findings* result) {
    const auto size = static_cast<std::int64_t>(v.size());
    if (s.bounds != nullptr && s.bounds->min_properties && size < *s.bounds->min_properties)
      result->Add(Finding(Kind::kOther, at.Text(),
                          fmt::format("{} in body should have at least {} properties", at.Text(),
                                      *s.bounds->min_properties),
                          Value::Int(size)));
    if (s.bounds != nullptr && s.bounds->max_properties && size > *s.bounds->max_properties)
      result->Add(TooMany(at, "properties", *s.bounds->max_properties, size));
    JudgeOtherFields(s, v, at, old, result);
    for (const SchemaNode::Property& property : s.properties) {
      const Value* const field = v.Find(property.name);
      if (field == nullptr) continue;
      const SchemaPlace below{&at, property.name.text(), 0, SchemaPlace::Kind::kProperty};
      const Value* before = OldField(s, at, property.name, old);
      result->Merge(Validate(*property.node, *field, below, before));
    }
    for (const Value& name : s.required.items()) {
      if (v.Has(name.AsString())) continue;
      const std::string path = fmt::format("{}.{}", at.Text(), name.AsString());
      result->Add(Finding(Kind::kRequired, path, path + " in body is required"));
    }
  }

  void JudgeOtherFields(const SchemaNode& s, const Value& v, const SchemaPlace& at,
                        const Value* old, Findings* result) {
    const bool forbidden = s.additional == SchemaNode::Additional::kForbidden;
    if (!forbidden && s.additional_node == nullptr) return;
    for (const Value::Member& m : v.members()) {
      if (s.Find(m.name) != nullptr) continue;
      const SchemaPlace below{&at, m.name.text(), 0, SchemaPlace::Kind::kKey};
      if (forbidden) {
        result->Add(
            Finding(Kind::kOther, at.Text(),
                    fmt::format("{}.{} in body is a forbidden property", at.Text(), m.name.text()),
                    Value::Of(m.name.text())));
      } else {
        result->Merge(Validate(*s.additional_node, m.value, below, OldField(s, at, m.name, old)));
      }
    }
  }

  // The type of a whole object is never taken for unchanged (isTypeMetaField).
  const Value* OldField(const SchemaNode& s, const SchemaPlace& at, value::Atom name,
                        const Value* old) const {
    if (!ratchets_ || old == nullptr) return nullptr;
    const bool type = name.text() == "kind" || name.text() == "apiVersion";
    if (at.kind == SchemaPlace::Kind::kRoot && type) return nullptr;
    return CorrelatedField(s, name, *old);
  }

  Compat compat_;
  bool ratchets_;
};

}  // namespace

void ValidateBySchema(const SchemaNode& schema, const Value& v, const Value* old,
                      std::string_view place, FieldErrorList* errors) {
  const Compat compat = errors->compat();
  const Findings result =
      SchemaWalk(compat, old != nullptr).Validate(schema, v, SchemaPlace(), old);
  for (const Finding& finding : result.errors) TellFinding(finding, place, errors);
}

}  // namespace ksim::api
