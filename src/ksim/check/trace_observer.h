// Records of a trace as observations. Commits of a trace carry only what changed, so the trees are
// folded here.
#pragma once
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "ksim/check/observation.h"
#include "ksim/trace/record.h"

namespace ksim::check {

class TraceObserver {
 public:
  // False for records that no oracle reads. *out is good until the next call and as long as the
  // record. A commit that does not fit those before it makes status() InvalidArgument.
  bool Observe(const trace::Record& record, Observation* out);
  const absl::Status& status() const { return status_; }

 private:
  void Commit(const trace::Record& r, Observation* o);

  absl::flat_hash_map<std::uint64_t, value::Value> objects_;  // looked up only
  value::Value before_, after_;
  absl::Status status_;
};

}  // namespace ksim::check
