#include "ksim/api/kinds/resource/device_rules.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "ksim/api/core/ascii_lower.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/rules/pod/label_keys.h"
#include "ksim/value/json.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::size_t kLongestJson = 10 * 1024;        // OpaqueParametersMaxLength
constexpr std::size_t kLongestExpression = 10 * 1024;  // CELSelectorExpressionMaxLength
constexpr std::int64_t kLongestPoolName = 253;         // PoolNameMaxLength
constexpr std::int64_t kLongestDriverName = 63;
constexpr std::int64_t kLongestId = 32;  // DeviceMaxIDLength
constexpr std::size_t kMostBindingConditions = 4;

// validateCIdentifier
void CheckIdentifier(std::string_view id, const FieldPath& path, FieldErrorList* errors) {
  if (id.size() > kLongestId) errors->TooLong(path, kLongestId);
  const bool good = !id.empty() && !absl::ascii_isdigit(static_cast<unsigned char>(id.front())) &&
                    std::all_of(id.begin(), id.end(), [](char c) {
                      return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
                    });
  if (good) return;
  errors->Invalid(path, id,
                  "a valid C identifier must start with alphabetic character or '_', followed by a "
                  "string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or "
                  "'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')");
}

void CheckEffect(const Value& effect, const FieldPath& path, FieldErrorList* errors) {
  ValidateChoice(effect.AsString(), true, path, {"NoExecute", "NoSchedule", "None"}, errors);
}

void CheckSelector(const Value& selector, const FieldPath& path, FieldErrorList* errors) {
  const FieldPath cel = path.Child("cel");
  if (selector.Get("cel").is_null()) return errors->Required(cel);
  if (selector.Get("cel").Get("expression").AsString().size() > kLongestExpression)
    errors->TooLong(cel.Child("expression"), kLongestExpression);
}

void CheckLabelName(const Value& name, const FieldPath& path, FieldErrorList* errors) {
  ValidateLabelName(name.AsString(), path, errors);
}

bool Holds(const Value& list, const Value& item) {
  return std::find(list.items().begin(), list.items().end(), item) != list.items().end();
}

void CheckRepeated(const Value& list, const FieldPath& path, FieldErrorList* errors) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string_view text = list.at(i).AsString();
    if (!seen.insert(text).second) errors->Duplicate(path.Index(i), text);
  }
}

}  // namespace

std::vector<std::string_view> NameParts(std::string_view name) {
  std::vector<std::string_view> parts;
  for (std::size_t slash = name.find('/'); slash != name.npos; slash = name.find('/')) {
    parts.push_back(name.substr(0, slash));
    name.remove_prefix(slash + 1);
  }
  parts.push_back(name);
  return parts;
}

void CheckDriverName(std::string_view name, const FieldPath& path, FieldErrorList* errors) {
  if (name.empty()) return errors->Required(path);
  if (name.size() > kLongestDriverName) errors->TooLong(path, kLongestDriverName);
  errors->InvalidAll(path, name, Dns1123Subdomain(AsciiLower(name)));
}

void CheckPoolName(std::string_view name, const FieldPath& path, FieldErrorList* errors) {
  if (name.empty()) return errors->Required(path);
  if (name.size() > kLongestPoolName) errors->TooLong(path, kLongestPoolName);
  for (const std::string_view part : NameParts(name))
    errors->InvalidAll(path, part, Dns1123Subdomain(part));
}

void CheckDeviceLabel(std::string_view name, const FieldPath& path, FieldErrorList* errors) {
  errors->InvalidAll(path, name, Dns1123Label(name, errors->compat()));
}

void CheckAttributeName(std::string_view name, bool whole, const FieldPath& path,
                        FieldErrorList* errors) {
  const std::vector<std::string_view> parts = NameParts(name);
  if (parts.size() == 1) {
    CheckIdentifier(parts[0], path, errors);
  } else if (parts.size() == 2) {
    if (parts[0].empty()) {
      errors->Invalid(path, "", "the domain must not be empty");
    } else {
      CheckDriverName(parts[0], path, errors);
    }
    if (parts[1].empty()) {
      errors->Invalid(path, "", "the name must not be empty");
    } else {
      CheckIdentifier(parts[1], path, errors);
    }
  }
  if (whole && parts.size() < 2)
    errors->Invalid(path, name,
                    "a fully qualified name must be a domain and a name separated by a slash");
}

