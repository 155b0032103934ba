#include "ksim/client/cache/reflector.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "absl/container/btree_map.h"
#include "ksim/api/core/retry_deadline.h"
#include "ksim/client/core/items_hash.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/probe.h"

namespace ksim::client {
namespace {

constexpr Duration kVeryShortWatch = Seconds(1);
constexpr Duration kInternalErrorReset = Minutes(1);
constexpr std::uint32_t kMinWatchTimeoutSeconds = 300;

// The names of a reflector's sites begin with this.
std::string SitesOf(Connection& connection, const api::ResourceInfo& r) {
  return "reflector/" + connection.process().name() + "/" + connection.env().NameOf(r) + "/";
}

bool IsExpiredOrGone(const api::Status& s) { return api::IsExpired(s) || api::IsGone(s); }
// isWatchErrorRetriable: open again without a LIST.
bool IsRetriable(const api::Status& s) {
  return api::IsConnectionRefused(s) || api::IsTooManyRequests(s);
}

}  // namespace

struct Reflector::InitialState {
  absl::btree_map<std::string, api::Object> objects;
  std::int64_t resource_version = 0;
  bool complete = false;
};

Reflector::Reflector(Client& client, const api::ResourceInfo* resource, DeltaQueue& queue,
                     SharedText informer, ReflectorOptions options)
    : Reflector(client, resource, queue, std::move(informer), std::move(options),
                SitesOf(client.connection(), *resource)) {}

Reflector::Reflector(Client& client, const api::ResourceInfo* resource, DeltaQueue& queue,
                     SharedText informer, ReflectorOptions options, const std::string& sites)
    : env_(client.connection().env()),
      process_(client.connection().process()),
      client_(client),
      resource_(resource),
      queue_(queue),
      informer_(std::move(informer)),
      options_(std::move(options)),
      profile_(ProfileOf(client.connection().compat())),
      variants_(client.connection().variants()),
      timeouts_(env_, sites + "timeout"),
      pass_backoff_(env_, sites + "backoff", profile_.backoff_resets_from_reset),
      open_backoff_(env_, sites + "openBackoff", profile_.backoff_resets_from_reset),
      api_version_(resource->api_version()) {}

void Reflector::LogTo(CacheLog* log) {
  log_ = log;
  if (!runs_) return;
  Say(Said::kReflectorStarts);
  Say(Said::kListsAndWatches);
}

void Reflector::Say(Said what) { Say(what, WatchEnd()); }

void Reflector::Say(Said what, const api::Status& status) {
  if (log_ == nullptr) return;
  WatchEnd end;
  end.status = status;
  Say(what, end);
}

void Reflector::Say(Said what, const WatchEnd& end) {
  if (log_ == nullptr) return;
  CacheMoment moment(what, resource_);
  moment.status = end.status;
  moment.very_short = end.very_short;
  moment.items = end.items;
  moment.duration = end.lasted;
  moment.period = options_.resync_period;
  log_->Hear(moment);
}

sim::Task<void> Reflector::Run() {
  Say(Said::kReflectorStarts);
  for (;;) {
    Say(Said::kListsAndWatches);
    runs_ = true;
    co_await Pass();
    pass_requests_.clear();
    const Duration delay = pass_backoff_.Next();
    co_await Pause(delay);
  }
}

sim::Task<void> Reflector::Pass() {
  Stream stream;
  resync_failed_ = false;
  const bool from_cache = options_.first_list == FirstList::kCached && !last_sync_rv_;
  bool listed = false;
  if (profile_.watch_list && !from_cache) listed = co_await WatchList(&stream);
  if (!listed) listed = co_await List();
  if (!listed) co_return;
  Say(Said::kPopulated);
  sim::Process::TaskId resync;
  if (options_.resync_period > Duration()) resync = process_.Spawn(ResyncLoop(), {}, true);
  co_await WatchLoop(std::move(stream));
  process_.Cancel(resync);
}

// A back-off is work, even where the watch that failed was of the background; but not that of an
// informer whose definition was deleted: that asks on for ever, as upstream's do. (graph_builder.go
// syncMonitors closes the stopCh of a monitor, whose controller is shared_informer.go's
// dummyController: its Run stops nothing.)
sim::Task<void> Reflector::Pause(Duration delay) {
  env_.sim.context().background = false;
  const auto kind = kind_is_gone_ ? sim::TimerKind::kPeriodic : sim::TimerKind::kWork;
  co_await env_.sim.Sleep(delay, kind, "reflector back-off");
}

Duration Reflector::NextWatchDelay() {
  return profile_.shared_backoff ? pass_backoff_.Next() : open_backoff_.Next();
}

api::ListOptions Reflector::BaseOptions() const {
  api::ListOptions options;
  options.field_selector = options_.field_selector;
  options.label_selector = options_.label_selector;
  return options;
}

api::ListOptions Reflector::WatchOptions() {
  api::ListOptions options = BaseOptions();
  options.allow_watch_bookmarks = true;
  const std::uint32_t least = std::max(kMinWatchTimeoutSeconds, options_.min_watch_timeout_seconds);
  options.timeout_seconds = least + timeouts_.Pick(least);
  return options;
}

std::string Reflector::last_sync_resource_version() const {
  return last_sync_rv_ ? fmt::format_int(*last_sync_rv_).str() : "";
}

std::string Reflector::RelistResourceVersion() const {
  if (unavailable_) return {};
  if (last_sync_rv_) return last_sync_resource_version();
  return options_.first_list == FirstList::kConsistent ? "" : "0";
}

std::int64_t Reflector::PageSize(std::string_view rv) const {
  if (options_.page_size != 0) return options_.page_size;
  if (sticky_pages_) return kDefaultPageSize;
  return rv.empty() || rv == "0" ? kDefaultPageSize : 0;
}

// Whether a failed list is worth asking again without the version. The variant
// reflector.tooLargeRV: retrySame, as before client-go#92537, does not know "too large" and goes on
// asking for it.
bool Reflector::GiveUpVersion(const api::Status& status) const {
  if (IsExpiredOrGone(status)) return true;
  if (!api::IsTooLargeResourceVersion(status, profile_.too_large_in_message)) return false;
  KSIM_PROBE("variant/reflector.tooLargeRV");
  return variants_.reflector_too_large_rv == api::Variants::TooLargeRV::kRelistConsistent;
}

void Reflector::MarkUnavailable(const api::Status& status) {
  unavailable_ = true;
  next_reason_ = IsExpiredOrGone(status) ? RelistReason::kExpired : RelistReason::kTooLarge;
}

sim::Task<bool> Reflector::List() {
  api::ListOptions options = BaseOptions();
  options.resource_version = RelistResourceVersion();
  const bool from_zero = options.resource_version == "0";
  const std::int64_t page_size = PageSize(options.resource_version);
  PagedList got = co_await ListPages(client_, resource_, options_.ns, options, page_size);
  pass_requests_.insert(pass_requests_.end(), got.requests.begin(), got.requests.end());
  if (!got.list.ok() && GiveUpVersion(got.list.status())) {
    KSIM_PROBE("reflector/list-version-unavailable");
    MarkUnavailable(got.list.status());
    options.resource_version = RelistResourceVersion();
    got = co_await ListPages(client_, resource_, options_.ns, options, page_size);
    pass_requests_.insert(pass_requests_.end(), got.requests.begin(), got.requests.end());
  }
  if (!got.list.ok()) {
    kind_is_gone_ = last_sync_rv_ && api::IsNotFound(got.list.status());
    Say(Said::kListFails, got.list.status());
    co_return false;
  }
  if (from_zero && got.paginated) sticky_pages_ = true;
  co_return Replaced(std::move(got.list->items), got.list->resource_version,
                     options.resource_version, client_.last_response_event());
}

bool Reflector::Replaced(std::vector<api::Object> items, std::int64_t got_rv, SharedText asked_rv,
                         std::uint64_t cause) {
  unavailable_ = kind_is_gone_ = false;
  auto* payload = new RelistPayload;
  payload->informer = informer_;
  payload->resource = resource_;
  payload->requests = std::exchange(pass_requests_, {});
  payload->rv = std::move(asked_rv);
  payload->got_rv = got_rv;
  payload->items = items.size();
  payload->items_hash = ItemsHash(items);
  payload->reason = next_reason_;
  next_reason_ = RelistReason::kError;
  sim::EventInfo info;
  info.kind = sim::EventKind::kRelist;
  info.revision = got_rv;
  sim::Context& context = env_.sim.context();
  context.background = false;  // what a relist brings is work, whatever led to it
  context.cause = env_.sim.EmitAs(process_.actor(), cause, info, sim::PayloadRef(payload));
  if (!queue_.Replace(std::move(items), got_rv, env_.sim.CaptureOrigin())) return false;
  last_sync_rv_ = got_rv;
  if (on_replaced_) on_replaced_(got_rv);
  return true;
}

sim::Task<bool> Reflector::RecoverWatchList(api::Status status) {
  if (IsRetriable(status)) {
    Say(Said::kWatchListRefused, status);
    const Duration delay = NextWatchDelay();
    co_await Pause(delay);
    co_return true;
  }
  if (!GiveUpVersion(status)) {
    Say(Said::kWatchListFails, status);
    co_return false;
  }
  KSIM_PROBE("reflector/watch-list-version-unavailable");
  MarkUnavailable(status);
  co_return true;
}

// The variant reflector.initialEventsRV: lastEvent goes on from the last of them by an ordinary
// watch, as the clients that kubernetes#74022 speaks of.
bool Reflector::TakesPartForWhole(const InitialState& initial, const WatchEnd& end) const {
  if (!end.ok || initial.complete || initial.objects.empty()) return false;
  KSIM_PROBE("variant/reflector.initialEventsRV");
  return variants_.reflector_initial_events_rv == api::Variants::InitialEventsRV::kLastEvent;
}

sim::Task<bool> Reflector::WatchList(Stream* stream) {
  for (;;) {
    api::ListOptions options = WatchOptions();
    if (!unavailable_) options.resource_version = last_sync_resource_version();
    options.resource_version_match = "NotOlderThan";
    options.send_initial_events = true;
    const VirtualTime start = process_.SteadyNow();
    api::Result<Stream> opened = co_await client_.Watch(resource_, options_.ns, options);
    pass_requests_.push_back(client_.last_request_id());
    api::Status failure = opened.status();
    if (opened.ok()) {
      *stream = std::move(*opened);
      InitialState initial;
      WatchEnd end = co_await Consume(stream->get(), start, false, &initial);
      const bool part = TakesPartForWhole(initial, end);
      if (part) stream->reset();
      if (initial.complete || part) {
        std::vector<api::Object> items;
        items.reserve(initial.objects.size());
        for (auto& [key, object] : initial.objects) items.push_back(std::move(object));
        const bool taken = Replaced(std::move(items), initial.resource_version,
                                    options.resource_version, env_.sim.context().cause);
        if (!taken) stream->reset();
        co_return taken;
      }
      stream->reset();
      if (end.very_short) {
        Say(Said::kWatchListFails, end);
        co_return false;
      }
      if (end.ok) continue;
      failure = std::move(end.status);
    }
    const bool again = co_await RecoverWatchList(std::move(failure));
    if (!again) co_return false;
  }
}

sim::Task<void> Reflector::WatchLoop(Stream stream) {
  api::RetryWithDeadline internal_errors(options_.max_internal_error_retry, kInternalErrorReset);
  for (;;) {
    const VirtualTime start = process_.SteadyNow();
    bool guard = false;
    if (stream == nullptr) {
      api::ListOptions options = WatchOptions();
      options.resource_version = last_sync_resource_version();
      guard = profile_.guarded_initial_rv && last_sync_rv_.value_or(0) == 0;
      api::Result<Stream> opened = co_await client_.Watch(resource_, options_.ns, options);
      if (!opened.ok()) {
        if (!IsRetriable(opened.status())) {
          if (IsExpiredOrGone(opened.status())) next_reason_ = RelistReason::kExpired;
          Say(Said::kWatchFails, opened.status());
          co_return;
        }
        Say(Said::kWatchRefused, opened.status());
        const Duration delay = NextWatchDelay();
        co_await Pause(delay);
        continue;
      }
      stream = std::move(*opened);
    }
    WatchEnd end = co_await Consume(stream.get(), start, guard, nullptr);
    stream.reset();
    if (resync_failed_) co_return;
    const Next next = AfterWatch(end, &internal_errors);
    if (next == Next::kPass) co_return;
    if (next == Next::kWatchAfterBackoff) {
      const Duration delay = NextWatchDelay();
      co_await Pause(delay);
    }
  }
}

Reflector::Next Reflector::AfterWatch(const WatchEnd& end,
                                      api::RetryWithDeadline* internal_errors) {
  if (end.very_short) {
    Say(Said::kWatchEnds, end);
    return Next::kPass;
  }
  if (end.ok) return Next::kWatch;
  const bool internal = api::IsInternalError(end.status);
  if (internal) internal_errors->After(process_.SteadyNow());
  if (IsExpiredOrGone(end.status)) {
    next_reason_ = RelistReason::kExpired;
    Say(Said::kWatchExpires, end);
    return Next::kPass;
  }
  if (api::IsTooManyRequests(end.status)) {
    Say(Said::kWatchThrottled, end);
    return Next::kWatchAfterBackoff;
  }
  const bool again = internal && internal_errors->ShouldRetry(process_.SteadyNow());
  Say(again ? Said::kWatchRetried : Said::kWatchEnds, end);
  return again ? Next::kWatch : Next::kPass;
}

bool Reflector::Expected(const api::WatchEvent& event) const {
  return !event.object.empty() && event.object.kind() == resource_->kind &&
         event.object.api_version() == api_version_;
}

sim::Task<Reflector::WatchEnd> Reflector::Consume(WatchStream* stream, VirtualTime start,
                                                  bool guard, InitialState* initial) {
  WatchEnd end;
  struct Watching {
    Watching(WatchStream*& w, WatchStream* s) : watching(w) { watching = s; }
    ~Watching() { watching = nullptr; }
    WatchStream*& watching;
  };
  const Watching watching(watching_, stream);
  if (resync_failed_) stream->Stop();
  for (;;) {
    std::optional<api::WatchEvent> event = stream->NextAtOnce();
    if (!event) {
      sim::Signal* const arrival = stream->ToWaitFor();
      if (arrival != nullptr) {
        co_await arrival->Wait();
        continue;
      }
      event = co_await stream->Next();
      if (!event) break;
    }
    if (event->type == api::WatchEventType::kError) {
      end.ok = false;
      end.status = event->status();
      co_return end;
    }
    if (!Expected(*event)) {
      KSIM_PROBE("reflector/event-of-another-kind");
      continue;
    }
    ++end.items;
    if (event->type != api::WatchEventType::kAdded) guard = false;
    if (initial == nullptr) {
      Apply(*event);
    } else {
      ApplyInitial(*event, initial);
    }
    if (initial == nullptr && !guard) last_sync_rv_ = event->object.resource_version();
    if (initial != nullptr && initial->complete) {
      end.lasted = process_.SteadyNow() - start;
      Say(Said::kInitialEventsEnd, end);
      co_return end;
    }
  }
  if (stream->end() == api::StreamEnd::kReset) Say(Said::kStreamBreaks);
  end.lasted = process_.SteadyNow() - start;
  end.very_short = end.items == 0 && end.lasted < kVeryShortWatch;
  if (!end.very_short && !resync_failed_) Say(Said::kWatchCloses, end);
  co_return end;
}

// The temporary store has the queue's transform too: of a watch-list every object goes through it
// twice. What it refuses is left out.
void Reflector::ApplyInitial(const api::WatchEvent& event, InitialState* initial) {
  initial->resource_version = event.object.resource_version();
  if (event.type == api::WatchEventType::kBookmark) {
    initial->complete = event.initial_end;
  } else if (event.type == api::WatchEventType::kDeleted) {
    initial->objects.erase(event.object.key());
  } else {
    api::Object object = event.object;
    if (Transformed(queue_.transform(), false, &object))
      initial->objects[event.object.key()] = std::move(object);
  }
}

// A change that the queue refuses is lost, and the version moves on all the same (CLIENT-19).
void Reflector::Apply(const api::WatchEvent& event) {
  const sim::Origin origin = env_.sim.CaptureOrigin();
  switch (event.type) {
    case api::WatchEventType::kAdded:
      queue_.Add(event.object, origin);
      return;
    case api::WatchEventType::kModified:
      queue_.Update(event.object, origin);
      return;
    case api::WatchEventType::kDeleted:
      queue_.Delete(event.object, origin);
      return;
    case api::WatchEventType::kBookmark:
      return queue_.Bookmark(event.object.resource_version(), origin);
    case api::WatchEventType::kError:
      return;
  }
}

sim::Task<void> Reflector::ResyncLoop() {
  for (;;) {
    co_await env_.sim.Sleep(options_.resync_period, sim::TimerKind::kPeriodic, "resync");
    const bool due = !options_.should_resync || options_.should_resync();
    if (due) Say(Said::kResync);
    if (!due || queue_.Resync(env_.sim.CaptureOrigin())) continue;
    resync_failed_ = true;
    if (watching_ != nullptr) watching_->Stop();
    co_return;
  }
}

}  // namespace ksim::client
