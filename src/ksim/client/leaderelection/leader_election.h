// LeaderElector: one candidate for a Lease. It tries to take or renew the lease; while it holds it,
// it leads. Validity is judged by local observation only: a record is valid for its duration from
// when this candidate last saw it change, whatever times stand in it. There is no fencing: what a
// deposed leader has sent is still accepted.
//
//   acquire: try at once, then every [2, 4.4) s until it succeeds
//   renew:   try at once, then every 2 s, until it succeeds or 10 s are over; then again 2 s later
//
// Source: client-go tools/leaderelection/leaderelection.go, resourcelock/leaselock.go. CLIENT-111
// to 122.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "ksim/api/object.h"
#include "ksim/base/time.h"
#include "ksim/client/client.h"
#include "ksim/client/core/backoff.h"
#include "ksim/client/core/profile.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/task.h"

namespace ksim::client {

struct LeaderElectionOptions {
  LeaderElectionOptions() = default;
  std::string ns = "kube-system";
  std::string name;      // of the Lease
  std::string identity;  // of this candidate, unlike any other's
  Duration lease_duration = Seconds(15);
  Duration renew_deadline = Seconds(10);
  Duration retry_period = Seconds(2);
  bool release_on_cancel = false;
};

// Calls, each in a step of its own. `started` and `stopped` must be there.
struct LeaderCallbacks {
  LeaderCallbacks() = default;
  std::function<void()> started;                       // leads
  std::function<void()> stopped;                       // Run ends, also if it never led
  std::function<void(const std::string&)> new_leader;  // another holder was seen, itself included
};

// Upstream's words for options that cannot work; "" if they can.
std::string LeaderElectionProblem(const LeaderElectionOptions& options,
                                  const LeaderCallbacks& callbacks, const Profile& profile);

// The spec of a Lease (resourcelock.LeaderElectionRecord).
struct LeaderRecord {
  LeaderRecord() = default;
  std::string holder;
  std::int64_t duration_seconds = 0;
  VirtualTime acquire_time, renew_time;
  std::int64_t transitions = 0;
};

class LeaderElector {
 public:
  // `client` outlives the elector's tasks. Options with a problem are a KSIM_CHECK.
  LeaderElector(Client& client, LeaderElectionOptions options, LeaderCallbacks callbacks);

  // Spawns Run as a background task of the client's process.
  void Start();
  // Acquires, then renews until the lease is lost or Cancel; then it is over: there is no second
  // acquire inside.
  sim::Task<void> Run();
  void Cancel();

  bool IsLeader() const { return observed_.holder == options_.identity; }
  const std::string& GetLeader() const { return observed_.holder; }
  const LeaderRecord& observed() const { return observed_; }
  // False for an elector that believes to lead and has not renewed for the lease's duration and
  // `tolerance` more; else true. CLIENT-122.
  bool Healthy(Duration tolerance) const;

 private:
  sim::Task<bool> Acquire();
  sim::Task<void> Renew();
  // Tries until one succeeds; false when the deadline or Cancel came first.
  sim::Task<bool> RenewBefore(VirtualTime deadline);
  sim::Task<bool> TryBefore(VirtualTime deadline);
  // Runs an attempt and gives it up at the deadline; a request that it has sent by then is on its
  // way. An elector that was paused meanwhile looks at the clock when it runs again.
  sim::Task<bool> Before(VirtualTime deadline, sim::Task<bool> attempt);
  sim::Task<void> Report(sim::Task<bool> attempt, sim::Promise<bool> result);
  sim::Task<bool> Try();
  sim::Task<bool> Release();
  sim::Task<bool> WriteLease(LeaderRecord record);  // with the version last read
  sim::Task<bool> CreateLease(LeaderRecord record);
  // True if Cancel came first.
  sim::Task<bool> Wait(Duration delay);

  bool LeaseValid(VirtualTime now) const;
  void Observe(LeaderRecord record);
  void ReportTransition();
  void Call(std::function<void()> call);
  VirtualTime Now() const { return client_.connection().process().Now(); }  // of records
  VirtualTime SteadyNow() const { return client_.connection().process().SteadyNow(); }

  Client& client_;
  sim::Process& process_;
  const api::ResourceInfo* leases_;
  LeaderElectionOptions options_;
  LeaderCallbacks callbacks_;
  const Profile& profile_;
  JitterSource jitter_;
  sim::Signal cancel_;
  bool cancelled_ = false;

  api::Object lease_;          // as last read or written
  value::Value observed_raw_;  // the spec last read
  LeaderRecord observed_;
  VirtualTime observed_time_;
  std::string reported_leader_;
};

}  // namespace ksim::client
