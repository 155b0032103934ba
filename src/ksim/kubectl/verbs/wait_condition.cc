#include "ksim/kubectl/verbs/wait_condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "ksim/base/status.h"
#include "ksim/kubectl/printing/custom_columns.h"
#include "ksim/value/go_format.h"
#include "ksim/value/text.h"

namespace ksim::kubectl {
namespace {

using value::InvalidText;
using value::JsonPath;
using value::Value;

constexpr std::string_view kStatusPrefix = "condition=";
constexpr std::string_view kPathPrefix = "jsonpath=";
constexpr std::string_view kSpace = " \t\n\v\f\r";

bool IsSameIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return absl::ascii_tolower(x) == absl::ascii_tolower(y);
  });
}

// True if the reporter of the condition has not yet seen the object as it is now
// (getObservedGeneration).
bool IsStaleCondition(const api::Object& object, const Value& condition) {
  const Value generation = object.tree().Get("metadata").Get("generation");
  const Value& seen = condition.Has("observedGeneration")
                          ? condition.Get("observedGeneration")
                          : object.status().Get("observedGeneration");
  return generation.is_int() && seen.is_int() && seen.AsInt() < generation.AsInt();
}

// The text between single equals signs; a double one does not split (splitJSONPathInput).
std::vector<std::string> SplitAtSingleEquals(std::string_view text) {
  std::vector<std::string> out(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '=') {
      out.back() += text[i];
    } else if (i + 1 < text.size() && text[i + 1] == '=') {
      out.back() += "==";
      ++i;
    } else {
      out.emplace_back();
    }
  }
  return out;
}

// Go's strings.Trim.
std::string_view Trim(std::string_view text, std::string_view cut) {
  const std::size_t begin = text.find_first_not_of(cut);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(cut) + 1 - begin);
}

// The parts of PATH[=VALUE]: one or two (processJSONPathInput).
absl::StatusOr<std::vector<std::string>> PathAndValue(std::string_view text,
                                                      const Profile& profile) {
  std::vector<std::string> parts = SplitAtSingleEquals(text);
  if (profile.wait_needs_value) {
    const auto equals = std::count(text.begin(), text.end(), '=');
    if (equals != 1)
      return InvalidText("jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3");
  } else if (parts.size() > 2) {
    return InvalidText(
        "jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3 or "
        "--for=jsonpath='{.status.readyReplicas}'");
  }
  ASSIGN_OR_RETURN(parts.front(), RelaxedPath(parts.front()));
  if (parts.size() < 2) return parts;
  if (profile.wait_needs_value && parts[1].empty())
    return InvalidText("jsonpath wait condition cannot be empty");
  parts[1] = std::string(Trim(parts[1], "'\""));
  if (!profile.wait_needs_value && parts[1].empty())
    return InvalidText(
        "jsonpath wait has to have a value after equal sign, like "
        "--for=jsonpath='{.status.readyReplicas}'=3");
  return parts;
}

}  // namespace

// newJSONPathParser.
absl::StatusOr<WaitCondition> WaitCondition::ParsePath(std::string_view text,
                                                       const Profile& profile) {
  WaitCondition out;
  out.kind_ = Kind::kPath;
  out.path_may_be_missing_ = !profile.wait_needs_value;
  ASSIGN_OR_RETURN(const std::vector<std::string> parts, PathAndValue(text, profile));
  if (parts.front().empty()) return InvalidText("jsonpath expression cannot be empty");
  ASSIGN_OR_RETURN(out.path_, JsonPath::Parse(parts.front()));
  out.any_value_ = parts.size() < 2;
  if (!out.any_value_) out.value_ = parts[1];
  return out;
}

// conditionFuncsFor.
absl::StatusOr<WaitCondition> WaitCondition::Parse(std::string_view text, const Profile& profile) {
  WaitCondition out;
  if (IsSameIgnoringCase(text, "delete")) {
    out.kind_ = Kind::kDelete;
    return out;
  }
  if (profile.waits_for_creation && IsSameIgnoringCase(text, "create")) {
    out.kind_ = Kind::kCreate;
    return out;
  }
  if (text.starts_with(kPathPrefix)) return ParsePath(text.substr(kPathPrefix.size()), profile);
  if (!text.starts_with(kStatusPrefix))
    return InvalidText(fmt::format("unrecognized condition: {}", value::GoQuote(text)));
  text.remove_prefix(kStatusPrefix.size());
  const std::size_t equals = text.find('=');
  out.kind_ = Kind::kStatus;
  out.name_ = std::string(text.substr(0, equals));
  out.value_ = equals == std::string_view::npos ? "true" : std::string(text.substr(equals + 1));
  return out;
}

