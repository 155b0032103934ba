// Processor: hands what the cache took in to the registered handlers. Each listener has its own
// unbounded queue and its own task, so a slow one delays only itself. A step of a listener calls
// one handler (or, of a very long queue, a 256th of it): between two calls others may run, and a
// fault may hold a listener's queue, or make each call take long.
//
// Emits `handler` before each call, as the listener.
//
// Source: client-go tools/cache/shared_informer.go (sharedProcessor, processorListener).
// CLIENT-57..66.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "ksim/client/core/payloads.h"
#include "ksim/client/informer.h"
#include "ksim/client/rest/fault_hooks.h"
#include "ksim/sim/internal/fifo.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/process.h"

namespace ksim::client {

struct Notification {
  Notification() = default;
  HandlerCall call = HandlerCall::kAdd;
  api::Object object;
  api::Object old_object;  // update only
  bool initial = false;
  bool tombstone = false;
  sim::Origin origin;
};

// How the listener goes on after a handler that throws (CLIENT-59).
struct PanicPolicy {
  PanicPolicy() = default;
  bool recover = false;            // false: the exception goes on
  bool pause_before_next = false;  // wait a second once the next call is due (0.33), not at once
};

// How many entries of a queue of `waiting` one step takes.
std::size_t StepShare(std::size_t waiting);

class ProcessorListener {
 public:
  ProcessorListener(sim::Process& process, SharedText informer, const api::ResourceInfo* resource,
                    sim::ActorId actor, ResourceEventHandler* handler, Duration requested,
                    Duration period, HandlerFaults* faults, PanicPolicy panics = PanicPolicy());
  void Add(Notification&& n);  // queues it
  sim::Task<void> Run(std::shared_ptr<ProcessorListener> self);

  sim::ActorId actor() const { return actor_; }
  std::string part() const;  // of the process; "" = the process itself
  void Remove();             // nothing is queued or called any more
  bool removed() const { return removed_; }
  std::size_t size() const { return queue_.size(); }
  // Initial adds queued and not yet returned.
  std::size_t pending_initial() const { return pending_initial_; }

  // --- resync (CLIENT-60..62) ---
  bool syncing = true;
  Duration requested_period() const { return requested_; }
  void set_period(Duration period) { period_ = period; }
  bool Due(VirtualTime now) const { return period_ > Duration() && now >= next_resync_; }
  void Reschedule(VirtualTime now) { next_resync_ = now + period_; }

 private:
  bool Call(Notification&& n);  // false: the handler threw, and that is recovered
  void CallHandler(const HandlerPayload& n);
  sim::Task<void> PauseAfterPanic();
  // How long a fault makes the next call take.
  Duration NextTakes() const;

  sim::Process& process_;
  SharedText informer_;
  const api::ResourceInfo* resource_;
  sim::ActorId actor_;
  ResourceEventHandler* handler_;
  HandlerFaults* faults_;  // null: nothing can go wrong here
  PanicPolicy panics_;
  Duration requested_, period_;
  VirtualTime next_resync_;
  sim::Fifo<Notification> queue_;
  sim::Signal queued_;
  std::size_t pending_initial_ = 0;
  bool removed_ = false;
};

class Processor {
 public:
  explicit Processor(sim::Process& process) : process_(process) {}
  ~Processor();
  using Listener = std::shared_ptr<ProcessorListener>;

  int Register(Listener listener);  // its registration number
  void Remove(int registration);
  const ProcessorListener* Find(int registration) const;  // null if unknown or removed
  void Start();  // spawns the tasks of those there; later ones start at once
  // `sync` goes only to listeners in the syncing set.
  void Distribute(Notification&& n, bool sync);
  // Recomputes the syncing set; true if any listener is due.
  bool ShouldResync(VirtualTime now);
  void ResyncCheckPeriodChanged(Duration check_period);
  std::size_t waiting() const;  // notifications queued, of all listeners
  // By registration number; null: removed.
  const std::vector<Listener>& listeners() const { return listeners_; }

 private:
  void Spawn(const Listener& listener);

  sim::Process& process_;
  std::vector<Listener> listeners_;  // by registration number; null = removed
  bool started_ = false;
};

// sharedIndexInformer.determineResyncPeriod.
Duration DetermineResyncPeriod(Duration desired, Duration check_period);

}  // namespace ksim::client
