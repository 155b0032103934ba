// The autoscaler's arithmetic against upstream's own tables (recorded/autoscaler_tables.py):
// metrics to counts, rates, windows, and whole syncs but for their requests.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/api/core/metrics_source.h"
#include "ksim/api/core/timestamps.h"
#include "ksim/base/os.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/podautoscaler/metric_proposals.h"
#include "ksim/controllers/podautoscaler/replica_calculator.h"
#include "ksim/controllers/podautoscaler/scaling_history.h"
#include "ksim/value/json.h"
#include "ksim/value/quantity.h"

namespace ksim::controllers {
namespace {

using value::Arr;
using value::Obj;
using value::Value;

constexpr VirtualTime kNow = VirtualTime() + Hours(100);
// Upstream's tests run with these.
constexpr ReadinessPeriods kPeriods = {Minutes(2), Seconds(10)};

struct Row {
  Value value;
  const Profile* profile;
  std::string where;
};

// Each row for each version that has it.
std::vector<Row> Rows(const std::string& file) {
  std::vector<Row> rows;
  std::istringstream lines(os::ReadFile("tests/controllers/recorded/" + file).value_or(""));
  std::string line;
  for (int n = 1; std::getline(lines, line); ++n) {
    const absl::StatusOr<Value> row = value::ParseJson(line);
    EXPECT_TRUE(row.ok()) << file << ":" << n;
    if (!row.ok()) continue;
    for (const api::Compat compat : api::kCompats)
      for (const Value& version : row->Get("versions").items())
        if (version.AsString() == api::ToString(compat))
          rows.push_back({*row, &ProfileOf(compat),
                          file + ":" + std::to_string(n) + " " + std::string(ToString(compat))});
  }
  return rows;
}

std::int32_t Count(const Value& v) { return static_cast<std::int32_t>(v.AsInt()); }

std::string PodName(std::size_t i) { return "test-pod-" + std::to_string(i); }

// The metrics of a table: levels by pod, and by container where the table has them.
struct TableMetrics : api::MetricsSource {
  bool Serves(Api) const override { return true; }
  std::vector<api::PodReading> ResourceUse(const Pods&, std::string_view name,
                                           VirtualTime) const override {
    std::vector<api::PodReading> out;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      api::PodReading reading;
      reading.pod = i < names.size() ? names[i] : PodName(i);
      reading.timestamp = timestamp;
      reading.window = Minutes(1);
      for (std::size_t c = 0; c < levels[i].size(); ++c)
        reading.containers.emplace_back(
            "container" + std::to_string(c + 1),
            name == resource ? std::optional(levels[i][c]) : std::nullopt);
      out.push_back(reading);
    }
    return out;
  }
  std::optional<PodValues> PodMetric(const Pods&, std::string_view, std::string_view,
                                     const value::LabelSelector&, VirtualTime) const override {
    PodValues out;
    for (std::size_t i = 0; i < values.size(); ++i) out.emplace_back(PodName(i), values[i]);
    return out;
  }
  std::optional<std::int64_t> ObjectMetric(const ObjectMetricQuery&, const value::LabelSelector&,
                                           VirtualTime) const override {
    if (values.empty()) return std::nullopt;
    return values.front();
  }
  std::vector<std::int64_t> ExternalMetric(std::string_view, std::string_view,
                                           const value::LabelSelector&,
                                           VirtualTime) const override {
    return values;
  }
  VirtualTime LastChange() const override { return {}; }

