// jobCount: the counters of a Job and its uncounted pods tell of no pod twice.
//
// It counts the pods that were the Job's and have ended, by their uids: a Job cannot have counted
// more. That one was forgotten it does not say: pods that a Job deletes itself are never counted.
#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"

namespace ksim::check {
namespace {

using value::Value;

const OracleInfo& CountInfo() {
  static const OracleInfo info{
      "jobCount",
      Guarantee::kSafety,
      "A Job counts each finished pod once.",
      {sim::EventKind::kCommit},
      {"a pod that is being deleted, or gone, counts as failed, whatever it did",
       "pods that the Job deletes itself, that its failure policy ignores, or whose index has "
       "succeeded before: they are not counted",
       "a Job whose status somebody else has written: nothing is judged from then on"},
      "no Job has counted a pod"};
  return info;
}

std::string_view OwnerJobOf(const Value& pod) {
  for (const Value& owner : pod.Get("metadata").Get("ownerReferences").items())
    if (owner.Get("controller").AsBool() && owner.Get("kind").AsString() == "Job")
      return owner.Get("uid").AsString();
  return "";
}

bool CountsAsEnded(const Value& pod) {
  const std::string_view phase = pod.Get("status").Get("phase").AsString();
  return phase == "Succeeded" || phase == "Failed" || pod.Get("metadata").Has("deletionTimestamp");
}

class JobCount : public Oracle {
 public:
  JobCount() : Oracle(CountInfo()) {}

  void On(const Facts&, const Observation& o) override {
    if (o.resource == "pods") {
      OnPod(o);
    } else if (o.resource == "jobs") {
      OnJob(o);
    }
  }

 private:
  struct Job {
    std::set<std::string, std::less<>> ended;      // pods, by uid
    std::set<std::string, std::less<>> uncounted;  // as the status says
    std::set<std::string, std::less<>> counted;    // that were in that list and are not any more
    bool written_by_others = false;
  };

  void OnPod(const Observation& o) {
    const Value& pod = o.after->is_null() ? *o.before : *o.after;
    const std::string_view owner = OwnerJobOf(pod);
    if (owner.empty() || (!o.after->is_null() && !CountsAsEnded(pod))) return;
    jobs_[std::string(owner)].ended.emplace(pod.Get("metadata").Get("uid").AsString());
  }

  void OnJob(const Observation& o) {
    if (o.after->is_null()) {
      jobs_.erase(std::string(o.before->Get("metadata").Get("uid").AsString()));
      return;
    }
    const Value& status = o.after->Get("status");
    if (status == o.before->Get("status")) return;
    Job& job = jobs_[std::string(o.after->Get("metadata").Get("uid").AsString())];
    // A Job is created with an empty status.
    if (!o.before->is_null() && !o.by.ends_with("/job")) job.written_by_others = true;
    if (job.written_by_others) return;
    const Value& lists = status.Get("uncountedTerminatedPods");
    std::set<std::string, std::less<>> uncounted;
    for (const char* list : {"succeeded", "failed"})
      for (const Value& uid : lists.Get(list).items()) uncounted.emplace(uid.AsString());
    for (const std::string& uid : job.uncounted)
      if (!uncounted.contains(uid)) job.counted.insert(uid);
    for (const std::string& uid : uncounted) {
      if (!job.counted.contains(uid)) continue;
      Violate(o.seq, std::string(o.by),
              fmt::format("{} is about to count a pod once more that {} has counted, uid {}", o.by,
                          ObjectOf(o), uid),
              {ObjectOf(o)});
    }
    const std::int64_t told = status.Get("succeeded").AsInt() + status.Get("failed").AsInt() +
                              static_cast<std::int64_t>(uncounted.size());
    job.uncounted = std::move(uncounted);
    if (told == 0) return;
    Judged();
    const auto ended = static_cast<std::int64_t>(job.ended.size());
    if (told <= ended) return;
    Violate(o.seq, std::string(o.by),
            fmt::format("{} counts {} pods of {}, of which {} have ended", o.by, told, ObjectOf(o),
                        ended),
            {ObjectOf(o)});
  }

  std::map<std::string, Job, std::less<>> jobs_;  // by uid
};

}  // namespace

OracleEntry JobCountOracle() {
  return {&CountInfo(), [] { return std::unique_ptr<Oracle>(new JobCount); }, ""};
}

}  // namespace ksim::check
