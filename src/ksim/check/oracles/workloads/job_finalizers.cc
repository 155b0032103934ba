// job.finalizers: no pod keeps the finalizer by which its Job counts it once the Job has ended.
// bugs 29.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "ksim/api/core/fields.h"
#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"

namespace ksim::check {
namespace {

using value::Value;

const OracleInfo& FinalizersInfo() {
  static const OracleInfo info{
      "job.finalizers",
      Guarantee::kLiveness,
      "When nothing is left to do, no pod of a Job that has ended or is gone keeps the finalizer "
      "batch.kubernetes.io/job-tracking.",
      {sim::EventKind::kCommit, sim::EventKind::kRequest, sim::EventKind::kResponse,
       sim::EventKind::kHandler, sim::EventKind::kActor},
      {"a pod of a Job that goes on, or that another controller manages",
       ("a pod of which the controller was not told before its Job ended: it looks at it once the "
        "pod "
        "is deleted, or the Job changes again"),
       "a pod whose Job ended, or was deleted, in an earlier life of the controller: likewise",
       "a pod that an object of another kind controls",
       "a pod that could not be freed: from 1.34 on it is not tried again before its deletion",
       "the finalizer on a pod of nobody, that a user has made so"},
      "no pod had the finalizer, or the run did not become quiet"};
  return info;
}

constexpr std::string_view kTracking = "batch.kubernetes.io/job-tracking";
constexpr std::string_view kJobPart = "/job";

bool HoldsTracking(const Value& pod) {
  const auto finalizers = pod.Get(api::Fields().metadata).Get("finalizers").items();
  return std::any_of(finalizers.begin(), finalizers.end(),
                     [](const Value& finalizer) { return finalizer.AsString() == kTracking; });
}

// The uid of the Job that controls the pod; "" if none does.
std::string_view JobUidOf(const Value& pod) {
  for (const Value& owner :
       pod.Get(api::Fields().metadata).Get(api::Fields().owner_references).items())
    if (owner.Get("controller").AsBool() && owner.Get("kind").AsString() == "Job")
      return owner.Get("uid").AsString();
  return {};
}

bool JobHasEnded(const Value& job) {
  for (const Value& condition : job.Get(api::Fields().status).Get("conditions").items()) {
    const std::string_view type = condition.Get("type").AsString();
    if ((type == "Complete" || type == "Failed") && condition.Get("status").AsString() == "True")
      return true;
  }
  return false;
}

class JobFinalizers : public Oracle {
 public:
  JobFinalizers() : Oracle(FinalizersInfo()) {}

  void On(const Facts&, const Observation& o) override {
    switch (o.kind) {
      case sim::EventKind::kCommit:
        if (o.resource == "pods") OnPod(o);
        if (o.resource == "jobs") OnJob(o);
        return;
      case sim::EventKind::kRequest:
        if (o.resource == "pods" && o.verb == "patch" && o.actor.ends_with(kJobPart))
          patches_[o.request] = o.object;
        return;
      case sim::EventKind::kResponse:
        return OnResponse(o);
      case sim::EventKind::kHandler:
        if (o.listener.ends_with(kJobPart)) OnTold(o);
        return;
      default:
        if (controllers_.contains(o.target)) OnProcess();
        return;
    }
  }

  void Finish(const Facts& facts, const RunEnd& end) override {
    if (end.cut || !end.quiet || !facts.faults().empty() || !facts.SawActor("job")) return;
    if (saw_) Judged();
    for (const auto& [object, pod] : pods_) {
      if (pod.job.empty() || pod.failed) continue;
      const auto job = jobs_.find(pod.job);
      // Told of the end, the controller looks at the pods that it knows.
      const bool is_over = job != jobs_.end() && job->second.told_of_end != 0;
      const bool knew = is_over && pod.told != 0 && pod.told < job->second.told_of_end;
      if (!knew) continue;
      Violate(pod.since, "",
              fmt::format("{} keeps the finalizer {}, and its Job {}", pod.name, kTracking,
                          job->second.is_gone ? "is gone" : "has ended"),
              {pod.name});
    }
  }

