#include "ksim/apiserver/server/watch_handler.h"

#include <algorithm>
#include <utility>

#include "ksim/apiserver/core/audit_event.h"
#include "ksim/apiserver/core/served_watch.h"
#include "ksim/apiserver/etcd3/storage_watch.h"
#include "ksim/apiserver/handlers/list_options.h"

namespace ksim::apiserver {

namespace {

// handlers/get.go: a watch without a timeout lives between one and two of these.
constexpr std::int64_t kMinRequestTimeout = 1800;  // seconds

}  // namespace

// A watch that was not refused; `watch` is null if it was.
struct WatchHandler::Opened {
  Opened() = default;
  std::shared_ptr<ServedWatch> watch;
  VirtualTime deadline;
  sim::Process::TaskId follower;  // of a watch that etcd serves
};

Duration WatchHandler::DrawLifetime(const api::Request& request) const {
  const std::int64_t asked = request.list.timeout_seconds.value_or(0);
  if (asked != 0) return Seconds(std::max<std::int64_t>(asked, 0));
  return shared_.sim.decisions().DrawDuration(
      lifetime_site_, sim::KeyOf(request.client + "/" + request.resource->group_resource()),
      Seconds(kMinRequestTimeout), Seconds(2 * kMinRequestTimeout));
}

// The answer with 200 starts the response; a refusal completes it.
WatchCall::Reply WatchHandler::Audited(WatchCall::Reply reply, const RequestContext& rc) const {
  return [audit = audit_, &rc, reply = std::move(reply)](api::Response response) mutable {
    const AuditStage stage =
        response.code < 400 ? AuditStage::kResponseStarted : AuditStage::kResponseComplete;
    Audit(audit, stage, rc, &response);
    reply(std::move(response));
  };
}

// A fault makes the cache forget what the watch wants to go on from: its history, or, where that
// has nothing newer, itself: it lists anew, at a later revision of the store.
void WatchHandler::ExpireByFault(Cacher& cacher, const WatchQuery& query,
                                 const api::Request& request) const {
  if (query.revision == 0 || query.wants_state() || !cacher.ready().ready()) return;
  if (!shared_.expire_watch(request)) return;
  if (query.revision < cacher.cache().revision()) {
    cacher.faults().ExpireHistory();
  } else {
    cacher.faults().Reinit();
  }
}

sim::Task<WatchHandler::Opened> WatchHandler::Open(WatchCall& call) {
  RequestContext& rc = *call.rc;
  const api::Request& request = rc.request();
  Opened opened;
  const VirtualTime arrived = process_.SteadyNow();
  // Admits the request and reads its options.
  api::Status refused = handler_.Admit(rc);
  api::ListOptions list = request.list;
  DropUnknownListOptions(list, profile_);
  DefaultWatchOptions(list, profile_);
  if (refused.ok()) refused = ValidateWatchOptions(list, profile_);
  api::Result<WatchQuery> query = WatchQuery();
  if (!refused.ok()) query = refused;
  if (refused.ok())
    query = WatchQuery::Make(rc.resource(), request.ns, request.name, list, profile_);
  if (!query.ok()) {
    call.reply(ErrorResponse(rc.EndStage(Stage::kValidate, query.status())));
    co_return opened;
  }
  // Makes the watch; CloseWatch finds it from now on.
  opened.deadline = arrived + DrawLifetime(request);
  query->deadline = opened.deadline;
  auto watch = std::make_shared<ServedWatch>(watches_, shared_.network.NumberStream(), request,
                                             SelectorText(list), std::move(call.reply),
                                             std::move(call.sink));
  watches_.Add(watch);
  opened.watch = watch;
  // Hands it to the watch cache, or to a task that follows etcd.
  CacheDelegator& storage = resources_.StorageFor(rc.resource());
  if (storage.cacher() != nullptr) {
    if (shared_.expire_watch) ExpireByFault(*storage.cacher(), *query, request);
    co_await storage.cacher()->Watch(*std::move(query), watch);
  } else {
    opened.follower = process_.Spawn(WatchFromStorage(shared_.sim, storage.storage(),
                                                      *std::move(query), watch, shared_.variants));
  }
  co_return opened;
}

sim::Task<void> WatchHandler::Serve(std::unique_ptr<WatchCall> call) {
  if (audit_ != nullptr) call->reply = Audited(std::move(call->reply), *call->rc);
  Opened opened = co_await Open(*call);
  if (opened.watch == nullptr) co_return;
  OpenWatches::Extras extras;
  extras.follower = opened.follower;
  if (audit_ != nullptr) extras.rc = std::move(call->rc);
  watches_.Serve(std::move(opened.watch), opened.deadline, std::move(extras));
}

}  // namespace ksim::apiserver
