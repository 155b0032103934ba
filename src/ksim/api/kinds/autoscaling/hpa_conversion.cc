#include "ksim/api/kinds/autoscaling/hpa_conversion.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/api/core/fields.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/value/go_format.h"
#include "ksim/value/json.h"
#include "ksim/value/quantity.h"

namespace ksim::api {

using value::Path;
using value::Value;

namespace {

constexpr std::string_view kMetrics = "autoscaling.alpha.kubernetes.io/metrics";
constexpr std::string_view kCurrentMetrics = "autoscaling.alpha.kubernetes.io/current-metrics";
constexpr std::string_view kConditions = "autoscaling.alpha.kubernetes.io/conditions";
constexpr std::string_view kBehavior = "autoscaling.alpha.kubernetes.io/behavior";
// DropRoundTripHorizontalPodAutoscalerAnnotations.
constexpr std::string_view kRoundTrip[] = {kMetrics,
                                           kCurrentMetrics,
                                           kConditions,
                                           kBehavior,
                                           "autoscaling.alpha.kubernetes.io/scale-down-tolerance",
                                           "autoscaling.alpha.kubernetes.io/scale-up-tolerance"};

const Path& MetricsPath() {
  static const Path path{"spec", "metrics"};
  return path;
}
const Path& AnnotationsPath() {
  static const Path path{"metadata", "annotations"};
  return path;
}

// A field of a metric in v1 and its place in v2.
enum class Shape { kPlain, kAlwaysText, kAlwaysQuantity, kReference, kSelector };
struct MetricField {
  std::string_view v1;
  std::string_view parent, name;  // in v2; parent "": in the metric itself
  Shape shape = Shape::kPlain;
};
// The metrics of one type: their field, and their fields in the order of v1's struct.
struct MetricType {
  std::string_view field;
  std::span<const MetricField> fields;
};

constexpr MetricField kObject[] = {{"target", "", "describedObject", Shape::kReference},
                                   {"metricName", "metric", "name", Shape::kAlwaysText},
                                   {"targetValue", "target", "value", Shape::kAlwaysQuantity},
                                   {"selector", "metric", "selector", Shape::kSelector},
                                   {"averageValue", "target", "averageValue"}};
constexpr MetricField kPods[] = {
    {"metricName", "metric", "name", Shape::kAlwaysText},
    {"targetAverageValue", "target", "averageValue", Shape::kAlwaysQuantity},
    {"selector", "metric", "selector", Shape::kSelector}};
constexpr MetricField kResource[] = {{"name", "", "name", Shape::kAlwaysText},
                                     {"targetAverageUtilization", "target", "averageUtilization"},
                                     {"targetAverageValue", "target", "averageValue"}};
constexpr MetricField kContainerResource[] = {
    {"name", "", "name", Shape::kAlwaysText},
    {"targetAverageUtilization", "target", "averageUtilization"},
    {"targetAverageValue", "target", "averageValue"},
    {"container", "", "container", Shape::kAlwaysText}};
constexpr MetricField kExternal[] = {{"metricName", "metric", "name", Shape::kAlwaysText},
                                     {"metricSelector", "metric", "selector", Shape::kSelector},
                                     {"targetValue", "target", "value"},
                                     {"targetAverageValue", "target", "averageValue"}};
constexpr MetricType kSpecTypes[] = {{"object", kObject},
                                     {"pods", kPods},
                                     {"resource", kResource},
                                     {"containerResource", kContainerResource},
                                     {"external", kExternal}};

constexpr MetricField kObjectStatus[] = {
    {"target", "", "describedObject", Shape::kReference},
    {"metricName", "metric", "name", Shape::kAlwaysText},
    {"currentValue", "current", "value", Shape::kAlwaysQuantity},
    {"selector", "metric", "selector", Shape::kSelector},
    {"averageValue", "current", "averageValue"}};
constexpr MetricField kPodsStatus[] = {
    {"metricName", "metric", "name", Shape::kAlwaysText},
    {"currentAverageValue", "current", "averageValue", Shape::kAlwaysQuantity},
    {"selector", "metric", "selector", Shape::kSelector}};
constexpr MetricField kResourceStatus[] = {
    {"name", "", "name", Shape::kAlwaysText},
    {"currentAverageUtilization", "current", "averageUtilization"},
    {"currentAverageValue", "current", "averageValue", Shape::kAlwaysQuantity}};
constexpr MetricField kContainerResourceStatus[] = {
    {"name", "", "name", Shape::kAlwaysText},
    {"currentAverageUtilization", "current", "averageUtilization"},
    {"currentAverageValue", "current", "averageValue", Shape::kAlwaysQuantity},
    {"container", "", "container", Shape::kAlwaysText}};
constexpr MetricField kExternalStatus[] = {
    {"metricName", "metric", "name", Shape::kAlwaysText},
    {"metricSelector", "metric", "selector", Shape::kSelector},
    {"currentValue", "current", "value", Shape::kAlwaysQuantity},
    {"currentAverageValue", "current", "averageValue"}};
constexpr MetricType kStatusTypes[] = {{"object", kObjectStatus},
                                       {"pods", kPodsStatus},
                                       {"resource", kResourceStatus},
                                       {"containerResource", kContainerResourceStatus},
                                       {"external", kExternalStatus}};

// --- to v1: JSON with the fields in the order of Go's structs -----------------------------------

// Collects the fields of one JSON object.
class JsonObject {
 public:
  void Add(std::string_view name, std::string_view json) {
    text_ += text_.size() > 1 ? ",\"" : "\"";
    text_.append(name).append("\":").append(json);
  }
  // Leaves out null.
  void AddGiven(std::string_view name, const Value& v) {
    if (!v.is_null()) Add(name, value::GoJson(v));
  }
  std::string Close() && { return std::move(text_) + "}"; }

