#include "ksim/store/etcd_stream.h"

#include <algorithm>
#include <string>
#include <utility>

#include "ksim/store/etcd.h"
#include "ksim/store/events.h"
#include "ksim/store/object_key.h"
#include "ksim/store/process_scope.h"

namespace ksim::store {
namespace {

// The stream's name in sites: what resource it watches.
std::string SubjectOf(std::string_view key, const Store& store) {
  if (std::string known_as = store.KnownAs(key); !known_as.empty()) return known_as;
  const std::optional<ObjectParts> parts = PartsOfKey(key);
  return std::string(parts ? parts->resource : std::string_view("keys"));
}

StoreEventType TypeOf(const WatchEvent& e) {
  if (e.is_delete()) return StoreEventType::kDeleted;
  return e.is_create() ? StoreEventType::kAdded : StoreEventType::kModified;
}

std::string_view CloseReasonOf(const WatchResponse& r) {
  if (r.compact_revision != 0) return "compacted";
  return r.cancel_reason.empty() ? "canceled" : r.cancel_reason;
}

std::string OptionsOf(const WatchRequest& r) {
  std::string text;
  text.reserve(64);  // all of them, so that it does not grow
  const auto add = [&text](bool given, std::string_view name) {
    if (!given) return;
    if (!text.empty()) text += ',';
    text += name;
  };
  add(r.prev_kv, "prevKv");
  add(r.progress_notify, "progressNotify");
  add(r.no_put, "noPut");
  add(r.no_delete, "noDelete");
  return text;
}

}  // namespace

// --- the client's end ---------------------------------------------------------------------------

WatchInbox::WatchInbox(sim::Simulation& sim, std::string_view client, std::uint64_t stream_id)
    : sim_(sim), client_(sim::ActorId::Of(client)), stream_(stream_id), box_(sim) {}

void WatchInbox::Arrive(std::unique_ptr<WireResponse> wire) {
  const std::shared_ptr<WatchInbox> inbox = wire->to.lock();
  if (inbox == nullptr) return;
  wire->response.arrived = inbox->sim_.now();
  inbox->box_.Send(std::move(wire));
}

void WatchInbox::TakeIn(WireResponse& wire) {
  sim_.AdoptOrigin(wire.origin);
  for (std::size_t i = 0; i < wire.payloads.size(); ++i) {
    const auto& payload = wire.payloads[i].As<StoreEventPayload>();
    const std::uint64_t object = payload.kv ? payload.kv.shared_key().object_hash() : 0;
    const sim::EventInfo info{sim::EventKind::kDeliver, object, payload.rv};
    const std::uint64_t seq = sim_.EmitAs(client_, wire.events[i], info, wire.payloads[i]);
    sim_.context().cause = seq;
    if (i < wire.response.events.size()) wire.response.events.Own(i).cause = seq;
  }
}

template <class F>
void EtcdWatch::SendToServer(F act) {
  to_server_.Send(key_, [&etcd = etcd_, act = std::move(act)]() mutable {
    const ProcessScope scope(etcd.network().simulation(), etcd.process());
    act(etcd);
  });
}

EtcdWatch::EtcdWatch(Etcd& etcd, sim::Network& network, const SharedText& client,
                     WatchRequest request)
    : etcd_(etcd),
      key_(sim::KeyOf(request.key)),
      to_server_(network, client, "etcd", SubjectOf(request.key, etcd.store()),
                 sim::Channel::Order::kOrdered),
      inbox_(std::make_shared<WatchInbox>(network.simulation(), client, network.NumberStream())) {
  SendToServer([inbox = inbox_, client, request = std::move(request)](Etcd& server) {
    server.OpenStream(inbox, client, request);
  });
}

EtcdWatch::~EtcdWatch() {
  SendToServer([id = stream()](Etcd& server) { server.CloseStream(id); });
}

sim::Task<std::optional<WatchResponse>> EtcdWatch::Next() {
  const std::shared_ptr<WatchInbox> inbox = inbox_;
  std::optional<std::unique_ptr<WireResponse>> wire = co_await inbox->box().Receive();
  if (!wire) co_return std::nullopt;
  inbox->TakeIn(**wire);
  co_return std::move((*wire)->response);
}

void EtcdWatch::RequestProgress() {
  SendToServer([id = stream()](Etcd& server) {
    if (EtcdServerStream* s = server.FindStream(id)) s->RequestProgress();
  });
}

void EtcdWatch::Cancel() {
  SendToServer([id = stream()](Etcd& server) {
    if (EtcdServerStream* s = server.FindStream(id)) s->Cancel();
  });
}

// --- the server's end ---------------------------------------------------------------------------

EtcdServerStream::EtcdServerStream(Etcd& etcd, sim::Network& network, const SharedText& client,
                                   const std::shared_ptr<WatchInbox>& inbox,
                                   const WatchRequest& request)
    : etcd_(etcd),
      sim_(network.simulation()),
      client_(client),
      id_(inbox->stream()),
      key_(sim::KeyOf(request.key)),
      to_client_(network, "etcd", client, SubjectOf(request.key, etcd.store()),
                 sim::Channel::Order::kOrdered),
      inbox_(inbox),
      watches_(etcd.store().NewWatchStream([this] { Pump(); })),
      request_(request),
      known_as_(etcd.store().KnownAs(request.key)) {}

void EtcdServerStream::Start() {
  open_ = true;
  sim_.EmitAs(etcd_.process().actor(), sim_.context().cause, WatchInfo(), WatchPayload(true, {}));
  watch_id_ = watches_->Watch(request_);
}

sim::EventInfo EtcdServerStream::WatchInfo() const {
  return {sim::EventKind::kWatch, 0, request_.start_revision};
}

sim::PayloadRef EtcdServerStream::WatchPayload(bool open, std::string_view reason) const {
  auto* payload = new StoreWatchPayload;
  payload->stream = id_;
  payload->client = client_;
  payload->key = request_.key;
  payload->range_end = request_.range_end;
  payload->known_as = known_as_;
  payload->rv = request_.start_revision;
  payload->options = OptionsOf(request_);
  payload->open = open;
  payload->last_rv = last_revision_;
  payload->reason = reason;
  return sim::PayloadRef(payload);
}

void EtcdServerStream::Close(std::string_view reason) {
  if (!std::exchange(open_, false)) return;
  sim_.EmitAs(etcd_.process().actor(), sim_.context().cause, WatchInfo(),
              WatchPayload(false, reason));
}

void EtcdServerStream::CloseLater(std::string_view reason) {
  if (!std::exchange(open_, false)) return;
  sim_.Defer([&sim = sim_, actor = etcd_.process().actor(), info = WatchInfo(),
              payload = WatchPayload(false, reason)] {
    sim.EmitAs(actor, sim.context().cause, info, payload);
  });
}

void EtcdServerStream::SendEnd() {
  to_client_.Send(key_, [inbox = inbox_] {
    if (const std::shared_ptr<WatchInbox> client = inbox.lock()) client->End();
  });
}

void EtcdServerStream::Pump() {
  while (std::optional<WatchResponse> response = watches_->Next()) Put(*std::move(response));
}

void EtcdServerStream::AnnounceOne(sim::PayloadRef payload, std::uint64_t object,
                                   std::uint64_t cause, WireResponse* wire) {
  const auto& event = payload.As<StoreEventPayload>();
  if (event.type != StoreEventType::kError) last_revision_ = std::max(last_revision_, event.rv);
  const sim::EventInfo info{sim::EventKind::kEvent, object, event.rv};
  wire->events.push_back(sim_.EmitAs(etcd_.process().actor(), cause, info, payload));
  wire->payloads.push_back(std::move(payload));
}

// Tells the bus what a response holds, with the commit as the cause of each event.
void EtcdServerStream::Announce(WireResponse* wire) {
  const WatchResponse& response = wire->response;
  const auto payload_of = [&](StoreEventType type, KeyValue kv, Revision rv) {
    auto* payload = new StoreEventPayload;
    payload->stream = id_;
    payload->n = ++events_;
    payload->type = type;
    payload->kv = std::move(kv);
    payload->rv = rv;
    payload->response = response.number;
    return sim::PayloadRef(payload);
  };
  const std::uint64_t cause = sim_.context().cause;
  for (const WatchEvent& e : response.events) {
    AnnounceOne(payload_of(TypeOf(e), e.kv, e.kv.mod_revision()), e.kv.shared_key().object_hash(),
                e.cause == 0 ? cause : e.cause, wire);
  }
  if (response.is_progress())
    AnnounceOne(payload_of(StoreEventType::kBookmark, {}, response.revision), 0, cause, wire);
  if (response.compact_revision != 0)
    AnnounceOne(payload_of(StoreEventType::kError, {}, response.compact_revision), 0, cause, wire);
}

void EtcdServerStream::Put(WatchResponse&& response) {
  auto wire = std::make_unique<WireResponse>(inbox_);
  wire->response = std::move(response);
  const WatchResponse& r = wire->response;
  wire->response.number = ++responses_;
  ProcessScope scope(sim_, etcd_.process());
  Announce(wire.get());
  if (!wire->events.empty()) scope.set_cause(wire->events.back());
  if (r.canceled) Close(CloseReasonOf(r));
  wire->origin = sim_.CaptureOrigin();
  const std::uint64_t key = r.events.empty() ? key_ : r.events[0].kv.shared_key().object_hash();
  to_client_.Send(key, [wire = std::move(wire)]() mutable { WatchInbox::Arrive(std::move(wire)); });
}

}  // namespace ksim::store
