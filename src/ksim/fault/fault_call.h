// The verbs: what each does when a fault begins and when it ends. A verb looks first whether it can
// do anything (Skipped if not), calls Begin, then acts: what it does has the fault as its cause.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "ksim/fault/injector.h"

namespace ksim::fault {

class Call;

// What a verb has done.
struct Effect {
  Effect() = default;
  std::string skipped;            // not empty: nothing, and why
  std::function<void()> undo;     // when the fault ends; empty: nothing is left to undo
  std::optional<Duration> lasts;  // zero: over at once; nullopt: until it is ended
  // Set: the fault waits until Call::Struck is called; then `undo` stops the waiting, and this is
  // what happens next.
  std::function<Effect()> strikes;
};
Effect Skipped(std::string why);
Effect AtOnce();

// One fault as it begins.
class Call {
 public:
  Call(Injector& injector, const Spec& spec, std::string id)
      : injector_(injector), spec_(spec), id_(std::move(id)) {}

  const Spec& spec() const { return spec_; }
  Cluster& cluster() { return injector_.cluster_; }
  sim::Simulation& sim() { return cluster().sim(); }

  // --- arguments: those that the scenario does not give are "", 0, false, nullopt, null ---
  std::string Text(std::string_view name) const;
  std::optional<Duration> Time(std::string_view name) const;
  std::int64_t Int(std::string_view name) const;
  bool Has(std::string_view name) const;
  const api::ResourceInfo* Resource() const;
  sim::Process* Process(std::string_view name) const;
  apiserver::Server* Server(std::string_view name = "server") const;

  // Tells the bus that the fault begins.
  void Begin();
  // Whether such a fault of the same target is in force; ends all of them.
  bool InForce(std::string_view verb) const;
  void EndOf(std::string_view verb);
  // For faults that wait: to be called once, from a step or a bus subscriber, with the seq that it
  // strikes at.
  std::function<void(std::uint64_t)> Struck();
  // Strikes when the process' n-th write counted from now is in the store; leases and events do not
  // count. The result takes that back.
  std::function<void()> AfterWrite(const sim::Process& process, std::int64_t n);
  // Ends the fault when one of these begins to lead. The result takes that back.
  std::function<void()> UntilOneLeads(std::vector<const sim::Process*> any_of);
  // Asked about each watch that a server accepts; true expires it. The result takes that back.
  std::function<void()> ExpireWatches(std::function<bool(const api::Request&)> expires);

 private:
  Injector& injector_;
  const Spec& spec_;
  std::string id_;
};

using Verb = Effect (*)(Call&);

// verbs_stream.cc
Effect DropWatch(Call& call);
Effect DelayStream(Call& call);
Effect HoldStream(Call& call);
Effect ReleaseStream(Call& call);
Effect StallHandler(Call& call);
Effect Expire(Call& call);
// verbs_server.cc
Effect Compact(Call& call);
Effect FreezeCache(Call& call);
Effect ThawCache(Call& call);
Effect ReinitCache(Call& call);
Effect ServerDown(Call& call);
// verbs_actor.cc
Effect Restart(Call& call);
Effect Crash(Call& call);
Effect Failover(Call& call);
Effect Connect(Call& call);
Effect Pause(Call& call);
Effect Resume(Call& call);
Effect NodeSilent(Call& call);
Effect NodeTrouble(Call& call);
Effect Partition(Call& call);
Effect SkewClock(Call& call);
// verbs_request.cc
Effect RejectWrite(Call& call);
Effect TimeoutWrite(Call& call);

}  // namespace ksim::fault
