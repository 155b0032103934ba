// Ordering: which event goes first where a strategy or an override may say so.
//
// Events belong to chains that nothing may reorder: the messages of an ordered channel, and the
// wake-ups of one actor. Of all chains whose next event is due within the window of the earliest
// one, the answer to a decision at site `order` goes first: 0 is the one that is due first. The
// clock moves to that event's time and never back, so no event waits longer than its own time and
// the window. Between two events nothing is asked when only one chain is due.
//
// The key is about the head that is due first: its chain, how many of its chain went before, and
// how often it has been passed over.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ksim/sim/decisions.h"
#include "ksim/sim/kernel.h"

namespace ksim::sim {

class Ordering {
 public:
  Ordering(Simulation::Kernel& kernel, Decisions& decisions, Duration window)
      : kernel_(kernel), decisions_(decisions), window_(window) {}

  // True if the entry is kept here: it is due before what has already been looked at.
  bool Stage(const QueueEntry& e);
  // Takes dead entries out; true if a live one is due at or before `bound`. Then `earliest` is its
  // time and Take takes the one that goes first.
  bool Due(VirtualTime bound);
  VirtualTime earliest() const {
    return VirtualTime(static_cast<std::int64_t>(heads_.front().time));
  }
  QueueEntry Take(VirtualTime bound, std::uint64_t step);

  std::size_t DropDead();  // how many
  void Clear();
  template <class F>
  void ForEach(F f) const {  // in no useful order
    for (const QueueEntry& head : heads_) f(head);
    for (const Behind& behind : behind_) f(behind.entry);
  }

 private:
  struct Behind {
    QueueEntry entry;
    std::uint64_t chain;  // the entry's, which does not change while it lives
  };
  // More chains than this are not looked at, so that a step stays cheap with 5,000 kubelets.
  static constexpr std::size_t kMostHeads = 64;

  std::uint64_t LastDue(VirtualTime bound) const;
  std::uint64_t ChainOf(const QueueEntry& e) const;
  void Add(const QueueEntry& e);
  void AddHead(const QueueEntry& e, std::uint64_t chain);
  void AddBehind(const QueueEntry& e, std::uint64_t chain);
  void RemoveHead(std::size_t head);  // the next of its chain takes its place
  std::uint32_t CountDue(std::uint64_t last_due) const;
  std::uint64_t KeyOfFirst();

  Simulation::Kernel& kernel_;
  Decisions& decisions_;
  Duration window_;
  // All entries at or before horizon_. Every step asks for the heads, the first entry of each
  // chain, so they are kept apart from those behind them. Both are by (time, sequence).
  std::uint64_t horizon_ = 0;
  std::vector<QueueEntry> heads_;
  std::vector<std::uint64_t> chains_;  // of the heads
  std::vector<Behind> behind_;
  std::uint64_t died_ = 0;  // of the kernel's, when none was dead here
  absl::flat_hash_map<std::uint64_t, std::uint64_t> ran_;  // chain -> events that have run
  std::uint64_t last_first_ = 0;                           // who the last question was about
  std::uint64_t passed_over_ = 0;                          // how often it has been passed over
};

}  // namespace ksim::sim
