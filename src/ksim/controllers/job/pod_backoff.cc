#include "ksim/controllers/job/pod_backoff.h"

#include <algorithm>

#include "ksim/api/conditions.h"
#include "ksim/api/core/fields.h"
#include "ksim/api/core/timestamps.h"
#include "ksim/api/pod.h"

namespace ksim::controllers {

using value::Value;

namespace {

std::optional<VirtualTime> FinishedAtOf(const Value& container_status) {
  return api::TimeOf(container_status.Get(api::Fields().state)
                         .Get(api::Fields().terminated)
                         .Get(api::Fields().finished_at));
}

bool IsSidecarStatus(const api::PodView& pod, const Value& status) {
  for (const Value& container : pod.init_containers().items())
    if (container.Get("name") == status.Get("name")) return api::PodView::IsSidecar(container);
  return false;
}

// latestFinishTime: nothing if a container has not ended. Where sidecars count, one that goes on
// takes the time of the others away.
std::optional<VirtualTime> ContainersFinishedAt(const api::PodView& pod, const Profile& profile) {
  std::optional<VirtualTime> latest;
  for (const Value& status : pod.container_statuses().items()) {
    const std::optional<VirtualTime> end = FinishedAtOf(status);
    if (!end) {
      latest.reset();
      break;
    }
    if (!latest || *latest < *end) latest = end;
  }
  if (!profile.job_waits_for_sidecars) return latest;
  for (const Value& status : pod.init_container_statuses().items()) {
    if (!IsSidecarStatus(pod, status)) continue;
    const std::optional<VirtualTime> end = FinishedAtOf(status);
    if (!end) return std::nullopt;
    if (!latest || *latest < *end) latest = end;
  }
  return latest;
}

}  // namespace

VirtualTime PodFinishedAt(const api::Object& pod, const Profile& profile) {
  const api::PodView view(pod);
  if (const std::optional<VirtualTime> end = ContainersFinishedAt(view, profile)) return *end;
  if (api::ConditionStatus(view.conditions(), "Ready") == "False") {
    const std::optional<VirtualTime> since = api::ConditionSince(view.conditions(), "Ready");
    if (since) return *since;
  }
  if (const std::optional<VirtualTime> deleted = pod.deletion_time())
    return *deleted - Seconds(view.deletion_grace_period_seconds().value_or(0));
  return pod.creation_time().value_or(VirtualTime());
}

Duration RemainingBackoff(std::int64_t failures, VirtualTime last_failure, VirtualTime now) {
  if (failures == 0) return Duration();
  Duration backoff = kPodFailureBackoff;
  for (std::int64_t i = 1; i < failures && backoff < kMaxPodFailureBackoff; ++i)
    backoff = std::min(backoff * 2, kMaxPodFailureBackoff);
  return std::max(Duration(), backoff - (now - last_failure));
}

Duration BackoffRecord::Remaining(VirtualTime now) const {
  return RemainingBackoff(failures_after_last_success, last_failure.value_or(VirtualTime()), now);
}

BackoffRecord PodBackoffStore::Next(const std::string& key, std::vector<api::Object> new_succeeded,
                                    std::vector<api::Object> new_failed) const {
  const auto it = records_.find(key);
  BackoffRecord record = it == records_.end() ? BackoffRecord() : it->second;
  const auto finished = [this](const api::Object& pod) { return PodFinishedAt(pod, profile_); };
  const auto earlier = [&](const api::Object& a, const api::Object& b) {
    return finished(a) < finished(b);
  };
  if (new_succeeded.empty()) {
    if (new_failed.empty()) return record;
    record.failures_after_last_success += static_cast<std::int64_t>(new_failed.size());
    record.last_failure =
        finished(*std::max_element(new_failed.begin(), new_failed.end(), earlier));
    return record;
  }
  record = BackoffRecord();
  const VirtualTime last_success =
      finished(*std::max_element(new_succeeded.begin(), new_succeeded.end(), earlier));
  for (const api::Object& pod : new_failed) {
    const VirtualTime at = finished(pod);
    if (at <= last_success) continue;
    ++record.failures_after_last_success;
    if (!record.last_failure || *record.last_failure < at) record.last_failure = at;
  }
  return record;
}

}  // namespace ksim::controllers
