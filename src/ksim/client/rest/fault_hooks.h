// FaultHooks: where faults take hold of the clients of a cluster: their watch streams, handler
// queues, requests and reconcilers. The cluster owns one for all processes; it outlives their
// incarnations, so a fault outlasts a restart of whom it befalls. Nothing here decides that
// something goes wrong: fault/ does, and calls these.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "ksim/api/request.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/task.h"

namespace ksim::client {

class WatchPipe;

// A place where actors wait while it is closed. Closing counts: two faults must both let go.
class Gate {
 public:
  explicit Gate(sim::Simulation& sim) : opened_(sim) {}
  bool closed() const { return closed_ > 0; }
  void Close() { ++closed_; }
  void Open() {
    if (--closed_ == 0) opened_.Notify();
  }
  // while (gate.closed()) co_await gate.Opened();
  sim::Signal::Waiter Opened() { return opened_.Wait(); }

 private:
  int closed_ = 0;
  sim::Signal opened_;
};

// The handlers of one actor for one resource, of all its incarnations.
struct HandlerFaults {
  explicit HandlerFaults(sim::Simulation& sim) : gate(sim) {}
  // The gate of a PROCESS stands in front of its cache too.
  Gate gate;
  std::multiset<Duration> slow;  // each call takes the longest of these
  bool listens = false;          // a handler has been registered
};

// The watch streams of one process for one resource, of all its incarnations.
struct StreamFaults {
  // The window of an HTTP/2 stream, in events: so many wait for a client that does not read. Go's
  // is 4 MiB (http2 transportDefaultStreamFlow), which is some thousand pods.
  static constexpr std::int64_t kWindow = 1000;

  // Each event that is sent arrives later by the longest of these; the order stays.
  std::multiset<Duration> delays;
  int held = 0;                   // > 0: what arrives waits
  std::int64_t window = kWindow;  // once so many events wait, the server waits too
  std::vector<WatchPipe*> open;   // in order of opening; kept by the pipes themselves
};

// A fault's verdict on a request: whether it is served, and if not, how it fails.
struct Mishap {
  enum class Kind : std::uint8_t {
    kNone,
    kRefused,      // nobody accepts the connection
    kRejected,     // answered with `status`, without effect
    kRequestLost,  // never arrives; the sender waits until its time is up
    kAnswerLost    // served, but the answer never arrives
  };
  Mishap() = default;
  Kind kind = Kind::kNone;
  api::Status status;
};

enum class Access : std::uint8_t { kRead, kWrite };

class FaultHooks {
 public:
  explicit FaultHooks(sim::Simulation& sim) : sim_(sim) {}
  FaultHooks(const FaultHooks&) = delete;
  FaultHooks& operator=(const FaultHooks&) = delete;

  // --- watch streams ---
  // The same object for ever.
  StreamFaults& StreamsOf(const std::string& process, const api::ResourceInfo* r);
  bool HasOpenStream(const std::string& process, const api::ResourceInfo* r) const;
  // Ends the process' open streams of the resource (null: of all resources): what is on the wire is
  // lost. The client sees a clean end, or if `error` is not ok an ERROR event of its own decoder
  // with that status. Returns how many there were.
  int CutStreams(const std::string& process, const api::ResourceInfo* r, const api::Status& error);
  // `window`: as in StreamFaults; of several holds the smallest counts.
  void Hold(const std::string& process, const api::ResourceInfo* r,
            std::int64_t window = StreamFaults::kWindow);
  // When the last hold is released, what arrived meanwhile is taken in, in its order.
  void Release(const std::string& process, const api::ResourceInfo* r);

  // --- handlers ---
  // The gate of an actor PROCESS/PART holds the queue of its handler; that of a PROCESS holds the
  // informer's delta queue, in front of the cache. The same object for ever. An actor that never
  // had a handler has no gate.
  bool HasHandler(std::string_view actor, const api::ResourceInfo* r) const;
  Gate& HandlerGate(std::string_view actor, const api::ResourceInfo* r) {
    return HandlersOf(actor, r).gate;
  }
  HandlerFaults& HandlersOf(std::string_view actor, const api::ResourceInfo* r);

  // --- what an actor does ---
  // Closed gates stop an actor (of a process: all its parts) before it reads or writes: before a
  // request, before it takes in a watch event (processes only), before a reconcile.
  Gate& AccessGate(std::string_view actor, Access access);
  bool has_gates() const { return !read_gates_.empty() || !write_gates_.empty(); }
  // A gate of the actor or of its process that is closed; null if there is none.
  Gate* ClosedGate(sim::ActorId actor, Access access);

  // --- requests ---
  // The hooks ask the judges about each request when it arrives at a server, so that a fault which
  // its `request` event triggers still acts on it. The first mishap counts.
  using Judge = std::function<Mishap(const api::Request&)>;
  int AddJudge(Judge judge);
  void RemoveJudge(int number);
  bool has_judges() const { return !judges_.empty(); }
  Mishap MishapOf(const api::Request& request) const;

 private:
  sim::Simulation& sim_;
  // One entry for each of a few resources, of one process or actor.
  template <class T>
  using OfResources = std::vector<std::pair<const api::ResourceInfo*, std::unique_ptr<T>>>;
  template <class T>
  static T* Find(const OfResources<T>& all, const api::ResourceInfo* r);  // null: nothing yet
  using Gates = absl::btree_map<std::string, std::unique_ptr<Gate>, std::less<>>;
  Gates& GatesOf(Access access) { return access == Access::kRead ? read_gates_ : write_gates_; }

  // Looked up, or walked in order of names; a pointer never decides an order.
  absl::btree_map<std::string, OfResources<StreamFaults>> streams_;
  absl::btree_map<std::string, OfResources<HandlerFaults>, std::less<>> handlers_;
  Gates read_gates_, write_gates_;  // by actor
  std::vector<std::pair<int, Judge>> judges_;
  int next_judge_ = 1;
};

// Returns once no closed gate keeps the actor from reading or writing.
sim::Task<void> PassGates(FaultHooks* hooks, sim::ActorId actor, Access access);

// For a task that acts when its time is up, though it neither reads nor writes. An actor that may
// do neither is paused altogether (the fault `pause` without `before`). Returns once the actor
// runs; true if it was paused.
sim::Task<bool> AwaitRunning(FaultHooks* hooks, sim::ActorId actor);

}  // namespace ksim::client
