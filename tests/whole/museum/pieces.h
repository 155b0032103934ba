// The pieces of the museum: scenarios/museum/NAME.yaml shows a bug on purpose, NAME.workload.yaml
// has only the cluster and the workload in which a campaign must find it.
#pragma once
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "ksim/base/diagnostic.h"
#include "ksim/scenario/load.h"

namespace ksim::museum {

struct Piece {
  const char* name;
  const char* variant;
  const char* buggy;   // the value that the files have
  const char* oracle;  // that the directed scenario violates
  const char* number;  // of the bug
  bool faults = true;  // false: it needs none
};

inline void PrintTo(const Piece& piece, std::ostream* out) { *out << piece.name; }

inline const std::vector<Piece>& Pieces() {
  static const std::vector<Piece> pieces{
      {"b1-kubelet-initial-list", "kubelet.initialList", "cache0", "atMostOne", "B1"},
      {"b2-too-large-rv", "reflector.tooLargeRV", "retrySame", "informer.converges", "B2"},
      {"b3-deltafifo-replace", "deltafifo.replace", "indexerOnly", "informer.converges", "B3"},
      {"b4-watchcache-oldest", "watchcache.oldest", "listRV", "watch.reliable", "B4"},
      {"b5-delete-event-rv", "event.deleteRV", "objectRV", "watch.ordered", "B5"},
      {"b6-rs-expectations", "rs.expectations", "expire", "noOvershoot", "B6"},
      {"b6-rs-expectations-twin", "rs.expectations", "never", "esr", "B6"},
      {"b7-job-finalizer-uids", "job.finalizerUIDs", "off", "jobCount", "B7"},
      {"b8-gc-scope", "gc.scope", "childNamespace", "gc.safe", "B8"},
      {"b9-full-disruption", "nodelifecycle.fullDisruption", "off", "evict.sane", "B9"},
      {"b9-probe-clock", "nodelifecycle.probeClock", "heartbeat", "evict.sane", "B9"},
      {"b10-scheduler-pod-uid", "scheduler.podUID", "ignore", "esr", "B10"},
      {"b10-scheduler-ghost-node", "scheduler.ghostNode", "keep", "sched.real", "B10"},
      {"b11-sts-revision-sync", "sts.revisionSync", "skip", "revisions", "B11"},
      {"b11-sts-broken-rollback", "sts.brokenRollback", "wait", "expect", "B11", false},
      {"b12-store-compact-on-delete", "store.compactOnDelete", "drop", "watch.reliable", "B12"},
      {"b16-delete-precondition", "kubelet.deletePrecondition", "none", "delete.uid", "B16"},
      {"b17-hash-collision", "deployment.hashCollision", "fail", "expect", "B17", false},
      {"b18-deltafifo-replace-delta", "deltafifo.replaceDelta", "sync", "informer.converges",
       "B18"},
      {"b19-create-timeout", "rs.createTimeout", "swallow", "esr", "B19"},
      {"b20-move-request", "scheduler.moveRequest", "ignore", "esr", "B20"},
      {"b21-noop-write", "endpoint.noopWrite", "keep", "expect", "B21", false},
      {"b23-lost-previous", "storage.lostPrevious", "drop", "watch.reliable", "B23"},
      {"b24-initial-events", "reflector.initialEventsRV", "lastEvent", "informer.converges",
       "B24"}};
  return pieces;
}

// `kind`: "" or ".workload"; `value`: the variant's value, with the bug or without.
inline scenario::Scenario Load(const Piece& piece, const std::string& kind, const char* value) {
  scenario::LoadOptions options;
  options.set.push_back(std::string("cluster.variants.") + piece.variant + "=" + value);
  const std::string path = std::string("scenarios/museum/") + piece.name + kind + ".yaml";
  scenario::Loaded loaded = scenario::Load({path}, options);
  EXPECT_EQ(Render(loaded.errors, false), "");
  return loaded.scenarios.empty() ? scenario::Scenario() : loaded.scenarios[0];
}

inline std::string TestName(const ::testing::TestParamInfo<Piece>& info) {
  std::string out;
  for (const char* c = info.param.name; *c != '\0'; ++c)
    if (*c != '-') out += *c;
  return out;
}

}  // namespace ksim::museum
