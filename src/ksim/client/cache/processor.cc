#include "ksim/client/cache/processor.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "ksim/client/core/part_name.h"

namespace ksim::client {
namespace {

constexpr std::size_t kStepsForAQueue = 256;
constexpr Duration kPauseAfterPanic = Seconds(1);

}  // namespace

std::size_t StepShare(std::size_t waiting) {
  return std::max<std::size_t>(1, waiting / kStepsForAQueue);
}

Duration DetermineResyncPeriod(Duration desired, Duration check_period) {
  if (desired <= Duration() || check_period <= Duration()) return {};
  return std::max(desired, check_period);
}

ProcessorListener::ProcessorListener(sim::Process& process, SharedText informer,
                                     const api::ResourceInfo* resource, sim::ActorId actor,
                                     ResourceEventHandler* handler, Duration requested,
                                     Duration period, HandlerFaults* faults, PanicPolicy panics)
    : process_(process),
      informer_(std::move(informer)),
      resource_(resource),
      actor_(actor),
      handler_(handler),
      faults_(faults),
      panics_(panics),
      requested_(requested),
      period_(period),
      next_resync_(process.SteadyNow() + period),
      queued_(process.simulation()) {
  if (faults_ != nullptr) faults_->listens = true;
}

std::string ProcessorListener::part() const { return PartName(process_, actor_); }

void ProcessorListener::Remove() {
  removed_ = true;
  queue_.clear();
  pending_initial_ = 0;
  queued_.Notify();
}

void ProcessorListener::Add(Notification&& n) {
  if (removed_) return;
  if (n.initial) ++pending_initial_;
  queue_.Push(std::move(n));
  if (queue_.size() == 1) queued_.Notify();
}

sim::Task<void> ProcessorListener::Run(std::shared_ptr<ProcessorListener> self) {
  sim::Simulation& sim = process_.simulation();
  while (!self->removed_) {
    while (faults_ != nullptr && faults_->gate.closed()) co_await faults_->gate.Opened();
    std::size_t share = StepShare(queue_.size());
    // A slow call has its effect when it returns.
    const Duration takes = NextTakes();
    if (takes > Duration()) {
      const bool background = queue_[0].origin.background;
      const auto kind = background ? sim::TimerKind::kPeriodic : sim::TimerKind::kWork;
      co_await sim.Spend(takes, kind, "slow handler");
      share = 1;
    }
    for (; share > 0 && !queue_.empty(); --share) {
      if (!Call(queue_.Pop())) co_await PauseAfterPanic();
    }
    if (removed_) co_return;
    if (queue_.empty()) {
      co_await queued_.Wait();
    } else {
      co_await sim.Sleep(Duration(), sim::TimerKind::kWork, "handler queue");
    }
  }
}

Duration ProcessorListener::NextTakes() const {
  const bool slow = faults_ != nullptr && !faults_->slow.empty() && !queue_.empty();
  return slow ? *faults_->slow.rbegin() : Duration();
}

sim::Task<void> ProcessorListener::PauseAfterPanic() {
  while (panics_.pause_before_next && queue_.empty() && !removed_) co_await queued_.Wait();
  co_await process_.simulation().Sleep(kPauseAfterPanic, sim::TimerKind::kWork, "handler panic");
}

bool ProcessorListener::Call(Notification&& n) {
  sim::Simulation& sim = process_.simulation();
  sim.AdoptOrigin(n.origin);
  auto* payload = new HandlerPayload;
  payload->informer = informer_;
  payload->listener = actor_;
  payload->type = n.call;
  payload->resource = resource_;
  payload->object = std::move(n.object);
  payload->old_object = std::move(n.old_object);
  payload->initial = n.initial;
  payload->tombstone = n.tombstone;
  sim::EventInfo info;
  info.kind = sim::EventKind::kHandler;
  info.object = payload->object.KeyHash(*resource_);
  info.revision = payload->object.resource_version();
  const sim::PayloadRef told(payload);
  sim.context().cause = sim.EmitAs(actor_, n.origin.cause, info, told);
  if (!panics_.recover) {
    CallHandler(*payload);
    return true;
  }
  try {
    CallHandler(*payload);
  } catch (const std::exception&) {
    return false;
  }
  return true;
}

void ProcessorListener::CallHandler(const HandlerPayload& n) {
  if (n.type == HandlerCall::kAdd) {
    handler_->OnAdd(n.object, n.initial);
  } else if (n.type == HandlerCall::kUpdate) {
    handler_->OnUpdate(n.old_object, n.object);
  } else {
    Deleted deleted;
    deleted.object = n.object;
    deleted.tombstone = n.tombstone;
    handler_->OnDelete(deleted);
  }
  // A call that threw counts for nothing: its handler never counts as synced.
  if (n.initial && pending_initial_ > 0) --pending_initial_;
}

Processor::~Processor() {
  for (const Listener& l : listeners_) {
    if (l) l->Remove();
  }
}

int Processor::Register(Listener listener) {
  listeners_.push_back(std::move(listener));
  if (started_) Spawn(listeners_.back());
  return static_cast<int>(listeners_.size()) - 1;
}

void Processor::Remove(int registration) {
  if (registration < 0 || registration >= static_cast<int>(listeners_.size())) return;
  if (const Listener l = std::exchange(listeners_[registration], nullptr)) l->Remove();
}

const ProcessorListener* Processor::Find(int registration) const {
  if (registration < 0 || registration >= static_cast<int>(listeners_.size())) return nullptr;
  return listeners_[registration].get();
}

void Processor::Start() {
  started_ = true;
  for (const Listener& l : listeners_) {
    if (l) Spawn(l);
  }
}

void Processor::Spawn(const Listener& listener) {
  process_.Spawn(listener->Run(listener), listener->part());
}

// All get a copy but the last, who gets `n` itself: most informers have one listener.
void Processor::Distribute(Notification&& n, bool sync) {
  ProcessorListener* last = nullptr;
  for (const Listener& l : listeners_) {
    if (!l || (sync && !l->syncing)) continue;
    if (last != nullptr) last->Add(Notification(n));
    last = l.get();
  }
  if (last != nullptr) last->Add(std::move(n));
}

bool Processor::ShouldResync(VirtualTime now) {
  bool any = false;
  for (const Listener& l : listeners_) {
    if (!l) continue;
    l->syncing = l->Due(now);
    if (!l->syncing) continue;
    any = true;
    l->Reschedule(now);
  }
  return any;
}

void Processor::ResyncCheckPeriodChanged(Duration check_period) {
  for (const Listener& l : listeners_) {
    if (l) l->set_period(DetermineResyncPeriod(l->requested_period(), check_period));
  }
}

std::size_t Processor::waiting() const {
  std::size_t n = 0;
  for (const Listener& l : listeners_) {
    if (l) n += l->size();
  }
  return n;
}

}  // namespace ksim::client
