// Ledger: the records of a trace so far, findable by what they claim: requests and their answers by
// id, watches by stream. The laws of traces (check/trace_law.h) hold each record against it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ksim/api/compat.h"
#include "ksim/check/commit_history.h"
#include "ksim/check/process_clocks.h"
#include "ksim/trace/trace.h"

namespace ksim::check {

// One request with everything that it led to. Record pointers are into the trace.
struct Asked {
  Asked() = default;
  const trace::Record* request = nullptr;
  const trace::Record* response = nullptr;  // null: none so far
  const trace::Record* watch = nullptr;     // that opened; null: none did
  bool denied = false;                      // by a webhook
  std::vector<const trace::Record*> stages;
  std::vector<const trace::Record*> commits;
};

// One watch: of an API server on etcd, or of a client on an API server.
struct Wire {
  Wire() = default;
  const trace::Record* open = nullptr;
  const trace::Record* close = nullptr;        // null: it is open
  std::vector<const trace::Record*> events;    // put on the wire
  std::vector<const trace::Record*> arrivals;  // taken in
  std::int64_t highest = 0;                    // revision put on the wire, errors aside
};

class Ledger {
 public:
  // Both must outlive the ledger. `history`: the commits of the whole trace.
  Ledger(const trace::Trace& trace, const CommitHistory& history);
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  void Take(const trace::Record& r);

  const trace::Trace& trace() const { return trace_; }
  // The variant of a piece that the scenario names, "" if none: some do wrong on purpose.
  std::string_view Variant(std::string_view piece) const;
  const CommitHistory& history() const { return history_; }
  const ProcessClocks& clocks() const { return clocks_; }
  api::Compat compat() const { return compat_; }
  std::int64_t revision() const { return revision_; }  // of the newest commit so far
  // The record with this number, if it has been taken; null for 0.
  const trace::Record* Event(std::uint64_t seq) const;
  const trace::Record* CauseOf(const trace::Record& r) const { return Event(r.cause); }
  const Asked* Request(std::int64_t id) const;
  const Wire* Stream(std::int64_t stream) const;
  std::size_t requests() const { return asked_.size(); }
  const std::vector<Asked>& asked() const { return asked_; }  // in order of their records
  // The commit of an object at a revision, if the trace has it before the record `r`.
  const CommittedChange* Version(std::string_view resource, std::string_view ns,
                                 std::string_view name, std::int64_t revision,
                                 const trace::Record& r) const;

 private:
  void TakeWatch(const trace::Record& r);

  const trace::Trace& trace_;
  const CommitHistory& history_;
  api::Compat compat_;
  std::size_t taken_ = 0;
  std::int64_t revision_ = 1;  // of an empty etcd
  ProcessClocks clocks_;
  std::vector<Asked> asked_;
  absl::flat_hash_map<std::int64_t, std::size_t> by_id_;  // looked up only
  absl::flat_hash_map<std::int64_t, Wire> wires_;         // looked up only
};

// Parts of names that laws compare.
std::string_view ProcessOfActor(std::string_view actor);  // kube-controller-manager; kubelet/node-1
bool IsOfEtcd(const trace::Record& watch_event_or_deliver);  // an API server's watch on etcd
bool Succeeded(const trace::Record& response);               // 2xx
// The name of the resource of a key: `said` if the key may be called so, as RESOURCE.GROUP is where
// another resource has the plural; else the plural.
std::string ResourceOfKey(std::string_view key, std::string_view said);

}  // namespace ksim::check
