// Simulation::Kernel: the tables behind a Simulation. Frames, tasks and calls are found by their
// number, never by pointer, so that a queue entry can outlive what it was meant for.
//
//  - a slot is what a queue entry names: the frame where a root waits, or a scheduled call, with a
//    generation that rises whenever the wait is over or the slot is given up;
//  - a root is a spawned task, its slot, and the Context it runs in;
//  - a call is a function scheduled by After, and the Context it runs in.
#pragma once
#include <array>
#include <coroutine>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "ksim/sim/clock.h"
#include "ksim/sim/event_queue.h"
#include "ksim/sim/simulation.h"

namespace ksim::sim {

class Ordering;  // ordering.h

// Whether it is kWork: the owner's bit of its number.
inline bool IsWork(const QueueEntry& e) { return (e.sequence & 1) != 0; }

// Makes room for one more by a quarter of the size, not by all of it: with 100,000 actors asleep
// the tables are most of the memory.
template <class T>
void GrowGently(std::vector<T>& v) {
  if (v.size() == v.capacity()) v.reserve(v.size() + v.size() / 4 + 16);
}

class Simulation::Kernel {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffu;

  struct Slot {
    void* frame = nullptr;  // where the root waits; null: a call
    std::uint32_t generation = 0;
    std::uint32_t owner = kNone;  // root or call; of a free root's: the next of these
    std::int32_t label = 0;       // of the last wake-up asked for, packed
    std::uint16_t entries = 0;    // queue entries of this generation
    std::uint8_t work = 0;        // how many of them are kWork: a wait has a timer and a waker
    bool true_time = false;       // the root waits for no timer of its process
  };
  static_assert(sizeof(Slot) == 24);

  struct Root {
    Task<void> task;
    Process* process = nullptr;
    std::uint64_t cause = 0;
    ActorId actor;
    bool background = false;
    bool unawaited = false;
    std::uint32_t generation = 0;
    std::uint32_t newer = kNone, older = kNone;  // roots of the process; `newer` also: next free
    std::uint32_t slot = kNone;
  };
  static_assert(sizeof(Root) == 48);

  struct Call {
    absl::AnyInvocable<void()> function;
    Context context;
    ChainId chain;
    const Process* timer_of = nullptr;  // null: no clock but the virtual one counts
    std::uint32_t slot = kNone;         // always the same
    std::uint32_t next_free = kNone;
  };

  struct Deferred {
    absl::AnyInvocable<void()> function;
    Context context;
  };

  explicit Kernel(Simulation& sim);
  ~Kernel();

  // --- slots and queue (kernel.cc) ---
  std::uint32_t NewSlot(void* frame, std::uint32_t owner) {
    if (free_slot == kNone) [[unlikely]]
      AddSlot();
    const std::uint32_t index = free_slot;
    Slot& slot = slots[index];
    free_slot = slot.owner;
    slot.frame = frame;
    slot.owner = owner;
    return index;
  }
  void AddSlot();  // a free one, to the table
  void FreeSlot(std::uint32_t slot) {
    EndWait(slots[slot]);
    slots[slot].frame = nullptr;
    slots[slot].owner = std::exchange(free_slot, slot);
  }
  // The slot's pending entries are dead from here on.
  void EndWait(Slot& slot) {
    ++slot.generation;
    if (slot.entries != 0) [[unlikely]]
      DropEntries(slot);
  }
  void DropEntries(Slot& slot);
  void Enqueue(std::uint32_t slot, VirtualTime at, TimerKind kind, const char* label);
  bool Live(const QueueEntry& e) const { return slots[e.slot].generation == e.generation; }
  void DropDead();
  bool IsTimerOf(const Process& process, const Slot& slot) const {
    return slot.frame == nullptr ? CallAt(slot.owner).timer_of == &process
                                 : !slot.true_time && roots[slot.owner].process == &process;
  }
  // The clock of `process` runs otherwise from here on: moves its timers to the moment at which the
  // clock shows what it was to show.
  void Retime(const Process& process, const TurnedClock& before, const TurnedClock& after);
  // Takes dead entries off the front; null unless a live one is due at or before `bound`.
  const QueueEntry* LiveFront(VirtualTime bound) {
    for (;;) {
      const QueueEntry* const e = queue.Due(static_cast<std::uint64_t>(bound.ns()));
      if (e == nullptr || Live(*e)) return e;
      --dead;
      queue.PopFront();
    }
  }
  std::vector<std::string> DescribeWork(std::size_t max) const;

