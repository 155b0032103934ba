#include "ksim/controllers/job/job_sync.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "ksim/api/pod.h"
#include "ksim/controllers/job/pod_failure_policy.h"

namespace ksim::controllers {

using value::Value;

JobSync::JobSync(const api::Object& cached, const Profile& p, JobPods owned, UidSet removals)
    : profile(p),
      job(cached),
      spec(cached, p),
      status(JobStatus::From(cached)),
      pods(std::move(owned)),
      removals_(std::move(removals)),
      uncounted_succeeded_(status.uncounted_succeeded.begin(), status.uncounted_succeeded.end()),
      uncounted_failed_(status.uncounted_failed.begin(), status.uncounted_failed.end()) {
  std::int64_t being_deleted = 0;
  for (const api::Object& pod : pods) {
    const api::PodView view(pod);
    if (view.terminating()) ++being_deleted;
    if (!view.active()) continue;
    active_pods.push_back(pod);
    if (view.ready()) ++ready;
  }
  active = static_cast<std::int64_t>(active_pods.size());
  if (profile.job_pod_replacement_policy) terminating = being_deleted;
}

bool JobSync::IsTracked(const api::Object& pod) const {
  return HasTrackingFinalizer(pod) && !removals_.contains(std::string(pod.uid()));
}

// getNewFinishedPods: those that neither the counters nor the uncounted pods of the status have.
JobPods JobSync::NewlyFinished(bool succeeded_ones) const {
  const UidSet& uncounted = succeeded_ones ? uncounted_succeeded_ : uncounted_failed_;
  JobPods out;
  for (const api::Object& pod : pods) {
    if (!IsTracked(pod) || uncounted.contains(std::string(pod.uid()))) continue;
    if (spec.indexed && !spec.HasIndex(CompletionIndexOf(pod))) continue;
    const bool ended =
        succeeded_ones ? api::PodView(pod).phase() == "Succeeded" : CountsAsFailed(pod, spec);
    if (ended) out.push_back(pod);
  }
  return out;
}

void JobSync::CountFinished(const PodBackoffStore& backoffs) {
  JobPods new_succeeded = NewlyFinished(true);
  JobPods new_failed = NewlyFinished(false);
  const auto counted =
      std::count_if(new_failed.begin(), new_failed.end(), [this](const api::Object& pod) {
        return MatchPodFailurePolicy(spec.failure_policy, pod).counts;
      });
  succeeded = status.succeeded + static_cast<std::int64_t>(new_succeeded.size()) +
              static_cast<std::int64_t>(uncounted_succeeded_.size());
  failed = status.failed + counted + static_cast<std::int64_t>(uncounted_failed_.size());
  backoff = backoffs.Next(job.key(), std::move(new_succeeded), std::move(new_failed));
}

JobCondition JobSync::Failure(std::string_view reason, std::string_view message) const {
  JobCondition condition;
  condition.type = profile.job_delays_terminal_condition ? "FailureTarget" : "Failed";
  condition.reason = std::string(reason);
  condition.message = std::string(message);
  return condition;
}

JobCondition JobSync::Success() const {
  JobCondition condition;
  condition.type = profile.job_delays_terminal_condition ? "SuccessCriteriaMet" : "Complete";
  if (profile.job_success_policy) {
    condition.reason = "CompletionsReached";
    condition.message = "Reached expected number of succeeded pods";
  }
  return condition;
}

void JobSync::EvaluateFailure(VirtualTime now) {
  // 1. What was announced stays.
  if (profile.job_delays_terminal_condition) finished = status.Holds("SuccessCriteriaMet");
  if (!finished && profile.job_pod_failure_policy) {
    finished = status.Holds("FailureTarget");
    if (finished) finished->type = "Failed";
  }
  if (finished) return;

  // 2. A pod that the failure policy fails the Job for.
  if (const std::optional<std::string> message = FailJobMessage()) {
    finished = Failure("PodFailurePolicy", *message);
    finished->type = "FailureTarget";  // in each version that has such policies
    return;
  }

  // 3. Too many failures, or too long. Up to 1.27 only failures that are new count.
  const bool counts_now =
      profile.job_backoff_record || (failed > status.failed && active != spec.parallelism);
  if ((counts_now && failed > spec.backoff_limit) || PastBackoffLimitOnFailure()) {
    finished = Failure("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  } else if (spec.active_deadline && status.start_time && !spec.suspended &&
             now - *status.start_time >= *spec.active_deadline) {
    finished = Failure("DeadlineExceeded", "Job was active longer than specified deadline");
  }
}

std::optional<std::string> JobSync::FailJobMessage() const {
  if (spec.failure_policy.is_null()) return std::nullopt;
  for (const api::Object& pod : pods) {
    if (!CountsAsFailed(pod, spec)) continue;
    PodFailureMatch match = MatchPodFailurePolicy(spec.failure_policy, pod);
    if (match.fails_job) return std::move(match.fails_job);
  }
  return std::nullopt;
}

bool JobSync::PastBackoffLimitOnFailure() const {
  if (!spec.restarts_on_failure) return false;
  std::int64_t restarts = 0;
  const auto add = [&restarts](const Value& statuses) {
    for (const Value& container : statuses.items())
      restarts += container.Get("restartCount").AsInt();
  };
  for (const api::Object& pod : pods) {
    const api::PodView view(pod);
    if (view.phase() != "Running" && view.phase() != "Pending") continue;
    add(view.init_container_statuses());
    add(view.container_statuses());
  }
  return spec.backoff_limit == 0 ? restarts > 0 : restarts >= spec.backoff_limit;
}

void JobSync::EvaluateIndexes() {
  if (!spec.indexed) return;
  const std::int64_t completions = spec.completions.value_or(0);
  prev_succeeded = IndexIntervals::Parse(status.completed_indexes, completions);
  succeeded_indexes = prev_succeeded.With(NewSucceededIndexes(pods, spec));
  succeeded = succeeded_indexes.Total();
  if (spec.backoff_limit_per_index) {
    failed_indexes = IndexIntervals::Parse(status.failed_indexes.value_or(""), completions)
                         .With(NewFailedIndexes(pods, spec));
    const std::int64_t lost = failed_indexes->Total();
    if (!finished) {
      if (spec.max_failed_indexes && lost > *spec.max_failed_indexes) {
        finished = Failure("MaxFailedIndexesExceeded",
                           "Job has exceeded the specified maximal number of failed indexes");
      } else if (lost > 0 && lost + succeeded >= completions) {
        finished = Failure("FailedIndexes", "Job has failed indexes");
      }
    }
    delayed = FindDelayed();
  }
  if (finished) return;
  const std::optional<std::string> met =
      MatchSuccessPolicy(spec.success_policy, completions, succeeded_indexes);
  if (!met) return;
  finished.emplace();
  finished->type = "SuccessCriteriaMet";
  finished->reason = "SuccessPolicy";
  finished->message = *met;
}

// getPodsWithDelayedDeletionPerIndex.
DelayedPods JobSync::FindDelayed() const {
  const IndexSet in_use = IndexesOf(active_pods);
  DelayedPods out;
  for (const api::Object& pod : pods) {
    const std::int64_t index = CompletionIndexOf(pod);
    if (!IsTracked(pod) || !spec.HasIndex(index) || !CountsAsFailed(pod, spec)) continue;
    if (succeeded_indexes.Has(index) || failed_indexes->Has(index) || in_use.contains(index))
      continue;
    const auto [it, is_first] = out.emplace(index, pod);
    if (is_first) continue;
    if (IndexFailuresBefore(it->second) <= IndexFailuresBefore(pod) &&
        PodFinishedAt(pod, profile) >= PodFinishedAt(it->second, profile))
      it->second = pod;
  }
  return out;
}

bool JobSync::IsComplete() const {
  // Without a number of completions, one success is enough, once no pod goes on.
  return active == 0 && (spec.completions ? succeeded >= *spec.completions : succeeded > 0);
}

std::int64_t JobSync::WantedActive() const {
  if (!spec.completions) return succeeded > 0 ? active : spec.parallelism;
  return std::max<std::int64_t>(0, std::min(*spec.completions - succeeded, spec.parallelism));
}

JobPods JobSync::PodsToRemove(std::int64_t at_least) const {
  JobPods remove, left;
  if (spec.indexed) {
    SplitByIndex(active_pods, spec.completions.value_or(0), profile, &remove, &left);
  } else {
    left = active_pods;
  }
  const auto enough = static_cast<std::size_t>(at_least);
  if (remove.size() < enough) {
    SortActivePods(&left, profile);
    const std::size_t more = std::min(enough - remove.size(), left.size());
    remove.insert(remove.end(), left.begin(), left.begin() + static_cast<std::ptrdiff_t>(more));
  }
  return remove;
}

std::vector<std::int64_t> JobSync::PendingIndexes(std::int64_t count) const {
  IndexIntervals not_pending = succeeded_indexes.With(IndexesOf(active_pods));
  if (spec.replaces_failed_only) {
    JobPods leaving;
    std::copy_if(pods.begin(), pods.end(), std::back_inserter(leaving),
                 [](const api::Object& pod) { return api::PodView(pod).terminating(); });
    not_pending = not_pending.With(IndexesOf(leaving));
  }
  if (failed_indexes) not_pending = not_pending.Merge(*failed_indexes);
  return FirstPendingIndexes(not_pending, count, spec.completions.value_or(0));
}

std::vector<std::int64_t> JobSync::DueIndexes(const std::vector<std::int64_t>& pending,
                                              VirtualTime now, Duration* wait) const {
  std::vector<std::int64_t> due;
  std::optional<Duration> least;
  for (const std::int64_t index : pending) {
    const auto it = delayed.find(index);
    const Duration left = it == delayed.end()
                              ? Duration()
                              : RemainingBackoff(IndexFailuresBefore(it->second) + 1,
                                                 PodFinishedAt(it->second, profile), now);
    if (left == Duration()) {
      due.push_back(index);
    } else if (!least || left < *least) {
      least = left;
    }
  }
  *wait = due.empty() ? least.value_or(Duration()) : Duration();
  return due;
}

// --- tracking ----------------------------------------------------------------------------------

bool JobSync::MayLoseFinalizer(const api::Object& pod, bool failed_pod) const {
  if (job.deleting() || finished || api::PodView(pod).phase() == "Succeeded") return true;
  if (!failed_pod) return false;
  const auto it = delayed.find(CompletionIndexOf(pod));
  return it == delayed.end() || it->second.uid() != pod.uid();
}

JobPods JobSync::CollectUncounted(bool* changed, bool* reached_max) {
  if (spec.indexed) SortByIndex(&pods);
  JobPods to_remove;
  IndexSet new_indexes;
  for (const api::Object& pod : pods) {
    if (!IsTracked(pod)) continue;  // an earlier sync has dealt with it
    const bool failed_pod = CountsAsFailed(pod, spec);
    if (!MayLoseFinalizer(pod, failed_pod)) continue;
    to_remove.push_back(pod);
    Collect(pod, failed_pod, &new_indexes, changed);
    const std::size_t collected =
        new_indexes.size() + status.uncounted_succeeded.size() + status.uncounted_failed.size();
    if (static_cast<std::int64_t>(collected) < kMaxUncountedPods) continue;
    *reached_max = true;
    break;
  }
  if (!spec.indexed) return to_remove;
  succeeded_indexes = succeeded_indexes.With(new_indexes);
  std::string text = succeeded_indexes.ToString();
  if (text != status.completed_indexes) *changed = true;
  status.succeeded = succeeded_indexes.Total();
  status.completed_indexes = std::move(text);
  std::optional<std::string> lost;
  if (failed_indexes) lost = failed_indexes->ToString();
  if (lost != status.failed_indexes) *changed = true;
  status.failed_indexes = std::move(lost);
  return to_remove;
}

void JobSync::Collect(const api::Object& pod, bool failed_pod, IndexSet* new_indexes,
                      bool* changed) {
  const std::string uid(pod.uid());
  const std::int64_t index = CompletionIndexOf(pod);
  if (api::PodView(pod).phase() == "Succeeded" && !uncounted_failed_.contains(uid)) {
    if (spec.indexed) {
      // The index itself keeps the pod from being counted twice.
      if (!spec.HasIndex(index) || prev_succeeded.Has(index)) return;
      new_indexes->insert(index);
    } else {
      if (uncounted_succeeded_.contains(uid)) return;
      status.uncounted_succeeded.push_back(uid);
    }
    *changed = true;
    return;
  }
  // With the end of the Job every pod that has not ended has failed, unless it has succeeded.
  const bool ends_badly = finished && finished->type != "SuccessCriteriaMet";
  if (!failed_pod && !ends_badly) return;
  if (uncounted_failed_.contains(uid) || (spec.indexed && !spec.HasIndex(index))) return;
  if (!MatchPodFailurePolicy(spec.failure_policy, pod).counts) return;
  status.uncounted_failed.push_back(uid);
  *changed = true;
}

void JobSync::AnnounceEnd(VirtualTime now, bool* changed) {
  if (!finished) return;
  if (finished->type == "FailureTarget") {
    status.Append(*finished, now);
    *changed = true;
    finished->type = "Failed";
  } else if (finished->type == "SuccessCriteriaMet") {
    if (!status.Holds("SuccessCriteriaMet")) {
      status.Append(*finished, now);
      *changed = true;
    }
    finished->type = "Complete";
  }
  finished->since = now;
}

bool JobSync::EnactFinished(VirtualTime now) {
  if (!finished) return false;
  if (!status.uncounted_succeeded.empty() || !status.uncounted_failed.empty()) return false;
  if (profile.job_delays_terminal_condition && terminating.value_or(0) > 0) return false;
  status.Ensure(finished->type, true, finished->reason, finished->message, now);
  if (finished->type == "Complete") status.completion_time = finished->since;
  return true;
}

}  // namespace ksim::controllers
