// DrawnFaults: the faults that a fuzzed run meets. At natural points of a run (an event is on the
// wire, a write is in the store, a handler is called, ...) it asks Choose whether a fault of some
// kind fires there, and how big it is; on an answer that is not 0 it fires the same verb that a
// scenario would name, with plan: drawn.
//
//   site  fault.KIND/SUBJECT[/RESOURCE]   fault.dropWatch/kube-scheduler/pods
//   key   (identity of the object that the event is about, how manieth such event)
//
// Without a strategy and overrides every answer is 0, so only a run that has one or the other (mode
// fuzz) has DrawnFaults. A scenario can turn kinds off; nobody is asked about those.
//
// The catalogue says at which point each verb is drawn (FaultVerb::drawn), drawn_motifs.cc the same
// of the motifs, which are plans of several faults:
//
//   point                          asks
//   event   etcd to a server       dropWatch of that server
//   event   a server to a client   dropWatch (eof, error, eof and no redial for 12 s), expire;
//                                  holdStream, delayStream, of this event on; gap, stallInGap;
//                                  watchError (429, 500, 410), dropBookmark
//   handler                        stallHandler (of the listener, of the whole cache), pause,
//                                  slowHandler
//   request, a write               rejectWrite (500 429 409), timeoutWrite (done or not;
//                                  told by nobody, by 504, by 500), rival (n times, for a time)
//   request, a list or watch       rejectRead (429, 500; of a page 410); reinitCache, connect (to
//                                  each other server)
//   commit                         crash of who wrote, failover of a replica (of a kubelet:
//                                  nodeSilent instead); swizzle, storm, staleRestart, timeTravel;
//                                  freezeCache of each server; of a delete also compactInGap,
//                                  compact
//   response to a write            odd ones: restart, partition; even ones: serverDown, skewClock
//   webhook, a call                slowWebhook (no answer; late)
//
// The lengths stand beside the constants that they beat: each just under and just over. The fault
// fires when the emitting step has returned: `event` before `deliver` before `handler`, `request`
// before `commit` before `response`, so each point comes before the effect that a fault can spoil.
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
#include "ksim/fault/catalogue.h"
#include "ksim/fault/injector.h"
#include "ksim/fault/spec.h"
#include "ksim/sim/decisions.h"

namespace ksim::fault {

// Answers 1.. of a question about a length: lease 10 s, election 15 s, node grace 40 s and 50 s,
// toleration and expectation 5 min.
inline constexpr std::array<Duration, 8> kLengths = {Seconds(9),   Seconds(11), Seconds(14),
                                                     Seconds(16),  Seconds(39), Seconds(51),
                                                     Seconds(299), Seconds(301)};

// A kind of drawn fault: a verb, or a motif.
struct DrawnKind {
  std::string_view name;
  DrawnRule rule;
};

// The motifs, in the order of their numbers.
const std::vector<DrawnKind>& Motifs();
// The names of all kinds that can be drawn, by their numbers: dropWatch, expire, ...
const std::vector<std::string_view>& DrawnKinds();
// Whether the kind has a number from kFirstLaterKind on; false for what is no kind.
bool IsLaterKind(std::string_view kind);
// The names that fuzz.faults may hold: these, and what is drawn without being a fault of the
// catalogue: delay (of messages), order (of events) and reseed (of guests).
std::vector<std::string_view> NamesInFuzz();
// Whether fuzz.faults leaves it: "*" and names, "-NAME" takes one away. Messages are late also
// where streams may be (delayStream).
bool Allows(const std::vector<std::string>& faults, std::string_view name);
// The kinds that it leaves, in the order above.
std::vector<std::string_view> AllowedKinds(const std::vector<std::string>& faults);

class DrawnFaults {
 public:
  // Subscribes to the bus; both references outlive the run.
  DrawnFaults(Injector& injector, Cluster& cluster, const std::vector<std::string_view>& kinds);
  DrawnFaults(const DrawnFaults&) = delete;
  DrawnFaults& operator=(const DrawnFaults&) = delete;

