// Expectations: what a controller has asked for and not yet seen in its cache. While they are
// unmet, a sync neither creates nor deletes: that is how a controller with a lagging cache keeps
// from creating twice. They expire after five minutes, but nobody re-queues a key because of it.
//
// Source: pkg/controller/controller_utils.go ControllerExpectations,
// UIDTrackingControllerExpectations.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "ksim/base/time.h"
#include "ksim/sim/process.h"

namespace ksim::controllers {

inline constexpr Duration kExpectationsTimeout = Minutes(5);

// Counters per controller key ("ns/name"). A counter may go below zero: an event for something
// already given up is harmless.
class Expectations {
 public:
  // `expire`: false is the variant rs.expectations: never.
  explicit Expectations(const sim::Process& clock, bool expire = true)
      : clock_(clock), expire_(expire) {}

  struct Record {
    Record() = default;
    std::int64_t add = 0;
    std::int64_t del = 0;
    VirtualTime since;
    bool Fulfilled() const { return add <= 0 && del <= 0; }
  };

  // No record, both counters met, or older than the timeout (strictly).
  bool Satisfied(const std::string& key) const;
  // Replaces the record and restarts its clock.
  void Set(const std::string& key, std::int64_t add, std::int64_t del);
  // No record: nothing happens.
  void Lower(const std::string& key, std::int64_t add, std::int64_t del);
  void CreationObserved(const std::string& key) { Lower(key, 1, 0); }
  void Delete(const std::string& key) { records_.erase(key); }
  std::optional<Record> Get(const std::string& key) const;

 private:
  const sim::Process& clock_;
  bool expire_;
  absl::btree_map<std::string, Record> records_;
};

// Expectations whose deletions are expected by name, so that an update with a deletionTimestamp and
// the DELETE that follows count once. Despite upstream's name the tracked key is "ns/name", not the
// UID.
class TrackingExpectations {
 public:
  explicit TrackingExpectations(const sim::Process& clock, bool expire = true)
      : counters_(clock, expire) {}

  bool Satisfied(const std::string& key) const { return counters_.Satisfied(key); }
  void ExpectCreations(const std::string& key, std::int64_t n) { counters_.Set(key, n, 0); }
  void ExpectDeletions(const std::string& key, const std::vector<std::string>& pod_keys);
  void CreationObserved(const std::string& key) { counters_.CreationObserved(key); }
  // Counts only if that pod's deletion is still expected.
  void DeletionObserved(const std::string& key, const std::string& pod_key);
  void Delete(const std::string& key);
  std::optional<Expectations::Record> Get(const std::string& key) const {
    return counters_.Get(key);
  }

 private:
  Expectations counters_;
  absl::btree_map<std::string, absl::btree_set<std::string>> deletions_;
};

}  // namespace ksim::controllers
