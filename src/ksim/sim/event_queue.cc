#include "ksim/sim/event_queue.h"

#include <algorithm>
#include <utility>

namespace ksim::sim {

EventQueue::EventQueue() = default;
EventQueue::~EventQueue() = default;

void EventQueue::AllocateBlock() {
  blocks_.push_back(std::make_unique_for_overwrite<Chunk[]>(kChunksPerBlock));
  for (std::uint32_t i = kChunksPerBlock; i-- > 0;) Free(&blocks_.back()[i]);
}

void EventQueue::Extend(Bucket& bucket) {
  if (free_ == nullptr) AllocateBlock();
  Chunk* c = free_;
  free_ = c->next;
  c->next = nullptr;
  (bucket.head == nullptr ? bucket.head : bucket.tail->next) = c;
  bucket.tail = c;
  bucket.tail_used = 0;
}

void EventQueue::DropFront() {
  Bucket& bucket = buckets_[0];
  front_ = 0;
  if (bucket.head == bucket.tail) {
    bucket.tail_used = 0;
    occupied_ &= ~std::uint64_t{1};
  } else {
    Free(std::exchange(bucket.head, bucket.head->next));
  }
}

// Bucket 0 is empty: the next bucket's turn has come. Only its entries change place: for those of
// all later buckets the highest bit that differs from base_ stays the same.
void EventQueue::Advance() {
  while ((occupied_ & 1) == 0) {
    const auto b = static_cast<std::size_t>(std::countr_zero(occupied_));
    const bool small = buckets_[b].head == buckets_[b].tail && buckets_[b].tail_used <= kSortAtMost;
    small ? SortIntoFront(b) : Spread(b);
  }
}

void EventQueue::SortIntoFront(std::size_t b) {
  const std::uint64_t half = std::uint64_t{1} << (b - 1);  // the bucket's range is this long
  base_ = minimum_[b] & ~(half - 1);
  front_end_ = base_ + half;
  if (buckets_[0].head != nullptr) Free(buckets_[0].head);
  buckets_[0] = std::exchange(buckets_[b], Bucket());
  occupied_ = (occupied_ & ~(std::uint64_t{1} << b)) | 1;
  QueueEntry* const entries = buckets_[0].head->entries;
  for (std::uint32_t i = 1; i < buckets_[0].tail_used; ++i) {
    if (entries[i].time >= entries[i - 1].time) continue;
    const QueueEntry e = entries[i];
    std::uint32_t to = i;
    for (; to > 0 && e.time < entries[to - 1].time; --to) entries[to] = entries[to - 1];
    entries[to] = e;
  }
}

void EventQueue::Spread(std::size_t b) {
  const Bucket bucket = std::exchange(buckets_[b], Bucket());
  base_ = minimum_[b];
  front_end_ = base_ + 1;
  occupied_ &= ~(std::uint64_t{1} << b);
  for (Chunk* c = bucket.head; c != nullptr;) {
    const std::uint32_t end = c == bucket.tail ? bucket.tail_used : kChunkEntries;
    for (std::uint32_t i = 0; i < end; ++i) {
      if (c->entries[i].time == base_) {
        Append(buckets_[0], c->entries[i]);
        occupied_ |= 1;
      } else {
        File(c->entries[i]);
      }
    }
    Chunk* done = c;
    c = c->next;
    Free(done);
  }
}

void EventQueue::InsertBeforeTail(const QueueEntry& e) {
  const Bucket& bucket = buckets_[0];
  if (bucket.head != bucket.tail || (bucket.tail_used == kChunkEntries && front_ == 0)) {
    SpreadFront(std::min(e.time, bucket.head->entries[front_].time));
    e.time < front_end_ ? InsertInFront(e) : File(e);
  } else if (front_ > 0) {
    InsertFromFront(e);
  } else {
    InsertFromTail(e);
  }
}

// Most of what is scheduled is due soon, before the timers that have waited for long: it is few
// steps from the front.
void EventQueue::InsertFromFront(const QueueEntry& e) {
  QueueEntry* const entries = buckets_[0].head->entries;
  std::uint32_t to = --front_;
  for (; e.time >= entries[to + 1].time; ++to) entries[to] = entries[to + 1];
  entries[to] = e;
}

void EventQueue::InsertFromTail(const QueueEntry& e) {
  Bucket& bucket = buckets_[0];
  QueueEntry* const entries = bucket.head->entries;
  std::uint32_t to = bucket.tail_used++;
  for (; to > front_ && e.time < entries[to - 1].time; --to) entries[to] = entries[to - 1];
  entries[to] = e;
}

// Too much has come in for one sorted chunk: back to filing by bits, from the first entry's time
// on.
void EventQueue::SpreadFront(std::uint64_t base) {
  std::vector<QueueEntry> entries;
  Chunk* c = buckets_[0].head;
  for (std::uint32_t i = front_; c != nullptr; i = 0) {
    const std::uint32_t end = c == buckets_[0].tail ? buckets_[0].tail_used : kChunkEntries;
    entries.insert(entries.end(), c->entries + i, c->entries + end);
    Chunk* done = c;
    c = c->next;
    Free(done);
  }
  buckets_[0] = Bucket();
  front_ = 0;
  occupied_ &= ~std::uint64_t{1};
  base_ = base;
  front_end_ = base + 1;
  for (const QueueEntry& e : entries) e.time < front_end_ ? InsertInFront(e) : File(e);
}

void EventQueue::Rebase(std::uint64_t base) {
  std::vector<QueueEntry> entries;
  entries.reserve(size_);
  ForEach([&](const QueueEntry& e) { entries.push_back(e); });
  Refill(entries, base);
}

void EventQueue::Refill(const std::vector<QueueEntry>& entries, std::uint64_t base) {
  for (Bucket& bucket : buckets_) {
    for (Chunk* c = bucket.head; c != nullptr;) {
      Chunk* next = c->next;
      Free(c);
      c = next;
    }
    bucket = Bucket();
  }
  occupied_ = 0;
  front_ = 0;
  base_ = base;
  front_end_ = base + 1;
  size_ = entries.size();
  for (const QueueEntry& e : entries) e.time < front_end_ ? InsertInFront(e) : File(e);
}

}  // namespace ksim::sim
