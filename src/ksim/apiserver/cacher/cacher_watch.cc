// Part of cacher.h: watches served from the watch cache, and their bookmarks.
#include <algorithm>
#include <utility>

#include "ksim/apiserver/cacher/cacher.h"
#include "ksim/sim/probe.h"

namespace ksim::apiserver {

// Returns the revision that the watch starts from: the one of the request; the store's own for a
// watch-list without one; 0 for any (cacher.go getWatchCacheResourceVersion).
sim::Task<api::Result<std::int64_t>> Cacher::RequiredRevision(const WatchQuery& query) {
  if (!query.resource_version.empty()) co_return query.revision;
  if (!query.send_initial) co_return std::int64_t{0};
  co_return co_await storage_.CurrentRevision();
}

sim::Task<void> Cacher::Watch(WatchQuery query, std::shared_ptr<ServedWatch> stream) {
  // Waits until the cache is ready and as fresh as the watch demands.
  if (!ready_.ready() && profile_.resilient_cache_init) {
    stream->Refuse(ready_.NotReady());
    co_return;
  }
  const bool ready = co_await ready_.WaitUntil(query.deadline);
  if (!ready) {
    KSIM_PROBE("apiserver/watch-cache-never-ready");
    stream->AdoptRequestContext();
    stream->Refuse(api::ServiceUnavailable("context deadline exceeded"));
    co_return;
  }
  const std::uint64_t generation = ready_.generation();
  const std::size_t queue =
      cache_.history().ChannelSize(cache_.has_node_index(), query.predicate.node_name() != nullptr);
  const api::Result<std::int64_t> required = co_await RequiredRevision(query);
  api::Status error;
  if (!required.ok()) error = required.status();
  if (required.ok() && query.wants_state()) error = co_await WaitUntilFresh(*required);
  if (stream->closed()) co_return;
  // Answers 200 and finds the initial events; an error from here on is an event of the watch.
  stream->Accept(api::Response::From::kCache);
  auto watcher = std::make_unique<CacheWatcher>(*stream, query.predicate, queue, query.bookmarks,
                                                query.deadline, variants_);
  const bool same_generation =
      keeps_watchers() || (ready_.ready() && ready_.generation() == generation);
  api::Result<WatchInterval> initial = WatchInterval();
  if (!error.ok()) {
    initial = error;
  } else if (same_generation || !profile_.watch_ends_with_generation) {
    initial = InitialEvents(query, *required, *watcher);
  }
  if (!initial.ok()) {
    stream->SendError(initial.status());
    stream->Close(api::StreamEnd::kEof, "error");
    co_return;
  }
  if (!same_generation && profile_.watch_ends_with_generation) {
    KSIM_PROBE("apiserver/watch-across-cacher-generations");
    stream->Close(api::StreamEnd::kEof, "reinit");
    co_return;
  }
  // Sends the initial events, then joins the watchers of live events and of bookmarks.
  watcher->SendInitialEvents(*std::move(initial));
  CacheWatcher& added = *watcher;
  dispatcher_.Add(std::move(watcher));
  if (!query.bookmarks) co_return;
  if (query.is_watch_list()) {
    added.AwaitBookmark(*required == 0 ? cache_.revision() : *required);
  }
  ScheduleBookmark(added);
}

// Returns the events that the client receives before live ones: the state, or the changes since its
// revision.
api::Result<WatchInterval> Cacher::InitialEvents(const WatchQuery& query, std::int64_t required,
                                                 CacheWatcher& watcher) {
  watcher.RaiseThreshold(required);
  const bool legacy_state = required == 0 && !query.send_initial;
  if (query.wants_state() || legacy_state) return InitialState(query, watcher);
  const std::int64_t from = required == 0 ? cache_.revision() : required;
  watcher.RaiseThreshold(from);
  const WatchCacheHistory& history = cache_.history();
  const api::Result<std::size_t> first =
      history.After(from, cache_.list_revision(),
                    variants_.watchcache_oldest == api::Variants::OldestRV::kListRV);
  if (!first.ok()) return first.status();
  if (history.size() > *first) watcher.RaiseThreshold(history.at(history.size() - 1).revision);
  // A change is work if it was when it came, though a watch that is opened anew is none.
  for (std::size_t i = *first; i < history.size(); ++i)
    if (!history.at(i).origin.background) sim_.context().background = false;
  return WatchInterval::OfHistory(history, history.start() + *first);
}

WatchInterval Cacher::InitialState(const WatchQuery& query, CacheWatcher& watcher) {
  const Predicate& p = query.predicate;
  std::vector<api::Object> objects;
  const std::string key = p.SingleKey();
  if (!key.empty()) {
    if (const api::Object* found = cache_.Find(key)) objects.push_back(*found);
  } else if (p.node_name() != nullptr && cache_.has_node_index()) {
    objects = cache_.ListOnNode(*p.node_name(), p.KeyPrefix());
  } else {
    objects = cache_.List(p.KeyPrefix(), "");
  }
  // 1.25 does not remember the revision of the state, only those of the objects in it.
  if (profile_.state_has_revision) {
    watcher.RaiseThreshold(cache_.revision());
  } else {
    const std::vector<api::Object> all = key.empty() ? cache_.List("", "") : objects;
    for (const api::Object& object : all) watcher.RaiseThreshold(object.resource_version());
  }
  std::optional<std::int64_t> end;
  if (query.is_watch_list()) end = cache_.revision();
  return WatchInterval::OfState(p.resource(), std::move(objects), end,
                                sim::Origin{watcher.stream().cause(), false});
}

void Cacher::Forget(std::uint64_t stream) { dispatcher_.Forget(stream); }

void Cacher::ScheduleBookmark(CacheWatcher& watcher) {
  const std::optional<VirtualTime> due = watcher.NextBookmark(process_.SteadyNow());
  if (!due) return;
  bookmarks_.Add(watcher.id(), *due);
  const VirtualTime tick = std::max(*due, process_.SteadyNow()) + tick_jitter_;
  if (tick >= next_tick_) return;
  next_tick_ = tick;
  tick_changed_.Notify();
}

// Upstream ticks every 1 to 1.25 s and finds nothing due most of the time. This loop wakes only for
// ticks at which a bookmark is due: each up to 1.25 s after the bucket begins, as upstream's.
sim::Task<void> Cacher::BookmarkLoop() {
  while (true) {
    tick_jitter_ =
        sim_.decisions().DrawDuration(tick_site_, ticks_++, Duration(), Milliseconds(1250));
    const std::optional<VirtualTime> due = bookmarks_.NextDue();
    if (due) next_tick_ = std::max(*due, process_.SteadyNow()) + tick_jitter_;
    while (next_tick_ == VirtualTime::Max()) co_await tick_changed_.Wait();
    while (process_.SteadyNow() < next_tick_) {
      co_await tick_changed_.WaitFor(next_tick_ - process_.SteadyNow(), sim::TimerKind::kPeriodic);
    }
    while (dispatcher_.blocked()) co_await dispatcher_.WaitForAdvance();
    next_tick_ = VirtualTime::Max();
    OfferBookmarks();
  }
}

// Returns the bookmark of the revision. The last one is kept: while the resource does not change,
// all watchers receive the same bookmark again and again.
const ConvertedEvent::Body& Cacher::BookmarkAt(std::int64_t revision) {
  if (bookmark_ == nullptr || bookmark_->rv() != revision)
    bookmark_ = EventBody::Bookmark(storage_.resource(), revision, false);
  return bookmark_;
}

void Cacher::OfferBookmarks() {
  const std::vector<std::uint64_t> due = bookmarks_.TakeDue(process_.SteadyNow());
  // Before the first change or progress an older dispatcher has no revision for bookmarks; 1.25
  // then forgets the watchers that were due.
  const bool silent = dispatcher_.last_dispatched() == 0;
  if (silent && !profile_.silent_tick_keeps_watchers) return;
  for (const std::uint64_t id : due) {
    CacheWatcher* const watcher = dispatcher_.Find(id);
    if (watcher == nullptr || !watcher->bookmarks() || watcher->stream().closed()) continue;
    if (!silent) watcher->OfferBookmark(BookmarkAt(dispatcher_.last_dispatched()));
    ScheduleBookmark(*watcher);
  }
}

}  // namespace ksim::apiserver
