#include "ksim/sim/ordering.h"

#include <algorithm>

namespace ksim::sim {

bool Ordering::Stage(const QueueEntry& e) {
  if (e.time > horizon_) return false;
  const auto earlier = [](std::uint64_t time, const Staged& s) { return time < s.entry.time; };
  const auto place = std::upper_bound(staged_.begin(), staged_.end(), e.time, earlier);
  staged_.insert(place, {e, ChainOf(e)});
  return true;
}

void Ordering::DropDead() {
  std::erase_if(staged_, [this](const Staged& s) { return !kernel_.Live(s.entry); });
}

// What may go now: within the window of the earliest, and not past `bound`.
std::uint64_t Ordering::LastDue(VirtualTime bound) const {
  const Duration left = VirtualTime::Max() - earliest();
  const VirtualTime end = window_ > left ? VirtualTime::Max() : earliest() + window_;
  return static_cast<std::uint64_t>(std::min(end, bound).ns());
}

bool Ordering::Due(VirtualTime bound) {
  const std::size_t before = staged_.size();
  DropDead();
  kernel_.dead -= before - staged_.size();
  EventQueue& queue = kernel_.queue;
  if (staged_.empty()) {
    const QueueEntry* const front = kernel_.LiveFront(bound);
    if (front == nullptr) return false;
    Append(*front);
    queue.PopFront();
  }
  if (earliest() > bound) return false;
  const std::uint64_t last_due = LastDue(bound);
  horizon_ = std::max(horizon_, last_due);
  const VirtualTime last(static_cast<std::int64_t>(last_due));
  while (const QueueEntry* const front = kernel_.LiveFront(last)) {
    Append(*front);
    queue.PopFront();
  }
  return true;
}

std::uint64_t Ordering::ChainOf(const QueueEntry& e) const {
  const Simulation::Kernel::Slot& slot = kernel_.slots[e.slot];
  if (slot.frame != nullptr) return kernel_.roots[slot.owner].actor.name_hash();
  const Simulation::Kernel::Call& call = kernel_.calls[slot.owner];
  const ChainId& chain = call.chain;
  if (chain.name == 0) return call.context.actor.name_hash();
  return chain.item == 0 ? chain.name : KeyOf(chain.name, chain.item);
}

// The first entry of each chain, in the nominal order.
void Ordering::FindHeads(std::uint64_t last_due) {
  std::size_t found = 0;
  // By a chain's hash, or the next free place: the number of its head, from 1; 0: a free place.
  std::array<std::uint8_t, 4 * kMostHeads> places{};
  static_assert(kMostHeads <= 0xff);
  for (std::size_t i = 0; i < staged_.size() && found < kMostHeads; ++i) {
    if (staged_[i].entry.time > last_due) break;
    const std::uint64_t chain = staged_[i].chain;
    std::size_t at = chain % places.size();
    while (places[at] != 0 && chains_[places[at] - 1U] != chain) at = (at + 1) % places.size();
    if (places[at] != 0) continue;
    heads_[found] = i;
    chains_[found] = chain;
    places[at] = static_cast<std::uint8_t>(++found);
  }
  found_ = found;
}

std::uint64_t Ordering::KeyOfFirst() {
  const std::uint64_t first = KeyOf(chains_.front(), ran_[chains_.front()]);
  passed_over_ = first == last_first_ ? passed_over_ + 1 : 0;
  last_first_ = first;
  return KeyOf(first, passed_over_);
}

QueueEntry Ordering::Take(VirtualTime bound, std::uint64_t step) {
  FindHeads(LastDue(bound));
  std::uint32_t answer = 0;
  if (found_ > 1) {
    OrderQuestion question;
    question.step = step;
    question.key = KeyOfFirst();
    question.chains = chains_.data();
    question.n = static_cast<std::uint32_t>(found_);
    answer = decisions_.ChooseFirst(question);
  }
  ++ran_[chains_[answer]];
  const auto taken = staged_.begin() + static_cast<std::ptrdiff_t>(heads_[answer]);
  const QueueEntry e = taken->entry;
  staged_.erase(taken);
  return e;
}

}  // namespace ksim::sim
