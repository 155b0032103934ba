#include "ksim/sim/ordering.h"

#include <algorithm>

namespace ksim::sim {

namespace {

bool GoesBefore(const QueueEntry& a, const QueueEntry& b) {
  return a.time != b.time ? a.time < b.time : a.sequence < b.sequence;
}

}  // namespace

bool Ordering::Stage(const QueueEntry& e) {
  if (e.time > horizon_) return false;
  Add(e);
  return true;
}

void Ordering::Add(const QueueEntry& e) {
  const std::uint64_t chain = ChainOf(e);
  const auto same = std::find(chains_.begin(), chains_.end(), chain);
  if (same == chains_.end()) return AddHead(e, chain);
  const auto head = static_cast<std::size_t>(same - chains_.begin());
  AddBehind(e, chain);
  if (GoesBefore(heads_[head], e)) return;
  AddBehind(heads_[head], chain);
  RemoveHead(head);
}

void Ordering::AddHead(const QueueEntry& e, std::uint64_t chain) {
  const auto place = std::upper_bound(heads_.begin(), heads_.end(), e, GoesBefore);
  chains_.insert(chains_.begin() + (place - heads_.begin()), chain);
  heads_.insert(place, e);
}

void Ordering::AddBehind(const QueueEntry& e, std::uint64_t chain) {
  const auto goes_before = [](const QueueEntry& a, const Behind& b) {
    return GoesBefore(a, b.entry);
  };
  behind_.insert(std::upper_bound(behind_.begin(), behind_.end(), e, goes_before), {e, chain});
}

void Ordering::RemoveHead(std::size_t head) {
  const std::uint64_t chain = chains_[head];
  const auto at = static_cast<std::ptrdiff_t>(head);
  heads_.erase(heads_.begin() + at);
  chains_.erase(chains_.begin() + at);
  const auto next = std::find_if(behind_.begin(), behind_.end(),
                                 [chain](const Behind& b) { return b.chain == chain; });
  if (next == behind_.end()) return;
  AddHead(next->entry, chain);
  behind_.erase(next);
}

std::size_t Ordering::DropDead() {
  std::size_t dropped =
      std::erase_if(behind_, [this](const Behind& behind) { return !kernel_.Live(behind.entry); });
  for (std::size_t head = 0; head < heads_.size();) {
    if (kernel_.Live(heads_[head])) {
      ++head;
      continue;
    }
    RemoveHead(head);  // the next of its chain comes here or later
    ++dropped;
  }
  return dropped;
}

void Ordering::Clear() {
  heads_.clear();
  chains_.clear();
  behind_.clear();
}

// The last time at which an event may be chosen now: within the window of the earliest one, and not
// past `bound`.
std::uint64_t Ordering::LastDue(VirtualTime bound) const {
  const Duration left = VirtualTime::Max() - earliest();
  const VirtualTime end = window_ > left ? VirtualTime::Max() : earliest() + window_;
  return static_cast<std::uint64_t>(std::min(end, bound).ns());
}

bool Ordering::Due(VirtualTime bound) {
  if (died_ != kernel_.died) {
    kernel_.dead -= DropDead();
    died_ = kernel_.died;
  }
  EventQueue& queue = kernel_.queue;
  if (heads_.empty()) {
    const QueueEntry* const front = kernel_.LiveFront(bound);
    if (front == nullptr) return false;
    Add(*front);
    queue.PopFront();
  }
  if (earliest() > bound) return false;
  const std::uint64_t last_due = LastDue(bound);
  horizon_ = std::max(horizon_, last_due);
  const VirtualTime last(static_cast<std::int64_t>(last_due));
  while (const QueueEntry* const front = kernel_.LiveFront(last)) {
    Add(*front);
    queue.PopFront();
  }
  return true;
}

std::uint64_t Ordering::ChainOf(const QueueEntry& e) const {
  const Simulation::Kernel::Slot& slot = kernel_.slots[e.slot];
  if (slot.frame != nullptr) return kernel_.roots[slot.owner].actor.name_hash();
  const Simulation::Kernel::Call& call = kernel_.CallAt(slot.owner);
  const ChainId& chain = call.chain;
  if (chain.name == 0) return call.context.actor.name_hash();
  return chain.item == 0 ? chain.name : KeyOf(chain.name, chain.item);
}

std::uint32_t Ordering::CountDue(std::uint64_t last_due) const {
  const auto looked_at =
      heads_.begin() + static_cast<std::ptrdiff_t>(std::min(heads_.size(), kMostHeads));
  const auto end = std::partition_point(
      heads_.begin(), looked_at, [last_due](const QueueEntry& e) { return e.time <= last_due; });
  return static_cast<std::uint32_t>(end - heads_.begin());
}

std::uint64_t Ordering::KeyOfFirst() {
  const std::uint64_t first = KeyOf(chains_.front(), ran_[chains_.front()]);
  passed_over_ = first == last_first_ ? passed_over_ + 1 : 0;
  last_first_ = first;
  return KeyOf(first, passed_over_);
}

QueueEntry Ordering::Take(VirtualTime bound, std::uint64_t step) {
  std::uint32_t answer = 0;
  const std::uint32_t due = CountDue(LastDue(bound));
  if (due > 1) {
    OrderQuestion question;
    question.step = step;
    question.key = KeyOfFirst();
    question.chains = chains_.data();
    question.n = due;
    answer = decisions_.ChooseFirst(question);
  }
  ++ran_[chains_[answer]];
  const QueueEntry e = heads_[answer];
  RemoveHead(answer);
  return e;
}

}  // namespace ksim::sim
