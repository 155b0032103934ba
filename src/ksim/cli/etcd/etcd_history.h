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

  // Applies the events up to the moment. OutOfRange if the trace ends before it.
  absl::Status AdvanceTo(const trace::Moment& moment);
  // Applies the events of the next revision at least; false if there is none.
  absl::StatusOr<bool> AdvanceOne();

  store::Store& store() { return store_; }

 private:
  absl::Status ApplyEvent(const trace::Record& record);
  absl::Status AddToPending(const trace::Record& commit);
  absl::Status WritePending();  // the pending revision, to the store

  const trace::Trace& trace_;
  std::size_t next_ = 0;  // the first event that was not applied
  store::Store store_;
  std::map<std::string, value::Value, std::less<>> values_;
  std::vector<store::RequestOp> pending_;
  store::Revision pending_revision_ = 0;
};

}  // namespace ksim::cli