  // Nobody is asked before Open and after Close: the safety phase lies between them.
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

  // The faults that fired, as a script that needs no decisions: each with the trigger of its event
  // (event_trigger.h). `events`: the whole run's, as recorded.
  std::vector<Spec> FiredAsScript(const std::vector<sim::Event>& events) const;

 private:
  friend class DrawnQuestion;
  // The subject of a question, which is the rest of its site, and an object.
  struct Topic {
    std::string_view subject;
    std::uint64_t object = 0;
    std::size_t sites = 0, asked = 0;  // where those of its kinds begin
  };
  // An event at which faults can be drawn. The texts are good during the event.
  struct Moment {
    explicit Moment(const sim::Event& e) : event(e) {}
    const sim::Event& event;
    std::string_view client, server, resource, verb, last_writer;
    std::uint64_t object = 0;
    Topic stream;  // of kWatchEvent and kWriteRequest: CLIENT/RESOURCE
  };
  using Action = std::function<void(const sim::Event&)>;
  struct Question {
    int kind = 0;
    int turn = 0;
    void (*ask)(DrawnQuestion&) = nullptr;
  };

  void AddQuestions(const DrawnKind& kind);
  void OnEvent(const sim::Event& e);
  void OnWatch(const sim::Event& e);
  void OnWatchEvent(const sim::Event& e);
  void OnStoreEvent(const sim::Event& e);
  void OnDeliver(const sim::Event& e);
  void OnHandler(const sim::Event& e);
  void OnRequest(const sim::Event& e);
  void OnCommit(const sim::Event& e);
  void OnResponse(const sim::Event& e);
  void OnWebhook(const sim::Event& e);
  // Puts all questions of the point.
  void AskAt(DrawnPoint point, const Moment& at);

  // `subject` is good for as long as the topic is.
  Topic About(std::string_view subject, std::uint64_t object);
  // One question: n sizes.
  std::uint32_t Ask(int kind, const Topic& topic, std::uint32_t n);
  void Fire(const sim::Event& e, std::string_view verb, value::Value args);

  // --- for motifs ---
  struct Awaited {
    std::string client, resource;
    bool deletion = false;  // only a delivery of one
    Action act;
  };
  struct MotifState {
    std::vector<Awaited> awaited;
    // The processes that a swizzle has not cut off yet, the next last.
    std::vector<std::string> to_cut;
    Duration swizzle;  // how long its last link is cut, less kBetweenLinks
    std::map<std::string, std::set<std::string>, std::less<>> watched;  // process -> resources
    std::map<std::string, std::string, std::less<>> watched_at;  // process -> its last API server
  };
  // Calls what awaits the client's next delivery of the resource, or the begin of its next watch.
  // `deletion`: the delivery tells of one; what awaits only that goes on waiting at others.
  void CallAwaiting(const sim::Event& e, std::string_view client, std::string_view resource,
                    bool deletion = false);

  Injector& injector_;
  Cluster& cluster_;
  bool open_ = false;
  // By point, in the order of asking; only kinds that are on.
  std::array<std::vector<Question>, kDrawnPoints> questions_;
  std::vector<Fired> fired_;
  // One for each kind, subject after subject: the site, once it was asked at; and topic after
  // topic: how often it was asked.
  std::vector<sim::SiteId> sites_;
  std::vector<std::uint32_t> asked_;
  // Where those of a subject, or of a topic, begin. Looked up only, never walked.
  absl::flat_hash_map<std::uint64_t, std::size_t> subjects_, topics_;
  absl::flat_hash_map<std::uint64_t, std::uint64_t> responses_;   // to an actor, about an object
  absl::flat_hash_map<std::uint64_t, std::string> last_writers_;  // of objects: components
  MotifState motifs_;
  // Stream number -> process; those on etcd have numbers of their own.
  absl::flat_hash_map<std::uint64_t, std::string> stream_clients_, store_clients_;
};

}  // namespace ksim::fault
