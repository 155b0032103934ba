#include "ksim/scenario/metrics/cluster_metrics.h"

#include <algorithm>
#include <utility>

#include "absl/status/statusor.h"
#include "ksim/api/core/timestamps.h"
#include "ksim/api/pod.h"
#include "ksim/value/quantity.h"

namespace ksim::scenario {
namespace {

using value::Value;

constexpr Duration kMetricResolution = Seconds(15);
constexpr Duration kLeastMeasuredTime = Seconds(10);  // freshContainerMinMetricsResolution
constexpr std::int64_t kNotOfThese = -1;

VirtualTime LastLook(VirtualTime now) {
  return VirtualTime(now.ns() / kMetricResolution.ns() * kMetricResolution.ns());
}

// Since when all containers of the pod have been running; nullopt: they do not.
std::optional<VirtualTime> RunningSince(const api::PodView& pod) {
  if (pod.phase() != "Running" || pod.container_statuses().empty()) return std::nullopt;
  VirtualTime since;
  for (const Value& status : pod.container_statuses().items()) {
    const Value& running = status.Get("state").Get("running");
    const std::optional<VirtualTime> started = api::TimeOf(running.Get("startedAt"));
    if (!started) return std::nullopt;
    since = std::max(since, *started);
  }
  return since;
}

bool TakesLoad(const api::PodView& pod) { return pod.ready() && pod.active(); }

}  // namespace

ClusterMetrics::ClusterMetrics(const std::vector<MetricSpec>& specs) {
  for (const MetricSpec& spec : specs) {
    Metric metric;
    metric.spec = spec;
    metric.api = !spec.resource.empty()                          ? Api::kResource
                 : spec.pods.empty() && spec.object_kind.empty() ? Api::kExternal
                                                                 : Api::kCustom;
    const auto pods = value::LabelSelector::Parse(spec.pods);
    metric.pods = pods.ok() && !spec.pods.empty() ? *pods : value::LabelSelector::Nothing();
    value::ObjectBuilder labels;
    for (const auto& [name, text] : spec.labels) labels.Add(name, Value::Of(text));
    metric.labels = labels.Build();
    for (const MetricSpec::Level& l : spec.load) {
      const absl::StatusOr<value::Quantity> amount = value::Quantity::Parse(l.amount);
      Level level;
      level.at = VirtualTime() + l.at;
      level.milli = amount.ok() ? amount->MilliValue() : 0;
      level.each = l.each;
      metric.load.push_back(level);
    }
    metrics_.push_back(std::move(metric));
  }
}

bool ClusterMetrics::Serves(Api api) const {
  return std::any_of(metrics_.begin(), metrics_.end(),
                     [api](const Metric& m) { return m.api == api; });
}

VirtualTime ClusterMetrics::LastChange() const {
  VirtualTime last;
  for (const Metric& metric : metrics_)
    if (!metric.load.empty()) last = std::max(last, metric.load.back().at + kMetricResolution);
  return last;
}

ClusterMetrics::Level ClusterMetrics::At(const Metric& metric, VirtualTime now) {
  Level out;
  for (const Level& level : metric.load)
    if (level.at <= now) out = level;
  return out;
}

// Each metric's total is divided without a rest: the first pods have a thousandth more.
std::vector<std::int64_t> ClusterMetrics::Shares(const Metric& metric, const Pods& pods,
                                                 VirtualTime now) {
  const Level level = At(metric, now);
  std::vector<std::int64_t> out;
  std::int64_t takers = 0;
  for (const api::Object& pod : pods) {
    const bool selected = pod.ns() == metric.spec.ns && metric.pods.Matches(pod.labels());
    const bool takes = selected && (level.each || TakesLoad(api::PodView(pod)));
    out.push_back(!selected ? kNotOfThese : takes ? 1 : 0);
    if (takes) ++takers;
  }
  std::int64_t taker = 0;
  for (std::int64_t& share : out) {
    if (share <= 0) continue;
    share =
        level.each ? level.milli : level.milli / takers + (taker < level.milli % takers ? 1 : 0);
    ++taker;
  }
  return out;
}

std::vector<api::PodReading> ClusterMetrics::ResourceUse(const Pods& pods,
                                                         std::string_view resource,
                                                         VirtualTime now) const {
  const VirtualTime look = LastLook(now);
  const bool measured = resource == "cpu" || resource == "memory";
  std::vector<api::PodReading> out;
  std::vector<std::size_t> places;  // of the readings, among the pods
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const api::PodView pod(pods[i]);
    const std::optional<VirtualTime> since = RunningSince(pod);
    if (!since || look - *since < kLeastMeasuredTime) continue;
    api::PodReading reading;
    reading.pod = pods[i].name();
    reading.timestamp = look;
    reading.window = std::min(kMetricResolution, look - *since);
    for (const Value& container : pod.containers().items())
      reading.containers.emplace_back(container.Get("name").AsString(),
                                      measured ? std::optional<std::int64_t>(0) : std::nullopt);
    out.push_back(std::move(reading));
    places.push_back(i);
  }
  if (!measured) return out;
  for (const Metric& metric : metrics_) {
    if (metric.spec.resource != resource) continue;
    const std::vector<std::int64_t> shares = Shares(metric, pods, look);
    for (std::size_t r = 0; r < out.size(); ++r) {
      const std::int64_t share = shares[places[r]];
      auto& containers = out[r].containers;
      const auto used =
          metric.spec.container.empty()
              ? containers.begin()
              : std::find_if(containers.begin(), containers.end(),
                             [&](const auto& c) { return c.first == metric.spec.container; });
      if (share > 0 && used != containers.end()) used->second = *used->second + share;
    }
  }
  return out;
}

std::optional<api::MetricsSource::PodValues> ClusterMetrics::PodMetric(
    const Pods& pods, std::string_view ns, std::string_view metric,
    const value::LabelSelector& selector, VirtualTime now) const {
  bool known = false;
  PodValues out;
  for (const Metric& m : metrics_) {
    if (m.api != Api::kCustom || m.spec.pods.empty() || m.spec.metric != metric ||
        m.spec.ns != ns || !selector.Matches(m.labels))
      continue;
    known = true;
    const std::vector<std::int64_t> shares = Shares(m, pods, now);
    for (std::size_t i = 0; i < pods.size(); ++i)
      if (shares[i] != kNotOfThese && api::PodView(pods[i]).phase() == "Running")
        out.emplace_back(pods[i].name(), shares[i]);
  }
  if (!known) return std::nullopt;
  return out;
}

std::optional<std::int64_t> ClusterMetrics::ObjectMetric(const ObjectMetricQuery& query,
                                                         const value::LabelSelector& selector,
                                                         VirtualTime now) const {
  for (const Metric& m : metrics_)
    if (m.api == Api::kCustom && m.spec.metric == query.metric && m.spec.ns == query.ns &&
        m.spec.object_kind == query.kind && m.spec.object_name == query.name &&
        selector.Matches(m.labels))
      return At(m, now).milli;
  return std::nullopt;
}

std::vector<std::int64_t> ClusterMetrics::ExternalMetric(std::string_view ns,
                                                         std::string_view metric,
                                                         const value::LabelSelector& selector,
                                                         VirtualTime now) const {
  std::vector<std::int64_t> out;
  for (const Metric& m : metrics_)
    if (m.api == Api::kExternal && m.spec.metric == metric && m.spec.ns == ns &&
        selector.Matches(m.labels))
      out.push_back(At(m, now).milli);
  return out;
}

}  // namespace ksim::scenario
