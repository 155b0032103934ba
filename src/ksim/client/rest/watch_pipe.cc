#include "ksim/client/rest/watch_pipe.h"

#include <utility>

#include "ksim/client/core/payloads.h"

namespace ksim::client {

class WatchPipe::Sink : public api::WatchSink {
 public:
  explicit Sink(std::shared_ptr<WatchPipe> pipe) : pipe_(std::move(pipe)) {}
  ~Sink() override { Close(api::StreamEnd::kReset); }
  bool Send(api::WatchEvent event) override {
    return pipe_ == nullptr || pipe_->Send(std::move(event));
  }
  void Close(api::StreamEnd how) override {
    if (const std::shared_ptr<WatchPipe> pipe = std::exchange(pipe_, nullptr)) pipe->SendEnd(how);
  }

 private:
  std::shared_ptr<WatchPipe> pipe_;
};

class WatchPipe::Stream : public WatchStream {
 public:
  Stream(std::shared_ptr<WatchPipe> pipe, std::uint64_t number)
      : pipe_(std::move(pipe)), number_(number) {}
  ~Stream() override {
    pipe_->reading_ = false;
    pipe_->items_.clear();
    pipe_->Forget();
    if (ended_ || pipe_->cut_) return;
    if (Link* link = pipe_->link()) link->SendCloseWatch(pipe_->server_, pipe_->resource_, number_);
  }
  sim::Task<std::optional<api::WatchEvent>> Next() override;
  std::optional<api::WatchEvent> NextAtOnce() override;
  sim::Signal* ToWaitFor() override {
    const bool waits = pipe_->arrived_ == 0 && !stopped_ && !ended_;
    return waits ? &pipe_->to_take_in_ : nullptr;
  }
  api::StreamEnd end() const override { return end_; }
  std::uint64_t id() const override { return number_; }
  void Stop() override {
    stopped_ = true;
    pipe_->Wake();
  }

 private:
  // Takes in the oldest event that has arrived; nullopt: the stream has ended, or a fault holds it.
  std::optional<api::WatchEvent> TakeIn();
  void Deliver(Link& link, const api::WatchEvent& event);

