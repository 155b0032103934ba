// Part of describers.h: HorizontalPodAutoscalers.
//
// Source: kubectl pkg/describe/describe.go describeHorizontalPodAutoscalerV2,
// printDirectionBehavior.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "ksim/kubectl/describe/describers.h"
#include "ksim/kubectl/describe/sections.h"
#include "ksim/value/text.h"

namespace ksim::kubectl {

using value::Value;

namespace {

constexpr std::string_view kUnknownMetric = "<unknown>";

// A quantity of a status that has measured something; what it does not have Go prints as <nil>.
std::string Measured(const Value& source, std::string_view field) {
  if (source.is_null()) return std::string(kUnknownMetric);
  const Value& amount = source.Get("current").Get(field);
  return amount.is_null() ? "<nil>" : AmountText(amount);
}

std::string Wanted(const Value& source, std::string_view field) {
  const Value& amount = source.Get("target").Get(field);
  return amount.is_null() ? "<nil>" : AmountText(amount);
}

void WriteExternalMetric(TabWriter& w, const Value& source, const Value& status) {
  const std::string name = value::GoQuote(source.Get("metric").Get("name").AsString());
  if (source.Get("target").Get("averageValue").is_null()) {
    w.Write(1, "{} (target value):\t{} / {}\n", name, Measured(status, "value"),
            Wanted(source, "value"));
    return;
  }
  const bool measured = !status.Get("current").Get("averageValue").is_null();
  w.Write(1, "{} (target average value):\t{} / {}\n", name,
          measured ? Measured(status, "averageValue") : std::string(kUnknownMetric),
          Wanted(source, "averageValue"));
}

void WriteObjectMetric(TabWriter& w, const Value& source, const Value& status) {
  const Value& object = source.Get("describedObject");
  const bool average = source.Get("target").Get("type").AsString() == "AverageValue";
  const std::string_view field = average ? "averageValue" : "value";
  w.Write(1, "\"{}\" on {}/{} (target {}):\t{} / {}\n", source.Get("metric").Get("name").AsString(),
          object.Get("kind").AsString(), object.Get("name").AsString(),
          average ? "average value" : "value", Measured(status, field), Wanted(source, field));
}

// `what` is "resource cpu on pods", or of one container of theirs.
void WriteResourceMetric(TabWriter& w, const std::string& what, const Value& source,
                         const Value& status) {
  const Value& target = source.Get("target");
  if (!target.Get("averageValue").is_null()) {
    w.Write(1, "{}:\t{} / {}\n", what, Measured(status, "averageValue"),
            Wanted(source, "averageValue"));
    return;
  }
  const Value& percent = status.Get("current").Get("averageUtilization");
  const Value& wanted = target.Get("averageUtilization");
  w.Write(1, "{}  (as a percentage of request):\t{} / {}\n", what,
          percent.is_null()
              ? std::string(kUnknownMetric)
              : fmt::format("{}% ({})", percent.AsInt(), Measured(status, "averageValue")),
          wanted.is_null() ? "<auto>" : fmt::format("{}%", wanted.AsInt()));
}

void WriteMetric(TabWriter& w, const Value& metric, const Value& status) {
  const std::string_view type = metric.Get("type").AsString();
  if (type == "External") {
    WriteExternalMetric(w, metric.Get("external"), status.Get("external"));
  } else if (type == "Pods") {
    const Value& source = metric.Get("pods");
    w.Write(1, "{} on pods:\t{} / {}\n",
            value::GoQuote(source.Get("metric").Get("name").AsString()),
            Measured(status.Get("pods"), "averageValue"), Wanted(source, "averageValue"));
  } else if (type == "Object") {
    WriteObjectMetric(w, metric.Get("object"), status.Get("object"));
  } else if (type == "Resource") {
    const Value& source = metric.Get("resource");
    WriteResourceMetric(w, fmt::format("resource {} on pods", source.Get("name").AsString()),
                        source, status.Get("resource"));
  } else if (type == "ContainerResource") {
    const Value& source = metric.Get("containerResource");
    WriteResourceMetric(
        w,
        fmt::format("resource {} of container \"{}\" on pods", source.Get("name").AsString(),
                    source.Get("container").AsString()),
        source, status.Get("containerResource"));
  } else {
    w.Write(1, "<unknown metric type {}>\n", value::GoQuote(type));
  }
}

void WriteRules(TabWriter& w, std::string_view direction, const Value& rules) {
  if (rules.is_null()) return;
  w.Write(1, "{}:\n", direction);
  const Value& window = rules.Get("stabilizationWindowSeconds");
  if (!window.is_null()) w.Write(2, "Stabilization Window: {} seconds\n", window.AsInt());
  if (rules.Get("policies").empty()) return;
  const Value& select = rules.Get("selectPolicy");
  w.Write(2, "Select Policy: {}\n", select.is_null() ? "Max" : select.AsString());
  w.Write(2, "Policies:\n");
  for (const Value& policy : rules.Get("policies").items())
    w.Write(3, "- Type: {}\tValue: {}\tPeriod: {} seconds\n", policy.Get("type").AsString(),
            policy.Get("value").AsInt(), policy.Get("periodSeconds").AsInt());
}

void WriteConditions(TabWriter& w, const Value& conditions) {
  if (conditions.empty()) return;
  w.Write(0, "Conditions:\n");
  w.Write(1, "Type\tStatus\tReason\tMessage\n");
  w.Write(1, "----\t------\t------\t-------\n");
  for (const Value& c : conditions.items())
    w.Write(1, "{}\t{}\t{}\t{}\n", c.Get("type").AsString(), c.Get("status").AsString(),
            c.Get("reason").AsString(), c.Get("message").AsString());
}

}  // namespace

std::string DescribeAutoscaler(const Described& d) {
  const Value& spec = d.spec();
  const Value& status = d.status();
  const Value& reference = spec.Get("scaleTargetRef");
  const Value& least = spec.Get("minReplicas");
  TabWriter w;
  WriteHead(w, d.object);
  WriteLabels(w, "Labels", d.object.labels());
  WriteAnnotations(w, "Annotations", d.object.annotations());
  w.Write(0, "CreationTimestamp:\t{}\n", LongTime(d.object.metadata().Get("creationTimestamp")));
  w.Write(0, "Reference:\t{}/{}\n", reference.Get("kind").AsString(),
          reference.Get("name").AsString());
  w.Write(0, "Metrics:\t( current / target )\n");
  for (std::size_t i = 0; i < spec.Get("metrics").size(); ++i)
    WriteMetric(w, spec.Get("metrics").at(i), status.Get("currentMetrics").at(i));
  w.Write(0, "Min replicas:\t{}\n", least.is_null() ? "<unset>" : std::to_string(least.AsInt()));
  w.Write(0, "Max replicas:\t{}\n", spec.Get("maxReplicas").AsInt());
  const Value& behavior = spec.Get("behavior");
  if (!behavior.is_null()) {
    w.Write(0, "Behavior:\n");
    WriteRules(w, "Scale Up", behavior.Get("scaleUp"));
    WriteRules(w, "Scale Down", behavior.Get("scaleDown"));
  }
  w.Write(0, "{} pods:\t{} current / {} desired\n", reference.Get("kind").AsString(),
          status.Get("currentReplicas").AsInt(), status.Get("desiredReplicas").AsInt());
  WriteConditions(w, status.Get("conditions"));
  WriteEvents(w, d);
  return w.Take();
}

}  // namespace ksim::kubectl
