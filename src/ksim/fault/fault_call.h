// FaultCall: what a verb is given when a fault begins: its arguments, the cluster, and the
// injector's services for faults that wait, strike later or end others.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "ksim/fault/fault_effect.h"
#include "ksim/fault/injector.h"

namespace ksim::fault {

// One fault as it begins. A verb (catalogue.h) looks first whether it can do anything (Skipped if
// not), calls Begin, then acts: all that it does has the fault as its cause.
class FaultCall {
 public:
  FaultCall(Injector& injector, const Spec& spec, std::string id)
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
  // Whether a fault of this verb with the same target is in force.
  bool IsInForce(std::string_view verb) const;
  // Ends all faults of this verb with the same target.
  void EndAll(std::string_view verb);
  // For a fault that waits: the verb calls the result once, from a step or a bus subscriber, with
  // the seq of the event that the fault strikes.
  std::function<void(std::uint64_t)> Struck();
  // For a fault that has struck, and knows by itself when it is over: the verb calls the result
  // from a step or a bus subscriber, with the seq of the event that ends the fault.
  std::function<void(std::uint64_t)> Over();
  // The fault strikes when the process' n-th write counted from now is in the store; writes of
  // leases and events do not count. The result takes that back.
  std::function<void()> AfterWrite(const sim::Process& process, std::int64_t n);
  // The fault ends when one of these begins to lead. The result takes that back.
  std::function<void()> UntilOneLeads(std::vector<const sim::Process*> any_of);
  // Each server asks `expires` about each watch that it accepts; true expires the watch. The result
  // takes that back.
  std::function<void()> ExpireWatches(std::function<bool(const api::Request&)> expires);
  // Each server asks `befall` about each write that it sends to etcd. The result takes that back.
  std::function<void()> BefallCommits(
      std::function<apiserver::CommitFault(const api::Request&)> befall);
  // Each server asks `befall` about each call of a webhook, by its name and the seq of the call.
  // The result takes that back.
  std::function<void()> BefallWebhooks(
      std::function<apiserver::WebhookFault(std::string_view, std::uint64_t)> befall);
  // Each server asks `drops` about each bookmark that it is about to send. The result takes that
  // back.
  std::function<void()> DropBookmarks(
      std::function<bool(std::string_view, const api::ResourceInfo&)> drops);

 private:
  Injector& injector_;
  const Spec& spec_;
  std::string id_;
};

// Carries out each counterpart (FaultVerb::ends): ends all faults of these verbs with its target.
FaultEffect EndOthers(FaultCall& call);

}  // namespace ksim::fault
