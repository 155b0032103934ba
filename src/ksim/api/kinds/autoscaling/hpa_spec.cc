#include "ksim/api/kinds/autoscaling/hpa_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "ksim/api/core/fields.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/shared/pod_template.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/value/quantity.h"

namespace ksim::api {

using value::Value;

namespace {

// --- defaults -----------------------------------------------------------------------------------

Value Policy(const char* type, int amount) {
  return value::Obj(
      {{"type", Value::Of(type)}, {"value", Value::Of(amount)}, {"periodSeconds", Value::Of(15)}});
}

// copyHPAScalingRules: the default, with what is given in its place.
Value WithRules(const Value& given, Value rules) {
  for (const Value::Member& m : given.members())
    if (!m.value.is_null()) rules = std::move(rules).Set(m.name, m.value);
  return rules;
}

Value DefaultBehavior(const Value& behavior) {
  const Value up =
      value::Obj({{"stabilizationWindowSeconds", Value::Of(0)},
                  {"selectPolicy", Value::Of("Max")},
                  {"policies", value::Arr({Policy("Pods", 4), Policy("Percent", 100)})}});
  const Value down = value::Obj(
      {{"selectPolicy", Value::Of("Max")}, {"policies", value::Arr({Policy("Percent", 100)})}});
  return behavior.Set("scaleUp", WithRules(behavior.Get("scaleUp"), up))
      .Set("scaleDown", WithRules(behavior.Get("scaleDown"), down));
}

// --- validation ---------------------------------------------------------------------------------

// The types of metrics, the names of their fields, and how validateMetricSpec orders the fields.
struct MetricKind {
  std::string_view type, field;
};
constexpr MetricKind kMetricKinds[] = {{"Object", "object"},
                                       {"External", "external"},
                                       {"Pods", "pods"},
                                       {"Resource", "resource"},
                                       {"ContainerResource", "containerResource"}};

struct ReferenceRules {
  bool allow_invalid_version = false;
  bool allow_empty_group = false;
};

// ValidateAPIVersion.
void CheckApiVersion(const Value& ref, const FieldPath& path, const ReferenceRules& rules,
                     FieldErrorList* errors) {
  if (!errors->profile().hpa_checks_api_version || rules.allow_invalid_version) return;
  const std::string_view version = ref.Get("apiVersion").AsString();
  const auto slashes = std::count(version.begin(), version.end(), '/');
  if (slashes > 1) {
    errors->Invalid(path.Child("apiVersion"), version,
                    fmt::format("unexpected GroupVersion string: {}", version));
  } else if (!rules.allow_empty_group && (slashes == 0 || version.starts_with('/'))) {
    errors->Invalid(path.Child("apiVersion"), version, "apiVersion must specify API group");
  }
}

void CheckReference(const Value& ref, const FieldPath& path, const ReferenceRules& rules,
                    FieldErrorList* errors) {
  for (const char* field : {"kind", "name"}) {
    const std::string_view text = ref.Get(field).AsString();
    if (text.empty()) {
      errors->Required(path.Child(field));
    } else {
      errors->InvalidAll(path.Child(field), text, PathSegmentName(text));
    }
  }
  CheckApiVersion(ref, path, rules, errors);
}

void CheckTarget(const Value& target, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view type = target.Get("type").AsString();
  if (type.empty()) errors->Required(path.Child("type"), "must specify a metric target type");
  if (type != "Utilization" && type != "Value" && type != "AverageValue")
    errors->Invalid(path.Child("type"), type, "must be either Utilization, Value, or AverageValue");
  for (const char* field : {"value", "averageValue"}) {
    const absl::StatusOr<value::Quantity> amount = value::Quantity::FromTree(target.Get(field));
    if (!target.Get(field).is_null() && amount.ok() && amount->Sign() != 1)
      errors->Invalid(path.Child(field), target.Get(field), GoShape::kOther, "must be positive");
  }
  const Value& utilization = target.Get("averageUtilization");
  if (!utilization.is_null() && utilization.AsInt() < 1)
    errors->Invalid(path.Child("averageUtilization"), utilization.AsInt(),
                    "must be greater than 0");
}

void CheckIdentifier(const Value& metric, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view name = metric.Get("name").AsString();
  if (name.empty()) {
    errors->Required(path.Child("name"), "must specify a metric name");
  } else {
    errors->InvalidAll(path.Child("name"), name, PathSegmentName(name));
  }
}

// The two fields of a target of which there must be one at least; with `exclusive`, one exactly.
struct TargetChoice {
  std::string_view first, second, required_at, missing, both_at, both;
};

void CheckChoice(const Value& target, const FieldPath& path, const TargetChoice& choice,
                 FieldErrorList* errors) {
  const bool first = !target.Get(choice.first).is_null();
  const bool second = !target.Get(choice.second).is_null();
  if (!first && !second) errors->Required(path.Child(choice.required_at), choice.missing);
  if (first && second && !choice.both.empty())
    errors->Forbidden(path.Child(choice.both_at), choice.both);
}

constexpr TargetChoice kObjectChoice = {
    "value", "averageValue", "averageValue", "must set either a target value or averageValue", "",
    ""};
constexpr TargetChoice kExternalChoice = {
    "value",        "averageValue",
    "averageValue", "must set either a target value for metric or a per-pod target",
    "value",        "may not set both a target value for metric and a per-pod target"};
constexpr TargetChoice kResourceChoice = {
    "averageUtilization", "averageValue",
    "averageUtilization", "must set either a target raw value or a target utilization",
    "averageValue",       "may not set both a target raw value and a target utilization"};

void CheckSource(std::string_view field, const Value& source, const FieldPath& path,
                 const ReferenceRules& rules, FieldErrorList* errors) {
  const Value& target = source.Get("target");
  const FieldPath at = path.Child("target");
  const FieldPath metric = path.Child("metric");
  if (field == "object") {
    CheckReference(source.Get("describedObject"), path.Child("describedObject"), rules, errors);
    CheckIdentifier(source.Get("metric"), metric, errors);
    CheckTarget(target, at, errors);
    CheckChoice(target, at, kObjectChoice, errors);
  } else if (field == "external") {
    CheckIdentifier(source.Get("metric"), metric, errors);
    CheckTarget(target, at, errors);
    CheckChoice(target, at, kExternalChoice, errors);
  } else if (field == "pods") {
    CheckIdentifier(source.Get("metric"), metric, errors);
    CheckTarget(target, at, errors);
    if (target.Get("averageValue").is_null())
      errors->Required(at.Child("averageValue"), "must specify a positive target averageValue");
  } else {
    if (source.Get("name").AsString().empty())
      errors->Required(path.Child("name"), "must specify a resource name");
    if (field == "containerResource") {
      const std::string_view container = source.Get("container").AsString();
      if (container.empty()) {
        errors->Required(path.Child("container"), "must specify a container");
      } else {
        errors->InvalidAll(path.Child("container"), container,
                           Dns1123Label(container, errors->compat()));
      }
    }
    CheckTarget(target, at, errors);
    CheckChoice(target, at, kResourceChoice, errors);
  }
}

void RefuseType(std::string_view type, const FieldPath& path, FieldErrorList* errors) {
  errors->NotSupported(path.Child("type"), type,
                       {"ContainerResource", "External", "Object", "Pods", "Resource"});
}

void CheckMetric(const Value& metric, const FieldPath& path, const ReferenceRules& rules,
                 FieldErrorList* errors) {
  const std::string_view type = metric.Get("type").AsString();
  const auto* const known = std::find_if(std::begin(kMetricKinds), std::end(kMetricKinds),
                                         [type](const MetricKind& k) { return k.type == type; });
  const bool is_known = known != std::end(kMetricKinds);
  if (type.empty()) errors->Required(path.Child("type"), "must specify a metric source type");
  if (!is_known) RefuseType(type, path, errors);
  int present = 0;
  for (const MetricKind& k : kMetricKinds) {
    const Value& source = metric.Get(k.field);
    if (!source.is_null() && ++present == 1)
      CheckSource(k.field, source, path.Child(k.field), rules, errors);
  }
  if (!is_known) {
    RefuseType(type, path, errors);
  } else if (metric.Get(known->field).is_null()) {
    errors->Required(path.Child(known->field),
                     "must populate information for the given metric source");
  }
  if (present == 1) return;
  for (const MetricKind& k : kMetricKinds) {
    const bool expected = is_known && k.field == known->field;
    if (!metric.Get(k.field).is_null() && !expected)
      errors->Forbidden(path.Child(k.field), "must populate the given metric source only");
  }
}

void CheckRules(const Value& rules, const FieldPath& path, FieldErrorList* errors) {
  constexpr std::int64_t kLongestPeriod = 1800, kLongestWindow = 3600;
  if (rules.is_null()) return;
  const std::int64_t window = rules.Get("stabilizationWindowSeconds").AsInt();
  const FieldPath window_path = path.Child("stabilizationWindowSeconds");
  if (window < 0) errors->Invalid(window_path, window, "must be greater than or equal to zero");
  if (window > kLongestWindow)
    errors->Invalid(window_path, window, "must be less than or equal to 3600");
  const std::string_view select = rules.Get("selectPolicy").AsString();
  if (!rules.Get("selectPolicy").is_null() && select != "Max" && select != "Min" &&
      select != "Disabled")
    errors->NotSupported(path.Child("selectPolicy"), select, {"Disabled", "Max", "Min"});
  const absl::StatusOr<value::Quantity> tolerance =
      value::Quantity::FromTree(rules.Get("tolerance"));
  if (tolerance.ok() && tolerance->Sign() < 0)
    errors->Invalid(path.Child("tolerance"), tolerance->ToString(),
                    "must be greater than or equal to 0");
  const FieldPath policies = path.Child("policies");
  if (rules.Get("policies").empty()) errors->Required(policies, "must specify at least one Policy");
  for (std::size_t i = 0; i < rules.Get("policies").size(); ++i) {
    const Value& policy = rules.Get("policies").at(i);
    const FieldPath at = policies.Index(i);
    const std::string_view type = policy.Get("type").AsString();
    const std::int64_t amount = policy.Get("value").AsInt();
    const std::int64_t period = policy.Get("periodSeconds").AsInt();
    if (type != "Pods" && type != "Percent")
      errors->NotSupported(at.Child("type"), type, {"Percent", "Pods"});
    if (amount <= 0) errors->Invalid(at.Child("value"), amount, "must be greater than zero");
    if (period <= 0)
      errors->Invalid(at.Child("periodSeconds"), period, "must be greater than zero");
    if (period > kLongestPeriod)
      errors->Invalid(at.Child("periodSeconds"), period, "must be less than or equal to 1800");
  }
}

void CheckReplicas(const Value& spec, const FieldPath& path, bool zero_allowed,
                   FieldErrorList* errors) {
  const Value& least = spec.Get("minReplicas");
  const std::int64_t most = spec.Get("maxReplicas").AsInt();
  const FieldPath max_path = path.Child("maxReplicas");
  const int bound = zero_allowed ? 0 : 1;
  if (!least.is_null() && least.AsInt() < bound)
    errors->Invalid(path.Child("minReplicas"), least.AsInt(),
                    fmt::format("must be greater than or equal to {}", bound));
  if (!errors->profile().hpa_max_replicas_required) {
    if (most < 1) errors->Invalid(max_path, most, "must be greater than 0");
  } else if (most == 0) {
    errors->Required(max_path, "must be set and greater than 0");
  } else if (most < 0) {
    errors->Invalid(max_path, most, "must be greater than or equal to 1");
  }
  if (!least.is_null() && most < least.AsInt())
    errors->Invalid(max_path, most, "must be greater than or equal to `minReplicas`");
}

// validateHorizontalPodAutoscalerSpec. `target`, `object`: how their references are looked at.
void CheckSpec(const Value& spec, bool zero_allowed, const ReferenceRules& target,
               const ReferenceRules& object, FieldErrorList* errors) {
  const FieldPath path("spec");
  CheckReplicas(spec, path, zero_allowed, errors);
  CheckReference(spec.Get("scaleTargetRef"), path.Child("scaleTargetRef"), target, errors);
  const FieldPath metrics = path.Child("metrics");
  bool outside = false;
  for (std::size_t i = 0; i < spec.Get("metrics").size(); ++i) {
    const Value& metric = spec.Get("metrics").at(i);
    CheckMetric(metric, metrics.Index(i), object, errors);
    const std::string_view type = metric.Get("type").AsString();
    outside = outside || type == "Object" || type == "External";
  }
  const Value& least = spec.Get("minReplicas");
  if (!least.is_null() && least.AsInt() == 0 && !outside)
    errors->Forbidden(metrics,
                      "must specify at least one Object or External metric to support scaling to "
                      "zero replicas");
  const FieldPath behavior = path.Child("behavior");
  for (const char* way : {"scaleUp", "scaleDown"})
    CheckRules(spec.Get("behavior").Get(way), behavior.Child(way), errors);
}

ReferenceRules TargetRules(const Value& spec) {
  ReferenceRules rules;
  rules.allow_empty_group =
      spec.Get("scaleTargetRef").Get("kind").AsString() == "ReplicationController";
  return rules;
}

ReferenceRules ObjectRules() {
  ReferenceRules rules;
  rules.allow_empty_group = true;
  return rules;
}

// --- cells --------------------------------------------------------------------------------------

std::string AmountCell(const Value& amount) {
  return amount.is_null() ? "<nil>" : cells::AmountText(amount);
}

std::string PercentCell(const Value& percent, std::string_view otherwise) {
  return percent.is_null() ? std::string(otherwise) : fmt::format("{}%", percent.AsInt());
}

constexpr std::string_view kUnknown = "<unknown>";

std::string ResourceCell(const Value& source, const Value& status) {
  const Value& target = source.Get("target");
  const Value& current = status.Get("current");
  const std::string name = cells::Text(source.Get("name"));
  const Value& average = target.Get("averageValue");
  if (!average.is_null())
    return fmt::format(
        "{}: {}/{}", name,
        status.is_null() ? std::string(kUnknown) : AmountCell(current.Get("averageValue")),
        AmountCell(average));
  return fmt::format("{}: {}/{}", name, PercentCell(current.Get("averageUtilization"), kUnknown),
                     PercentCell(target.Get("averageUtilization"), "<auto>"));
}

std::string OutsideCell(const Value& source, const Value& status) {
  const Value& target = source.Get("target");
  const Value& current = status.Get("current");
  const Value& average = target.Get("averageValue");
  if (!average.is_null())
    return fmt::format("{}/{} (avg)",
                       current.Get("averageValue").is_null()
                           ? std::string(kUnknown)
                           : AmountCell(current.Get("averageValue")),
                       AmountCell(average));
  return fmt::format("{}/{}",
                     status.is_null() ? std::string(kUnknown) : AmountCell(current.Get("value")),
                     AmountCell(target.Get("value")));
}

std::string MetricCell(const Value& metric, const Value& status) {
  const std::string_view type = metric.Get("type").AsString();
  if (type == "External") return OutsideCell(metric.Get("external"), status.Get("external"));
  if (type == "Object") return OutsideCell(metric.Get("object"), status.Get("object"));
  if (type == "Resource") return ResourceCell(metric.Get("resource"), status.Get("resource"));
  if (type == "ContainerResource")
    return ResourceCell(metric.Get("containerResource"), status.Get("containerResource"));
  if (type != "Pods") return "<unknown type>";
  const Value& pods = status.Get("pods");
  return fmt::format(
      "{}/{}",
      pods.is_null() ? std::string(kUnknown) : AmountCell(pods.Get("current").Get("averageValue")),
      AmountCell(metric.Get("pods").Get("target").Get("averageValue")));
}

// formatHPAMetrics
std::string MetricsCell(const Value& metrics, const Value& statuses) {
  constexpr std::size_t kShown = 2;
  if (metrics.empty()) return "<none>";
  static const Value none;
  std::string out;
  for (std::size_t i = 0; i < std::min(metrics.size(), kShown); ++i) {
    if (i > 0) out += ", ";
    out += MetricCell(metrics.at(i), i < statuses.size() ? statuses.at(i) : none);
  }
  if (metrics.size() > kShown) out += fmt::format(" + {} more...", metrics.size() - kShown);
  return out;
}

}  // namespace

Value DefaultHpa(const Value& tree, Compat) {
  return EditSpec(tree, [](const Value& s) {
    if (!s.is_object()) return s;
    Value spec = WithDefault(s, Fields().min_replicas, Value::Of(1));
    if (spec.Get("metrics").empty()) {
      const Value target =
          value::Obj({{"type", Value::Of("Utilization")}, {"averageUtilization", Value::Of(80)}});
      spec = std::move(spec).Set(
          "metrics",
          value::Arr({value::Obj(
              {{"type", Value::Of("Resource")},
               {"resource", value::Obj({{"name", Value::Of("cpu")}, {"target", target}})}})}));
    }
    const Value behavior = spec.Get("behavior");
    return behavior.is_null() ? spec : std::move(spec).Set("behavior", DefaultBehavior(behavior));
  });
}

void ValidateHpa(const Value& tree, FieldErrorList* errors) {
  const Value& spec = tree.Get(Fields().spec);
  CheckSpec(spec, false, TargetRules(spec), ObjectRules(), errors);
}

void ValidateHpaUpdate(const Value& updated, const Value& old, FieldErrorList* errors) {
  const Value& spec = updated.Get(Fields().spec);
  const Value& before = old.Get(Fields().spec);
  const Value& least = before.Get("minReplicas");
  const Value& ref = spec.Get("scaleTargetRef");
  const Value& old_ref = before.Get("scaleTargetRef");
  ReferenceRules target = TargetRules(spec);
  target.allow_invalid_version =
      ref.Get("kind").AsString() == old_ref.Get("kind").AsString() &&
      ref.Get("apiVersion").AsString() == old_ref.Get("apiVersion").AsString();
  ReferenceRules object = ObjectRules();
  for (const Value& metric : before.Get("metrics").items()) {
    const std::string_view version =
        metric.Get("object").Get("describedObject").Get("apiVersion").AsString();
    if (std::count(version.begin(), version.end(), '/') > 1) object.allow_invalid_version = true;
  }
  CheckSpec(spec, !least.is_null() && least.AsInt() == 0, target, object, errors);
}

void ValidateHpaStatus(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("status");
  for (const char* field : {"currentReplicas", "desiredReplicas"})
    errors->NonNegative(path.Child(field), tree.Get(Fields().status).Get(field));
}

std::vector<std::string> HpaCells(const Object& o, VirtualTime now) {
  const Value& spec = o.spec();
  const Value& ref = spec.Get("scaleTargetRef");
  const Value& least = spec.Get("minReplicas");
  return {cells::Name(o),
          fmt::format("{}/{}", ref.Get("kind").AsString(), ref.Get("name").AsString()),
          MetricsCell(spec.Get("metrics"), o.status().Get("currentMetrics")),
          least.is_null() ? "<unset>" : std::to_string(least.AsInt()),
          std::to_string(spec.Get("maxReplicas").AsInt()),
          std::to_string(o.status().Get("currentReplicas").AsInt()),
          cells::Age(o, now)};
}

}  // namespace ksim::api
