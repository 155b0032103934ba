#include "ksim/controllers/common/expectations.h"

#include "ksim/sim/probe.h"

namespace ksim::controllers {

bool Expectations::Satisfied(const std::string& key) const {
  const auto it = records_.find(key);
  if (it == records_.end() || it->second.Fulfilled()) return true;
  if (clock_.SteadyNow() - it->second.since <= kExpectationsTimeout) return false;
  KSIM_PROBE("variant/rs.expectations");
  return expire_;
}

void Expectations::Set(const std::string& key, std::int64_t add, std::int64_t del) {
  Record record;
  record.add = add;
  record.del = del;
  record.since = clock_.SteadyNow();
  records_[key] = record;
}

void Expectations::Lower(const std::string& key, std::int64_t add, std::int64_t del) {
  const auto it = records_.find(key);
  if (it == records_.end()) return;
  it->second.add -= add;
  it->second.del -= del;
}

std::optional<Expectations::Record> Expectations::Get(const std::string& key) const {
  const auto it = records_.find(key);
  if (it == records_.end()) return std::nullopt;
  return it->second;
}

void TrackingExpectations::ExpectDeletions(const std::string& key,
                                           const std::vector<std::string>& pod_keys) {
  absl::btree_set<std::string> expected(pod_keys.begin(), pod_keys.end());
  counters_.Set(key, 0, static_cast<std::int64_t>(expected.size()));
  deletions_[key] = std::move(expected);
}

void TrackingExpectations::DeletionObserved(const std::string& key, const std::string& pod_key) {
  const auto it = deletions_.find(key);
  if (it == deletions_.end() || it->second.erase(pod_key) == 0) return;
  counters_.Lower(key, 0, 1);
}

void TrackingExpectations::Delete(const std::string& key) {
  counters_.Delete(key);
  deletions_.erase(key);
}

}  // namespace ksim::controllers
