#include "ksim/apiserver/etcd3/storage_watch.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/apiserver/core/converted_event.h"
#include "ksim/sim/probe.h"

namespace ksim::apiserver {
namespace {

// Sends the state if the query wants it; returns the revision after which changes are to be sent.
sim::Task<api::Result<store::Revision>> SendState(Storage& storage, const WatchQuery& query,
                                                  ServedWatch& stream) {
  const bool state = query.wants_state() || (query.revision == 0 && !query.send_initial);
  if (!state && query.revision > 0) co_return query.revision;
  if (!state) co_return co_await storage.CurrentRevision();
  ListQuery list;
  list.predicate = query.predicate;
  list.key = query.predicate.SingleKey();
  list.prefix = query.predicate.KeyPrefix();
  list.match = ListQuery::Match::kNotOlderThan;
  list.revision = query.revision;
  // Upstream draws 1 to 3 seconds (etcd3/watcher.go startWatching).
  if (query.wants_state() && query.revision > 0) {
    const api::Result<store::Revision> current = co_await storage.CurrentRevision();
    if (!current.ok()) co_return current.status();
    if (query.revision > *current)
      co_return api::TooLargeResourceVersion(query.revision, *current, 1);
  }
  api::Result<ListResult> result = co_await storage.List(std::move(list));
  if (!result.ok()) co_return result.status();
  const api::ResourceInfo& r = storage.resource();
  for (const api::Object& object : result->items)
    stream.Send(std::make_shared<EventBody>(r, api::WatchEventType::kAdded, object),
                api::ObjectHash(r.known_as(), object.ns(), object.name()), stream.cause());
  if (query.is_watch_list())
    stream.Send(EventBody::Bookmark(r, result->revision, true), 0, stream.cause());
  co_return result->revision;
}

// Objects that a webhook converts never come here: their kinds have watch caches.
CacheEvent ToCacheEvent(const Storage& storage, const store::WatchEvent& event) {
  CacheEvent change;
  change.revision = event.kv.mod_revision();
  change.origin.cause = event.cause;
  if (event.prev_kv) change.previous = storage.Decode(event.prev_kv);
  if (event.is_delete()) {
    change.type = api::WatchEventType::kDeleted;
    change.object = change.previous.WithResourceVersion(change.revision);
  } else {
    change.type = event.is_create() ? api::WatchEventType::kAdded : api::WatchEventType::kModified;
    change.object = storage.Decode(event.kv);
  }
  change.object_hash =
      api::ObjectHash(storage.resource().known_as(), change.object.ns(), change.object.name());
  return change;
}

void Send(const CacheEvent& event, const WatchQuery& query, const api::Variants& variants,
          ServedWatch& stream) {
  ConvertedEvent change(event, query.predicate.resource(), variants.event_delete_rv);
  if (const ConvertedEvent::Body& body = change.ConvertFor(query.predicate))
    stream.Send(body, event.object_hash, event.origin.cause);
}

void End(ServedWatch& stream, const api::Status& error) {
  if (!error.ok()) stream.SendError(error);
  stream.Close(api::StreamEnd::kEof, error.ok() ? "storage" : "error");
}

}  // namespace

api::Status CheckEvent(const store::WatchEvent& event) {
  if (event.is_create() || event.prev_kv) return api::Status();
  KSIM_PROBE("apiserver/event-without-previous-value");
  return api::InternalError(
      fmt::format("etcd event received with PrevKv=nil (key=\"{}\", modRevision={}, type={})",
                  event.kv.key(), event.kv.mod_revision(), event.is_delete() ? "DELETE" : "PUT"));
}

bool DropsEvent(const store::WatchEvent& event, const api::Variants& variants) {
  if (!event.is_delete() || event.prev_kv) return false;
  KSIM_PROBE("variant/storage.lostPrevious");
  return variants.storage_lost_previous == api::Variants::LostPrevious::kDrop;
}

sim::Task<void> WatchFromStorage(sim::Simulation& sim, Storage& storage, WatchQuery query,
                                 std::shared_ptr<ServedWatch> stream, api::Variants variants) {
  // Sends the state.
  stream->Accept(api::Response::From::kStore);
  const api::Result<store::Revision> from = co_await SendState(storage, query, *stream);
  if (!from.ok()) {
    End(*stream, from.status());
    co_return;
  }
  // Watches etcd from the state's revision on.
  const std::string prefix = storage.root() + query.predicate.KeyPrefix();
  store::WatchRequest request(prefix, store::PrefixEnd(prefix), *from + 1);
  request.prev_kv = true;
  const std::unique_ptr<store::EtcdWatch> watch = storage.client().Watch(std::move(request));
  while (true) {
    std::optional<store::WatchResponse> response = co_await watch->Next();
    api::Status error;
    if (response && response->compact_revision > 0)
      error = api::Expired("The resourceVersion for the provided watch is too old.");
    if (!response || response->canceled) {
      End(*stream, error);
      co_return;
    }
    for (const store::WatchEvent& event : response->events) {
      sim.context().cause = event.cause;
      if (DropsEvent(event, variants)) continue;
      error = CheckEvent(event);
      if (!error.ok()) {
        End(*stream, error);
        co_return;
      }
      Send(ToCacheEvent(storage, event), query, variants, *stream);
    }
  }
}

}  // namespace ksim::apiserver
