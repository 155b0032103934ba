// Injector: makes faults happen. It finds the verb of each fault, decides when the fault begins and
// ends, and tells the bus (`fault`: begin, end, skipped). The layer that a fault befalls carries it
// out, through hooks of its own: client/rest/fault_hooks.h, apiserver/server.h, sim/network.h and
// sim/process.h.
//
//   Injector faults(cluster);
//   faults.Arm(scenario.faults);                      // from now on, by their triggers and times
//   faults.FireAfterStep(spec, Plan::kDrawn, e.seq);  // or at once, from a bus subscriber
//   ...
//   faults.HealAll(heal_seq);                         // ends all that are in force
//
// A fault fires when the step that emitted its trigger returns: after the trigger event's own
// effect, before any other event, at the same virtual time, with the trigger as its cause. Every
// event that the fault leads to has the fault's `begin` as its cause.
//
// A fault lasts
//   for an instant      compact, reinitCache, connect, dropWatch, release..., thaw..., resume
//   for a time          with `for`, `down` or `redialAfter`; a work timer keeps the run busy
//   until another leads failover
//   while it strikes    rival: it waits for the first fitting write, as those below, and then lasts
//   until it strikes    expire, rejectWrite, timeoutWrite, and every fault with `afterWrite`: it
//                       waits for the next fitting watch or write. Healed before that, it is
//                       `skipped`
//   until it is ended   all others: their counterpart (releaseStream, thawCache, resume) or the
//                       heal ends them. They keep no run busy: the runner asks in_force() when
//                       nothing else is left to do, and heals
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/apiserver/server.h"
#include "ksim/client/rest/fault_hooks.h"
#include "ksim/fault/fault_effect.h"
#include "ksim/fault/spec.h"
#include "ksim/fault/triggers.h"
#include "ksim/sim/network.h"
#include "ksim/sim/process.h"
#include "ksim/sim/simulation.h"
#include "ksim/store/etcd.h"

namespace ksim::fault {

// The processes that share a lease, and who holds it.
struct Election {
  Election() = default;
  std::vector<sim::Process*> replicas;  // by number; empty: there is no election
  sim::Process* leader = nullptr;
};

// The cluster that faults act on. scenario::World implements it; it outlives the Injector.
class Cluster {
 public:
  virtual ~Cluster() = default;
  virtual sim::Simulation& sim() = 0;
  // Begins or ends a cut between two processes. Counts, as SetTrouble does.
  virtual void SetCut(std::string_view a, std::string_view b, bool on) = 0;
  virtual api::Kinds& kinds() = 0;
  virtual store::Etcd& etcd() = 0;
  virtual client::FaultHooks& fault_hooks() = 0;
  virtual apiserver::Shared& apiserver_shared() = 0;
  virtual std::vector<apiserver::Server*> servers() = 0;  // by number
  // Starts a dead process and tells the bus. False if it may not come back (its node has left).
  virtual bool StartProcess(sim::Process& process) = 0;
  // From its next request on, also after a restart, the process uses that server. False if the
  // process talks to none.
  virtual bool Connect(sim::Process& process, apiserver::Server& server) = 0;
  // Begins or ends what is wrong with a node's machine: memory, disk, pids or network. Counts: two
  // faults must both let go. False if there is no such node.
  virtual bool SetTrouble(std::string_view node, std::string_view what, bool on) = 0;
  // By the name of a replica, or by the name that all replicas of it share.
  virtual Election ElectionOf(std::string_view name) = 0;
};

enum class Plan : std::uint8_t { kScripted, kDrawn };

// The outcome of a fault of the script.
struct FaultOutcome {
  enum class State : std::uint8_t { kNotFired, kFired, kSkipped };
  FaultOutcome() = default;
  State state = State::kNotFired;
  std::string why;  // of kSkipped: "kube-scheduler has no watch of jobs"
};

class Injector {
 public:
  explicit Injector(Cluster& cluster);
  ~Injector();
  Injector(const Injector&) = delete;
  Injector& operator=(const Injector&) = delete;