 private:
  struct Pod {
    std::string name, job;
    std::uint64_t since = 0;  // seq of the commit that gave it the finalizer
    std::uint64_t told = 0;   // seq of when the controller was first told of it in this life
    bool failed = false;      // a request to free it failed
  };
  struct Job {
    bool managed = false;  // by another controller
    bool is_gone = false;
    // Seq of when the controller was told of its end, or deletion, in this life; 0: it was not.
    std::uint64_t told_of_end = 0;
    std::int64_t ended = 0;  // revision; 0: it goes on
  };

  void OnPod(const Observation& o) {
    if (o.after->is_null() || !HoldsTracking(*o.after)) {
      const auto pod = pods_.find(o.object);
      if (pod == pods_.end()) return;
      const std::string job = std::move(pod->second.job);
      pods_.erase(pod);
      ForgetIfGone(job);
      return;
    }
    saw_ = true;
    Pod& pod = pods_[o.object];
    if (pod.since == 0) {
      pod.since = o.seq;
      pod.name = ObjectOf(o);
    }
    pod.job = std::string(JobUidOf(*o.after));
  }

  void OnJob(const Observation& o) {
    const std::string uid(o.uid);
    Job& job = jobs_[uid];
    if (o.after->is_null()) {
      job.is_gone = true;
      if (job.ended == 0) job.ended = o.rv;
      ForgetIfGone(uid);
      return;
    }
    job.managed = !o.after->Get(api::Fields().spec).Get("managedBy").is_null();
    if (job.ended == 0 && JobHasEnded(*o.after)) job.ended = o.rv;
  }

  // Nothing is to be told of a Job that is gone with all its pods.
  void ForgetIfGone(const std::string& uid) {
    const auto job = jobs_.find(uid);
    if (job == jobs_.end() || !job->second.is_gone) return;
    const bool has_pods = std::any_of(pods_.begin(), pods_.end(),
                                      [&uid](const auto& pod) { return pod.second.job == uid; });
    if (!has_pods) jobs_.erase(job);
  }

  void OnTold(const Observation& o) {
    controllers_.emplace(o.listener.substr(0, o.listener.find('/')));
    if (o.resource == "pods") {
      const auto pod = pods_.find(o.object);
      if (pod != pods_.end() && pod->second.told == 0 && o.call != HandlerCall::kDelete)
        pod->second.told = o.seq;
      return;
    }
    if (o.resource != "jobs") return;
    const auto job = jobs_.find(std::string(o.uid));
    if (job == jobs_.end() || job->second.managed || job->second.told_of_end != 0) return;
    // The addition of a Job that has ended wakes nobody who would free its pods.
    const bool is_end =
        o.call == HandlerCall::kDelete ||
        (o.call == HandlerCall::kUpdate && job->second.ended != 0 && o.rv >= job->second.ended);
    if (is_end) job->second.told_of_end = o.seq;
  }

  void OnResponse(const Observation& o) {
    const auto patch = patches_.find(o.request);
    if (patch == patches_.end()) return;
    const auto pod = pods_.find(patch->second);
    if (pod != pods_.end() && (o.lost || o.code < 200 || o.code >= 300)) pod->second.failed = true;
    patches_.erase(patch);
  }

  // A controller starts or stops: what an earlier life was told counts no more.
  void OnProcess() {
    for (auto& [object, pod] : pods_) pod.told = 0;
    for (auto& [uid, job] : jobs_) job.told_of_end = 0;
    patches_.clear();
  }

  std::map<std::uint64_t, Pod> pods_;               // with the finalizer
  std::map<std::string, Job, std::less<>> jobs_;    // by uid
  std::map<std::uint64_t, std::uint64_t> patches_;  // request -> pod
  std::set<std::string, std::less<>> controllers_;  // processes that were told something
  bool saw_ = false;                                // a pod with the finalizer
};

}  // namespace

OracleEntry JobFinalizersOracle() {
  return {&FinalizersInfo(), [] { return std::unique_ptr<Oracle>(new JobFinalizers); }, ""};
}

}  // namespace ksim::check
