#include "ksim/client/workqueue.h"

#include <utility>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "ksim/base/check.h"
#include "ksim/client/core/context_scope.h"
#include "ksim/sim/internal/fifo.h"
#include "ksim/sim/mailbox.h"

namespace ksim::client {
namespace {

// A key that has failed until its back-off is so long may fail for ever, as a ReplicaSet does whose
// namespace has no room: it is tried again, and no run waits for that (but see sim::LongWaits).
constexpr Duration kRetryWaitedFor = Minutes(5);

}  // namespace

// The queue and its delay task share this: the task may be destroyed after the queue.
struct WorkQueue::Impl : sim::LongWait, std::enable_shared_from_this<WorkQueue::Impl> {
  Impl(sim::Process& p, std::unique_ptr<RateLimiter> l)
      : process(p),
        limiter(std::move(l)),
        added(p.simulation()),
        delayed(p.simulation()),
        drained(p.simulation()) {}

  // Delayed keys, in order of readiness, then of insertion.
  using WaitKey = std::pair<VirtualTime, std::uint64_t>;
  struct Waiting {
    std::string key;
    sim::Origin origin;
    bool background = false;  // no run waits for it
    bool retry = false;       // it has failed
  };

  // A key that waits in `fifo`, is being processed, or both of one after the other.
  struct Item {
    explicit Item(const std::string& k) : key(k) {}
    std::string key;
    sim::Origin origin;  // of the Add that made it dirty
    bool dirty = false;
    bool processing = false;
  };

  void Add(const std::string& key, sim::Origin origin);
  std::string Take();  // the oldest of `fifo`
  void Done(const std::string& key);
  void Queue(Item* item);
  // `added` says whether it is of the background, and a retry.
  void AddAfter(const std::string& key, Duration delay, Waiting added);
  bool BecomeWork(VirtualTime by) override;
  void AddReady();
  void Wait(const WaitKey& place, Waiting entry);
  void Unwait(absl::btree_map<WaitKey, Waiting>::iterator entry);
  void ShutDown();
  static sim::Task<void> DelayLoop(std::shared_ptr<Impl> self);
  // The Origin of what is added now: its cause, and always work.
  sim::Origin WorkOrigin() const { return {process.simulation().CaptureOrigin().cause, false}; }

