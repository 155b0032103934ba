#include "ksim/controllers/job/indexed_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "ksim/api/core/fields.h"
#include "ksim/api/pod.h"
#include "ksim/controllers/common/pod_ranking.h"
#include "ksim/controllers/job/pod_failure_policy.h"

namespace ksim::controllers {

using value::Path;
using value::Value;

namespace {

constexpr std::string_view kIndexKey = "batch.kubernetes.io/job-completion-index";
constexpr std::string_view kFailuresKey = "batch.kubernetes.io/job-index-failure-count";
constexpr std::string_view kIgnoredKey = "batch.kubernetes.io/job-index-ignored-failure-count";
constexpr std::string_view kIndexVariable = "JOB_COMPLETION_INDEX";
constexpr std::size_t kMaxGeneratedName = 58;  // apiserver storage/names MaxGeneratedNameLength

std::optional<std::int64_t> NumberIn(std::string_view text) {
  std::int64_t number = 0;
  if (text.starts_with('+')) text.remove_prefix(1);  // as strconv.Atoi
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return {};
  return number;
}

// parseInt32: 0 for what is no count.
std::int64_t CountIn(const api::Object& pod, std::string_view annotation) {
  const std::int64_t count = NumberIn(pod.Annotation(annotation)).value_or(0);
  return count < 0 || count > std::numeric_limits<std::int32_t>::max() ? 0 : count;
}

bool HasFailedForGood(const api::Object& pod, const JobSpec& spec) {
  if (!CountsAsFailed(pod, spec)) return false;
  const PodFailureMatch match = MatchPodFailurePolicy(spec.failure_policy, pod);
  if (match.fails_index) return true;
  return match.counts && CountIn(pod, kFailuresKey) >= spec.backoff_limit_per_index.value_or(0);
}

// ActivePods.Less, and by name where that leaves it open.
bool IsWorthLess(const RankedPod& a, const RankedPod& b, const Profile& profile) {
  const auto later = [](std::optional<VirtualTime> x, std::optional<VirtualTime> y) {
    return !x || (y && *x > *y);  // afterOrZero
  };
  if (a.assigned != b.assigned) return !a.assigned;
  if (a.phase != b.phase) return a.phase < b.phase;
  if (a.ready != b.ready) return !a.ready;
  if (a.ready && a.ready_since != b.ready_since) return later(a.ready_since, b.ready_since);
  if (a.restarts != b.restarts) return a.restarts > b.restarts;
  if (profile.ranks_sidecar_restarts && a.sidecar_restarts != b.sidecar_restarts)
    return a.sidecar_restarts > b.sidecar_restarts;
  if (a.created != b.created) return later(a.created, b.created);
  return a.pod.name() < b.pod.name();
}

Value WithVariable(const Value& containers, std::string_view field_path) {
  if (!containers.is_array()) return containers;
  std::vector<Value> items;
  for (const Value& container : containers.items()) {
    const auto env = container.Get(api::Fields().env).items();
    const bool has = std::any_of(env.begin(), env.end(), [](const Value& variable) {
      return variable.Get("name").AsString() == kIndexVariable;
    });
    if (has) {
      items.push_back(container);
      continue;
    }
    const Value field = value::Obj({{"fieldPath", Value::Of(field_path)}});
    const Value variable = value::Obj(
        {{"name", Value::Of(kIndexVariable)}, {"valueFrom", value::Obj({{"fieldRef", field}})}});
    items.push_back(container.Set("env", container.Get(api::Fields().env).Append(variable)));
  }
  return Value::Array(std::move(items));
}

}  // namespace

std::int64_t CompletionIndexOf(const api::Object& pod) {
  const std::int64_t index = NumberIn(pod.Annotation(kIndexKey)).value_or(kUnknownIndex);
  return index < 0 ? kUnknownIndex : index;
}

IndexSet IndexesOf(const JobPods& pods) {
  IndexSet indexes;
  for (const api::Object& pod : pods) {
    const std::int64_t index = CompletionIndexOf(pod);
    if (index != kUnknownIndex) indexes.insert(index);
  }
  return indexes;
}

std::int64_t IndexFailuresBefore(const api::Object& pod) {
  return CountIn(pod, kFailuresKey) + CountIn(pod, kIgnoredKey);
}

IndexSet NewSucceededIndexes(const JobPods& pods, const JobSpec& spec) {
  IndexSet indexes;
  for (const api::Object& pod : pods) {
    const std::int64_t index = CompletionIndexOf(pod);
    if (api::PodView(pod).phase() == "Succeeded" && spec.HasIndex(index) &&
        HasTrackingFinalizer(pod))
      indexes.insert(index);
  }
  return indexes;
}

IndexSet NewFailedIndexes(const JobPods& pods, const JobSpec& spec) {
  IndexSet indexes;
  for (const api::Object& pod : pods) {
    const std::int64_t index = CompletionIndexOf(pod);
    if (spec.HasIndex(index) && HasTrackingFinalizer(pod) && HasFailedForGood(pod, spec))
      indexes.insert(index);
  }
  return indexes;
}

std::vector<std::int64_t> FirstPendingIndexes(const IndexIntervals& not_pending, std::int64_t count,
                                              std::int64_t completions) {
  std::vector<std::int64_t> pending;
  std::int64_t candidate = 0;
  const auto take_below = [&](std::int64_t end) {
    while (candidate < std::min(end, completions) &&
           static_cast<std::int64_t>(pending.size()) < count)
      pending.push_back(candidate++);
  };
  for (const IndexIntervals::Interval& interval : not_pending.intervals()) {
    take_below(interval.first);
    candidate = std::max(candidate, interval.last + 1);
  }
  take_below(completions);
  return pending;
}

void SortByIndex(JobPods* pods) {
  std::stable_sort(pods->begin(), pods->end(), [](const api::Object& a, const api::Object& b) {
    return CompletionIndexOf(a) < CompletionIndexOf(b);
  });
}

void SortActivePods(JobPods* pods, const Profile& profile) {
  std::vector<RankedPod> ranked;
  for (const api::Object& pod : *pods) ranked.emplace_back(pod, 0);
  std::sort(ranked.begin(), ranked.end(),
            [&](const RankedPod& a, const RankedPod& b) { return IsWorthLess(a, b, profile); });
  pods->clear();
  for (RankedPod& pod : ranked) pods->push_back(std::move(pod.pod));
}

void SplitByIndex(JobPods pods, std::int64_t completions, const Profile& profile, JobPods* remove,
                  JobPods* left) {
  SortByIndex(&pods);
  // Pods of one index stand together.
  for (std::size_t begin = 0; begin < pods.size();) {
    const std::int64_t index = CompletionIndexOf(pods[begin]);
    std::size_t end = begin;
    while (end < pods.size() && CompletionIndexOf(pods[end]) == index) ++end;
    JobPods same(pods.begin() + static_cast<std::ptrdiff_t>(begin),
                 pods.begin() + static_cast<std::ptrdiff_t>(end));
    begin = end;
    if (index != kUnknownIndex && index < completions) {
      SortActivePods(&same, profile);
      left->push_back(same.back());
      same.pop_back();
    }
    remove->insert(remove->end(), same.begin(), same.end());
  }
}

Value WithIndexVariable(Value pod_template, const Profile& profile) {
  static const Path kContainers{"spec", "containers"};
  static const Path kInitContainers{"spec", "initContainers"};
  const std::string field = fmt::format(
      "metadata.{}['{}']", profile.job_index_label ? "labels" : "annotations", kIndexKey);
  for (const Path* place : {&kInitContainers, &kContainers}) {
    if (pod_template.Get(*place).empty()) continue;
    pod_template = pod_template.Set(*place, WithVariable(pod_template.Get(*place), field));
  }
  return pod_template;
}

Value TemplateForIndex(Value pod_template, std::string_view job, std::int64_t index,
                       const JobSpec& spec, const api::Object& replaced, const Profile& profile) {
  static const Path kHostname{"spec", "hostname"};
  const auto annotate = [&pod_template](std::string_view name, std::int64_t number,
                                        const char* where) {
    const Path place{"metadata", where, name};
    pod_template = std::move(pod_template).Set(place, Value::Of(fmt::format("{}", number)));
  };
  annotate(kIndexKey, index, "annotations");
  if (profile.job_index_label) annotate(kIndexKey, index, "labels");
  pod_template =
      std::move(pod_template).Set(kHostname, Value::Of(fmt::format("{}-{}", job, index)));
  if (!spec.backoff_limit_per_index) return pod_template;
  // getNewIndexFailureCounts.
  std::int64_t failures = 0, ignored = 0;
  if (!replaced.empty()) {
    failures = CountIn(replaced, kFailuresKey);
    ignored = CountIn(replaced, kIgnoredKey);
    ++(MatchPodFailurePolicy(spec.failure_policy, replaced).counts ? failures : ignored);
  }
  annotate(kFailuresKey, failures, "annotations");
  if (ignored > 0) annotate(kIgnoredKey, ignored, "annotations");
  return pod_template;
}

std::string GenerateNameForIndex(std::string_view job, std::int64_t index) {
  const std::string end = fmt::format("-{}-", index);
  std::string prefix = fmt::format("{}{}", job, end);
  if (prefix.size() > kMaxGeneratedName)
    prefix = prefix.substr(0, kMaxGeneratedName - end.size()) + end;
  return prefix;
}

}  // namespace ksim::controllers
