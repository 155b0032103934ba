#include "ksim/client/watch_pipe.h"

#include <utility>

#include "ksim/client/events.h"

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
    pipe_->Forget();
    if (ended_ || pipe_->cut_) return;
    if (Link* link = pipe_->link()) link->SendCloseWatch(pipe_->server_, pipe_->resource_, number_);
  }
  sim::Task<std::optional<api::WatchEvent>> Next() override;
  api::StreamEnd end() const override { return end_; }
  std::uint64_t id() const override { return number_; }
  void Stop() override {
    stopped_ = true;
    pipe_->arrived_.Close();
  }

 private:
  void Deliver(Link& link, const api::WatchEvent& event);

  std::shared_ptr<WatchPipe> pipe_;
  std::uint64_t number_;
  bool ended_ = false;
  bool stopped_ = false;
  api::StreamEnd end_ = api::StreamEnd::kEof;
};

sim::Task<std::optional<api::WatchEvent>> WatchPipe::Stream::Next() {
  if (ended_ || stopped_) co_return std::nullopt;
  std::optional<Item> item = co_await pipe_->arrived_.Receive();
  FaultHooks* hooks = pipe_->hooks_;
  if (hooks != nullptr && hooks->has_gates()) {
    co_await PassGates(hooks, pipe_->reader_, Access::kRead);
  }
  Link* link = pipe_->link();
  if (stopped_) co_return std::nullopt;
  if (!item || link == nullptr) {
    ended_ = true;
    co_return std::nullopt;
  }
  link->sim().AdoptOrigin(item->origin);
  if (!item->event) {
    ended_ = true;
    end_ = item->end;
    co_return std::nullopt;
  }
  if (!item->local) {
    Deliver(*link, *item->event);
    pipe_->TakenIn(*link);
  }
  co_return std::move(item->event);
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
      info.object = api::ObjectHash(pipe_->resource_->resource, o.ns(), o.name());
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
      channel_(link->NewStreamChannel(server, resource)),
      arrived_(link->sim()),
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

bool WatchPipe::Send(api::WatchEvent event) {
  if (!CanSend()) return true;
  const std::uint64_t key = link()->DeliveryKey(resource_, event);
  Item item;
  item.event.emplace(std::move(event));
  PutOnWire(key, std::move(item));
  ++unread_;
  if (Choked()) server_waits_ = true;
  return !server_waits_;
}

bool WatchPipe::Choked() const {
  if (faults_ == nullptr || unread_ < faults_->window) return false;
  return faults_->held > 0 || hooks_->ClosedGate(reader_, Access::kRead) != nullptr;
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
  Item item;
  item.end = how;
  PutOnWire(link()->DeliveryKey(resource_, end), std::move(item));
}

void WatchPipe::PutOnWire(std::uint64_t key, Item item) {
  on_wire_.Push(std::move(item));
  channel_.Send(key, [self = shared_from_this()] { self->Arrive(); }, ExtraDelay());
}

void WatchPipe::Arrive() {
  Item item = on_wire_.Pop();
  if (link() == nullptr || !reading_ || cut_) return;
  item.origin = link()->sim().CaptureOrigin();
  if (faults_ != nullptr && faults_->held > 0) {
    held_.push_back(std::move(item));
  } else {
    arrived_.Send(std::move(item));
  }
}

void WatchPipe::TakeHeld() {
  for (Item& item : std::exchange(held_, {})) arrived_.Send(std::move(item));
}

bool WatchPipe::Cut(const api::Status& error) {
  if (link() == nullptr || !open()) return false;
  cut_ = true;
  held_.clear();
  Item item;
  item.origin = link()->sim().CaptureOrigin();
  if (!error.ok()) {
    item.local = true;
    item.event = api::WatchEvent::OfError(error);
  }
  arrived_.Send(std::move(item));
  link()->SendCloseWatch(server_, resource_, number_);
  return true;
}

}  // namespace ksim::client