  std::shared_ptr<WatchPipe> pipe_;
  std::uint64_t number_;
  bool ended_ = false;
  bool stopped_ = false;
  api::StreamEnd end_ = api::StreamEnd::kEof;
};

sim::Task<std::optional<api::WatchEvent>> WatchPipe::Stream::Next() {
  if (ended_ || stopped_) co_return std::nullopt;
  while (pipe_->arrived_ == 0 && !stopped_) co_await pipe_->to_take_in_.Wait();
  FaultHooks* hooks = pipe_->hooks_;
  if (hooks != nullptr && hooks->has_gates()) {
    co_await PassGates(hooks, pipe_->reader_, Access::kRead);
  }
  co_return TakeIn();
}

std::optional<api::WatchEvent> WatchPipe::Stream::NextAtOnce() {
  const FaultHooks* hooks = pipe_->hooks_;
  if (pipe_->arrived_ == 0 || (hooks != nullptr && hooks->has_gates())) return std::nullopt;
  return TakeIn();
}

std::optional<api::WatchEvent> WatchPipe::Stream::TakeIn() {
  if (ended_ || stopped_) return std::nullopt;
  Link* link = pipe_->link();
  Item item = pipe_->items_.Pop();
  --pipe_->arrived_;
  ended_ = link == nullptr || item.kind == Item::Kind::kEnd;
  if (link != nullptr) link->sim().AdoptOrigin(item.origin);
  if (ended_) {
    end_ = item.end;
    return std::nullopt;
  }
  if (item.kind == Item::Kind::kEvent) {
    Deliver(*link, item.event);
    pipe_->TakenIn(*link);
  }
  return std::move(item.event);
}

void WatchPipe::Stream::Deliver(Link& link, const api::WatchEvent& event) {
  auto* payload = new DeliverPayload;
  payload->stream = number_;
  payload->n = event.n;
  payload->type = event.type;
  payload->resource = pipe_->resource_;
  payload->object = event.object;
  payload->initial_end = event.initial_end;
  sim::EventInfo info;
  info.kind = sim::EventKind::kDeliver;
  if (!event.object.empty()) {
    const api::Object& o = event.object;
    if (!o.name().empty()) {
      info.object = o.KeyHash(*pipe_->resource_);
    }
    info.revision = o.resource_version();
  }
  link.sim().context().cause =
      link.sim().EmitAs(link.process().actor(), event.event, info, sim::PayloadRef(payload));
}

WatchPipe::WatchPipe(const std::shared_ptr<Link>& link, api::Endpoint& server,
                     const api::ResourceInfo* resource)
    : link_(link.get()),
      link_alive_(link),
      server_(server),
      resource_(resource),
      streams_key_(link->StreamsKey(resource)),
      channel_(link->NewStreamChannel(server, resource)),
      to_take_in_(link->sim()),
      hooks_(link->env().faults),
      reader_(link->process().actor()) {
  if (hooks_ == nullptr) return;
  faults_ = &hooks_->StreamsOf(link->process().name(), resource);
  faults_->open.push_back(this);
}

WatchPipe::~WatchPipe() { Forget(); }

void WatchPipe::Forget() {
  if (faults_ != nullptr) std::erase(faults_->open, this);
}

std::shared_ptr<api::WatchSink> WatchPipe::MakeSink() {
  return std::make_shared<Sink>(shared_from_this());
}

std::unique_ptr<WatchStream> WatchPipe::MakeStream(std::uint64_t number) {
  number_ = number;
  return std::make_unique<Stream>(shared_from_this(), number);
}

void WatchPipe::SendInOrder(std::uint64_t key, absl::AnyInvocable<void()> deliver) {
  if (link() != nullptr && link()->usable()) channel_.Send(key, std::move(deliver));
}

bool WatchPipe::CanSend() const {
  return link() != nullptr && link()->usable() && reading_ && !cut_;
}

bool WatchPipe::Send(api::WatchEvent&& event) {
  if (!CanSend()) return true;
  const std::uint64_t key = DeliveryKey(event);
  PutOnWire(key, Item(std::move(event)));
  ++unread_;
  if (Choked()) server_waits_ = true;
  return !server_waits_;
}

bool WatchPipe::Choked() const {
  if (faults_ == nullptr || unread_ < faults_->window) return false;
  return paused_ || faults_->held > 0 || hooks_->ClosedGate(reader_, Access::kRead) != nullptr;
}

void WatchPipe::TakenIn(Link& link) {
  --unread_;
  if (!server_waits_ || Choked()) return;
  server_waits_ = false;
  link.SendResumeWatch(server_, resource_, number_);
}

void WatchPipe::SendEnd(api::StreamEnd how) {
  if (!CanSend()) return;
  api::WatchEvent end;
  end.type = api::WatchEventType::kError;
  PutOnWire(DeliveryKey(end), Item(how));
}

std::uint64_t WatchPipe::DeliveryKey(const api::WatchEvent& event) {
  return link()->DeliveryKey(streams_key_, resource_, event);
}

void WatchPipe::PutOnWire(std::uint64_t key, Item&& item) {
  items_.Push(std::move(item));
  channel_.Send(key, [self = shared_from_this()] { self->Arrive(); }, ExtraDelay());
}

void WatchPipe::Arrive() {
  if (link() == nullptr || !reading_ || cut_) return;
  items_[arrived_ + held_].origin = link()->sim().CaptureOrigin();
  if (faults_ != nullptr && faults_->held > 0) {
    ++held_;
  } else {
    ++arrived_;
    Wake();
  }
}

void WatchPipe::TakeHeld() {
  if (held_ == 0) return;
  arrived_ += std::exchange(held_, 0);
  Wake();
}

bool WatchPipe::Cut(const api::Status& error) {
  if (link() == nullptr || !open()) return false;
  cut_ = true;
  items_.Keep(arrived_);
  held_ = 0;
  Item last = error.ok() ? Item(api::StreamEnd::kEof)
                         : Item(api::WatchEvent::OfError(error), Item::Kind::kLocalEvent);
  last.origin = link()->sim().CaptureOrigin();
  items_.Push(std::move(last));
  ++arrived_;
  Wake();
  link()->SendCloseWatch(server_, resource_, number_);
  return true;
}

}  // namespace ksim::client
