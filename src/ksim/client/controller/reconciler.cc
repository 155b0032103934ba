#include "ksim/client/reconciler.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/client/core/backoff.h"
#include "ksim/client/core/payloads.h"
#include "ksim/client/core/profile.h"
#include "ksim/client/rest/fault_hooks.h"
#include "ksim/client/rest/link.h"
#include "ksim/sim/probe.h"

namespace ksim::client {
namespace {

void ExitProcess(const Environment& env, sim::Process& process) {
  if (env.exit) return env.exit(process);
  process.Kill();
}

}  // namespace

ReconcileResult ReconcileResult::Error(std::string message) {
  ReconcileResult r;
  r.kind_ = Kind::kError;
  r.message_ = std::move(message);
  return r;
}

ReconcileResult ReconcileResult::Terminal(std::string message) {
  ReconcileResult r = Error(std::move(message));
  r.kind_ = Kind::kTerminal;
  return r;
}

ReconcileResult ReconcileResult::Dropped(std::string message) {
  ReconcileResult r = Error(std::move(message));
  r.kind_ = Kind::kDropped;
  return r;
}

ReconcileResult ReconcileResult::Requeue() {
  ReconcileResult r;
  r.kind_ = Kind::kRequeue;
  return r;
}

ReconcileResult ReconcileResult::RequeueAfter(Duration delay) {
  ReconcileResult r;
  if (delay <= Duration()) return r;
  r.kind_ = Kind::kRequeueAfter;
  r.delay_ = delay;
  return r;
}

ReconcileResult ReconcileResult::WithPriority(int priority) && {
  priority_ = priority;
  return std::move(*this);
}

ReconcileResult ReconcileResult::KeepingFailures() && {
  keeps_failures_ = true;
  return std::move(*this);
}

ReconcileResult ReconcileResult::WithKeyQueued() && {
  key_queued_ = true;
  return std::move(*this);
}

std::string ReconcileResult::ToString() const {
  switch (kind_) {
    case Kind::kDone:
      return "ok";
    case Kind::kError:
      return "error: " + message_;
    case Kind::kTerminal:
      return "terminal error: " + message_;
    case Kind::kDropped:
      return "dropped after error: " + message_;
    case Kind::kRequeue:
      return "requeue";
    case Kind::kRequeueAfter:
      break;
  }
  return "requeue after " + FormatDuration(delay_);
}

absl::StatusOr<ObjectKey> SplitKey(std::string_view key) {
  ObjectKey out;
  const std::size_t slash = key.find('/');
  if (slash != key.rfind('/'))
    return absl::InvalidArgumentError(fmt::format("unexpected key format: \"{}\"", key));
  if (slash != std::string_view::npos) out.ns = std::string(key.substr(0, slash));
  out.name = std::string(slash == std::string_view::npos ? key : key.substr(slash + 1));
  return out;
}

ReconcileLoop::ReconcileLoop(Connection& connection, std::string part, RequestQueue& queue,
                             Reconciler& reconciler)
    : connection_(connection), part_(std::move(part)), queue_(queue), reconciler_(reconciler) {}

void ReconcileLoop::Start(int workers, std::vector<SharedInformer*> wait_for,
                          Duration sync_timeout) {
  connection_.process().Spawn(WaitThenSpawn(workers, std::move(wait_for), sync_timeout), part_);
}

sim::Task<void> ReconcileLoop::WaitThenSpawn(int workers, std::vector<SharedInformer*> wait_for,
                                             Duration sync_timeout) {
  sim::Process& process = connection_.process();
  const VirtualTime begun = process.SteadyNow();
  CacheWaits& waits = connection_.link()->cache_waits();
  if (!wait_for.empty()) waits.Begin(part_);
  for (;;) {
    bool synced = true;
    for (const SharedInformer* informer : wait_for) synced = synced && informer->HasSynced();
    if (synced) break;
    if (sync_timeout > Duration() && process.SteadyNow() - begun >= sync_timeout) {
      KSIM_PROBE("controller/cache-sync-timeout");
      ExitProcess(connection_.env(), process);
      co_return;
    }
    co_await process.simulation().Sleep(kSyncedPollPeriod, sim::TimerKind::kWork,
                                        "wait for cache sync");
  }
  if (!wait_for.empty()) waits.End(part_);
  for (int i = 0; i < workers; ++i) process.Spawn(Worker(), part_);
}

sim::Task<void> ReconcileLoop::Worker() {
  sim::Context& context = connection_.process().simulation().context();
  for (;;) {
    const std::optional<QueuedRequest> next = co_await queue_.Take();
    if (!next) co_return;
    const std::string& key = next->key;
    FaultHooks* hooks = connection_.env().faults;
    if (hooks != nullptr && hooks->has_gates()) {
      co_await PassGates(hooks, context.actor, Access::kRead);
    }
    context.cause = EmitReconcile(key, "begin", {});
    const std::uint64_t begin = context.cause;
    ReconcileResult result = co_await reconciler_.Reconcile(key);
    context.cause = begin;
    context.cause = EmitReconcile(key, "end", result.ToString());
    Requeue(*next, result);
    queue_.Done(key);
  }
}

void ReconcileLoop::Requeue(const QueuedRequest& request, const ReconcileResult& result) {
  if (result.key_queued()) return;
  const std::string& key = request.key;
  const int priority = result.priority().value_or(request.priority);
  switch (result.kind()) {
    case ReconcileResult::Kind::kDropped:
    case ReconcileResult::Kind::kDone:
      return queue_.Forget(key);
    case ReconcileResult::Kind::kError:
    case ReconcileResult::Kind::kRequeue:
      return queue_.AddRateLimited(key, priority);
    case ReconcileResult::Kind::kTerminal:
      if (!ProfileOf(connection_.compat()).terminal_errors) queue_.AddRateLimited(key, priority);
      return;
    case ReconcileResult::Kind::kRequeueAfter:
      if (!result.keeps_failures()) queue_.Forget(key);
      return queue_.AddAfter(key, priority, result.delay());
  }
}

std::uint64_t ReconcileLoop::EmitReconcile(std::string_view key, std::string_view state,
                                           std::string result) {
  auto* payload = new ReconcilePayload;
  payload->controller = part_;
  payload->key = std::string(key);
  payload->state = state;
  payload->result = std::move(result);
  sim::EventInfo info;
  info.kind = sim::EventKind::kReconcile;
  return connection_.process().simulation().Emit(info, sim::PayloadRef(payload));
}

}  // namespace ksim::client