  // A label in four bytes. Labels are literals, and those of one program lie close together: its
  // distance from one of them, doubled. Of one that lies far off, in a library that was loaded, the
  // number, doubled, and one.
  std::int32_t Packed(const char* label) {
    const std::intptr_t distance = AddressOf(label) - AddressOf(kNear);
    if (distance >= -kFar && distance < kFar) [[likely]]
      return static_cast<std::int32_t>(2 * distance);
    return NumberOfFar(label);
  }
  const char* Unpacked(std::int32_t label) const {
    if (label % 2 != 0) return far_labels[static_cast<std::size_t>(label / 2)];
    return reinterpret_cast<const char*>(AddressOf(kNear) + label / 2);
  }
  std::int32_t NumberOfFar(const char* label);
  static std::intptr_t AddressOf(const char* label) {
    return reinterpret_cast<std::intptr_t>(label);
  }
  static constexpr std::intptr_t kFar = std::intptr_t{1} << 30;
  static constexpr char kNear[] = "label";

  // --- running (kernel.cc) ---
  void Run(std::uint32_t slot, bool work);  // the clock has been set
  void RunRoot(std::uint32_t slot);
  void RunCall(std::uint32_t call);
  void RunDeferred() {
    if (!deferred.empty()) [[unlikely]]
      RunAllDeferred();
  }
  void RunAllDeferred();

  // --- roots and calls (roots.cc) ---
  std::uint32_t NewRoot(Process& process, Task<void> task, const Context& context);
  void DestroyRoot(std::uint32_t root);
  // Its slot.
  std::uint32_t NewCall(absl::AnyInvocable<void()>&& function, const Context& context,
                        ChainId chain);
  Call& CallAt(std::uint32_t call) {
    return (*call_blocks[call / kCallsPerBlock])[call % kCallsPerBlock];
  }
  const Call& CallAt(std::uint32_t call) const {
    return (*call_blocks[call / kCallsPerBlock])[call % kCallsPerBlock];
  }
  void AddCalls();                    // free ones, to the table
  void FreeCall(std::uint32_t call);  // destroys its function first
  void DropCalls();

  Simulation& sim;
  EventQueue queue;
  std::size_t dead = 0;    // entries in the queue whose slot has moved on
  std::uint64_t died = 0;  // all that ever did
  std::uint64_t next_sequence = 0;
  std::vector<Slot> slots;
  std::uint32_t free_slot = kNone;
  std::vector<Root> roots;
  std::uint32_t free_root = kNone;
  // A call stays where it is while it runs, whatever it schedules.
  static constexpr std::uint32_t kCallsPerBlock = 64;
  std::vector<std::unique_ptr<std::array<Call, kCallsPerBlock>>> call_blocks;
  std::uint32_t free_call = kNone;
  std::vector<Deferred> deferred;  // those before deferred_done have run
  std::size_t deferred_done = 0;
  std::uint32_t current_slot = kNone;  // of the root that runs
  bool in_step = false;
  bool closed = false;  // after Shutdown
  std::vector<const char*> far_labels;
  std::unique_ptr<Ordering> ordering;  // null: events run by (time, sequence)
  absl::flat_hash_map<std::string_view, Process*> processes_by_name;
};

}  // namespace ksim::sim
