#include "ksim/fuzz/executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "ksim/base/check.h"
#include "ksim/base/crash_report.h"
#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/base/worker.h"
#include "ksim/fuzz/booted_runs.h"
#include "ksim/fuzz/run.h"

namespace ksim::fuzz {
namespace {

// Jobs sent at a time: few, so that the last ones of a batch are spread, and a pipe is never full.
constexpr std::size_t kJobsAtATime = 4;
constexpr Duration kPatience = Seconds(10);  // beyond the timeout of a run
constexpr Duration kBreakOffPatience = Seconds(1);

class InProcess : public Executor {
 public:
  InProcess(const scenario::Scenario& scenario, std::optional<Duration> timeout)
      : runs_(scenario, timeout) {}
  std::vector<RunOutcome> Do(const std::vector<Job>& jobs, const std::function<Pace()>& pace,
                             const std::function<void(const RunOutcome&)>& on_done) override {
    std::vector<RunOutcome> out;
    for (const Job& job : jobs) {
      if (pace() != Pace::kGoOn) break;
      out.push_back(runs_.Do(job));
      on_done(out.back());
    }
    return out;
  }

 private:
  Runs runs_;
};

class Workers : public Executor {
 public:
  Workers(const scenario::Scenario& scenario, std::optional<Duration> timeout, int count)
      : scenario_(scenario), timeout_(timeout), hands_(static_cast<std::size_t>(count)) {}