WaitCondition WaitCondition::Of(value::Where where) {
  WaitCondition out;
  out.where_ = std::move(where);
  return out;
}

absl::StatusOr<bool> WaitCondition::IsMet(const api::Object& object) const {
  switch (kind_) {
    case Kind::kStatus:
      return HasCondition(object);
    case Kind::kPath:
      return HasValue(object);
    case Kind::kWhere:
      return where_.Matches(object.ToTree());
    case Kind::kCreate:
    case Kind::kDelete:
      break;
  }
  return false;
}

// ConditionalWait.checkCondition.
bool WaitCondition::HasCondition(const api::Object& object) const {
  for (const Value& condition : object.status().Get("conditions").items()) {
    if (!IsSameIgnoringCase(condition.Get("type").AsString(), name_)) continue;
    if (!condition.Get("status").is_string()) continue;
    return !IsStaleCondition(object, condition) &&
           IsSameIgnoringCase(condition.Get("status").AsString(), value_);
  }
  return false;
}

// JSONPathWait.checkCondition, verifyParsedJSONPath, compareResults.
absl::StatusOr<bool> WaitCondition::HasValue(const api::Object& object) const {
  const JsonPath::Missing missing =
      path_may_be_missing_ ? JsonPath::Missing::kEmpty : JsonPath::Missing::kError;
  ASSIGN_OR_RETURN(const JsonPath::Results results, path_.Find(object.ToTree(), missing));
  if (path_may_be_missing_ && (results.empty() || results.front().empty())) return false;
  if (results.empty()) return InvalidText("given jsonpath expression does not match any value");
  if (results.size() > 1)
    return InvalidText("given jsonpath expression matches more than one list");
  if (results.front().size() > 1)
    return InvalidText("given jsonpath expression matches more than one value");
  // kubectl 1.25 looks at the first of none here, and panics.
  if (results.front().empty())
    return InvalidText("runtime error: index out of range [0] with length 0");
  const Value& found = results.front().front();
  if (any_value_) return true;
  if (found.is_object() || found.is_array())
    return InvalidText("jsonpath leads to a nested object or list which is not supported");
  const std::string text = value::GoFormat(found);
  return Trim(text, kSpace) == Trim(value_, kSpace);
}

std::string WithoutShellQuotes(std::string_view text) {
  std::string out(text);
  std::size_t open = 0;
  if (text.starts_with(kPathPrefix)) open = kPathPrefix.size();
  const std::size_t close = out.find('\'', open + 1);
  if (open >= out.size() || out[open] != '\'' || close == std::string::npos) return out;
  return out.erase(close, 1).erase(open, 1);
}

std::optional<ConditionProblem> CheckConditions(const std::vector<std::string>& texts,
                                                api::Compat compat) {
  const Profile& profile = ProfileOf(compat);
  const Profile& newest = ProfileOf(*std::prev(std::end(api::kCompats)));
  const std::string elsewhere = fmt::format("kubectl {0} takes it: compat: \"{0}\"",
                                            api::ToString(*std::prev(std::end(api::kCompats))));
  for (const std::string& text : texts) {
    const absl::Status read = WaitCondition::Parse(text, profile).status();
    if (read.ok()) continue;
    const bool is_new = WaitCondition::Parse(text, newest).ok();
    return ConditionProblem{
        std::string(Message(read)),
        is_new ? elsewhere
               : "write create, delete, condition=NAME[=VALUE] or jsonpath={.PATH}[=VALUE]"};
  }
  if (texts.size() < 2 || profile.waits_for_several) return std::nullopt;
  return ConditionProblem{
      fmt::format("kubectl {} waits for one condition only", api::ToString(compat)), elsewhere};
}

}  // namespace ksim::kubectl
