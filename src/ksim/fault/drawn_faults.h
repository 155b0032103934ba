// Drawn: the faults that a fuzzed run meets. At natural points of a run (an event is on the wire, a
// write is in the store, a handler is called, ...) it asks Choose whether a fault of some kind
// fires there, and how big it is; on an answer that is not 0 it fires the same verb that a scenario
// would name, with plan: drawn.
//
//   site  fault.VERB/SUBJECT[/RESOURCE]   fault.dropWatch/kube-scheduler/pods
//   key   (identity of the object that the event is about, how manieth such event)
//
// Without a strategy and overrides every answer is 0, so it is made only for runs that have one or
// the other (mode fuzz). A share of the kinds can be turned off; those are never asked about.
//
//   point                          asks
//   event   etcd to a server       dropWatch of that server
//   event   a server to a client   dropWatch (eof, error, eof and no redial for 12 s), expire;
//                                  holdStream, delayStream, of this event on
//   handler                        stallHandler (of the listener, of the whole cache), pause
//   request, a write               rejectWrite (409 500 429 504), timeoutWrite (applied, not)
//   request, a list or watch       reinitCache, connect (to each other server)
//   commit                         crash of who wrote, failover of a replica, freezeCache of each
//                                  server; of a delete also compact; of a kubelet nodeSilent
//                                  instead of crash
//   response to a write            odd ones: restart, partition; even ones: serverDown, skewClock
//   and the motifs of drawn_motifs.cc: gap, stallInGap at `event`; storm, staleRestart, swizzle,
//   and of a delete compactInGap, at `commit`
//
// How long something lasts stands beside the constants it beats: each just under and just over.
// The fault fires when the emitting step has returned: `event` before `deliver` before `handler`,
// `request` before `commit` before `response`, so each point comes before the effect it can spoil.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ksim/fault/injector.h"
#include "ksim/fault/spec.h"
#include "ksim/sim/decisions.h"

namespace ksim::fault {

// Answers 1.. of what has a length: lease 10 s, election 15 s, node grace 40 s and 50 s,
// toleration and expectation 5 min.
inline constexpr std::array<Duration, 8> kLengths = {Seconds(9),   Seconds(11), Seconds(14),
                                                     Seconds(16),  Seconds(39), Seconds(51),
                                                     Seconds(299), Seconds(301)};

// The kinds that can be drawn, in a fixed order: dropWatch, expire, ...
const std::vector<std::string_view>& DrawnKinds();
// What fuzz.faults may name: these, and what is drawn without being a fault of this list: delay
// (of messages) and order (of events).
std::vector<std::string_view> NamesInFuzz();
// Whether fuzz.faults leaves it: "*" and names, "-NAME" takes one away. Messages are late also
// where streams may be (delayStream).
bool Allows(const std::vector<std::string>& faults, std::string_view name);
// The kinds that it leaves, in the order above.
std::vector<std::string_view> AllowedKinds(const std::vector<std::string>& faults);

// The trigger that the seq-th event of a run is: its kind, fields that name it (no seq, time or
// generated name), and the count of such events from the phase `workload` on.
Trigger TriggerOf(const std::vector<sim::Event>& events, std::uint64_t seq);

class Drawn {
 public:
  // Subscribes to the bus; both references outlive the run.
  Drawn(Injector& injector, Cluster& cluster, const std::vector<std::string_view>& kinds);
  Drawn(const Drawn&) = delete;
  Drawn& operator=(const Drawn&) = delete;

  // Nothing is asked before Open and after Close: the safety phase lies between them.
  void Open() { open_ = true; }
  void Close() { open_ = false; }

  struct Fired {
    Fired() = default;
    Spec spec;                  // verb and arguments
    std::uint64_t trigger = 0;  // seq of the event it fired at
  };
  const std::vector<Fired>& fired() const { return fired_; }  // also those that were skipped
  // By kind, in the order of DrawnKinds; 0 = never.
  std::vector<std::pair<std::string_view, std::uint64_t>> Counts() const;

  // What was fired, as a script that needs no decisions: each with `when`: the kind of its event,
  // fields that name it (no seq, time or generated name), and the count of such events from the
  // phase `workload` on. `events`: the whole run's, as recorded.
  std::vector<Spec> FiredAsScript(const std::vector<sim::Event>& events) const;

 private:
  void OnEvent(const sim::Event& e);
  void OnWatchEvent(const sim::Event& e);
  void OnStoreEvent(const sim::Event& e);
  void OnDeliver(const sim::Event& e);
  void OnHandler(const sim::Event& e);
  void OnRequest(const sim::Event& e);
  void OnCommit(const sim::Event& e);
  // --- drawn_motifs.cc ---
  // What a question is about: its subject, which is the rest of its site, and an object.
  struct Topic {
    std::string_view subject;
    std::uint64_t object = 0;
    std::size_t sites = 0, asked = 0;  // where those of its kinds begin
  };
  using Next = std::function<void(const sim::Event&)>;
  // Calls `act` at the client's next delivery of the resource, or when its next watch begins.
  void Await(std::string client, std::string resource, Next act);
  void GoOn(const sim::Event& e, std::string_view client, std::string_view resource);
  void FireGap(const sim::Event& e, const value::Value& stream, std::uint32_t length);
  void AskGap(const sim::Event& e, std::string_view client, std::string_view resource,
              const Topic& topic);
  void AskStorm(const sim::Event& e, std::string_view process, std::uint64_t object);
  void AskCompactInGap(const sim::Event& e, std::string_view resource, std::uint64_t object);
  void AskStaleRestart(const sim::Event& e, std::string_view process, std::string_view resource,
                       std::uint64_t object);
  void AskSwizzle(const sim::Event& e, std::uint64_t object);

  void AskFailover(const sim::Event& e, std::string_view leader, std::uint64_t object);
  void OnResponse(const sim::Event& e);

  // `subject` is good for as long as the topic is.
  Topic About(std::string_view subject, std::uint64_t object);
  // One question: n sizes; 0 if the kind is off.
  std::uint32_t Ask(int kind, const Topic& topic, std::uint32_t n);
  std::uint32_t Ask(int kind, std::string_view subject, std::uint64_t object, std::uint32_t n) {
    return on_[static_cast<std::size_t>(kind)] ? Ask(kind, About(subject, object), n) : 0;
  }
  void Fire(const sim::Event& e, std::string_view verb, value::Value args);

  Injector& injector_;
  Cluster& cluster_;
  bool open_ = false;
  std::vector<bool> on_;  // by kind
  std::vector<Fired> fired_;
  // One for each kind, subject after subject: the site, once it was asked at; and topic after
  // topic: how often it was asked.
  std::vector<sim::SiteId> sites_;
  std::vector<std::uint32_t> asked_;
  // Where those of a subject, or of a topic, begin. Looked up only, never walked.
  absl::flat_hash_map<std::uint64_t, std::size_t> subjects_, topics_;
  absl::flat_hash_map<std::uint64_t, std::uint64_t> responses_;  // to an actor, about an object
  struct Awaited {
    std::string client, resource;
    Next act;
  };
  std::vector<Awaited> awaited_;
  std::vector<std::string> to_cut_;  // processes that a swizzle has not come to yet, the next last
  Duration swizzle_;                 // how long its last link is cut, less kBetweenLinks
  std::map<std::string, std::set<std::string>, std::less<>> watched_;  // process -> resources
  // Stream number -> process; those on etcd have numbers of their own.
  absl::flat_hash_map<std::uint64_t, std::string> stream_clients_, store_clients_;
};

}  // namespace ksim::fault
