#include "ksim/kubelet/objects/object_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "ksim/client/cache/delta_queue.h"
#include "ksim/client/cache/reflector.h"
#include "ksim/sim/mailbox.h"

namespace ksim::kubelet {

namespace {

constexpr Duration kLongestWaitForList = Seconds(1);
constexpr Duration kRecyclePeriod = Minutes(1);
constexpr Duration kLongestIdle = Minutes(5);  // five times --sync-frequency
constexpr std::uint32_t kLongWatchSeconds = 30 * 60;

}  // namespace

// The store behind a reflector: one object, or none. It takes every change at once.
struct ObjectCache::Item : client::DeltaQueue {
  Item(ObjectCache& c, std::string n, std::string o)
      : cache(c), ns(std::move(n)), name(std::move(o)), listed(c.process_.simulation()) {}

  bool Add(const api::Object& o, sim::Origin) override { return Put(o); }
  bool Update(const api::Object& o, sim::Origin) override { return Put(o); }
  bool Delete(const api::Object&, sim::Origin) override {
    object = api::Object();
    return true;
  }
  void Bookmark(std::int64_t, sim::Origin) override {}
  bool Replace(std::vector<api::Object> items, std::int64_t, sim::Origin) override {
    synced = true;
    listed.Notify();
    if (!items.empty()) return Put(items.front());
    object = api::Object();
    return true;
  }
  bool Resync(sim::Origin) override { return true; }
  std::unique_ptr<client::Popped> Pop() override { return nullptr; }
  void Processed() override {}
  bool HasSynced() const override { return synced; }
  std::size_t size() const override { return 0; }

  bool Put(const api::Object& o) {
    object = o;
    if (cache.changed_) cache.changed_(ns, name);
    return true;
  }

  ObjectCache& cache;
  std::string ns, name;
  int references = 0;
  bool synced = false, watched = false, immutable = false;
  VirtualTime read;  // last
  api::Object object;
  sim::Signal listed;
  sim::Process::TaskId task;
  std::unique_ptr<client::Reflector> reflector;
};

ObjectCache::ObjectCache(sim::Process& process, client::Client& client,
                         const api::ResourceInfo& resource, const Profile& profile, Changed changed)
    : process_(process),
      client_(client),
      resource_(resource),
      profile_(profile),
      changed_(std::move(changed)),
      started_(process.SteadyNow()) {}

ObjectCache::~ObjectCache() = default;

// The task owns what it works on: it ends after the step that cancels it.
sim::Task<void> ObjectCache::RunReflector(std::shared_ptr<Item> item) {
  co_await item->reflector->Run();
}

void ObjectCache::Watch(const std::shared_ptr<Item>& item) {
  if (item->watched || item->immutable) return;
  item->watched = true;
  item->read = process_.SteadyNow();
  if (item->reflector == nullptr) {
    client::ReflectorOptions options;
    options.ns = item->ns;
    options.field_selector = "metadata.name=" + item->name;
    if (profile_.long_object_watches) options.min_watch_timeout_seconds = kLongWatchSeconds;
    const std::string& resource = client_.connection().env().NameOf(resource_);
    item->reflector = std::make_unique<client::Reflector>(
        client_, &resource_, *item,
        fmt::format("{} {}/{}/{}", process_.name(), resource, item->ns, item->name), options);
  }
  item->task = process_.Spawn(RunReflector(item));
  if (recycles_) return;
  recycles_ = true;
  process_.Spawn(RecycleIdleWatches(), {}, true);
}

// The next read of an immutable object has what is there; that of any other waits for a list.
void ObjectCache::Stop(Item& item) {
  if (!item.watched) return;
  item.watched = false;
  if (!item.immutable) item.synced = false;
  process_.Cancel(item.task);
}

void ObjectCache::AddReference(const std::string& ns, const std::string& name) {
  std::shared_ptr<Item>& item = items_[{ns, name}];
  if (item == nullptr) {
    item = std::make_shared<Item>(*this, ns, name);
    Watch(item);
  }
  ++item->references;
}

void ObjectCache::DeleteReference(const std::string& ns, const std::string& name) {
  const auto it = items_.find({ns, name});
  if (it == items_.end() || --it->second->references > 0) return;
  Stop(*it->second);
  items_.erase(it);
}

sim::Task<Lookup> ObjectCache::Get(std::string ns, std::string name) {
  Lookup out;
  const auto it = items_.find({ns, name});
  if (it == items_.end()) {
    out.error = fmt::format("object \"{}\"/\"{}\" not registered", ns, name);
    co_return out;
  }
  const std::shared_ptr<Item> item = it->second;

  // 1. Wait for its list.
  item->read = process_.SteadyNow();
  Watch(item);
  const VirtualTime until = process_.SteadyNow() + kLongestWaitForList;
  while (!item->synced && process_.SteadyNow() < until) {
    const Duration left = until - process_.SteadyNow();
    co_await item->listed.WaitFor(left, sim::TimerKind::kWork);
  }

  // 2. Answer.
  if (!item->synced) {
    out.error = fmt::format("failed to sync {} cache: timed out waiting for the condition",
                            resource_.singular);
  } else if (item->object.empty()) {
    out.not_found = true;
    out.error = fmt::format("{} \"{}\" not found", resource_.singular, name);
  } else {
    out.object = item->object;
    item->immutable = item->object.tree().Get("immutable").AsBool();
    if (item->immutable) Stop(*item);
  }
  co_return out;
}

// startRecycleIdleWatch. Nothing ticks where nothing is watched.
sim::Task<void> ObjectCache::RecycleIdleWatches() {
  for (;;) {
    const std::int64_t period = kRecyclePeriod.ns();
    const std::int64_t age = (process_.SteadyNow() - started_).ns();
    co_await process_.simulation().Sleep(Duration(period - age % period), sim::TimerKind::kPeriodic,
                                         "idle object watches");
    bool any = false;
    for (const auto& [key, item] : items_) {
      if (item->synced && process_.SteadyNow() > item->read + kLongestIdle) Stop(*item);
      any = any || item->watched;
    }
    if (any) continue;
    recycles_ = false;
    co_return;
  }
}

}  // namespace ksim::kubelet
