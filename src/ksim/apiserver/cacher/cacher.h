// Cacher: serves reads and watches of one resource from memory. It lists and watches etcd, keeps
// the result in a WatchCache, and dispatches every change to the watchers that it concerns. When it
// loses the storage watch for good, it lists again and ends its watches.
//
// Source: apiserver pkg/storage/cacher/cacher.go, client-go tools/cache/reflector.go.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ksim/api/variants.h"
#include "ksim/apiserver/cacher/bookmark_schedule.h"
#include "ksim/apiserver/cacher/cache_faults.h"
#include "ksim/apiserver/cacher/dispatcher.h"
#include "ksim/apiserver/cacher/progress.h"
#include "ksim/apiserver/cacher/ready.h"
#include "ksim/apiserver/cacher/watch_cache.h"
#include "ksim/apiserver/core/profile.h"
#include "ksim/apiserver/core/watch_query.h"
#include "ksim/apiserver/etcd3/storage.h"
#include "ksim/sim/process.h"

namespace ksim::apiserver {

class Cacher : private CacheFaults::Target {
 public:
  static constexpr Duration kFreshTimeout = Seconds(3);
  static constexpr int kFreshRetryAfter = 1;  // seconds
  static constexpr Duration kRestartPause = Seconds(1);
  static constexpr Duration kMaxInternalErrorRetry = Seconds(30);
  static constexpr Duration kInternalErrorReset = Minutes(1);  // reflector.go
  static constexpr Duration kShortWatch = Seconds(1);
  static constexpr Duration kRedialPeriod = Milliseconds(100);  // clientv3, etcd out of reach
  static constexpr std::int64_t kListPage = 10000;

  // No other cacher uses the storage and its etcd client: etcd sends a progress notification for
  // all watches of a client's stream together.
  Cacher(sim::Process& process, Storage& storage, const Profile& profile,
         const api::Variants& variants);
  Cacher(const Cacher&) = delete;
  Cacher& operator=(const Cacher&) = delete;

  // Spawns its tasks in the process.
  void Start();

  Ready& ready() { return ready_; }
  WatchCache& cache() { return cache_; }
  const WatchCache& cache() const { return cache_; }
  std::size_t watchers() const { return dispatcher_.size(); }

  // Returns ok once the cache has reached `revision`, and 504 if that takes more than 3 s.
  sim::Task<api::Status> WaitUntilFresh(std::int64_t revision);
  // The object, not older than `revision` (0: as the cache holds it). 404 if there is none.
  sim::Task<api::Result<api::Object>> Get(SharedText ns, SharedText name, std::int64_t revision);
  // 410 if the query names an exact revision whose snapshot is gone. The cache must be ready.
  sim::Task<api::Result<ListResult>> List(const ListQuery& query);
  // Serves the watch until Forget: accepts or refuses the stream and sends the initial events. A
  // watch that cannot begin has closed its stream when this returns.
  sim::Task<void> Watch(WatchQuery query, std::shared_ptr<ServedWatch> stream);
  void Forget(std::uint64_t stream);
  // Goes on sending to a client that reads again.
  void Resume(std::uint64_t stream) { dispatcher_.Resume(stream); }

  CacheFaults& faults() { return faults_; }

 private:
  // --- cacher.cc: lists and watches etcd ---
  sim::Task<void> Run();
  sim::Task<api::Status> FillFromStorage();
  sim::Task<api::Status> WatchStorage();
  sim::Task<void> FollowStream();
  bool keeps_watchers() const {
    return variants_.cacher_reinit == api::Variants::Reinit::kKeepWatchers;
  }
  // TakeState heeds the part of a response that is about the stream; false if that has failed.
  bool TakeState(const store::WatchResponse& response);
  void ProcessResponse(const store::WatchResponse& response);
  // The same where a webhook converts the objects: one after the other.
  sim::Task<void> ProcessByWebhook(store::WatchResponse response);
  void FailStream(api::Status why) {
    stream_error_ = std::make_unique<const api::Status>(std::move(why));
  }
  void OnChange(const store::WatchEvent& event);
  void Apply(api::WatchEventType type, api::Object object);
  void OnProgress(std::int64_t revision);

  // --- CacheFaults::Target ---
  void MarkUnready() override;
  void CancelStorageWatch() override;
  void BreakStorageWatch() override;
  void ForgetHistory() override { cache_.ForgetHistory(); }

  // --- cacher_list.cc ---
  sim::Task<api::Result<std::int64_t>> ListRevision(const ListQuery& query);

  // --- cacher_watch.cc ---
  sim::Task<api::Result<std::int64_t>> RequiredRevision(const WatchQuery& query);
  api::Result<WatchInterval> InitialEvents(const WatchQuery& query, std::int64_t required,
                                           CacheWatcher& watcher);
  WatchInterval InitialState(const WatchQuery& query, CacheWatcher& watcher);
  void ScheduleBookmark(CacheWatcher& watcher);
  const ConvertedEvent::Body& BookmarkAt(std::int64_t revision);
  sim::Task<void> BookmarkLoop();
  void OfferBookmarks();

  sim::Process& process_;
  sim::Simulation& sim_;
  Storage& storage_;
  const Profile& profile_;
  api::Variants variants_;
  WatchCache cache_;
  Ready ready_;
  sim::Signal fresh_;
  ProgressRequester progress_;
  std::unique_ptr<store::EtcdWatch> stream_;
  bool stream_created_ = false;                      // etcd has answered on it
  bool unconverted_ = false;                         // a webhook has not converted an object
  std::unique_ptr<const api::Status> stream_error_;  // why the stream ended; null: no reason given
  CacheFaults faults_;

  Dispatcher dispatcher_;
  BookmarkSchedule bookmarks_;
  sim::SiteId tick_site_;
  std::uint64_t ticks_ = 0;
  Duration tick_jitter_;
  VirtualTime next_tick_ = VirtualTime::Max();
  sim::Signal tick_changed_;
  ConvertedEvent::Body bookmark_;  // the last one offered; null before the first
};

}  // namespace ksim::apiserver
