// EventQueue: what is due, by (time, order of pushing). A monotone radix heap: a virtual clock
// never goes back, so an entry is filed under the highest bit in which its time differs from the
// time it is measured from, and moves to lower buckets only as the clock comes nearer. The entries
// that come next are kept sorted: a bucket that is small enough when its turn comes is sorted where
// it lies instead of being spread over lower buckets. Within one time entries stay in the order
// they were pushed. Nothing is removed from the middle: the owner recognises dead entries by their
// generation when they come up, and calls Filter when there are too many.
//
// Invariants
//  1. Every time in the queue is at least base_.
//  2. Bucket 0 holds the times in [base_, front_end_), sorted, equal ones in the order of pushing.
//  3. Any other time t is in bucket BitWidth(t ^ base_), equal ones in the order of pushing.
//  4. minimum_[b] is the smallest time in bucket b > 0, if the bucket is not empty.
//  5. An empty bucket has no chunk, but bucket 0 may keep its last one: what is pushed at the time
//     that runs comes and goes one by one.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

namespace ksim::sim {

struct QueueEntry {
  std::uint64_t time = 0;
  std::uint64_t sequence = 0;  // rises with every push; its lowest bit is the owner's
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
};
static_assert(sizeof(QueueEntry) == 24);

inline constexpr std::uint64_t kEndOfTime = (std::uint64_t{1} << 63) - 1;  // VirtualTime::Max

class EventQueue {
 public:
  EventQueue();
  ~EventQueue();
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // Any time is right; one before the last entry looked at costs a pass over the queue.
  void Push(const QueueEntry& e) {
    if (e.time < base_) [[unlikely]]
      Rebase(e.time);
    ++size_;
    if (e.time < front_end_) {
      InsertInFront(e);
    } else {
      File(e);
    }
  }
  // The earliest entry if its time is at most `bound`; else null, and none is filed elsewhere than
  // before, so that the clock may still stop before it.
  const QueueEntry* Due(std::uint64_t bound) {
    if ((occupied_ & 1) == 0) {
      if (occupied_ == 0) return nullptr;
      if (minimum_[static_cast<std::size_t>(std::countr_zero(occupied_))] > bound) return nullptr;
      Advance();
    }
    const QueueEntry* const front = &buckets_[0].head->entries[front_];
    return front->time <= bound ? front : nullptr;
  }
  void PopFront() {  // what Due has given
    const Bucket& bucket = buckets_[0];
    --size_;
    if (++front_ == (bucket.head == bucket.tail ? bucket.tail_used : kChunkEntries)) DropFront();
  }

  // Drops every entry for which keep(entry) is false; the others stay in order.
  template <class F>
  void Filter(F keep) {
    std::vector<QueueEntry> kept;
    kept.reserve(size_);
    ForEach([&](const QueueEntry& e) {
      if (keep(e)) kept.push_back(e);
    });
    Refill(kept, base_);
  }
  // All entries; those of one time in order, otherwise in no useful order.
  template <class F>
  void ForEach(F f) const {
    for (std::uint64_t rest = occupied_; rest != 0; rest &= rest - 1) {
      const int b = std::countr_zero(rest);
      std::uint32_t i = b == 0 ? front_ : 0;
      for (const Chunk* c = buckets_[b].head; c != nullptr; c = c->next, i = 0) {
        const std::uint32_t end = c == buckets_[b].tail ? buckets_[b].tail_used : kChunkEntries;
        for (; i < end; ++i) f(c->entries[i]);
      }
    }
  }

 private:
  // Buckets are chains of chunks from one free list, so memory follows the number of entries and
  // no bucket keeps what another needs.
  static constexpr std::uint32_t kChunkEntries = 42;
  static constexpr std::uint32_t kChunksPerBlock = 16;
  static constexpr std::uint32_t kSortAtMost = 24;  // entries; sorting beats spreading up to here
  struct Chunk {
    Chunk* next;
    QueueEntry entries[kChunkEntries];
  };
  struct Bucket {
    Chunk* head = nullptr;
    Chunk* tail = nullptr;
    std::uint32_t tail_used = kChunkEntries;  // full, so that an empty bucket takes a chunk
  };

  // Into its bucket, which is not bucket 0.
  void File(const QueueEntry& e) {
    const auto b = static_cast<std::size_t>(std::bit_width(e.time ^ base_));
    const std::uint64_t bit = std::uint64_t{1} << b;
    if ((occupied_ & bit) == 0 || e.time < minimum_[b]) minimum_[b] = e.time;
    occupied_ |= bit;
    Append(buckets_[b], e);
  }
  void Append(Bucket& bucket, const QueueEntry& e) {
    if (bucket.tail_used == kChunkEntries) Extend(bucket);
    bucket.tail->entries[bucket.tail_used++] = e;
  }
  // Into bucket 0. What is due later than all there, or at the time of the last, goes behind it.
  void InsertInFront(const QueueEntry& e) {
    Bucket& bucket = buckets_[0];
    if ((occupied_ & 1) != 0 && e.time < bucket.tail->entries[bucket.tail_used - 1].time) {
      InsertBeforeTail(e);
    } else {
      occupied_ |= 1;
      Append(bucket, e);
    }
  }
  // Into bucket 0, before its last entry.
  void InsertBeforeTail(const QueueEntry& e);
  void InsertFromFront(const QueueEntry& e);  // there is room there: front_ > 0
  void InsertFromTail(const QueueEntry& e);
  void SpreadFront(std::uint64_t base);
  void Extend(Bucket& bucket);
  void DropFront();  // bucket 0's first chunk, which is used up
  void Advance();
  void SortIntoFront(std::size_t b);
  void Spread(std::size_t b);
  void Rebase(std::uint64_t base);
  void Refill(const std::vector<QueueEntry>& entries, std::uint64_t base);
  void Free(Chunk* c) {
    c->next = free_;
    free_ = c;
  }
  void AllocateBlock();

  std::size_t size_ = 0;
  std::uint64_t base_ = 0;
  std::uint64_t front_end_ = 1;
  std::uint64_t occupied_ = 0;  // bit b: bucket b is not empty
  std::uint32_t front_ = 0;     // of bucket 0's first chunk: entries before it are gone
  std::array<std::uint64_t, 64> minimum_;
  std::array<Bucket, 64> buckets_;
  Chunk* free_ = nullptr;
  std::vector<std::unique_ptr<Chunk[]>> blocks_;
};

}  // namespace ksim::sim
