#include "ksim/client/cache/shared_informer.h"

#include <algorithm>
#include <utility>

#include "ksim/base/check.h"
#include "ksim/client/core/items_hash.h"
#include "ksim/client/rest/link.h"

namespace ksim::client {
namespace {

constexpr Duration kMinimumResyncPeriod = Seconds(1);

}  // namespace

SharedIndexInformer::SharedIndexInformer(Client& client, const api::ResourceInfo* resource,
                                         InformerOptions options, Duration resync)
    : connection_(client.connection()),
      env_(client.connection().env()),
      process_(client.connection().process()),
      faults_(client.connection().env().faults),
      resource_(resource),
      name_(process_.name() + " " + client.connection().env().NameOf(*resource)),
      profile_(ProfileOf(client.connection().compat())),
      default_resync_(resync),
      check_period_(resync),
      indexer_(*resource, profile_.real_fifo && client.connection().variants().realfifo_replace ==
                                                    api::Variants::FifoEntries::kAtomic),
      queue_(MakeDeltaQueue(profile_, client.connection().variants(), &indexer_)),
      queued_(process_.simulation()),
      processor_(process_),
      reflector_(client, resource, *queue_, name_, MakeReflectorOptions(options)) {
  queue_->OnQueued([this] { queued_.Notify(); });
  reflector_.OnReplaced([this](std::int64_t rv) {
    if (queue_->size() == 0) drained_rv_ = rv;  // a list of nothing
    relists_.push_back(Relist{queue_->size(), rv, process_.simulation().context().cause});
    FinishRelists();
  });
}

SharedIndexInformer::~SharedIndexInformer() = default;

ReflectorOptions SharedIndexInformer::MakeReflectorOptions(const InformerOptions& options) {
  ReflectorOptions out;
  out.ns = options.ns;
  out.field_selector = options.field_selector;
  out.label_selector = options.label_selector;
  out.first_list = options.first_list;
  if (profile_.min_watch_timeout) out.min_watch_timeout_seconds = options.min_watch_timeout_seconds;
  out.should_resync = [this] { return processor_.ShouldResync(process_.SteadyNow()); };
  return out;
}

void SharedIndexInformer::Start() {
  if (started_) return;
  started_ = true;
  reflector_.set_resync_period(check_period_);
  processor_.Start();
  process_.Spawn(ProcessLoop());
  process_.Spawn(reflector_.Run());
}

int SharedIndexInformer::AddHandler(sim::ActorId listener, ResourceEventHandler* handler,
                                    Duration resync) {
  Duration period = resync == Duration() ? default_resync_ : std::max(resync, Duration());
  if (period > Duration()) {
    if (period < kMinimumResyncPeriod) SayPeriod(CacheMoment::Kind::kPeriodTooSmall, period);
    period = std::max(period, kMinimumResyncPeriod);
    if (period < check_period_) {
      if (started_) {
        SayPeriod(CacheMoment::Kind::kPeriodRaised, period);
        period = check_period_;
      } else {
        check_period_ = period;
        processor_.ResyncCheckPeriodChanged(check_period_);
      }
    }
  }
  auto entry = std::make_shared<ProcessorListener>(
      process_, name_, resource_, listener, handler, period,
      DetermineResyncPeriod(period, check_period_), HandlersOf(listener), Panics());
  const int registration = processor_.Register(entry);
  if (!started_) return registration;
  for (const api::Object& object : indexer_.List("")) {
    Notification n;
    n.object = object;
    n.initial = profile_.initial_list_flag;
    n.origin = process_.simulation().CaptureOrigin();
    entry->Add(std::move(n));
  }
  return registration;
}

void SharedIndexInformer::LogTo(CacheLog* log) {
  log_ = log;
  reflector_.LogTo(log);
  connection_.link()->cache_waits().LogTo(log);
}

void SharedIndexInformer::SayPeriod(CacheMoment::Kind what, Duration period) {
  if (log_ == nullptr) return;
  CacheMoment moment(what, resource_);
  moment.period = period;
  moment.least = what == CacheMoment::Kind::kPeriodTooSmall ? kMinimumResyncPeriod : check_period_;
  log_->Hear(moment);
}

// A handler of the process itself is stalled together with the queue in front of the cache.
HandlerFaults* SharedIndexInformer::HandlersOf(sim::ActorId actor) const {
  return faults_ == nullptr ? nullptr : &faults_->HandlersOf(actor.name(), resource_);
}

PanicPolicy SharedIndexInformer::Panics() const {
  PanicPolicy policy;
  policy.recover = env_.recover_panics;
  policy.pause_before_next = profile_.pause_before_next;
  return policy;
}

void SharedIndexInformer::RemoveHandler(int registration) {
  KSIM_CHECK(profile_.remove_handlers) << "client-go 0.25 cannot remove a handler";
  processor_.Remove(registration);
}

void SharedIndexInformer::SetTransform(TransformFunc transform) {
  KSIM_CHECK(!started_) << "informer has already started";
  if (profile_.transform_when_queued) {
    queue_->set_transform(std::move(transform));
  } else {
    late_transform_ = std::move(transform);
  }
}

void SharedIndexInformer::AddIndex(std::string name, IndexFunc function) {
  KSIM_CHECK(profile_.late_indexes || (!started_ && indexer_.size() == 0))
      << "client-go 0.25 refuses an index on a running informer: " << name;
  indexer_.AddIndex(std::move(name), std::move(function));
}

bool SharedIndexInformer::HasSynced(int registration) const {
  if (!HasSynced()) return false;
  if (!profile_.initial_list_flag) return true;
  const ProcessorListener* listener = processor_.Find(registration);
  return listener != nullptr && listener->pending_initial() == 0;
}

sim::Task<void> SharedIndexInformer::ProcessLoop() {
  sim::Simulation& sim = process_.simulation();
  HandlerFaults* const faults = HandlersOf(process_.actor());
  for (;;) {
    while (faults != nullptr && faults->gate.closed()) co_await faults->gate.Opened();
    for (std::size_t share = StepShare(queue_->size()); share > 0; --share) {
      std::unique_ptr<Popped> popped = queue_->Pop();
      if (popped == nullptr) break;
      Process(*popped);
      queue_->Processed();
      queue_->Reuse(std::move(popped));
      if (!relists_.empty()) {
        for (Relist& r : relists_) --r.entries_left;
        FinishRelists();
      }
    }
    if (queue_->size() == 0) {
      drained_rv_ = ReflectorVersion();
      co_await queued_.Wait();
    } else {
      co_await sim.Sleep(Duration(), sim::TimerKind::kWork, "delta queue");
    }
  }
}

void SharedIndexInformer::Process(const Popped& popped) {
  sim::Simulation& sim = process_.simulation();
  switch (popped.kind) {
    case Popped::Kind::kDeltas:
      return ProcessDeltas(popped);
    case Popped::Kind::kReplacedAll:
      sim.AdoptOrigin(popped.origin);
      return ProcessReplacedAll(popped);
    case Popped::Kind::kSyncAll:
      sim.AdoptOrigin(popped.origin);
      return ProcessSyncAll(popped);
    case Popped::Kind::kBookmark:
      sim.AdoptOrigin(popped.origin);
      return indexer_.set_resource_version(popped.resource_version);
  }
}

// A delta whose transform fails takes those behind it with it (1.25).
void SharedIndexInformer::ProcessDeltas(const Popped& popped) {
  for (const Delta& delta : popped.deltas) {
    process_.simulation().AdoptOrigin(delta.origin);
    if (!late_transform_) {
      ProcessDelta(delta, popped.is_in_initial_list);
      continue;
    }
    Delta changed = delta;
    if (!Transformed(late_transform_, delta.tombstone, &changed.object)) return;
    ProcessDelta(changed, popped.is_in_initial_list);
  }
}

void SharedIndexInformer::ProcessDelta(const Delta& delta, bool initial) {
  if (delta.type == DeltaType::kDeleted) {
    indexer_.Erase(delta.object);
    if (!delta.tombstone) indexer_.set_resource_version(delta.object.resource_version());
    NotifyDelete(delta.object, delta.tombstone, delta.origin);
    return;
  }
  const api::Object old = indexer_.Put(delta.object);
  NotifyPut(old, delta.object, delta.origin, initial);
}

// The cache is swapped first; then deletions are told, in key order, then the rest in list order.
void SharedIndexInformer::ProcessReplacedAll(const Popped& popped) {
  KeySet<const api::Object*> listed(popped.objects.size(), HashOfKey(*resource_));
  std::vector<api::Object> before;
  before.reserve(popped.objects.size());
  for (const api::Object& object : popped.objects) {
    before.push_back(indexer_.Find(object));
    listed.insert(&object);
  }
  std::vector<api::Object> gone;
  for (const api::Object& object : indexer_.List("")) {
    if (!listed.contains(object)) gone.push_back(object);
  }
  indexer_.Replace(popped.objects, popped.resource_version);
  for (const api::Object& object : gone) NotifyDelete(object, true, popped.origin);
  for (std::size_t i = 0; i < popped.objects.size(); ++i) {
    NotifyPut(before[i], popped.objects[i], popped.origin, popped.is_in_initial_list);
  }
}

void SharedIndexInformer::ProcessSyncAll(const Popped& popped) {
  for (const api::Object& object : indexer_.List("")) {
    NotifyPut(object, object, popped.origin, false);
  }
}

void SharedIndexInformer::NotifyPut(const api::Object& old, const api::Object& object,
                                    sim::Origin origin, bool initial) {
  Notification n;
  n.object = object;
  n.origin = origin;
  if (old.empty()) {
    n.initial = initial && profile_.initial_list_flag;
    processor_.Distribute(std::move(n), false);
    return;
  }
  n.call = HandlerCall::kUpdate;
  n.old_object = old;
  processor_.Distribute(std::move(n), old.resource_version() == object.resource_version());
}

void SharedIndexInformer::NotifyDelete(const api::Object& object, bool tombstone,
                                       sim::Origin origin) {
  Notification n;
  n.call = HandlerCall::kDelete;
  n.object = object;
  n.tombstone = tombstone;
  n.origin = origin;
  processor_.Distribute(std::move(n), false);
}

void SharedIndexInformer::FinishRelists() {
  while (!relists_.empty() && relists_.front().entries_left == 0) {
    const Relist done = relists_.front();
    relists_.erase(relists_.begin());
    EmitCacheAt(queue_->size() == 0 ? CacheResourceVersion() : done.rv, done.cause);
  }
}

std::int64_t SharedIndexInformer::ReflectorVersion() const {
  return reflector_.last_sync_version().value_or(0);
}

std::int64_t SharedIndexInformer::CacheResourceVersion() const {
  const std::int64_t last = ReflectorVersion();
  return queue_->size() > 0 || last == 0 ? indexer_.resource_version() : last;
}

std::int64_t SharedIndexInformer::applied_resource_version() const {
  if (profile_.real_fifo) return indexer_.last_synced_resource_version();
  return queue_->size() > 0 ? drained_rv_ : ReflectorVersion();
}

void SharedIndexInformer::EmitCacheAt(std::int64_t rv, std::uint64_t cause) {
  const std::vector<api::Object> items = indexer_.List("");
  auto* payload = new CachePayload;
  payload->informer = name_;
  payload->rv = rv;
  payload->items = items.size();
  payload->items_hash = ItemsHash(items);
  sim::EventInfo info;
  info.kind = sim::EventKind::kCache;
  info.revision = payload->rv;
  process_.simulation().EmitAs(process_.actor(), cause, info, sim::PayloadRef(payload));
}

}  // namespace ksim::client