// Other spellings of a UUID, which upstream refuses with a text of their own, have no group here.
void CheckShareId(std::string_view uid, const FieldPath& path, FieldErrorList* errors) {
  constexpr std::string_view kForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  bool digits = uid.size() == kForm.size();
  for (std::size_t i = 0; digits && i < kForm.size(); ++i)
    digits = kForm[i] == '-' ? uid[i] == '-'
                             : absl::ascii_isxdigit(static_cast<unsigned char>(uid[i])) != 0;
  if (!digits) {
    const bool length = uid.size() != kForm.size();
    errors->Invalid(path, uid,
                    length
                        ? "error validating uid: invalid UUID length: " + std::to_string(uid.size())
                        : "error validating uid: invalid UUID format");
  } else if (AsciiLower(uid) != uid) {
    errors->Invalid(path, uid,
                    "uid must be in RFC 4122 normalized form, "
                    "`xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters");
  }
}

void CheckDeviceSelectors(const Value& selectors, const FieldPath& path, FieldErrorList* errors) {
  CheckList(selectors, kMostDeviceItems, path, errors, CheckSelector);
}

void CheckJsonObject(const Value& object, const FieldPath& path, FieldErrorList* errors) {
  if (object.is_null()) return errors->Required(path);
  if (value::ToJson(object).size() > kLongestJson) return errors->TooLong(path, kLongestJson);
  if (!object.is_object()) errors->Invalid(path, "<value omitted>", "must be a valid JSON object");
}

void CheckDeviceConfiguration(const Value& config, const FieldPath& path, FieldErrorList* errors) {
  const Value& opaque = config.Get("opaque");
  const FieldPath at = path.Child("opaque");
  if (opaque.is_null()) return errors->Required(at);
  CheckDriverName(opaque.Get("driver").AsString(), at.Child("driver"), errors);
  CheckJsonObject(opaque.Get("parameters"), at.Child("parameters"), errors);
}

void CheckDeviceTaint(const Value& taint, const FieldPath& path, FieldErrorList* errors) {
  CheckLabelName(taint.Get("key"), path.Child("key"), errors);
  const std::string_view text = taint.Get("value").AsString();
  errors->InvalidAll(path.Child("value"), text, LabelValue(text, errors->compat()));
  CheckEffect(taint.Get("effect"), path.Child("effect"), errors);
}

void CheckDeviceToleration(const Value& toleration, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view op = toleration.Get("operator").AsString();
  const std::string_view text = toleration.Get("value").AsString();
  if (!toleration.Get("key").AsString().empty())
    CheckLabelName(toleration.Get("key"), path.Child("key"), errors);
  if (op == "Equal") {
    errors->InvalidAll(path.Child("value"), text, LabelValue(text, errors->compat()));
  } else if (op != "Exists") {
    ValidateChoice(op, true, path.Child("operator"), {"Equal", "Exists"}, errors);
  } else if (!text.empty()) {
    errors->Invalid(path.Child("value"), text, "must be empty for operator `Exists`");
  }
  if (!toleration.Get("effect").AsString().empty())
    CheckEffect(toleration.Get("effect"), path.Child("effect"), errors);
}

void CheckBindingConditions(const Value& device, const FieldPath& path, FieldErrorList* errors) {
  const Value& good = device.Get("bindingConditions");
  const Value& bad = device.Get("bindingFailureConditions");
  const FieldPath good_path = path.Child("bindingConditions");
  const FieldPath bad_path = path.Child("bindingFailureConditions");
  CheckList(good, kMostBindingConditions, good_path, errors, CheckLabelName);
  CheckList(bad, kMostBindingConditions, bad_path, errors, CheckLabelName);
  CheckRepeated(good, good_path, errors);
  CheckRepeated(bad, bad_path, errors);
  for (std::size_t i = 0; i < bad.size(); ++i)
    if (Holds(good, bad.at(i)))
      errors->Invalid(bad_path.Index(i), bad.at(i).AsString(),
                      "bindingFailureConditions must not overlap with bindingConditions");
  if (good.empty() && !bad.empty())
    errors->Invalid(good_path, good, GoShape::kStringSlice,
                    "bindingConditions are required to use bindingFailureConditions");
  if (bad.empty() && !good.empty())
    errors->Invalid(bad_path, bad, GoShape::kStringSlice,
                    "bindingFailureConditions are required to use bindingConditions");
}

}  // namespace ksim::api
