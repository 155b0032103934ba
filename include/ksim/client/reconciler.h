// Reconciler and ReconcileLoop: the worker loop of a controller. N workers take keys from a work
// queue, call Reconcile for each, and put the key back as the result says:
//
//   result            queue                                   failure count
//   Done              -                                       forgotten
//   Error             added again, rate limited               counts on
//   Terminal          -  (1.25: as Error)                     kept
//   Dropped           -                                       forgotten
//   Requeue           added again, rate limited               counts on
//   RequeueAfter(d)   added again after d                     forgotten
//
// always at the priority it had, if the result names none; then call Done on the queue. A key is
// never reconciled twice at once, whatever N is. Emits `reconcile` with state begin before and end
// after each call; inside the call the Context's cause is the begin event.
//
// Source: controller-runtime pkg/internal/controller/controller.go (reconcileHandler); the built-in
// controllers' processNextWorkItem. CLIENT-95, CLIENT-132, CLIENT-133.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/api/status.h"
#include "ksim/base/time.h"
#include "ksim/client/client.h"
#include "ksim/client/informer.h"
#include "ksim/client/request_queue.h"
#include "ksim/sim/task.h"

namespace ksim::client {

class ReconcileResult {
 public:
  enum class Kind { kDone, kError, kTerminal, kDropped, kRequeue, kRequeueAfter };
  ReconcileResult() = default;  // Done
  static ReconcileResult Done() { return ReconcileResult(); }
  static ReconcileResult Error(std::string message);
  static ReconcileResult Error(const api::Status& status) { return Error(status.message.str()); }
  static ReconcileResult Terminal(std::string message);
  // An error after which a built-in controller's retries have run out (handleErr, maxRetries): the
  // next event of the object begins anew.
  static ReconcileResult Dropped(std::string message);
  static ReconcileResult Requeue();
  static ReconcileResult RequeueAfter(Duration delay);  // not positive: Done
  // How urgent the key is when it comes again (CLIENT-136); only priority queues ask.
  ReconcileResult WithPriority(int priority) &&;
  // The failure count goes on after a RequeueAfter, as where a built-in controller calls AddAfter
  // without Forget.
  ReconcileResult KeepingFailures() &&;
  // The reconciler has put the key back by itself, error or not.
  ReconcileResult WithKeyQueued() &&;

  Kind kind() const { return kind_; }
  bool ok() const {
    return kind_ != Kind::kError && kind_ != Kind::kTerminal && kind_ != Kind::kDropped;
  }
  const std::string& message() const { return message_; }
  Duration delay() const { return delay_; }
  std::optional<int> priority() const { return priority_; }
  bool keeps_failures() const { return keeps_failures_; }
  bool key_queued() const { return key_queued_; }
  // "ok", "error: MESSAGE", "terminal error: MESSAGE", "dropped after error: MESSAGE", "requeue",
  // "requeue after 5s"
  std::string ToString() const;

 private:
  Kind kind_ = Kind::kDone;
  std::string message_;
  Duration delay_;
  std::optional<int> priority_;
  bool keeps_failures_ = false;
  bool key_queued_ = false;
};

class Reconciler {
 public:
  virtual ~Reconciler() = default;
  // `key` is "namespace/name", or "name" of a cluster-scoped object.
  virtual sim::Task<ReconcileResult> Reconcile(std::string key) = 0;
};

// The two halves of a key; the namespace is "" for "name". InvalidArgument for more than two parts.
// CLIENT-39.
struct ObjectKey {
  ObjectKey() = default;
  std::string ns, name;
};
absl::StatusOr<ObjectKey> SplitKey(std::string_view key);

class ReconcileLoop {
 public:
  // `part` is the controller's part of the process (actor PROCESS/PART) and its name in the
  // `reconcile` events. Queue and reconciler outlive the process' tasks.
  ReconcileLoop(Connection& connection, std::string part, RequestQueue& queue,
                Reconciler& reconciler);
  // Spawns `workers` workers, which begin once all of `wait_for` have synced (asked at once, then
  // every 100 ms). If they have not after `sync_timeout` (0: never), the process ends, as a manager
  // of which a controller fails to start. Call once, before or after the informers start.
  void Start(int workers, std::vector<SharedInformer*> wait_for = {}, Duration sync_timeout = {});

 private:
  sim::Task<void> WaitThenSpawn(int workers, std::vector<SharedInformer*> wait_for,
                                Duration sync_timeout);
  sim::Task<void> Worker();
  void Requeue(const QueuedRequest& request, const ReconcileResult& result);
  std::uint64_t EmitReconcile(std::string_view key, std::string_view state, std::string result);

  Connection& connection_;
  std::string part_;
  RequestQueue& queue_;
  Reconciler& reconciler_;
};

}  // namespace ksim::client