  sim::Process& process;
  std::unique_ptr<RateLimiter> limiter;
  absl::flat_hash_map<std::string_view, std::unique_ptr<Item>> items;  // looked up only
  sim::Fifo<Item*> fifo;                                               // dirty, not processing
  std::size_t processing = 0;
  absl::btree_map<WaitKey, Waiting> waiting;
  absl::flat_hash_map<std::string, WaitKey> waiting_by_key;
  std::size_t waiting_work = 0;  // of `waiting`: those that are work
  std::uint64_t next_wait = 0;
  sim::Signal added, delayed, drained;
  bool delay_task = false;
  bool shutting_down = false;
  bool draining = false;
};

WorkQueue::WorkQueue(sim::Process& process, std::unique_ptr<RateLimiter> limiter)
    : impl_(std::make_shared<Impl>(process, std::move(limiter))) {
  process.simulation().long_waits().Add(impl_);
}
WorkQueue::~WorkQueue() { ShutDown(); }

void WorkQueue::Impl::Add(const std::string& key, sim::Origin origin) {
  if (shutting_down) return;
  auto it = items.find(key);
  if (it == items.end()) {
    auto item = std::make_unique<Item>(key);
    it = items.emplace(item->key, std::move(item)).first;
  }
  Item& item = *it->second;
  if (std::exchange(item.dirty, true)) return;
  item.origin = origin;
  if (!item.processing) Queue(&item);
}

void WorkQueue::Impl::Queue(Item* item) {
  fifo.Push(item);
  ContextScope scope(process.simulation());
  scope.set_foreground();
  added.Notify();
}

std::string WorkQueue::Impl::Take() {
  Item& item = *fifo.Pop();
  process.simulation().AdoptOrigin(item.origin);
  item.dirty = false;
  item.processing = true;
  ++processing;
  return item.key;
}

void WorkQueue::Impl::Done(const std::string& key) {
  const auto it = items.find(key);
  if (it == items.end() || !it->second->processing) return;
  Item& item = *it->second;
  item.processing = false;
  if (--processing == 0) drained.Notify();
  if (item.dirty) {
    Queue(&item);
  } else {
    items.erase(it);
  }
}

void WorkQueue::Impl::Wait(const WaitKey& place, Waiting entry) {
  if (!entry.background) ++waiting_work;
  waiting_by_key.emplace(entry.key, place);
  waiting.emplace(place, std::move(entry));
}

void WorkQueue::Impl::Unwait(absl::btree_map<WaitKey, Waiting>::iterator entry) {
  if (!entry->second.background) --waiting_work;
  waiting_by_key.erase(entry->second.key);
  waiting.erase(entry);
}

void WorkQueue::Impl::AddAfter(const std::string& key, Duration delay, Waiting added) {
  if (shutting_down) return;
  if (delay <= Duration()) return Add(key, WorkOrigin());
  const bool loop_works = waiting_work > 0;
  VirtualTime ready = process.SteadyNow() + delay;
  added.key = key;
  added.origin = WorkOrigin();
  if (const auto it = waiting_by_key.find(key); it != waiting_by_key.end()) {
    const auto entry = waiting.find(it->second);
    const bool stays = entry->first.first <= ready;
    const Waiting before = entry->second;
    if (stays && (added.background || !before.background)) {
      entry->second.retry |= added.retry;
      return;
    }
    if (stays) {
      ready = entry->first.first;
      added.origin = before.origin;
    }
    added.background = added.background && before.background;
    added.retry = added.retry || before.retry;
    Unwait(entry);
  }
  const WaitKey place(ready, next_wait++);
  Wait(place, std::move(added));
  ContextScope scope(process.simulation());
  scope.set_foreground();
  if (!delay_task) {
    delay_task = true;
    process.Spawn(DelayLoop(shared_from_this()));
  } else if (waiting.begin()->first == place || loop_works != (waiting_work > 0)) {
    delayed.Notify();
  }
}

// A retry that somebody waits for is work.
bool WorkQueue::Impl::BecomeWork(VirtualTime by) {
  bool any = false;
  const VirtualTime ready = process.SteadyNow() + process.TimerOf(by - process.simulation().now());
  for (auto& [place, entry] : waiting) {
    if (place.first > ready) break;
    if (!entry.background || !entry.retry) continue;
    entry.background = false;
    ++waiting_work;
    any = true;
  }
  if (!any) return false;
  ContextScope scope(process.simulation());
  scope.set_foreground();
  delayed.Notify();
  return true;
}

void WorkQueue::Impl::AddReady() {
  const VirtualTime now = process.SteadyNow();
  while (!waiting.empty() && waiting.begin()->first.first <= now) {
    const Waiting ready = waiting.begin()->second;
    Unwait(waiting.begin());
    process.simulation().AdoptOrigin(ready.origin);
    Add(ready.key, ready.origin);
  }
}

sim::Task<void> WorkQueue::Impl::DelayLoop(std::shared_ptr<Impl> self) {
  sim::Simulation& sim = self->process.simulation();
  while (!self->shutting_down) {
    self->AddReady();
    sim.context().background = false;
    if (self->waiting.empty()) {
      co_await self->delayed.Wait();
    } else {
      const Duration left = self->waiting.begin()->first.first - self->process.SteadyNow();
      const sim::TimerKind kind =
          self->waiting_work > 0 ? sim::TimerKind::kWork : sim::TimerKind::kPeriodic;
      co_await self->delayed.WaitFor(left, kind);
    }
  }
}

void WorkQueue::Add(const std::string& key) { impl_->Add(key, impl_->WorkOrigin()); }

void WorkQueue::AddAfter(const std::string& key, Duration delay) {
  impl_->AddAfter(key, delay, Impl::Waiting());
}

void WorkQueue::AddAfterInBackground(const std::string& key, Duration delay) {
  Impl::Waiting added;
  added.background = true;
  impl_->AddAfter(key, delay, std::move(added));
}

void WorkQueue::AddRateLimited(const std::string& key) {
  KSIM_CHECK(impl_->limiter != nullptr) << "a work queue without a rate limiter";
  const Duration delay = impl_->limiter->When(key);
  Impl::Waiting added;
  added.retry = true;
  added.background = delay >= kRetryWaitedFor;
  impl_->AddAfter(key, delay, std::move(added));
}

void WorkQueue::Forget(const std::string& key) {
  if (impl_->limiter) impl_->limiter->Forget(key);
}

int WorkQueue::NumRequeues(const std::string& key) const {
  return impl_->limiter ? impl_->limiter->NumRequeues(key) : 0;
}

sim::Task<std::optional<std::string>> WorkQueue::Get() {
  const std::shared_ptr<Impl> impl = impl_;
  while (impl->fifo.empty() && !impl->shutting_down) co_await impl->added.Wait();
  if (impl->fifo.empty()) co_return std::nullopt;
  co_return impl->Take();
}

sim::Task<std::optional<QueuedRequest>> WorkQueue::Take() {
  std::optional<std::string> key = co_await Get();
  if (!key) co_return std::nullopt;
  co_return QueuedRequest(*std::move(key), 0);
}

void WorkQueue::Done(const std::string& key) { impl_->Done(key); }

void WorkQueue::Impl::ShutDown() {
  if (std::exchange(shutting_down, true)) return;
  waiting.clear();
  waiting_by_key.clear();
  waiting_work = 0;
  added.Notify();
  delayed.Notify();
}

void WorkQueue::ShutDown() {
  impl_->draining = false;
  impl_->drained.Notify();
  impl_->ShutDown();
}

sim::Task<void> WorkQueue::ShutDownWithDrain() {
  const std::shared_ptr<Impl> impl = impl_;
  impl->draining = true;
  impl->ShutDown();
  while (impl->draining && impl->processing > 0) co_await impl->drained.Wait();
}

std::size_t WorkQueue::size() const { return impl_->fifo.size(); }

bool WorkQueue::Has(const std::string& key) const {
  return impl_->items.contains(key) || impl_->waiting_by_key.contains(key);
}

bool WorkQueue::idle() const { return impl_->items.empty() && impl_->waiting.empty(); }

}  // namespace ksim::client
