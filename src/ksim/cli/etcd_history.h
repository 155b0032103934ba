// EtcdHistory: the store of a recorded run, made again from the trace's commits and compactions up
// to a moment, and on from there. It answers as the run's etcd would have. Leases are not in a
// trace: no key has one.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ksim/store/store.h"
#include "ksim/trace/state.h"
#include "ksim/trace/trace.h"

namespace ksim::cli {

class EtcdHistory {
 public:
  explicit EtcdHistory(const trace::Trace& trace) : trace_(trace) {}

  // Takes in what happened up to the moment. OutOfRange if the trace ends before it.
  absl::Status AdvanceTo(const trace::Moment& moment);
  // Takes in the next revision, if not more; false if there is none.
  absl::StatusOr<bool> AdvanceOne();

  store::Store& store() { return store_; }

 private:
  absl::Status TakeIn(const trace::Record& record);
  absl::Status Add(const trace::Record& commit);  // to the pending revision
  absl::Status Complete();                        // writes the pending revision

  const trace::Trace& trace_;
  std::size_t next_ = 0;  // the first event not taken in
  store::Store store_;
  std::map<std::string, value::Value, std::less<>> values_;
  std::vector<store::RequestOp> pending_;
  store::Revision pending_revision_ = 0;
};

}  // namespace ksim::cli
