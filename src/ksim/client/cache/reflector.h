// Reflector: keeps a delta queue up with one resource of the server: list (or, in 1.36, stream) the
// initial state, then watch from its version, again and again. It never compares resource versions:
// what came last is the version it goes on from.
//
//   pass:  LIST -> Replace -> watch until it ends in an error -> back off -> next pass
//   a watch that ends cleanly, is refused or answered 429 is opened again without a LIST
//
// Source: client-go tools/cache/reflector.go. CLIENT-05..37.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ksim/client/cache/delta_queue.h"
#include "ksim/client/client.h"
#include "ksim/client/core/backoff.h"
#include "ksim/client/core/cache_log.h"
#include "ksim/client/core/payloads.h"
#include "ksim/client/core/profile.h"
#include "ksim/client/informer.h"
#include "ksim/client/rest/pager.h"

namespace ksim::api {
class RetryWithDeadline;  // api/core/retry_deadline.h
}

namespace ksim::client {

struct ReflectorOptions {
  ReflectorOptions() = default;
  SharedText ns, field_selector, label_selector;
  std::int64_t page_size = 0;                   // 0 = decide by the resource version asked for
  Duration resync_period;                       // 0 = never
  std::uint32_t min_watch_timeout_seconds = 0;  // a watch lasts so long to twice that; 300 at least
  std::function<bool()> should_resync;          // empty = always
  Duration max_internal_error_retry;            // 0 = an internal error ends the pass
  FirstList first_list = FirstList::kAsVersion;
};

class Reflector {
 public:
  // All references outlive the reflector's task.
  Reflector(Client& client, const api::ResourceInfo* resource, DeltaQueue& queue,
            SharedText informer, ReflectorOptions options);

  sim::Task<void> Run();  // never returns; ends with its process

  // nullopt before the first success. Ahead of the cache: set when a change is queued. CLIENT-30.
  std::optional<std::int64_t> last_sync_version() const { return last_sync_rv_; }
  std::string last_sync_resource_version() const;  // its text; "" before the first success
  void set_resync_period(Duration period) { options_.resync_period = period; }
  // From now on `log` hears, which outlives the reflector; of a first pass that has begun already
  // it hears that at once. Null: nobody.
  void LogTo(CacheLog* log);
  // Called when a Replace has been queued, with the version it brought.
  void OnReplaced(std::function<void(std::int64_t)> call) { on_replaced_ = std::move(call); }

 private:
  // `sites`: what the names of its sites begin with.
  Reflector(Client& client, const api::ResourceInfo* resource, DeltaQueue& queue,
            SharedText informer, ReflectorOptions options, const std::string& sites);
  // How a watch ended: ok() is a clean end.
  struct WatchEnd {
    WatchEnd() = default;
    bool ok = true;
    bool very_short = false;
    api::Status status;  // of the ERROR event
    std::uint64_t items = 0;
    Duration lasted;
  };
  using Said = CacheMoment::Kind;
  // Where the events of a stream go until the initial state is complete (CLIENT-35).
  struct InitialState;
  using Stream = std::unique_ptr<WatchStream>;

  sim::Task<void> Pass();
  sim::Task<bool> List();  // false: failed, the pass is over
  // False: fall back to a LIST. Else the state is taken, and *stream tells what follows, unless it
  // is null: then it has ended.
  sim::Task<bool> WatchList(Stream* stream);
  sim::Task<void> WatchLoop(Stream stream);
  // `guard`: ADDED events do not move the version until another event came (CLIENT-33).
  sim::Task<WatchEnd> Consume(WatchStream* stream, VirtualTime start, bool guard,
                              InitialState* initial);
  // AfterWatch says what follows on a watch that has ended so, and tells the log how it ended.
  enum class Next : std::uint8_t { kWatch, kWatchAfterBackoff, kPass };
  Next AfterWatch(const WatchEnd& end, api::RetryWithDeadline* internal_errors);
  // Tells the log, if there is one.
  void Say(Said what);
  void Say(Said what, const api::Status& status);
  void Say(Said what, const WatchEnd& end);

  // After a watch-list attempt failed: true = try again (perhaps after a delay), false = LIST.
  sim::Task<bool> RecoverWatchList(api::Status status);
  // Asks who is due every resync period. A resync that fails ends the watch, and with it the pass.
  sim::Task<void> ResyncLoop();

  api::ListOptions BaseOptions() const;
  api::ListOptions WatchOptions();
  std::string RelistResourceVersion() const;
  std::int64_t PageSize(std::string_view rv) const;
  bool Expected(const api::WatchEvent& event) const;
  void Apply(const api::WatchEvent& event);
  void ApplyInitial(const api::WatchEvent& event, InitialState* initial);
  // Whether initial events that ended before their bookmark are taken for the state.
  bool TakesPartForWhole(const InitialState& initial, const WatchEnd& end) const;
  bool GiveUpVersion(const api::Status& status) const;
  void MarkUnavailable(const api::Status& status);
  // Emits `relist`, then replaces the queue's content as its effect; false if the queue refuses.
  bool Replaced(std::vector<api::Object> items, std::int64_t got_rv, SharedText asked_rv,
                std::uint64_t cause);
  Duration NextWatchDelay();
  sim::Task<void> Pause(Duration delay);

  Environment& env_;
  sim::Process& process_;
  Client& client_;
  const api::ResourceInfo* resource_;
  DeltaQueue& queue_;
  SharedText informer_;
  ReflectorOptions options_;
  const Profile& profile_;
  api::Variants variants_;
  JitterSource timeouts_;
  ReflectorBackoff pass_backoff_;
  ReflectorBackoff open_backoff_;  // 1.25 only; later the passes' own serves both
  std::function<void(std::int64_t)> on_replaced_;

  CacheLog* log_ = nullptr;  // null: nobody listens
  bool runs_ = false;
  std::string api_version_;  // of the resource
  std::optional<std::int64_t> last_sync_rv_;
  bool unavailable_ = false;   // the last version asked for was expired or too large
  bool sticky_pages_ = false;  // CLIENT-11
  RelistReason next_reason_ = RelistReason::kStart;
  WatchStream* watching_ = nullptr;           // whose events are being taken in
  bool resync_failed_ = false;                // in this pass
  bool kind_is_gone_ = false;                 // its last list was a 404, and there had been others
  std::vector<std::uint64_t> pass_requests_;  // LISTs and watch-lists of this pass so far
};

}  // namespace ksim::client
