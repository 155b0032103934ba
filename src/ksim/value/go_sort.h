// GoSort: Go's sort.Sort to the swap, for lists whose order upstream leaves to it: equal elements,
// and elements under a `less` that is no strict order (a `less` that is true of equals turns up to
// 12 of them round). The order is that of Go 1.19 and later: insertion sort up to 12 elements,
// beyond that a pattern-defeating quicksort, which falls back to a heap sort.
//
// Source: Go src/sort/zsortinterface.go, sort.go (xorshift, nextPowerOfTwo).
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace ksim::value {

// Sorts one span. `Less` takes two elements.
template <class T, class Less>
class GoSorter {
 public:
  GoSorter(std::span<T> data, const Less& less) : data_(data), less_(less) {}

  void Sort() {
    if (data_.size() > 1) QuickSort(0, Size(), std::bit_width(data_.size()));
  }

 private:
  using Index = std::ptrdiff_t;
  enum class Hint { kUnknown, kIncreasing, kDecreasing };
  struct Pivot {
    Index at;
    Hint hint;
  };
  struct Split {
    Index pivot;
    bool already_partitioned;
  };

  static constexpr Index kMaxInsertion = 12;
  static constexpr Index kShortestNinther = 50;
  static constexpr Index kShortestShifting = 50;
  static constexpr int kMaxSwaps = 12;
  static constexpr int kMaxSteps = 5;

  Index Size() const { return static_cast<Index>(data_.size()); }
  T& At(Index i) { return data_[static_cast<std::size_t>(i)]; }
  bool IsLess(Index i, Index j) { return less_(std::as_const(At(i)), std::as_const(At(j))); }
  void Swap(Index i, Index j) {
    if (i != j) std::swap(At(i), At(j));
  }

  void InsertionSort(Index a, Index b) {
    for (Index i = a + 1; i < b; ++i) {
      for (Index j = i; j > a && IsLess(j, j - 1); --j) Swap(j, j - 1);
    }
  }

  void SiftDown(Index lo, Index hi, Index first) {
    for (Index root = lo;;) {
      Index child = 2 * root + 1;
      if (child >= hi) return;
      if (child + 1 < hi && IsLess(first + child, first + child + 1)) ++child;
      if (!IsLess(first + root, first + child)) return;
      Swap(first + root, first + child);
      root = child;
    }
  }

  void HeapSort(Index a, Index b) {
    const Index size = b - a;
    for (Index i = (size - 1) / 2; i >= 0; --i) SiftDown(i, size, a);
    for (Index i = size - 1; i >= 0; --i) {
      Swap(a, a + i);
      SiftDown(0, i, a);
    }
  }

  // `limit`: how many badly balanced pivots are taken before the heap sort.
  void QuickSort(Index a, Index b, int limit) {
    bool balanced = true, partitioned = true;
    while (b - a > kMaxInsertion) {
      if (limit == 0) return HeapSort(a, b);
      if (!balanced) {
        BreakPatterns(a, b);
        --limit;
      }
      Pivot pivot = ChoosePivot(a, b);
      if (pivot.hint == Hint::kDecreasing) {
        Reverse(a, b);
        pivot = {(b - 1) - (pivot.at - a), Hint::kIncreasing};
      }
      if (balanced && partitioned && pivot.hint == Hint::kIncreasing && PartialInsertionSort(a, b))
        return;
      if (a > 0 && !IsLess(a - 1, pivot.at)) {
        a = PartitionEqual(a, b, pivot.at);
        continue;
      }
      const Index threshold = (b - a) / 8;
      const Split split = Partition(a, b, pivot.at);
      partitioned = split.already_partitioned;
      const Index left = split.pivot - a, right = b - split.pivot;
      if (left < right) {
        balanced = left >= threshold;
        QuickSort(a, split.pivot, limit);
        a = split.pivot + 1;
      } else {
        balanced = right >= threshold;
        QuickSort(split.pivot + 1, b, limit);
        b = split.pivot;
      }
    }
    InsertionSort(a, b);
  }

  Split Partition(Index a, Index b, Index pivot) {
    Swap(a, pivot);
    Index i = a + 1, j = b - 1;
    for (bool first = true;; first = false) {
      while (i <= j && IsLess(i, a)) ++i;
      while (i <= j && !IsLess(j, a)) --j;
      if (i > j) {
        Swap(j, a);
        return {j, first};
      }
      Swap(i++, j--);
    }
  }

  // Puts the elements that equal the pivot before those that are greater; none is smaller.
  Index PartitionEqual(Index a, Index b, Index pivot) {
    Swap(a, pivot);
    Index i = a + 1, j = b - 1;
    while (true) {
      while (i <= j && !IsLess(a, i)) ++i;
      while (i <= j && IsLess(a, j)) --j;
      if (i > j) return i;
      Swap(i++, j--);
    }
  }

  // True if the elements are in order at its end.
  bool PartialInsertionSort(Index a, Index b) {
    Index i = a + 1;
    for (int step = 0; step < kMaxSteps; ++step) {
      while (i < b && !IsLess(i, i - 1)) ++i;
      if (i == b) return true;
      if (b - a < kShortestShifting) return false;
      Swap(i, i - 1);
      if (i - a >= 2) {
        for (Index j = i - 1; j >= 1 && IsLess(j, j - 1); --j) Swap(j, j - 1);
      }
      if (b - i >= 2) {
        for (Index j = i + 1; j < b && IsLess(j, j - 1); ++j) Swap(j, j - 1);
      }
    }
    return false;
  }

  // Go seeds its generator with the length: no chance here either.
  void BreakPatterns(Index a, Index b) {
    const Index length = b - a;
    if (length < 8) return;
    auto random = static_cast<std::uint64_t>(length);
    const std::uint64_t mask = (std::uint64_t{1} << std::bit_width(random)) - 1;
    const Index middle = a + (length / 4) * 2;
    for (Index i = middle - 1; i <= middle + 1; ++i) {
      random ^= random << 13;
      random ^= random >> 7;
      random ^= random << 17;
      auto other = static_cast<Index>(random & mask);
      if (other >= length) other -= length;
      Swap(i, a + other);
    }
  }

  Pivot ChoosePivot(Index a, Index b) {
    const Index length = b - a;
    int swaps = 0;
    Index i = a + length / 4, j = a + length / 4 * 2, k = a + length / 4 * 3;
    if (length >= kShortestNinther) {
      i = Median(i - 1, i, i + 1, &swaps);
      j = Median(j - 1, j, j + 1, &swaps);
      k = Median(k - 1, k, k + 1, &swaps);
    }
    j = Median(i, j, k, &swaps);
    if (swaps == 0) return {j, Hint::kIncreasing};
    return {j, swaps == kMaxSwaps ? Hint::kDecreasing : Hint::kUnknown};
  }

  void Order(Index* a, Index* b, int* swaps) {
    if (!IsLess(*b, *a)) return;
    ++*swaps;
    std::swap(*a, *b);
  }
  Index Median(Index a, Index b, Index c, int* swaps) {
    Order(&a, &b, swaps);
    Order(&b, &c, swaps);
    Order(&a, &b, swaps);
    return b;
  }

  void Reverse(Index a, Index b) {
    for (Index i = a, j = b - 1; i < j; ++i, --j) Swap(i, j);
  }

  std::span<T> data_;
  const Less& less_;
};

template <class T, class Less>
void GoSort(std::span<T> data, const Less& less) {
  GoSorter<T, Less>(data, less).Sort();
}

}  // namespace ksim::value
