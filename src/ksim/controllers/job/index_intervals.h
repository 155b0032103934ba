// IndexIntervals: a set of completion indexes as a Job's status writes it: "0,2-4,7".
//
// Source: pkg/controller/job/indexed_job_utils.go orderedIntervals, parseIndexesFromString.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/btree_set.h"

namespace ksim::controllers {

using IndexSet = absl::btree_set<std::int64_t>;

class IndexIntervals {
 public:
  struct Interval {
    std::int64_t first = 0;
    std::int64_t last = 0;
    friend bool operator==(const Interval&, const Interval&) = default;
  };
  IndexIntervals() = default;
  // Reads the indexes below `completions`; an interval that cannot be read is left out.
  static IndexIntervals Parse(std::string_view text, std::int64_t completions);

  IndexIntervals With(const IndexSet& indexes) const;
  IndexIntervals Merge(const IndexIntervals& more) const;
  bool Has(std::int64_t index) const;
  std::int64_t Total() const;
  std::string ToString() const;
  bool empty() const { return intervals_.empty(); }
  const std::vector<Interval>& intervals() const { return intervals_; }

 private:
  void Extend(const Interval& next);
  std::vector<Interval> intervals_;  // in order, with gaps between them
};

}  // namespace ksim::controllers