  std::string resource = "cpu";
  std::vector<std::vector<std::int64_t>> levels;
  std::vector<std::string> names;
  std::vector<std::int64_t> values;
  VirtualTime timestamp;
};

struct PodShape {
  std::string ready = "True", phase = "Running";
  VirtualTime start;
  bool deleting = false;
  bool ready_from_start = false;
  std::string request;  // of each of two containers; "": none
  std::string resource;
};

api::Object MakePod(const std::string& name, const PodShape& shape) {
  Value condition = Obj({{"type", Value::Of("Ready")}, {"status", Value::Of(shape.ready)}});
  if (shape.ready_from_start)
    condition = condition.Set("lastTransitionTime", api::TimeValue(shape.start));
  std::vector<Value> containers;
  for (const char* c : {"container1", "container2"}) {
    Value container = Obj({{"name", Value::Of(c)}});
    if (!shape.request.empty())
      container =
          container.Set(value::Path{"resources", "requests", std::string_view(shape.resource)},
                        Value::Of(shape.request));
    containers.push_back(container);
  }
  Value metadata = Obj({{"name", Value::Of(name)},
                        {"namespace", Value::Of("test-namespace")},
                        {"labels", Obj({{"name", Value::Of("test-pod")}})}});
  if (shape.deleting) metadata = metadata.Set("deletionTimestamp", api::TimeValue(kNow));
  return api::Object::FromTree(Obj({{"apiVersion", Value::Of("v1")},
                                    {"kind", Value::Of("Pod")},
                                    {"metadata", metadata},
                                    {"spec", Obj({{"containers", Value::Array(containers)}})},
                                    {"status", Obj({{"phase", Value::Of(shape.phase)},
                                                    {"startTime", api::TimeValue(shape.start)},
                                                    {"conditions", Arr({condition})}})}}));
}

VirtualTime StartOf(const Value& start, Duration cool) {
  if (start.AsString() == "hot") return kNow;
  return start.AsString() == "cool" ? kNow - cool : VirtualTime();
}

void TakeShape(const Value& ready, const Value& phase, const Value& start, const Value& deleting,
               Duration cool, PodShape* shape) {
  if (ready.is_string()) shape->ready = ready.AsString();
  if (phase.is_string()) shape->phase = phase.AsString();
  shape->start = StartOf(start, cool);
  shape->deleting = deleting.AsBool();
}

Float64 Decimal(const Value& v) {
  // 0.1 and the like: two digits are enough for the tables.
  return Float64::Of(static_cast<std::int64_t>(v.AsDouble() * 100 + 0.5)) / Float64::Of(100);
}

// --- counts --------------------------------------------------------------------------------------

ReplicaCalculator::Scaled ScaledOf(const Row& row) {
  const Value& v = row.value;
  ReplicaCalculator::Scaled scaled;
  scaled.pods.ns = "test-namespace";
  scaled.spec_replicas = scaled.status_replicas = Count(v.Get("currentReplicas"));
  scaled.tolerances = TolerancesOf(Value(), *row.profile);
  const Value& tolerances = v.Get("tolerances");
  if (tolerances.is_object()) {
    scaled.tolerances.scale_down = Decimal(tolerances.Get("scaleDown"));
    scaled.tolerances.scale_up = Decimal(tolerances.Get("scaleUp"));
  } else if (tolerances.is_array()) {
    scaled.tolerances.scale_down = Decimal(tolerances.at(0));
    scaled.tolerances.scale_up = Decimal(tolerances.at(1));
  }
  scaled.now = scaled.metrics_time = kNow;
  const std::size_t pods = std::max<std::size_t>(static_cast<std::size_t>(scaled.spec_replicas),
                                                 v.Get("podPhase").size());
  for (std::size_t i = 0; i < pods; ++i) {
    PodShape shape;
    TakeShape(v.Get("podReadiness").at(i), v.Get("podPhase").at(i), v.Get("podStartTime").at(i),
              v.Get("podDeletionTimestamp").at(i), Minutes(3), &shape);
    shape.request = v.Get("resource").Get("requests").at(i).AsString();
    shape.resource = v.Get("resource").Get("name").AsString();
    scaled.pods.all.push_back(MakePod(PodName(i), shape));
  }
  scaled.pods.selected = scaled.pods.all;
  return scaled;
}

TableMetrics MetricsOf(const Value& v) {
  TableMetrics metrics;
  const Value& resource = v.Get("resource");
  metrics.resource = resource.Get("name").AsString();
  for (const Value& pod : resource.Get("levels").items()) {
    std::vector<std::int64_t> levels;
    for (const Value& level : pod.items()) levels.push_back(level.AsInt());
    metrics.levels.push_back(levels);
  }
  for (const Value& name : resource.Get("podNames").items())
    metrics.names.emplace_back(name.AsString());
  for (const Value& level : v.Get("metric").Get("levels").items())
    metrics.values.push_back(level.AsInt());
  return metrics;
}

ReplicaCalculator::Count CountOf(const Row& row, const ReplicaCalculator& calculator) {
  const Value& v = row.value;
  const ReplicaCalculator::Scaled scaled = ScaledOf(row);
  const Value& resource = v.Get("resource");
  if (resource.is_object())
    return calculator.ResourceReplicas(scaled, resource.Get("name").AsString(),
                                       v.Get("container").AsString(),
                                       resource.Get("targetUtilization").AsInt());
  const Value& metric = v.Get("metric");
  const Value name = Obj({{"name", metric.Get("name")}});
  const Value object = Obj({{"kind", Value::Of("Deployment")}, {"name", Value::Of("d")}});
  const std::string_view type = metric.Get("metricType").AsString();
  const std::int64_t target = metric.Get("targetUsage").AsInt();
  const std::int64_t per_pod = metric.Get("perPodTargetUsage").AsInt();
  if (type.empty() || type == "object")
    return calculator.ObjectMetricReplicas(scaled, name, object, target);
  if (type == "objectPerPod")
    return calculator.ObjectPerPodMetricReplicas(scaled, name, object, per_pod);
  if (type == "external") return calculator.ExternalMetricReplicas(scaled, name, target);
  if (type == "externalPerPod")
    return calculator.ExternalPerPodMetricReplicas(scaled, name, per_pod);
  return calculator.MetricReplicas(scaled, name, target);
}

// CTRL-HPA-04, CTRL-HPA-05, CTRL-HPA-06, CTRL-HPA-07.
TEST(AutoscalerTables, MetricsMakeTheCountsThatUpstreamMakesOfThem) {
  const std::vector<Row> rows = Rows("autoscaler_replicas.jsonl");
  EXPECT_GT(rows.size(), 180u);
  for (const Row& row : rows) {
    const TableMetrics metrics = MetricsOf(row.value);
    const ReplicaCalculator calculator(*row.profile, &metrics, kPeriods);
    const ReplicaCalculator::Count count = CountOf(row, calculator);
    const std::string_view error = row.value.Get("expectedError").AsString();
    if (!error.empty()) {
      EXPECT_NE(count.error.find(error), std::string::npos) << row.where << ": " << count.error;
      continue;
    }
    EXPECT_EQ(count.error, "") << row.where;
    EXPECT_EQ(count.replicas, row.value.Get("expectedReplicas").AsInt()) << row.where;
    const Value& resource = row.value.Get("resource");
    if (resource.is_object()) {
      EXPECT_EQ(count.percent, resource.Get("expectedUtilization").AsInt()) << row.where;
      EXPECT_EQ(count.usage, resource.Get("expectedValue").AsInt()) << row.where;
    } else {
      EXPECT_EQ(count.usage, row.value.Get("metric").Get("expectedUsage").AsInt()) << row.where;
    }
  }
}

// --- rates and windows ---------------------------------------------------------------------------

// SetDefaults_HorizontalPodAutoscalerBehavior.
Value WithDefaults(const Value& given, bool up) {
  const Value percent = Obj({{"type", Value::Of("Percent")},
                             {"value", Value::Of(100)},
                             {"periodSeconds", Value::Of(15)}});
  const Value pods = percent.Set("type", Value::Of("Pods")).Set("value", Value::Of(4));
  Value out = Obj({{"selectPolicy", Value::Of("Max")},
                   {"policies", up ? Arr({pods, percent}) : Arr({percent})}});
  if (up) out = out.Set("stabilizationWindowSeconds", Value::Of(0));
  for (const Value::Member& m : given.members()) out = out.Set(m.name, m.value);
  return out;
}

Value BehaviorOf(const Value& up, const Value& down) {
  return Obj({{"scaleUp", WithDefaults(up, true)}, {"scaleDown", WithDefaults(down, false)}});
}

ScalingHistory::ScaleEvents Scalings(const Value& list) {
  ScalingHistory::ScaleEvents out;
  for (const Value& pair : list.items()) {
    ScalingHistory::ScaleEvent event;
    event.change = Count(pair.at(0));
    event.at = kNow - Seconds(pair.at(1).AsInt());
    out.push_back(event);
  }
  return out;
}

std::vector<ScalingHistory::Recommendation> Recommendations(const Value& list) {
  std::vector<ScalingHistory::Recommendation> out;
  for (const Value& pair : list.items()) {
    ScalingHistory::Recommendation one;
    one.replicas = Count(pair.at(0));
    one.at = kNow + Seconds(pair.at(1).AsInt());
    out.push_back(one);
  }
  return out;
}

// CTRL-HPA-11, CTRL-HPA-12.
TEST(AutoscalerTables, PoliciesLimitScalingsAsUpstreamsDo) {
  const std::vector<Row> rows = Rows("autoscaler_rates.jsonl");
  EXPECT_GT(rows.size(), 100u);
  for (const Row& row : rows) {
    const Value& v = row.value;
    ScalingHistory history({}, Scalings(v.Get("scaleUpEvents")), Scalings(v.Get("scaleDownEvents")),
                           2);
    const NormalizedReplicas got = history.Normalize(
        BehaviorOf(v.Get("scaleUpRules"), v.Get("scaleDownRules")), Count(v.Get("currentReplicas")),
        Count(v.Get("prenormalizedDesiredReplicas")),
        ReplicaBounds(Count(v.Get("specMinReplicas")), Count(v.Get("specMaxReplicas"))),
        *row.profile, kNow);
    EXPECT_EQ(got.replicas, v.Get("expectedReplicas").AsInt()) << row.where;
    EXPECT_EQ(got.limited_reason, v.Get("expectedCondition").AsString()) << row.where;
  }
}

// CTRL-HPA-09, CTRL-HPA-10.
TEST(AutoscalerTables, WindowsHoldScalingsBackAsUpstreamsDo) {
  const std::vector<Row> rows = Rows("autoscaler_windows.jsonl");
  EXPECT_GT(rows.size(), 30u);
  constexpr std::int32_t kMany = 1'000'000;
  for (const Row& row : rows) {
    const Value& v = row.value;
    ScalingHistory history(Recommendations(v.Get("recommendations")), {}, {}, kMany);
    // Policies that limit nothing.
    const auto rules = [&](const char* window) {
      return Obj({{"stabilizationWindowSeconds", Value::Of(v.Get(window).AsInt())},
                  {"selectPolicy", Value::Of("Max")},
                  {"policies", Arr({Obj({{"type", Value::Of("Pods")},
                                         {"value", Value::Of(kMany)},
                                         {"periodSeconds", Value::Of(1)}})})}});
    };
    const Value behavior = v.Has("behavior")
                               ? Value()
                               : Obj({{"scaleUp", rules("scaleUpStabilizationWindowSeconds")},
                                      {"scaleDown", rules("scaleDownStabilizationWindowSeconds")}});
    const std::int32_t current = v.Has("behavior") ? 1000 : Count(v.Get("currentReplicas"));
    const NormalizedReplicas got =
        history.Normalize(behavior, current, Count(v.Get("prenormalizedDesiredReplicas")),
                          ReplicaBounds(0, kMany), *row.profile, kNow);
    EXPECT_EQ(got.replicas, v.Get("expectedStabilizedReplicas").AsInt()) << row.where;
  }
}

// --- syncs ---------------------------------------------------------------------------------------

// A quantity halved, as upstream's pods split their requests.
std::string HalfOf(const Value& text) {
  const auto q = value::Quantity::Parse(text.AsString());
  return value::Quantity::FromMilli(q.ok() ? q->MilliValue() / 2 : 0).ToString();
}

std::vector<api::Object> PodsOf(const Value& v) {
  const Value& requests = v.Get("reportedCPURequests");
  const auto count = requests.is_null() ? static_cast<std::size_t>(v.Get("statusReplicas").AsInt())
                                        : requests.size();
  std::vector<api::Object> pods;
  for (std::size_t i = 0; i < count; ++i) {
    PodShape shape;
    TakeShape(v.Get("reportedPodReadiness").at(i), v.Get("reportedPodPhase").at(i),
              v.Get("reportedPodStartTime").at(i), v.Get("reportedPodDeletionTimestamp").at(i),
              Minutes(3), &shape);
    shape.ready_from_start = true;
    shape.resource = "cpu";
    shape.request = requests.is_null() ? "500m" : HalfOf(requests.at(i));
    pods.push_back(MakePod(PodName(i), shape));
  }
  return pods;
}

TableMetrics ReportedBy(const Value& v) {
  TableMetrics metrics;
  metrics.timestamp = kNow;
  for (const Value& level : v.Get("reportedLevels").items()) {
    metrics.levels.push_back({level.AsInt() / 2, level.AsInt() / 2});
    metrics.values.push_back(level.AsInt());
  }
  return metrics;
}

Value SpecMetrics(const Value& v) {
  std::vector<Value> out;
  if (v.Get("CPUTarget").AsInt() > 0)
    out.push_back(
        Obj({{"type", Value::Of("Resource")},
             {"resource", Obj({{"name", Value::Of("cpu")},
                               {"target", Obj({{"averageUtilization", v.Get("CPUTarget")}})}})}}));
  for (const Value& metric : v.Get("metricsTarget").items()) out.push_back(metric);
  if (out.empty())
    out.push_back(
        Obj({{"type", Value::Of("Resource")}, {"resource", Obj({{"name", Value::Of("cpu")}})}}));
  return Value::Array(out);
}

// A sync but for its requests: the conditions but AbleToScale, and the count.
struct Synced {
  std::int64_t replicas = 0;
  bool scales = false;
  std::map<std::string, std::string> conditions;  // "True ValidMetricFound"
  std::optional<std::int64_t> percent;
};

Synced Sync(const Row& row) {
  const Value& v = row.value;
  Synced out;
  ReplicaCalculator::Scaled scaled;
  scaled.pods.ns = "test-namespace";
  scaled.pods.all = scaled.pods.selected = PodsOf(v);
  scaled.spec_replicas = Count(v.Get("specReplicas"));
  scaled.status_replicas = Count(v.Get("statusReplicas"));
  scaled.tolerances = TolerancesOf(Value(), *row.profile);
  scaled.now = scaled.metrics_time = kNow;
  const ReplicaBounds bounds(Count(v.Get("minReplicas")), Count(v.Get("maxReplicas")));
  const std::int32_t current = scaled.spec_replicas;
  out.replicas = current;
  if (current == 0 && bounds.min != 0) {
    out.conditions["ScalingActive"] = "False ScalingDisabled";
    return out;
  }
  if (current > bounds.max || current < bounds.min) {
    out.replicas = current > bounds.max ? bounds.max : bounds.min;
    return out;
  }
  const TableMetrics metrics = ReportedBy(v);
  const ReplicaCalculator calculator(*row.profile, &metrics, kPeriods);
  const MetricsProposal proposal =
      ProposeByMetrics(calculator, scaled, SpecMetrics(v), *row.profile);
  for (const Value& status : proposal.statuses.items())
    if (status.Get("type").AsString() == "Resource")
      out.percent = status.Get("resource").Get("current").Get("averageUtilization").AsInt();
  if (proposal.failed) {
    out.conditions["ScalingActive"] = "False " + proposal.failures.front().reason;
    return out;
  }
  out.conditions["ScalingActive"] = "True ValidMetricFound";
  const Value &up = v.Get("scaleUpRules"), &down = v.Get("scaleDownRules");
  const Value behavior = up.is_null() && down.is_null() ? Value() : BehaviorOf(up, down);
  ScalingHistory history(Recommendations(v.Get("recommendations")), {}, {}, 8);
  if (!v.Get("recommendations").is_array()) history.RecordInitialRecommendation(current, kNow);
  const NormalizedReplicas got =
      history.Normalize(behavior, current, proposal.replicas, bounds, *row.profile, kNow);
  out.replicas = got.replicas;
  out.conditions["AbleToScale"] = "True " + std::string(got.able_reason);
  if (got.replicas != current) out.conditions["AbleToScale"] = "True SucceededRescale";
  out.conditions["ScalingLimited"] =
      (got.limited ? "True " : "False ") + std::string(got.limited_reason);
  return out;
}

// CTRL-HPA-03, CTRL-HPA-08.
TEST(AutoscalerTables, WholeSyncsComeToUpstreamsCountsAndConditions) {
  const std::vector<Row> rows = Rows("autoscaler_syncs.jsonl");
  EXPECT_GT(rows.size(), 140u);
  for (const Row& row : rows) {
    const Value& v = row.value;
    const Synced got = Sync(row);
    EXPECT_EQ(got.replicas, v.Get("expectedDesiredReplicas").AsInt()) << row.where;
    if (v.Get("verifyCPUCurrent").AsBool() && v.Has("CPUCurrent")) {
      EXPECT_EQ(got.percent, v.Get("CPUCurrent").AsInt()) << row.where;
    }
    for (const Value& expected : v.Get("expectedConditions").items()) {
      const bool full = expected.is_array();
      const std::string type(full ? expected.at(0).AsString() : expected.Get("Type").AsString());
      const auto condition = got.conditions.find(type);
      if (condition == got.conditions.end()) continue;
      const std::string_view status =
          full ? expected.at(1).AsString() : expected.Get("Status").AsString();
      const std::string_view reason =
          full ? expected.at(2).AsString() : expected.Get("Reason").AsString();
      EXPECT_EQ(condition->second, std::string(status) + " " + std::string(reason)) << row.where;
    }
  }
}

// CTRL-HPA-13
TEST(AutoscalerTables, TolerancesAreOffAtTheEdgeWhereDoublesAre) {
  Tolerances around, within;
  around.around_one = true;
  const Float64 more = Float64::Of(110) / Float64::Of(100);
  const Float64 less = Float64::Of(90) / Float64::Of(100);
  EXPECT_FALSE(around.IsWithin(more)) << "|1 - 1.1| is a little more than 0.1";
  EXPECT_TRUE(around.IsWithin(less));
  EXPECT_TRUE(within.IsWithin(more)) << "1 + 0.1 is 1.1";
  EXPECT_TRUE(within.IsWithin(less));
}

}  // namespace
}  // namespace ksim::controllers
