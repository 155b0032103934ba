#include "ksim/client/leaderelection/leader_election.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/api/lease.h"
#include "ksim/base/check.h"
#include "ksim/client/rest/fault_hooks.h"
#include "ksim/sim/process.h"
#include "ksim/value/timestamp.h"

namespace ksim::client {
namespace {

using value::Value;

constexpr std::int64_t kJitterPercent = 120;  // JitterFactor 1.2

LeaderRecord RecordOf(const api::Object& lease) {
  const api::LeaseView view(lease);
  LeaderRecord record;
  record.holder = std::string(view.holder());
  record.duration_seconds = lease.spec().Get("leaseDurationSeconds").AsInt();
  record.acquire_time = view.acquire_time().value_or(VirtualTime());
  record.renew_time = view.renew_time().value_or(VirtualTime());
  record.transitions = view.transitions();
  return record;
}

// LeaderElectionRecordToLeaseSpec.
Value SpecOf(const LeaderRecord& record) {
  return value::Obj({{"holderIdentity", Value::String(record.holder)},
                     {"leaseDurationSeconds", Value::Int(record.duration_seconds)},
                     {"acquireTime", Value::String(value::FormatMicroTime(record.acquire_time))},
                     {"renewTime", Value::String(value::FormatMicroTime(record.renew_time))},
                     {"leaseTransitions", Value::Int(record.transitions)}});
}

}  // namespace

std::string LeaderElectionProblem(const LeaderElectionOptions& options,
                                  const LeaderCallbacks& callbacks, const Profile& profile) {
  if (options.lease_duration <= options.renew_deadline)
    return "leaseDuration must be greater than renewDeadline";
  if (options.renew_deadline <= Duration(options.retry_period.ns() / 100 * kJitterPercent))
    return "renewDeadline must be greater than retryPeriod*JitterFactor";
  if (options.lease_duration < Nanoseconds(1)) return "leaseDuration must be greater than zero";
  if (options.renew_deadline < Nanoseconds(1)) return "renewDeadline must be greater than zero";
  if (options.retry_period < Nanoseconds(1)) return "retryPeriod must be greater than zero";
  if (!callbacks.started) return "OnStartedLeading callback must not be nil";
  if (!callbacks.stopped) return "OnStoppedLeading callback must not be nil";
  if (profile.checks_lock_identity && options.identity.empty()) return "Lock identity is empty";
  return "";
}

LeaderElector::LeaderElector(Client& client, LeaderElectionOptions options,
                             LeaderCallbacks callbacks)
    : client_(client),
      process_(client.connection().process()),
      leases_(client.connection().env().kinds.ByResource("coordination.k8s.io", "leases")),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      profile_(ProfileOf(client.connection().compat())),
      jitter_(client.connection().env(),
              fmt::format("leaderelection/{}/{}", process_.name(), options_.name)),
      cancel_(process_.simulation()) {
  const std::string problem = LeaderElectionProblem(options_, callbacks_, profile_);
  KSIM_CHECK(problem.empty()) << problem;
}

void LeaderElector::Start() { process_.Spawn(Run(), {}, true); }

void LeaderElector::Cancel() {
  cancelled_ = true;
  cancel_.Notify();
}

bool LeaderElector::Healthy(Duration tolerance) const {
  return !IsLeader() || SteadyNow() - observed_time_ <= options_.lease_duration + tolerance;
}

// The tasks that leadership starts are work, though the election is none.
void LeaderElector::Call(std::function<void()> call) {
  sim::Simulation& sim = process_.simulation();
  const bool background = std::exchange(sim.context().background, false);
  process_.Spawn([](std::function<void()> f) -> sim::Task<void> {
    f();
    co_return;
  }(std::move(call)));
  sim.context().background = background;
}

sim::Task<void> LeaderElector::Run() {
  const bool acquired = co_await Acquire();
  if (acquired) {
    Call(callbacks_.started);
    co_await Renew();
  }
  Call(callbacks_.stopped);
}

sim::Task<bool> LeaderElector::Wait(Duration delay) {
  if (cancelled_) co_return true;
  co_await cancel_.WaitFor(delay, sim::TimerKind::kPeriodic);
  co_await AwaitRunning(client_.connection().env().faults, process_.actor());
  co_return cancelled_;
}

sim::Task<bool> LeaderElector::Acquire() {
  while (!cancelled_) {
    const bool acquired = co_await Try();
    ReportTransition();
    if (acquired) co_return true;
    const Duration delay = jitter_.Jitter(options_.retry_period, kJitterPercent);
    co_await Wait(delay);
  }
  co_return false;
}

sim::Task<void> LeaderElector::Renew() {
  for (;;) {
    const VirtualTime deadline = SteadyNow() + options_.renew_deadline;
    const bool renewed = co_await RenewBefore(deadline);
    ReportTransition();
    if (!renewed) break;
    const bool cancelled = co_await Wait(options_.retry_period);
    if (cancelled) break;
  }
  if (!options_.release_on_cancel) co_return;
  if (profile_.release_reads_lease) {
    sim::Task<bool> release = Release();
    const VirtualTime deadline = SteadyNow() + options_.renew_deadline;
    co_await Before(deadline, std::move(release));
  } else {
    co_await Release();
  }
}

// Before 1.36 ticks count from the end of the first try, and those that come during a try are lost
// (wait.PollImmediateUntil). In 1.36 they count from its start, and one that comes during a try is
// kept (wait.PollUntilContextTimeout).
sim::Task<bool> LeaderElector::RenewBefore(VirtualTime deadline) {
  const bool keeps_tick = profile_.renew_keeps_ticks;
  const std::int64_t period = options_.retry_period.ns();
  VirtualTime ticks_from = SteadyNow();
  std::int64_t ticks_taken = 0;
  bool renewed = co_await TryBefore(deadline);
  if (!keeps_tick) ticks_from = SteadyNow();
  while (!renewed && !cancelled_ && SteadyNow() < deadline) {
    const std::int64_t elapsed = (SteadyNow() - ticks_from).ns();
    if (!keeps_tick || elapsed / period == ticks_taken) {
      const Duration to_tick(period - elapsed % period);
      const Duration left = deadline - SteadyNow();
      co_await Wait(std::min(to_tick, left));
    }
    if (cancelled_ || SteadyNow() >= deadline) co_return false;
    ticks_taken = (SteadyNow() - ticks_from).ns() / period;
    renewed = co_await TryBefore(deadline);
  }
  co_return renewed;
}

sim::Task<bool> LeaderElector::TryBefore(VirtualTime deadline) {
  sim::Task<bool> attempt = Try();
  co_return co_await Before(deadline, std::move(attempt));
}

sim::Task<bool> LeaderElector::Before(VirtualTime deadline, sim::Task<bool> attempt) {
  sim::Promise<bool> promise(process_.simulation());
  sim::Future<bool> done = promise.future();
  const sim::Process::TaskId task =
      process_.Spawn(Report(std::move(attempt), std::move(promise)), {}, true);
  const Duration left = deadline - SteadyNow();
  const std::optional<bool> result = co_await done.WaitFor(left, sim::TimerKind::kPeriodic);
  const bool stopped = co_await AwaitRunning(client_.connection().env().faults, process_.actor());
  if (!result) process_.Cancel(task);
  const bool too_late = stopped && SteadyNow() >= deadline;
  co_return !too_late && result.value_or(false);
}

sim::Task<void> LeaderElector::Report(sim::Task<bool> attempt, sim::Promise<bool> result) {
  const bool succeeded = co_await std::move(attempt);
  result.Fulfil(succeeded);
}

// tryAcquireOrRenew.
sim::Task<bool> LeaderElector::Try() {
  const VirtualTime now = SteadyNow();
  LeaderRecord record;
  record.holder = options_.identity;
  record.duration_seconds = options_.lease_duration.ns() / Seconds(1).ns();
  record.acquire_time = record.renew_time = Now();

  // 1. since 1.30 a leader first tries to renew what it last saw
  if (profile_.renews_before_reading && IsLeader() && LeaseValid(now)) {
    record.acquire_time = observed_.acquire_time;
    record.transitions = observed_.transitions;
    const bool renewed = co_await WriteLease(record);
    if (renewed) co_return true;
  }

  // 2. read the record, or make it
  client::Client::ObjectResult got = co_await client_.Get(leases_, options_.ns, options_.name);
  if (!got.ok()) {
    if (!api::IsNotFound(got.status())) co_return false;
    const bool created = co_await CreateLease(record);
    co_return created;
  }
  lease_ = *got;

  // 3. whose it is
  if (lease_.spec() != observed_raw_) {
    observed_raw_ = lease_.spec();
    Observe(RecordOf(lease_));
  }
  if (!observed_.holder.empty() && LeaseValid(now) && !IsLeader()) co_return false;

  // 4. take or renew it
  const LeaderRecord old = RecordOf(lease_);
  if (IsLeader()) record.acquire_time = old.acquire_time;  // else as 1. left it
  record.transitions = IsLeader() ? old.transitions : old.transitions + 1;
  const bool written = co_await WriteLease(record);
  co_return written;
}

bool LeaderElector::LeaseValid(VirtualTime now) const {
  const Duration duration = profile_.lease_duration_as_written ? Seconds(observed_.duration_seconds)
                                                               : options_.lease_duration;
  return observed_time_ + duration > now;
}

void LeaderElector::Observe(LeaderRecord record) {
  observed_ = std::move(record);
  observed_time_ = SteadyNow();
}

sim::Task<bool> LeaderElector::CreateLease(LeaderRecord record) {
  const api::Object lease = api::Object::FromTree(
      value::Obj({{"apiVersion", Value::Of("coordination.k8s.io/v1")},
                  {"kind", Value::Of("Lease")},
                  {"metadata", value::Obj({{"name", Value::String(options_.name)},
                                           {"namespace", Value::String(options_.ns)}})},
                  {"spec", SpecOf(record)}}));
  client::Client::ObjectResult created = co_await client_.Create(leases_, lease);
  if (!created.ok()) co_return false;
  lease_ = *created;
  Observe(std::move(record));
  co_return true;
}

sim::Task<bool> LeaderElector::WriteLease(LeaderRecord record) {
  static const value::Path kSpec{"spec"};
  const api::Object update =
      api::Object::FromTree(lease_.tree().Set(kSpec, SpecOf(record)), lease_.resource_version());
  client::Client::ObjectResult written = co_await client_.Update(leases_, update);
  if (!written.ok()) co_return false;
  lease_ = *written;
  Observe(std::move(record));
  co_return true;
}

// The elector judges whether it still leads by the record it saw last. With release_reads_lease it
// reads the lease first, and writes over what it finds; else it writes over the version it knows.
// Nobody is told of the release (maybeReportTransition belongs to the tries).
sim::Task<bool> LeaderElector::Release() {
  std::int64_t transitions = observed_.transitions;
  if (profile_.release_reads_lease) {
    client::Client::ObjectResult got = co_await client_.Get(leases_, options_.ns, options_.name);
    if (!got.ok()) co_return false;
    lease_ = *got;
    transitions = RecordOf(lease_).transitions;
  }
  if (!IsLeader()) co_return true;
  LeaderRecord record;
  record.duration_seconds = 1;
  record.acquire_time = record.renew_time = Now();
  record.transitions = transitions;
  const bool written = co_await WriteLease(record);
  co_return written;
}

void LeaderElector::ReportTransition() {
  if (observed_.holder == reported_leader_) return;
  reported_leader_ = observed_.holder;
  if (!callbacks_.new_leader) return;
  Call([call = callbacks_.new_leader, leader = reported_leader_] { call(leader); });
}

}  // namespace ksim::client
