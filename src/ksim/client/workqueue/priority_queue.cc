#include "ksim/client/priority_queue.h"

#include <optional>
#include <tuple>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ksim/client/core/context_scope.h"
#include "ksim/client/workqueue/rate_limiters.h"
#include "ksim/sim/mailbox.h"

namespace ksim::client {
namespace {

constexpr Duration kBaseDelay = Milliseconds(5);
constexpr Duration kMaxDelay = Seconds(1000);

struct Item {
  int priority = 0;
  std::uint64_t order = 0;                   // of arrival, or of becoming ready
  std::optional<VirtualTime> ready_at = {};  // nullopt: ready
  sim::Origin origin;
};

}  // namespace

// The queue and its delay task share this: the task may be destroyed after the queue.
struct PriorityQueue::Impl : std::enable_shared_from_this<PriorityQueue::Impl> {
  Impl(sim::Process& p, std::unique_ptr<RateLimiter> l)
      : process(p), limiter(std::move(l)), added(p.simulation()), delayed(p.simulation()) {}

  // Urgent first, then in order; delayed ones by time.
  using ReadyKey = std::tuple<int, std::uint64_t, std::string>;
  using WaitKey = std::tuple<VirtualTime, std::uint64_t, std::string>;

  void Add(const std::string& key, int priority, std::optional<VirtualTime> ready_at);
  void Insert(const std::string& key, const Item& item);
  void Remove(const std::string& key, const Item& item);
  void MoveReady();
  void Notify(sim::Signal& signal);
  void ShutDown();
  static sim::Task<void> DelayLoop(std::shared_ptr<Impl> self);
  const std::string* NextReady() const;

  sim::Process& process;
  std::unique_ptr<RateLimiter> limiter;
  absl::flat_hash_map<std::string, Item> items;  // looked up only, as is `processing`
  absl::btree_set<ReadyKey> ready;
  absl::btree_set<WaitKey> waiting;
  absl::flat_hash_set<std::string> processing;
  std::uint64_t next_order = 0;
  sim::Signal added, delayed;
  bool delay_task = false;
  bool shut_down = false;
};

std::unique_ptr<RateLimiter> PriorityQueueRateLimiter() {
  return std::make_unique<ItemExponentialFailureRateLimiter>(kBaseDelay, kMaxDelay);
}

PriorityQueue::PriorityQueue(sim::Process& process, std::unique_ptr<RateLimiter> limiter)
    : impl_(std::make_shared<Impl>(process, std::move(limiter))) {}
PriorityQueue::~PriorityQueue() { ShutDown(); }

void PriorityQueue::Impl::Insert(const std::string& key, const Item& item) {
  if (item.ready_at) {
    waiting.emplace(*item.ready_at, item.order, key);
  } else {
    ready.emplace(-item.priority, item.order, key);
  }
}

void PriorityQueue::Impl::Remove(const std::string& key, const Item& item) {
  if (item.ready_at) {
    waiting.erase(WaitKey(*item.ready_at, item.order, key));
  } else {
    ready.erase(ReadyKey(-item.priority, item.order, key));
  }
}

// lockedAddWithOpts.
void PriorityQueue::Impl::Add(const std::string& key, int priority,
                              std::optional<VirtualTime> ready_at) {
  if (shut_down) return;
  const auto [at, is_new] = items.try_emplace(key);
  Item& item = at->second;
  if (is_new) {
    item.priority = priority;
    item.order = next_order++;
    item.ready_at = ready_at;
    item.origin = {process.simulation().CaptureOrigin().cause, false};
  } else {
    Remove(key, item);
    if (!ready_at || !item.ready_at) {
      item.ready_at.reset();
    } else {
      item.ready_at = std::min(*item.ready_at, *ready_at);
    }
    if (priority > item.priority) {
      item.priority = priority;
      item.order = next_order++;
    }
  }
  Insert(key, item);
  if (!item.ready_at) return Notify(added);
  if (!std::exchange(delay_task, true)) {
    ContextScope scope(process.simulation());
    scope.set_foreground();
    process.Spawn(DelayLoop(shared_from_this()));
  } else {
    Notify(delayed);
  }
}

void PriorityQueue::Impl::Notify(sim::Signal& signal) {
  ContextScope scope(process.simulation());
  scope.set_foreground();
  signal.Notify();
}

// handleWaitingItems: what has become ready stands behind what was.
void PriorityQueue::Impl::MoveReady() {
  const VirtualTime now = process.SteadyNow();
  while (!waiting.empty() && std::get<VirtualTime>(*waiting.begin()) <= now) {
    const std::string key = std::get<std::string>(*waiting.begin());
    waiting.erase(waiting.begin());
    Item& item = items.at(key);
    item.ready_at.reset();
    item.order = next_order++;
    Insert(key, item);
    process.simulation().AdoptOrigin(item.origin);
    Notify(added);
  }
}

sim::Task<void> PriorityQueue::Impl::DelayLoop(std::shared_ptr<Impl> self) {
  sim::Simulation& sim = self->process.simulation();
  while (!self->shut_down) {
    self->MoveReady();
    sim.context().background = false;
    if (self->waiting.empty()) {
      co_await self->delayed.Wait();
    } else {
      const Duration left =
          std::get<VirtualTime>(*self->waiting.begin()) - self->process.SteadyNow();
      co_await self->delayed.WaitFor(left, sim::TimerKind::kWork);
    }
  }
}

// The first that nobody works on; null if there is none.
const std::string* PriorityQueue::Impl::NextReady() const {
  for (const ReadyKey& key : ready)
    if (!processing.contains(std::get<std::string>(key))) return &std::get<std::string>(key);
  return nullptr;
}

void PriorityQueue::Add(const std::string& key, int priority) {
  impl_->Add(key, priority, std::nullopt);
}

void PriorityQueue::AddAfter(const std::string& key, int priority, Duration delay) {
  if (delay <= Duration()) return Add(key, priority);
  impl_->Add(key, priority, impl_->process.SteadyNow() + delay);
}

void PriorityQueue::AddRateLimited(const std::string& key, int priority) {
  if (!impl_->shut_down) AddAfter(key, priority, impl_->limiter->When(key));
}

void PriorityQueue::Forget(const std::string& key) { impl_->limiter->Forget(key); }

sim::Task<std::optional<QueuedRequest>> PriorityQueue::Take() {
  const std::shared_ptr<Impl> impl = impl_;
  const std::string* next = impl->NextReady();
  while (next == nullptr && !impl->shut_down) {
    co_await impl->added.Wait();
    next = impl->NextReady();
  }
  if (impl->shut_down) co_return std::nullopt;
  const auto at = impl->items.find(*next);
  QueuedRequest taken(at->first, at->second.priority);
  impl->process.simulation().AdoptOrigin(at->second.origin);
  impl->Remove(taken.key, at->second);
  impl->items.erase(at);
  impl->processing.insert(taken.key);
  co_return taken;
}

void PriorityQueue::Done(const std::string& key) {
  impl_->processing.erase(key);
  if (impl_->items.contains(key)) impl_->Notify(impl_->added);
}

void PriorityQueue::Impl::ShutDown() {
  if (std::exchange(shut_down, true)) return;
  added.Notify();
  delayed.Notify();
}

void PriorityQueue::ShutDown() { impl_->ShutDown(); }

std::size_t PriorityQueue::size() const { return impl_->items.size(); }

}  // namespace ksim::client
