// ScriptModel: op scripts on a slow, obvious model of the store: a full copy of the state for every
// revision, every change in one list, watchers that look at all of it. The oracle of
// script_model_test.cc and of the fuzzer. Requests are checked by the store's own request_check.h;
// everything that has state is done again here.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/store/kv_request.h"
#include "ksim/store/watch_request.h"
#include "ksim/value/value.h"

namespace ksim::store {

class ScriptModel {
 public:
  struct Watch {
    WatchRequest request;
    Revision next = 0;  // the first revision it is owed
    bool canceled = false;
    Revision compact_revision = 0;
    std::vector<value::Value> events;  // owed and not collected
  };
  struct Lease {
    std::int64_t ttl = 0;
    std::int64_t deadline_ms = 0;
  };

  // The result as OpReplay::Run gives it.
  value::Value Run(const value::Value& op);

  Revision revision() const { return static_cast<Revision>(states_.size()) - 1; }
  Revision compacted() const { return compacted_; }
  const std::map<std::string, Watch>& watches() const { return watches_; }
  const std::map<LeaseId, Lease>& leases() const { return leases_; }

 private:
  using State = std::map<std::string, KeyValue>;
  using Result = absl::StatusOr<value::Value>;
  struct Change {
    KeyValue kv, before;
  };
  // The changes of the revision to come.
  struct Work {
    State now;
    std::vector<Change> changes;
  };

  Work Begin() const { return Work{states_.back(), {}}; }
  void Commit(Work work);
  Revision RevisionIn(const Work& work) const {
    return revision() + (work.changes.empty() ? 0 : 1);
  }
  KeyValue Before(const std::string& key) const;  // at the last complete revision
  void Owe(Watch& watch, const Change& change) const;

  Result RunPut(const PutRequest& r);
  Result RunTxn(const TxnRequest& r);
  Result RunKv(std::string_view name, const value::Value& op);
  Result RunLease(std::string_view name, const value::Value& op);
  value::Value RunWatch(std::string_view name, const value::Value& op);
  value::Value OpenWatch(const value::Value& op);
  value::Value Sleep(std::int64_t ms);
  void Revoke(LeaseId id);
  void ForgetSuperseded();

  absl::Status CheckPut(const PutRequest& r) const;
  absl::Status CheckTxn(const TxnRequest& r) const;
  bool Holds(const Compare& c) const;
  bool Succeeds(const TxnRequest& r) const;
  PutResponse Put(Work* work, const PutRequest& r) const;
  DeleteRangeResponse Delete(Work* work, const DeleteRangeRequest& r) const;
  absl::StatusOr<RangeResponse> Range(const Work& work, const RangeRequest& r) const;
  TxnResponse Txn(Work* work, const TxnRequest& r) const;

  std::vector<State> states_ = std::vector<State>(2);  // revisions 0 and 1: empty
  std::vector<Change> changes_;
  Revision compacted_ = -1;
  std::int64_t now_ms_ = 0;
  std::map<LeaseId, Lease> leases_;
  std::map<std::string, Watch> watches_;
};

}  // namespace ksim::store
