// OpenWatches: the watches that one API server serves. It finds a watch by its stream number, ends
// each at its deadline, and releases each that has ended. There are thousands and nearly all of
// them only wait, so no task waits for each: one alarm is set for the earliest deadline of all.
//
// Source: apiserver pkg/endpoints/handlers/watch.go HandleWatch (timeoutCh, done).
#pragma once
#include <cstdint>
#include <memory>
#include <string_view>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "ksim/apiserver/audit.h"
#include "ksim/apiserver/cacher/resources.h"
#include "ksim/apiserver/core/request_context.h"
#include "ksim/apiserver/core/served_watch.h"
#include "ksim/base/time.h"
#include "ksim/sim/process.h"

namespace ksim::apiserver {

class OpenWatches final : public WatchHost {
 public:
  // `audit` may be null.
  OpenWatches(sim::Process& process, Resources& resources, AuditLog* audit);
  ~OpenWatches() override;
  OpenWatches(const OpenWatches&) = delete;
  OpenWatches& operator=(const OpenWatches&) = delete;

  // The parts that only few watches have.
  struct Extras {
    Extras() = default;
    sim::Process::TaskId follower;       // the task that serves a watch from etcd
    std::unique_ptr<RequestContext> rc;  // for the audit log
  };

  // Makes a watch that is being opened known to Find.
  void Add(std::shared_ptr<ServedWatch> stream);
  // Serves an opened watch; it ends at `deadline`, or at once if that has passed while it was being
  // opened. Call it in the task that opened the watch.
  void Serve(std::shared_ptr<ServedWatch> stream, VirtualTime deadline, Extras extras);

  std::shared_ptr<ServedWatch> Find(std::uint64_t id) const;  // null if there is none
  std::size_t size() const { return streams_.size(); }
  // Ends the client's watches of the resource with an ERROR, which the running step's cause led to.
  void Fail(std::string_view client, const api::ResourceInfo& r, const api::Status& error);
  // Resets all connections.
  void EndAll(std::string_view reason);

  // WatchHost.
  void OnClosed(const ServedWatch& stream) override;

 private:
  struct ById {
    using is_transparent = void;
    static std::uint64_t Of(std::uint64_t id) { return id; }
    static std::uint64_t Of(const std::shared_ptr<ServedWatch>& s) { return s->id(); }
    bool operator()(const auto& a, const auto& b) const { return Of(a) < Of(b); }
  };
  struct ByDeadline {
    bool operator()(const ServedWatch* a, const ServedWatch* b) const {
      return a->deadline() != b->deadline() ? a->deadline() < b->deadline() : a->id() < b->id();
    }
  };

  void SetAlarm();
  void EndOverdue();
  sim::Task<void> ReleaseLater(std::shared_ptr<ServedWatch> stream);
  void Release(ServedWatch& stream);

  sim::Process& process_;
  Resources& resources_;
  AuditLog* audit_;
  absl::btree_set<std::shared_ptr<ServedWatch>, ById> streams_;
  // The deadlines of the watches that are served.
  absl::btree_set<ServedWatch*, ByDeadline> deadlines_;  // NOLINT(ksim-pointer-order): by number
  absl::btree_map<std::uint64_t, Extras> extras_;
  VirtualTime alarm_at_ = VirtualTime::Max();
  sim::Simulation::SlotRef alarm_;
};

}  // namespace ksim::apiserver
