#include "ksim/apiserver/cacher/cacher.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/api/core/retry_deadline.h"
#include "ksim/apiserver/etcd3/storage_watch.h"
#include "ksim/sim/probe.h"

namespace ksim::apiserver {

namespace {

bool IsPods(const api::ResourceInfo& r) { return r.group.empty() && r.resource == "pods"; }

std::string TickSiteOf(std::string_view server, const api::ResourceInfo& r) {
  std::string site("bookmark/");
  site.reserve(site.size() + server.size() + r.resource.size() + r.group.size() + 2);
  site.append(server).append("/").append(r.resource);
  if (!r.group.empty()) site.append(".").append(r.group);
  return site;
}

}  // namespace

Cacher::Cacher(sim::Process& process, Storage& storage, const Profile& profile,
               const api::Variants& variants)
    : process_(process),
      sim_(process.simulation()),
      storage_(storage),
      profile_(profile),
      variants_(variants),
      cache_(profile.list_from_cache_snapshot, IsPods(storage.resource())),
      ready_(process),
      fresh_(sim_),
      progress_(sim_,
                [this] {
                  if (stream_ != nullptr) stream_->RequestProgress();
                }),
      faults_(process, *this),
      dispatcher_(process, storage.resource(), variants),
      bookmarks_(process.SteadyNow()),
      tick_site_(sim_.decisions().Site(TickSiteOf(process.name(), storage.resource()))),
      tick_changed_(sim_) {}

void Cacher::Start() {
  process_.Spawn(Run());
  process_.Spawn(BookmarkLoop(), {}, true);
  if (profile_.consistent_list_from_cache) process_.Spawn(progress_.Run(), {}, true);
}

sim::Task<void> Cacher::Run() {
  while (true) {
    api::Status error = co_await FillFromStorage();
    sim_.context().background = false;
    if (error.ok()) error = co_await WatchStorage();
    KSIM_PROBE("apiserver/cacher-reinit");
    stream_.reset();
    ready_.Unset(error);
    // A webhook that is not there may never come: no run waits for that.
    sim_.context().background = unconverted_;
    const sim::TimerKind kind = unconverted_ ? sim::TimerKind::kPeriodic : sim::TimerKind::kWork;
    co_await sim_.Sleep(kRestartPause, kind, "cacher restart");
    if (keeps_watchers()) {
      KSIM_PROBE("variant/cacher.reinit");
    } else {
      dispatcher_.StopAll("reinit");
    }
  }
}

// Lists storage page by page, all pages at the revision of the first.
sim::Task<api::Status> Cacher::FillFromStorage() {
  faults_.BeginFilling();
  unconverted_ = false;
  store::RangeRequest range(storage_.root(), storage_.root_end());
  range.limit = kListPage;
  std::vector<api::Object> objects;
  while (true) {
    absl::StatusOr<store::RangeResponse> page = co_await storage_.client().Range(range);
    if (!page.ok()) co_return StorageError(page.status());
    for (const store::KeyValue& kv : page->kvs) {
      if (!storage_.AsksWebhook(kv)) {
        objects.push_back(storage_.Decode(kv));
        continue;
      }
      api::Result<api::Object> object = co_await storage_.DecodeByWebhook(kv);
      unconverted_ = !object.ok();
      if (!object.ok()) co_return object.status();
      objects.push_back(*std::move(object));
    }
    if (range.revision == 0) range.revision = page->header.revision;
    if (!page->more) break;
    range.key = std::string(page->kvs.back().key()) + std::string(1, '\0');
  }
  cache_.Replace(std::move(objects), range.revision);
  if (dispatcher_.last_dispatched() == 0 && profile_.bookmarks_begin_at_list)
    dispatcher_.StartAt(range.revision);
  ready_.Set();
  fresh_.Notify();
  co_return api::Status();
}

// Watches storage from the cache's revision on, and opens the watch again when it breaks. Returns
// the error for which the cache must list again (client-go reflector.go watch). Upstream retries an
// internal error without a pause.
sim::Task<api::Status> Cacher::WatchStorage() {
  api::RetryWithDeadline internal_errors(kMaxInternalErrorRetry, kInternalErrorReset);
  while (true) {
    // Opens a watch and follows it to its end.
    const VirtualTime opened = process_.SteadyNow();
    const std::int64_t from = cache_.revision();
    store::WatchRequest request(storage_.root(), storage_.root_end(), from + 1);
    request.prev_kv = true;
    request.progress_notify = true;
    stream_created_ = false;
    stream_ = storage_.client().Watch(std::move(request));
    co_await FollowStream();
    stream_.reset();
    // Decides whether to open the next one, and after what pause.
    const api::Status* const error = stream_error_.get();
    if (faults_.reinit_pending()) co_return api::Unmapped(500, "reinitialized");
    if (!error && !stream_created_) {
      KSIM_PROBE("apiserver/etcd-out-of-reach");
      sim_.context().background = false;
      co_await sim_.Sleep(kRedialPeriod, sim::TimerKind::kWork, "etcd redial");
      continue;
    }
    const bool took_in = cache_.revision() > from;
    if (error && !api::IsInternalError(*error)) co_return *error;
    if (!error && !took_in && process_.SteadyNow() - opened < kShortWatch)
      co_return api::Unmapped(500,
                              "very short watch: Unexpected watch close - watch lasted less "
                              "than a second and no items received");
    if (!error) continue;
    internal_errors.After(process_.SteadyNow());
    if (!internal_errors.ShouldRetry(process_.SteadyNow())) co_return *error;
    sim_.context().background = false;
    co_await sim_.Sleep(kRestartPause, sim::TimerKind::kWork, "cacher watch retry");
  }
}

// Processes the responses of one stream to its end; stream_error_ says why it ended. One such task
// waits for each resource of each server, so it holds no response while it waits.
sim::Task<void> Cacher::FollowStream() {
  stream_error_.reset();
  while (true) {
    // Waits for a response, and then for faults that hold it back on its way.
    std::optional<std::unique_ptr<store::WireResponse>> arrived = co_await stream_->Arrived();
    if (!arrived) co_return;
    store::WireResponse& wire = **arrived;
    stream_->Adopt(wire);
    if (faults_.HoldsBack(wire.response.arrived)) {
      co_await faults_.WaitUntilLetThrough(wire.response.arrived);
    }
    if (faults_.reinit_pending()) co_return;
    // Receives it, and applies it unless the cache is frozen.
    stream_->TakeIn(wire);
    if (faults_.frozen()) co_await faults_.WaitUntilThawed();
    if (faults_.reinit_pending()) co_return;
    if (IsConvertedByWebhook(storage_.resource())) {
      co_await ProcessByWebhook(wire.response);
    } else {
      ProcessResponse(wire.response);
    }
    if (stream_error_ != nullptr) co_return;
    // Waits, as upstream does, while too many changes wait for slow watchers.
    while (dispatcher_.full()) co_await dispatcher_.WaitForAdvance();
  }
}

bool Cacher::TakeState(const store::WatchResponse& response) {
  if (response.created) stream_created_ = true;
  if (response.compact_revision > 0)
    FailStream(api::Expired("The resourceVersion for the provided watch is too old."));
  else if (response.canceled)
    FailStream(api::InternalError(response.cancel_reason));
  return stream_error_ == nullptr;
}

void Cacher::ProcessResponse(const store::WatchResponse& response) {
  if (!TakeState(response)) return;
  for (const store::WatchEvent& event : response.events) {
    if (DropsEvent(event, variants_)) continue;
    api::Status error = CheckEvent(event);
    if (!error.ok()) return FailStream(std::move(error));
    OnChange(event);
  }
  if (response.is_progress()) OnProgress(response.revision);
}

// etcd3/watcher.go transform: an object that cannot be decoded fails the watch.
sim::Task<void> Cacher::ProcessByWebhook(store::WatchResponse response) {
  if (!TakeState(response)) co_return;
  for (const store::WatchEvent& event : response.events) {
    if (DropsEvent(event, variants_)) continue;
    api::Status error = CheckEvent(event);
    if (!error.ok()) {
      FailStream(std::move(error));
      co_return;
    }
    const store::KeyValue& kv = event.is_delete() ? event.prev_kv : event.kv;
    if (!storage_.AsksWebhook(kv)) {
      OnChange(event);
      continue;
    }
    sim_.context().cause = event.cause;
    api::Result<api::Object> object = co_await storage_.DecodeByWebhook(kv);
    if (!object.ok()) {
      FailStream(api::InternalError(object.status().message));
      co_return;
    }
    if (faults_.reinit_pending()) co_return;
    auto type = event.is_create() ? api::WatchEventType::kAdded : api::WatchEventType::kModified;
    if (event.is_delete()) {
      type = api::WatchEventType::kDeleted;
      *object = object->WithResourceVersion(event.kv.mod_revision());
    }
    Apply(type, *std::move(object));
  }
  if (response.is_progress()) OnProgress(response.revision);
}

void Cacher::OnChange(const store::WatchEvent& event) {
  sim_.context().cause = event.cause;
  auto type = event.is_create() ? api::WatchEventType::kAdded : api::WatchEventType::kModified;
  api::Object object;
  if (event.is_delete()) {
    type = api::WatchEventType::kDeleted;
    object = storage_.Decode(event.prev_kv).WithResourceVersion(event.kv.mod_revision());
  } else {
    object = storage_.Decode(event.kv);
  }
  Apply(type, std::move(object));
}

void Cacher::Apply(api::WatchEventType type, api::Object object) {
  const sim::Origin origin = sim_.CaptureOrigin();
  const std::uint64_t hash = object.KeyHash(storage_.resource());
  const CacheEvent& change =
      cache_.Apply(type, hash, std::move(object), process_.SteadyNow(), origin);
  fresh_.Notify();
  dispatcher_.Dispatch(change);
}

void Cacher::OnProgress(std::int64_t revision) {
  if (revision < cache_.revision()) return;
  cache_.AdvanceTo(revision);
  fresh_.Notify();
  CacheEvent progress;
  progress.type = api::WatchEventType::kBookmark;
  progress.revision = revision;
  progress.origin = sim_.CaptureOrigin();
  dispatcher_.Dispatch(progress);
}

sim::Task<api::Status> Cacher::WaitUntilFresh(std::int64_t revision) {
  if (revision <= cache_.revision()) co_return api::Status();
  ProgressRequester::Waiter waiter(profile_.consistent_list_from_cache ? &progress_ : nullptr);
  const VirtualTime deadline = process_.SteadyNow() + kFreshTimeout;
  while (cache_.revision() < revision) {
    if (process_.SteadyNow() >= deadline) {
      KSIM_PROBE("apiserver/cache-not-fresh-in-time");
      co_return api::TooLargeResourceVersion(revision, cache_.revision(), kFreshRetryAfter);
    }
    co_await fresh_.WaitFor(deadline - process_.SteadyNow(), sim::TimerKind::kWork);
  }
  co_return api::Status();
}

sim::Task<api::Result<api::Object>> Cacher::Get(SharedText ns, SharedText name,
                                                std::int64_t revision) {
  const api::Status fresh = co_await WaitUntilFresh(revision);
  if (!fresh.ok()) co_return fresh;
  const SharedText key = ns.empty() ? name : SharedText(ns + "/" + name);
  const api::Object* found = cache_.Find(key);
  if (found == nullptr) co_return api::NotFound(storage_.group_resource(), name);
  co_return *found;
}

void Cacher::MarkUnready() { ready_.Unset(api::Unmapped(500, "reinitialized")); }

void Cacher::CancelStorageWatch() {
  if (stream_ != nullptr) stream_->Cancel();
}

void Cacher::BreakStorageWatch() {
  if (stream_ != nullptr) stream_->Break();
}

}  // namespace ksim::apiserver
