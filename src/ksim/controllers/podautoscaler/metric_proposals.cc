#include "ksim/controllers/podautoscaler/metric_proposals.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/controllers/common/label_selector_text.h"
#include "ksim/value/quantity.h"
#include "ksim/value/text.h"

namespace ksim::controllers {

using value::Obj;
using value::Quantity;
using value::Value;
using Count = ReplicaCalculator::Count;

namespace {

std::int64_t MilliTarget(const Value& target, std::string_view field) {
  const absl::StatusOr<Quantity> q = Quantity::FromTree(target.Get(field));
  return q.ok() ? q->MilliValue() : 0;
}

Value MilliAmount(std::int64_t milli, Quantity::Format format = Quantity::Format::kDecimalSI) {
  return Quantity::FromMilli(milli, format).ToTree();
}

MetricProposal FailedMetric(std::string_view reason, std::string cause, std::string error) {
  MetricProposal out;
  out.reason = reason;
  out.cause = std::move(cause);
  out.error = std::move(error);
  return out;
}

MetricProposal MeasuredMetric(std::string_view type, std::string_view field, Value source,
                              Value current, const Count& count, std::string metric) {
  MetricProposal out;
  out.replicas = count.replicas;
  out.metric = std::move(metric);
  out.status = Obj(
      {{"type", Value::Of(type)}, {field, std::move(source).Set("current", std::move(current))}});
  return out;
}

// A MetricIdentifier as a status has it.
Value MetricIdentifier(const Value& metric) {
  const Value& selector = metric.Get("selector");
  Value out = Obj({{"name", metric.Get("name")}});
  return selector.is_null() ? out : std::move(out).Set("selector", selector);
}

std::string ExternalMetricName(const Value& metric) {
  return fmt::format("external metric {}({})", metric.Get("name").AsString(),
                     LabelSelectorText(metric.Get("selector")));
}

// A CrossVersionObjectReference of a status.
Value ObjectReference(const Value& object) {
  Value out = Obj({{"kind", object.Get("kind")}, {"name", object.Get("name")}});
  const Value& version = object.Get("apiVersion");
  return version.AsString().empty() ? out : std::move(out).Set("apiVersion", version);
}

MetricProposal ProposeByObject(const ReplicaCalculator& calculator,
                               const ReplicaCalculator::Scaled& scaled, const Value& spec,
                               const Profile& profile) {
  static constexpr std::string_view kReason = "FailedGetObjectMetric";
  const auto failed = [](std::string cause, const std::string& error) {
    return FailedMetric(kReason, std::move(cause), "failed to get object metric value: " + error);
  };
  const Value& metric = spec.Get("metric");
  const Value& object = spec.Get("describedObject");
  const Value& target = spec.Get("target");
  const std::string_view type = target.Get("type").AsString();
  const std::string_view name = metric.Get("name").AsString();
  const Value source =
      Obj({{"metric", MetricIdentifier(metric)}, {"describedObject", ObjectReference(object)}});
  if (type == "Value" && !target.Get("value").is_null()) {
    const Count count =
        calculator.ObjectMetricReplicas(scaled, metric, object, MilliTarget(target, "value"));
    if (!count.error.empty()) return failed(count.error, count.error);
    return MeasuredMetric("Object", "object", source, Obj({{"value", MilliAmount(count.usage)}}),
                          count, fmt::format("{} metric {}", object.Get("kind").AsString(), name));
  }
  if (type == "AverageValue" && !target.Get("averageValue").is_null()) {
    const Count count = calculator.ObjectPerPodMetricReplicas(scaled, metric, object,
                                                              MilliTarget(target, "averageValue"));
    if (!count.error.empty())
      return failed(count.error,
                    fmt::format("failed to get {} object metric: {}", name, count.error));
    const Value nobody = Obj({{"kind", Value::Of("")}, {"name", Value::Of("")}});
    return MeasuredMetric(
        "Object", "object",
        profile.hpa_names_averaged_object ? source : source.Set("describedObject", nobody),
        Obj({{"averageValue", MilliAmount(count.usage)}}), count, ExternalMetricName(metric));
  }
  const std::string error =
      "invalid object metric source: neither a value target nor an average value target was set";
  return failed(error, error);
}

MetricProposal ProposeByPods(const ReplicaCalculator& calculator,
                             const ReplicaCalculator::Scaled& scaled, const Value& spec) {
  const Value& metric = spec.Get("metric");
  const Count count =
      calculator.MetricReplicas(scaled, metric, MilliTarget(spec.Get("target"), "averageValue"));
  if (!count.error.empty())
    return FailedMetric("FailedGetPodsMetric", count.error,
                        "failed to get pods metric value: " + count.error);
  return MeasuredMetric("Pods", "pods", Obj({{"metric", MetricIdentifier(metric)}}),
                        Obj({{"averageValue", MilliAmount(count.usage)}}), count,
                        fmt::format("pods metric {}", metric.Get("name").AsString()));
}

// The two kinds of metrics of resources; `container` is "" for whole pods.
MetricProposal ProposeByResource(const ReplicaCalculator& calculator,
                                 const ReplicaCalculator::Scaled& scaled, const Value& spec,
                                 std::string_view container, const Profile& profile) {
  const std::string_view resource = spec.Get("name").AsString();
  const Value& target = spec.Get("target");
  const bool binary = profile.hpa_memory_is_binary && resource == "memory";
  const auto amount = [binary](std::int64_t milli) {
    return MilliAmount(milli, binary ? Quantity::Format::kBinarySI : Quantity::Format::kDecimalSI);
  };
  const auto done = [&](Value current, const Count& count, std::string name) {
    Value source = Obj({{"name", spec.Get("name")}});
    if (container.empty())
      return MeasuredMetric("Resource", "resource", std::move(source), std::move(current), count,
                            std::move(name));
    source = std::move(source).Set("container", Value::Of(container));
    return MeasuredMetric("ContainerResource", "containerResource", std::move(source),
                          std::move(current), count, std::move(name));
  };
  const auto failed = [&](const std::string& error) {
    return container.empty()
               ? FailedMetric(
                     "FailedGetResourceMetric", error,
                     fmt::format("failed to get {} resource metric value: {}", resource, error))
               : FailedMetric(
                     "FailedGetContainerResourceMetric", error,
                     fmt::format("failed to get {} container metric value: {}", container, error));
  };
  if (!target.Get("averageValue").is_null()) {
    const Count count = calculator.RawResourceReplicas(scaled, resource, container,
                                                       MilliTarget(target, "averageValue"));
    if (!count.error.empty())
      return failed(fmt::format("failed to get {} {}: {}", resource,
                                profile.hpa_says_usage ? "usage" : "utilization", count.error));
    return done(Obj({{"averageValue", amount(count.usage)}}), count,
                fmt::format("{} resource", resource));
  }
  if (target.Get("averageUtilization").is_null())
    return failed(fmt::format(
        "invalid resource metric source: neither an average utilization target nor an average "
        "value{} target was set",
        profile.hpa_says_usage ? " (usage)" : ""));
  const Count count = calculator.ResourceReplicas(scaled, resource, container,
                                                  target.Get("averageUtilization").AsInt());
  if (!count.error.empty())
    return failed(fmt::format("failed to get {} utilization: {}", resource, count.error));
  const bool says_container = !container.empty() && profile.hpa_says_usage;
  return done(Obj({{"averageUtilization", Value::Of(count.percent)},
                   {"averageValue", amount(count.usage)}}),
              count,
              fmt::format("{}{} resource utilization (percentage of request)", resource,
                          says_container ? " container" : ""));
}

MetricProposal ProposeByExternal(const ReplicaCalculator& calculator,
                                 const ReplicaCalculator::Scaled& scaled, const Value& spec) {
  const Value& metric = spec.Get("metric");
  const Value& target = spec.Get("target");
  const std::string_view name = metric.Get("name").AsString();
  const Value source = Obj({{"metric", MetricIdentifier(metric)}});
  const auto failed = [&](std::string cause, const std::string& error) {
    return FailedMetric("FailedGetExternalMetric", std::move(cause),
                        fmt::format("failed to get {} external metric value: {}", name, error));
  };
  if (!target.Get("averageValue").is_null()) {
    const Count count = calculator.ExternalPerPodMetricReplicas(
        scaled, metric, MilliTarget(target, "averageValue"));
    if (!count.error.empty())
      return failed(count.error,
                    fmt::format("failed to get {} external metric: {}", name, count.error));
    return MeasuredMetric("External", "external", source,
                          Obj({{"averageValue", MilliAmount(count.usage)}}), count,
                          ExternalMetricName(metric));
  }
  if (!target.Get("value").is_null()) {
    const Count count =
        calculator.ExternalMetricReplicas(scaled, metric, MilliTarget(target, "value"));
    if (!count.error.empty())
      return failed(count.error,
                    fmt::format("failed to get external metric {}: {}", name, count.error));
    return MeasuredMetric("External", "external", source,
                          Obj({{"value", MilliAmount(count.usage)}}), count,
                          ExternalMetricName(metric));
  }
  const std::string error =
      "invalid external metric source: neither a value target nor an average value target was set";
  return failed(error, error);
}

}  // namespace

MetricProposal ProposeByMetric(const ReplicaCalculator& calculator,
                               const ReplicaCalculator::Scaled& scaled, const Value& spec,
                               const Profile& profile) {
  const std::string_view type = spec.Get("type").AsString();
  if (type == "Object") return ProposeByObject(calculator, scaled, spec.Get("object"), profile);
  if (type == "Pods") return ProposeByPods(calculator, scaled, spec.Get("pods"));
  if (type == "Resource")
    return ProposeByResource(calculator, scaled, spec.Get("resource"), "", profile);
  if (type == "External") return ProposeByExternal(calculator, scaled, spec.Get("external"));
  if (type == "ContainerResource") {
    const Value& source = spec.Get("containerResource");
    return ProposeByResource(calculator, scaled, source, source.Get("container").AsString(),
                             profile);
  }
  const std::string error = fmt::format("unknown metric source type {}", value::GoQuote(type));
  return FailedMetric("InvalidMetricSourceType", error, error);
}

MetricsProposal ProposeByMetrics(const ReplicaCalculator& calculator,
                                 const ReplicaCalculator::Scaled& scaled, const Value& metrics,
                                 const Profile& profile) {
  MetricsProposal out;
  std::vector<Value> statuses;
  for (const Value& spec : metrics.items()) {
    MetricProposal one = ProposeByMetric(calculator, scaled, spec, profile);
    if (!one.error.empty()) {
      statuses.push_back(Obj({{"type", Value::Of("")}}));
      out.failures.push_back(std::move(one));
      continue;
    }
    statuses.push_back(std::move(one.status));
    if (out.replicas == 0 || one.replicas > out.replicas) {
      out.replicas = one.replicas;
      out.metric = std::move(one.metric);
    }
  }
  const std::size_t failures = out.failures.size();
  if (failures > 0)
    out.error = fmt::format("invalid metrics ({} invalid out of {}), first error is: {}", failures,
                            metrics.size(), out.failures.front().error);
  out.failed = failures >= metrics.size() || (failures > 0 && out.replicas < scaled.spec_replicas);
  out.statuses = Value::Array(std::move(statuses));
  return out;
}

}  // namespace ksim::controllers