  absl::Status Start() {
    for (Hand& hand : hands_) {
      const absl::Status status = Hire(&hand);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  std::vector<RunOutcome> Do(const std::vector<Job>& jobs, const std::function<Pace()>& pace,
                             const std::function<void(const RunOutcome&)>& on_done) override {
    jobs_ = &jobs;
    on_done_ = &on_done;
    outcomes_.assign(jobs.size(), std::nullopt);
    tries_.assign(jobs.size(), 0);
    open_.clear();
    for (std::size_t i = 0; i < jobs.size(); ++i) open_.push_back(i);
    std::optional<Duration> broken_off;
    for (;;) {
      const Pace now = pace();
      if (now == Pace::kBreakOff && !broken_off) broken_off = os::MonotonicNow();
      for (Hand& hand : hands_)
        if (now == Pace::kGoOn && hand.doing.empty() && !open_.empty()) GiveWork(&hand);
      if (!AnyBusy()) break;
      if (broken_off && os::MonotonicNow() - *broken_off > kBreakOffPatience) break;
      Wait();
    }
    return FirstDone();
  }

 private:
  struct Hand {
    std::unique_ptr<os::Worker> worker;
    std::deque<std::size_t> doing;  // jobs sent and not answered
    Duration since;                 // when it last answered or got work
  };

  absl::Status Hire(Hand* hand) {
    const auto runs = std::make_shared<std::unique_ptr<Runs>>();
    const auto serve = [this, runs](std::string_view request, const os::Worker::Reply& reply) {
      if (*runs == nullptr) *runs = MakeRuns();
      const absl::StatusOr<std::vector<Job>> jobs = DecodeJobs(request);
      if (!jobs.ok()) return;
      for (const Job& job : *jobs) reply(Encode((*runs)->Do(job)));
    };
    absl::StatusOr<std::unique_ptr<os::Worker>> worker = os::Worker::Start(serve);
    if (!worker.ok()) return worker.status();
    hand->worker = *std::move(worker);
    return absl::OkStatus();
  }

  std::unique_ptr<Runs> MakeRuns() const {
    if (CanShareBoot(scenario_)) return std::make_unique<BootedRuns>(scenario_, timeout_);
    return std::make_unique<Runs>(scenario_, timeout_);
  }

  void GiveWork(Hand* hand) {
    std::vector<Job> batch;
    while (!open_.empty() && batch.size() < kJobsAtATime) {
      hand->doing.push_back(open_.front());
      batch.push_back((*jobs_)[open_.front()]);
      open_.pop_front();
    }
    hand->since = os::MonotonicNow();
    // A worker that is gone is noticed when it is waited for.
    hand->worker->Send(Encode(batch)).IgnoreError();
  }

  bool AnyBusy() const {
    return std::any_of(hands_.begin(), hands_.end(),
                       [](const Hand& h) { return !h.doing.empty(); });
  }

  void Wait() {
    std::vector<os::Worker*> workers;
    for (const Hand& hand : hands_) workers.push_back(hand.worker.get());
    os::WaitForWorkers(workers, Milliseconds(200));
    for (Hand& hand : hands_) {
      while (std::optional<std::string> answer = hand.worker->Take()) TakeAnswer(&hand, *answer);
      if (hand.doing.empty()) continue;
      if (hand.worker->ended()) {
        TakeInWorkerEnd(&hand);
      } else if (timeout_ && os::MonotonicNow() - hand.since > *timeout_ + kPatience) {
        hand.worker->Kill();
        ReportLostJob(hand.doing.front(), kUndecided,
                      "did not end in time, and its worker was killed");
        hand.doing.pop_front();
        Rehire(&hand);
      }
    }
  }

  void TakeAnswer(Hand* hand, const std::string& bytes) {
    absl::StatusOr<RunOutcome> outcome = DecodeOutcome(bytes);
    if (!outcome.ok() || hand->doing.empty()) return;
    (*on_done_)(*outcome);
    outcomes_[hand->doing.front()] = *std::move(outcome);
    hand->doing.pop_front();
    hand->since = os::MonotonicNow();
  }

  // The job that it was at is to blame, or somebody killed it: only trying again can tell.
  void TakeInWorkerEnd(Hand* hand) {
    const std::size_t job = hand->doing.front();
    const std::string how = hand->worker->HowItEnded();
    const bool no_bug =
        hand->worker->killed_by_signal() || hand->worker->exit_code() == kOutOfMemoryExitCode;
    if (tries_[job]++ > 0) {
      ReportLostJob(job, no_bug ? kUndecided : kCrashed, "its worker ended with " + how);
      hand->doing.pop_front();
    }
    Rehire(hand);
  }

  void Rehire(Hand* hand) {
    for (auto it = hand->doing.rbegin(); it != hand->doing.rend(); ++it) open_.push_front(*it);
    hand->doing.clear();
    KSIM_CHECK(Hire(hand).ok()) << "cannot start another worker process";
  }

  void ReportLostJob(std::size_t job, int code, std::string message) {
    RunOutcome out;
    out.number = (*jobs_)[job].number;
    out.seed = (*jobs_)[job].seed;
    out.code = code;
    CampaignFinding f;
    f.oracle = code == kCrashed ? "crash" : "timeout";
    f.place = code == kCrashed ? "ksim" : "run";
    f.message = std::move(message);
    out.findings.push_back(std::move(f));
    outcomes_[job] = std::move(out);
  }

  std::vector<RunOutcome> FirstDone() {
    std::vector<RunOutcome> out;
    for (std::optional<RunOutcome>& o : outcomes_) {
      if (!o) break;
      out.push_back(*std::move(o));
    }
    return out;
  }

  scenario::Scenario scenario_;
  std::optional<Duration> timeout_;
  std::vector<Hand> hands_;
  const std::vector<Job>* jobs_ = nullptr;
  const std::function<void(const RunOutcome&)>* on_done_ = nullptr;
  std::vector<std::optional<RunOutcome>> outcomes_;
  std::vector<int> tries_;
  std::deque<std::size_t> open_;  // jobs nobody does
};

}  // namespace

std::unique_ptr<Executor> MakeInProcess(const scenario::Scenario& scenario,
                                        std::optional<Duration> timeout) {
  return std::make_unique<InProcess>(scenario, timeout);
}

absl::StatusOr<std::unique_ptr<Executor>> MakeWorkers(const scenario::Scenario& scenario,
                                                      std::optional<Duration> timeout, int count) {
  auto workers = std::make_unique<Workers>(scenario, timeout, count);
  RETURN_IF_ERROR(workers->Start());
  return workers;
}

}  // namespace ksim::fuzz