 private:
  std::string text_ = "{";
};

template <class ToJson>
std::string JsonList(const Value& list, const ToJson& to_json) {
  std::string out = "[";
  for (const Value& item : list.items())
    out.append(out.size() > 1 ? "," : "").append(to_json(item));
  return out + "]";
}

std::string SelectorJson(const Value& selector) {
  JsonObject out;
  if (!selector.Get("matchLabels").empty())
    out.AddGiven("matchLabels", selector.Get("matchLabels"));
  const Value& expressions = selector.Get("matchExpressions");
  if (!expressions.empty()) out.AddGiven("matchExpressions", expressions);
  return std::move(out).Close();
}

std::string ReferenceJson(const Value& reference) {
  JsonObject out;
  out.Add("kind", value::GoJson(Value::Of(reference.Get("kind").AsString())));
  out.Add("name", value::GoJson(Value::Of(reference.Get("name").AsString())));
  if (!reference.Get("apiVersion").AsString().empty())
    out.AddGiven("apiVersion", reference.Get("apiVersion"));
  return std::move(out).Close();
}

const Value& FieldInV2(const Value& metric, const MetricField& field) {
  return (field.parent.empty() ? metric : metric.Get(field.parent)).Get(field.name);
}

std::string MetricJson(const Value& metric, std::span<const MetricType> types) {
  JsonObject out;
  out.Add("type", value::GoJson(Value::Of(metric.Get("type").AsString())));
  for (const MetricType& type : types) {
    const Value& source = metric.Get(type.field);
    if (source.is_null()) continue;
    JsonObject fields;
    for (const MetricField& field : type.fields) {
      const Value& v = FieldInV2(source, field);
      if (field.shape == Shape::kReference) {
        fields.Add(field.v1, ReferenceJson(v));
      } else if (field.shape == Shape::kSelector) {
        if (!v.is_null()) fields.Add(field.v1, SelectorJson(v));
      } else if (v.is_null() && field.shape != Shape::kPlain) {
        fields.Add(field.v1, field.shape == Shape::kAlwaysText ? "\"\"" : "\"0\"");
      } else {
        fields.AddGiven(field.v1, v);
      }
    }
    out.Add(type.field, std::move(fields).Close());
  }
  return std::move(out).Close();
}

std::string ConditionJson(const Value& condition) {
  JsonObject out;
  out.AddGiven("type", condition.Get("type"));
  out.AddGiven("status", condition.Get("status"));
  out.Add("lastTransitionTime", value::GoJson(condition.Get("lastTransitionTime")));
  for (const char* field : {"reason", "message"})
    if (!condition.Get(field).AsString().empty()) out.AddGiven(field, condition.Get(field));
  return std::move(out).Close();
}

// The behavior is written as Go's internal type, which has no names for JSON.
std::string RulesJson(const Value& rules) {
  if (rules.is_null()) return "null";
  JsonObject out;
  out.Add("StabilizationWindowSeconds", value::GoJson(rules.Get("stabilizationWindowSeconds")));
  out.Add("SelectPolicy", value::GoJson(rules.Get("selectPolicy")));
  out.Add("Policies", rules.Get("policies").is_null()
                          ? "null"
                          : JsonList(rules.Get("policies"), [](const Value& policy) {
                              JsonObject p;
                              p.Add("Type", value::GoJson(policy.Get("type")));
                              p.Add("Value", value::GoJson(policy.Get("value")));
                              p.Add("PeriodSeconds", value::GoJson(policy.Get("periodSeconds")));
                              return std::move(p).Close();
                            }));
  out.Add("Tolerance", value::GoJson(rules.Get("tolerance")));
  return std::move(out).Close();
}

std::string BehaviorJson(const Value& behavior) {
  JsonObject out;
  out.Add("ScaleUp", RulesJson(behavior.Get("scaleUp")));
  out.Add("ScaleDown", RulesJson(behavior.Get("scaleDown")));
  return std::move(out).Close();
}

// A metric that v1 has in its spec: the utilization of the CPU.
bool IsCpuUtilization(const Value& metric) {
  const Value& resource = metric.Get("resource");
  return metric.Get("type").AsString() == "Resource" && resource.Get("name").AsString() == "cpu" &&
         !resource.Get("target").Get("averageUtilization").is_null();
}

// --- to v2 --------------------------------------------------------------------------------------

Value TargetType(std::string_view metric, const Value& target) {
  if (metric == "pods") return Value::Of("AverageValue");
  if (metric == "object")
    return Value::Of(target.Get("averageValue").is_null() ? "Value" : "AverageValue");
  if (metric == "external")
    return Value::Of(target.Get("value").is_null() ? "AverageValue" : "Value");
  return Value::Of(target.Get("averageUtilization").is_null() ? "AverageValue" : "Utilization");
}

bool IsZero(const Value& quantity) {
  const absl::StatusOr<value::Quantity> amount = value::Quantity::FromTree(quantity);
  return amount.ok() && amount->is_zero();
}

Value MetricFromV1(const Value& metric, std::span<const MetricType> types, bool status) {
  Value out = Value::EmptyObject().Set("type", metric.Get("type"));
  for (const MetricType& type : types) {
    const Value& given = metric.Get(type.field);
    if (given.is_null()) continue;
    Value source = Value::EmptyObject();
    for (const MetricField& field : type.fields) {
      const Value& v = given.Get(field.v1);
      if (v.is_null()) continue;
      // v1 cannot leave out the value beside an average.
      const bool filler = !status && type.field == "object" && field.v1 == "targetValue" &&
                          !given.Get("averageValue").is_null() && IsZero(v);
      if (filler) continue;
      const Path at = field.parent.empty()
                          ? Path{value::PathStep(field.name)}
                          : Path{value::PathStep(field.parent), value::PathStep(field.name)};
      source = source.Set(at, v);
    }
    if (!status) {
      static const Path kType{"target", "type"};
      source = source.Set(kType, TargetType(type.field, source.Get("target")));
    }
    out = std::move(out).Set(type.field, std::move(source));
  }
  return out;
}

Value CpuMetric(const Value& utilization, bool status) {
  Value amount = Value::EmptyObject().Set("averageUtilization", utilization);
  if (!status) amount = std::move(amount).Set("type", Value::Of("Utilization"));
  return value::Obj({{"type", Value::Of("Resource")},
                     {"resource", value::Obj({{"name", Value::Of("cpu")},
                                              {status ? "current" : "target", amount}})}});
}

Value RulesFromInternal(const Value& rules) {
  if (rules.is_null()) return Value();
  Value out = Value::EmptyObject();
  const auto take = [&](std::string_view from, std::string_view to) {
    if (!rules.Get(from).is_null()) out = std::move(out).Set(to, rules.Get(from));
  };
  take("StabilizationWindowSeconds", "stabilizationWindowSeconds");
  take("SelectPolicy", "selectPolicy");
  take("Tolerance", "tolerance");
  if (rules.Get("Policies").is_null()) return out;
  std::vector<Value> policies;
  for (const Value& p : rules.Get("Policies").items())
    policies.push_back(value::Obj({{"type", p.Get("Type")},
                                   {"value", p.Get("Value")},
                                   {"periodSeconds", p.Get("PeriodSeconds")}}));
  return std::move(out).Set("policies", Value::Array(std::move(policies)));
}

// The JSON in an annotation; null if there is none, or it cannot be read.
Value Annotation(const Value& annotations, std::string_view name) {
  const std::string_view text = annotations.Get(name).AsString();
  absl::StatusOr<Value> parsed = value::ParseJson(text.empty() ? "null" : text);
  return parsed.ok() ? *std::move(parsed) : Value();
}

std::vector<Value> MetricsFromV1(const Value& list, std::span<const MetricType> types,
                                 bool status) {
  std::vector<Value> out;
  for (const Value& metric : list.items()) out.push_back(MetricFromV1(metric, types, status));
  return out;
}

Value WithoutRoundTrip(const Value& tree) {
  const Value& annotations = tree.Get(AnnotationsPath());
  Value kept = annotations;
  for (const std::string_view name : kRoundTrip)
    if (kept.Has(name)) kept = kept.Erase(name);
  return kept.SameTree(annotations) ? tree : tree.Set(AnnotationsPath(), kept);
}

Value SpecToV2(const Value& v1, const Value& annotations) {
  const Value& cpu = v1.Get("targetCPUUtilizationPercentage");
  std::vector<Value> metrics = MetricsFromV1(Annotation(annotations, kMetrics), kSpecTypes, false);
  if (!cpu.is_null()) metrics.push_back(CpuMetric(cpu, false));
  // v1 has a default, which needs the annotations (DefaultCPUUtilization).
  if (metrics.empty()) metrics.push_back(CpuMetric(Value::Int(80), false));
  Value spec = v1.Erase("targetCPUUtilizationPercentage");
  spec = std::move(spec).Set("metrics", Value::Array(std::move(metrics)));
  const Value behavior = Annotation(annotations, kBehavior);
  Value rules = Value::EmptyObject();
  for (const auto& [from, to] : {std::pair{"ScaleUp", "scaleUp"}, {"ScaleDown", "scaleDown"}}) {
    if (!behavior.Get(from).is_null())
      rules = std::move(rules).Set(to, RulesFromInternal(behavior.Get(from)));
  }
  return rules.empty() ? spec : std::move(spec).Set("behavior", std::move(rules));
}

Value StatusToV2(const Value& v1, const Value& annotations) {
  const Value& cpu = v1.Get("currentCPUUtilizationPercentage");
  const Value current = Annotation(annotations, kCurrentMetrics);
  Value status = v1.Erase("currentCPUUtilizationPercentage");
  // v1 always has a count, v2 one that is not 0.
  if (status.Get(Fields().current_replicas).AsInt() == 0)
    status = status.Erase(Fields().current_replicas.text());
  Value metrics;
  if (!current.is_null()) {
    metrics = Value::Array(MetricsFromV1(current, kStatusTypes, true));
  } else if (!cpu.is_null()) {
    metrics = Value::Array({CpuMetric(cpu, true)});
  }
  status = std::move(status).Set("currentMetrics", std::move(metrics));
  Value conditions = Annotation(annotations, kConditions);
  return conditions.is_null() ? status : std::move(status).Set("conditions", std::move(conditions));
}

Value StatusToV1(const Value& v2) {
  Value status = v2.Erase("currentMetrics").Erase("conditions");
  status = WithDefault(std::move(status), Fields().current_replicas, Value::Int(0));
  for (const Value& metric : v2.Get("currentMetrics").items()) {
    const Value& resource = metric.Get("resource");
    const Value& used = resource.Get("current").Get("averageUtilization");
    if (metric.Get("type").AsString() == "Resource" && resource.Get("name").AsString() == "cpu" &&
        !used.is_null())
      status = std::move(status).Set("currentCPUUtilizationPercentage", used);
  }
  return status;
}

}  // namespace

Value HpaToV2(const Value& v1) {
  const Value& annotations = v1.Get(AnnotationsPath());
  Value out = WithoutRoundTrip(v1).Set(Fields().api_version, Value::Of("autoscaling/v2"));
  out = std::move(out).Set(Fields().spec, SpecToV2(v1.Get(Fields().spec), annotations));
  if (v1.Get(Fields().status).is_null()) return out;
  return std::move(out).Set(Fields().status, StatusToV2(v1.Get(Fields().status), annotations));
}

Value HpaToV1(const Value& v2) {
  const Value& metrics = v2.Get(MetricsPath());
  const Value& status = v2.Get(Fields().status);
  const Value& behavior = v2.Get(Fields().spec).Get("behavior");
  Value out = WithoutRoundTrip(v2).Set(Fields().api_version, Value::Of("autoscaling/v1"));
  const auto annotate = [&](std::string_view name, std::string text) {
    out = out.Set(Path{"metadata", "annotations", value::PathStep(name)},
                  Value::String(std::move(text)));
  };
  std::vector<Value> others;
  Value spec = v2.Get(Fields().spec).Erase("metrics").Erase("behavior");
  for (const Value& metric : metrics.items()) {
    if (!IsCpuUtilization(metric)) {
      others.push_back(metric);
    } else if (!spec.Has("targetCPUUtilizationPercentage")) {
      spec = std::move(spec).Set("targetCPUUtilizationPercentage",
                                 metric.Get("resource").Get("target").Get("averageUtilization"));
    }
  }
  out = std::move(out).Set(Fields().spec, std::move(spec));
  if (!status.is_null()) out = std::move(out).Set(Fields().status, StatusToV1(status));
  const auto spec_json = [](const Value& m) { return MetricJson(m, kSpecTypes); };
  const auto status_json = [](const Value& m) { return MetricJson(m, kStatusTypes); };
  if (!others.empty()) annotate(kMetrics, JsonList(Value::Array(std::move(others)), spec_json));
  if (!status.Get("currentMetrics").empty())
    annotate(kCurrentMetrics, JsonList(status.Get("currentMetrics"), status_json));
  if (!behavior.is_null()) annotate(kBehavior, BehaviorJson(behavior));
  if (!status.Get("conditions").empty())
    annotate(kConditions, JsonList(status.Get("conditions"), ConditionJson));
  return out;
}

}  // namespace ksim::api