  // Triggers count from now on; a time that is over is now. Ids are "1", "2", ... in order. Once.
  void Arm(const std::vector<Spec>& script);
  const std::vector<FaultOutcome>& outcomes() const {
    return outcomes_;
  }  // of the script, in order

  // Inside a step, but not inside a bus subscriber. False if it was skipped; then `why` says why.
  // Drawn ids: d1, d2, ...
  bool Fire(const Spec& spec, Plan plan, std::uint64_t cause, std::string* why = nullptr);
  // The same when the running step returns: what a bus subscriber may call.
  void FireAfterStep(Spec spec, Plan plan, std::uint64_t cause);

  // Faults that have begun and not ended.
  std::size_t in_force() const;
  // Whether those in force end by nothing but the heal, or by what no clock brings: none has a
  // time, and none of the script is still to come at one.
  bool only_the_heal_ends() const;
  // "holdStream kube-scheduler pods", in the order of beginning.
  std::vector<std::string> DescribeInForce() const;
  // The run is over without a heal: faults that still wait have struck nothing (outcomes only).
  void GiveUp();
  // Ends all, the last begun first. `cause`: the seq of the heal.
  void HealAll(std::uint64_t cause);

 private:
  friend class FaultCall;  // fault_call.h
  // A fault that has begun, or is about to, and has not ended.
  struct Active {
    std::string id;
    Spec spec;
    std::string target;
    Plan plan = Plan::kScripted;
    std::uint64_t begin = 0;  // seq of its `fault` event; 0 = not begun
    FaultEffect effect;
    FaultOutcome* outcome = nullptr;  // of the script; null for drawn ones
    bool waiting() const { return effect.strikes != nullptr; }
  };
  struct CountedWrites {
    std::string id;
    const sim::Process* process = nullptr;
    std::int64_t left = 0;
  };
  struct AwaitedLeader {
    std::string id;
    std::vector<const sim::Process*> any_of;
  };
  bool Begin(const Spec& spec, Plan plan, std::string id, std::uint64_t cause,
             FaultOutcome* outcome, std::string* why = nullptr);
  void TakeEffect(const std::string& id, FaultEffect effect);
  void Strike(const std::string& id, std::uint64_t cause);
  void End(const std::string& id, std::uint64_t cause);
  std::uint64_t Emit(const Active& active, const char* state, std::uint64_t cause);
  Active* Find(const std::string& id);
  void Remove(const std::string& id);
  bool Expires(const api::Request& request);
  apiserver::CommitFault FaultOfCommit(const api::Request& request);
  apiserver::WebhookFault FaultOfWebhook(std::string_view webhook, std::uint64_t event);
  bool DropsBookmark(std::string_view client, const api::ResourceInfo& r);
  void OnCommit(const sim::Event& e);
  void OnLead(const sim::Event& e);

  Cluster& cluster_;
  Triggers triggers_;
  std::vector<Spec> script_;
  std::vector<FaultOutcome> outcomes_;
  std::vector<std::unique_ptr<Active>> active_;  // in order of beginning
  std::uint64_t next_drawn_ = 1;
  // By the id of the fault that waits.
  std::vector<std::pair<std::string, std::function<bool(const api::Request&)>>> expirations_;
  std::vector<std::pair<std::string, std::function<apiserver::CommitFault(const api::Request&)>>>
      commit_faults_;
  std::vector<std::pair<std::string,
                        std::function<apiserver::WebhookFault(std::string_view, std::uint64_t)>>>
      webhook_faults_;
  std::vector<
      std::pair<std::string, std::function<bool(std::string_view, const api::ResourceInfo&)>>>
      bookmark_faults_;
  std::vector<CountedWrites> counted_writes_;
  bool counts_writes_ = false;  // subscribed to the bus
  std::vector<AwaitedLeader> awaited_leaders_;
  bool awaits_leaders_ = false;  // subscribed to the bus
};

// The target of a fault, in words: "kube-scheduler pods".
std::string TargetOf(const Spec& spec);

}  // namespace ksim::fault
