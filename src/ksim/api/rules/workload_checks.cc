#include "ksim/api/rules/workload_checks.h"

#include <fmt/format.h>

#include <charconv>
#include <string>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/go_text.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/pod/pod_validation.h"
#include "ksim/value/json.h"

namespace ksim::api {

using value::Atom;
using value::Value;

bool IsEmptySelector(const Value& selector) {
  return selector.Get(Fields().match_labels).empty() &&
         selector.Get(Fields().match_expressions).empty();
}

void CheckMatch(const value::LabelSelector& selector, const Value& spec, const FieldPath& path,
                FieldErrorList* errors) {
  const Value& labels = spec.Get(Fields().template_).Get(Fields().metadata).Get(Fields().labels);
  if (selector.empty() || selector.Matches(labels)) return;
  const FieldPath tmpl = path.Child("template");
  const FieldPath metadata = tmpl.Child("metadata");
  errors->Invalid(metadata.Child("labels"), labels, GoShape::kStringMap,
                  "`selector` does not match template `labels`");
}

void CheckAlways(std::string_view kind, const Value& spec, const FieldPath& path,
                 FieldErrorList* errors) {
  const FieldPath tmpl = path.Child("template");
  const FieldPath pod = tmpl.Child("spec");
  const Value& pod_spec = spec.Get(Fields().template_).Get(Fields().spec);
  const std::string_view policy = pod_spec.Get(Fields().restart_policy).AsString();
  if (policy != "Always") errors->NotSupported(pod.Child("restartPolicy"), policy, {"Always"});
  if (pod_spec.Get(Fields().active_deadline_seconds).is_int()) {
    errors->Forbidden(pod.Child("activeDeadlineSeconds"),
                      "activeDeadlineSeconds in " + std::string(kind) + " is not Supported");
  }
}

void CheckTemplate(std::string_view kind, const value::LabelSelector& selector, const Value& spec,
                   const FieldPath& path, FieldErrorList* errors) {
  CheckMatch(selector, spec, path, errors);
  ValidatePodTemplate(spec.Get(Fields().template_), path.Child("template"), errors);
  CheckAlways(kind, spec, path, errors);
}

std::int64_t PercentOrNumber(const Value& v) {
  if (!v.is_string()) return v.AsInt();
  const std::string_view text = v.AsString();
  std::int64_t percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  const bool whole = error == std::errc() && end + 1 == text.data() + text.size() && *end == '%';
  return whole && percent >= 0 ? percent : -1;
}

void CheckIntOrPercent(const Value& v, const FieldPath& path, FieldErrorList* errors) {
  if (v.is_string() && PercentOrNumber(v) < 0) {
    errors->Invalid(path, v, GoShape::kIntOrString,
                    "a valid percent string must be a numeric string followed by an ending '%' "
                    "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')");
  } else if (v.is_int()) {
    errors->NonNegative(path, v);
  }
}

void CheckAtMost100Percent(const Value& v, const FieldPath& path, FieldErrorList* errors) {
  if (!v.is_string() || PercentOrNumber(v) <= 100) return;
  errors->Invalid(path, v, GoShape::kIntOrString, "must not be greater than 100%");
}

void NonNegativeFields(const Value& v, std::initializer_list<Atom> fields, const FieldPath& path,
                       FieldErrorList* errors) {
  for (const Atom field : fields) errors->NonNegative(path.Child(field.text()), v.Get(field));
}

void AtMost(const Value& status, Atom field, Atom limit, std::string_view text,
            FieldErrorList* errors) {
  const FieldPath path("status");
  const std::int64_t count = status.Get(field).AsInt();
  if (count > status.Get(limit).AsInt()) errors->Invalid(path.Child(field.text()), count, text);
}

std::string StrategyText(const StrategyNames& names, const Value& strategy, Compat compat) {
  const std::string type = GoQuote(strategy.Get("type").AsString());
  const Value& rolling = strategy.Get("rollingUpdate");
  if (!ProfileOf(compat).bad_values_as_json) {
    return fmt::format("apps.{}{{Type:{}, RollingUpdate:(*apps.{})({})}}", names.strategy, type,
                       names.rolling, rolling.is_null() ? "nil" : "0xc000000000");
  }
  std::string inner;
  for (const auto& [go, name] : names.fields) {
    if (!inner.empty()) inner += ',';
    const Value& v = rolling.Get(name);
    inner += fmt::format("\"{}\":{}", go, v.is_null() ? "0" : value::ToJson(v));
  }
  return fmt::format("{{\"Type\":{},\"RollingUpdate\":{}}}", type,
                     rolling.is_null() ? "null" : "{" + inner + "}");
}

}  // namespace ksim::api
