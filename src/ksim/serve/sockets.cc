#include "ksim/serve/sockets.h"

#include <fmt/format.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "ksim/base/os.h"
#include "ksim/serve/tls_connection.h"

namespace ksim::serve {
namespace {

namespace asio = boost::asio;
namespace http = apiserver::http;
using asio::ip::tcp;
using boost::system::error_code;

class AsioSockets;

// One client's connection. Asio's handlers keep it alive until the last of them has run.
class Peer final : public http::RequestSink,
                   public http::ResponseWriter,
                   public std::enable_shared_from_this<Peer> {
 public:
  Peer(AsioSockets& owner, tcp::socket socket, std::int64_t number, const SocketLimits& limits,
       const Tls* tls)
      : owner_(&owner),
        socket_(std::move(socket)),
        number_(number),
        codec_(http::MakeConnection(*this, limits.http)),
        active_(os::MonotonicNow()) {
    if (tls == nullptr) return;
    auto secured = std::make_unique<TlsConnection>(tls->Begin(), std::move(codec_));
    tls_ = secured.get();
    codec_ = std::move(secured);
  }

  void Read();
  void Flush();
  void Close();
  // Ends the connection if it has been idle, or unread, for too long.
  void CheckTimes(Duration now, const SocketLimits& limits);
  bool open() const { return owner_ != nullptr; }
  std::int64_t number() const { return number_; }
  std::size_t unread(http::StreamId stream) const {
    return out_.size() - sent_ + codec_->held(stream);
  }
  const Identity* identity() const { return tls_ == nullptr ? nullptr : tls_->identity(); }
  bool HasSaidAll() const { return out_.size() == sent_; }

  // --- RequestSink ---
  void OnRequest(http::StreamId stream, http::HttpRequest request) override;
  void OnGone(http::StreamId stream) override;
  // --- ResponseWriter ---
  void Respond(http::StreamId stream, http::HttpResponse response) override;
  void Begin(http::StreamId stream, http::HttpResponse head) override;
  void Write(http::StreamId stream, std::string_view piece) override;
  void End(http::StreamId stream) override;
  void Reset(http::StreamId stream) override;

 private:
  void Send();
  void MarkDirty();

  AsioSockets* owner_;  // null: closed
  tcp::socket socket_;
  const std::int64_t number_;
  std::unique_ptr<http::Connection> codec_;
  TlsConnection* tls_ = nullptr;  // codec_, where it is one
  std::array<char, std::size_t{16} << 10> in_{};
  std::string out_;          // being sent
  std::size_t sent_ = 0;     // of it
  bool sending_ = false;     // a handler will go on
  bool reading_ = false;     // likewise
  std::size_t serving_ = 0;  // requests whose answer has not ended
  const Duration opened_ = os::MonotonicNow();
  Duration active_;  // when bytes came in or a request ended
  Duration stuck_;   // since when the client has not read; of no meaning unless sending_
};

class AsioSockets final : public Sockets {
 public:
  AsioSockets(SocketUser& user, const SocketLimits& limits, const Tls* tls)
      : user_(user), limits_(limits), tls_(tls), acceptor_(io_) {}
  ~AsioSockets() override { CloseAll(); }

  absl::Status Open(const std::string& host, std::uint16_t port) {
    error_code error;
    const asio::ip::address address = asio::ip::make_address(host, error);
    if (error) return absl::InvalidArgumentError(fmt::format("\"{}\" is no address", host));
    const tcp::endpoint endpoint(address, port);
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) return absl::UnavailableError(error.message());
    Accept();
    return absl::OkStatus();
  }

  std::uint16_t port() const override { return acceptor_.local_endpoint().port(); }

  void Poll(Duration wait) override {
    io_.restart();
    if (wait > Duration()) io_.run_one_for(std::chrono::nanoseconds(wait.ns()));
    io_.restart();
    io_.poll();
    const Duration now = os::MonotonicNow();
    if (now - checked_ < Seconds(1)) return;
    checked_ = now;
    for (const auto& peer : Peers()) peer->CheckTimes(now, limits_);
  }

  void Flush() override {
    // Closing a peer may make others dirty.
    while (!dirty_.empty()) {
      const std::set<std::int64_t> dirty = std::exchange(dirty_, {});
      for (const std::int64_t number : dirty)
        if (const auto peer = Find(number)) peer->Flush();
    }
  }

  std::size_t unread(std::int64_t connection, http::StreamId stream) const override {
    const auto peer = peers_.find(connection);
    return peer == peers_.end() ? 0 : peer->second->unread(stream);
  }

  const Identity* identity(std::int64_t connection) const override {
    const auto peer = peers_.find(connection);
    return peer == peers_.end() ? nullptr : peer->second->identity();
  }

  void Close(Duration wait) override {
    error_code ignored;
    acceptor_.close(ignored);
    const Duration end = os::MonotonicNow() + wait;
    for (;;) {
      Flush();
      bool all = true;
      for (const auto& peer : Peers()) all = all && peer->HasSaidAll();
      const Duration left = end - os::MonotonicNow();
      if (all || left <= Duration()) break;
      Poll(std::min(left, Milliseconds(10)));
    }
    CloseAll();
  }

  // --- for peers ---
  SocketUser& user() { return user_; }
  const SocketLimits& limits() const { return limits_; }
  void MarkDirty(std::int64_t number) { dirty_.insert(number); }
  void Forget(std::int64_t number) {
    peers_.erase(number);
    dirty_.erase(number);
  }

 private:
  std::shared_ptr<Peer> Find(std::int64_t number) {
    const auto found = peers_.find(number);
    return found == peers_.end() ? nullptr : found->second;
  }
  std::vector<std::shared_ptr<Peer>> Peers() const {
    std::vector<std::shared_ptr<Peer>> all;
    for (const auto& [number, peer] : peers_) all.push_back(peer);
    return all;
  }
  void CloseAll() {
    for (const auto& peer : Peers()) peer->Close();
    io_.restart();
    io_.poll();  // the handlers of what was closed
  }
  void Accept() {
    acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (!error && peers_.size() < limits_.connections) Take(std::move(socket));
      Accept();
    });
  }
  void Take(tcp::socket socket) {
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    socket.non_blocking(true, ignored);
    const std::int64_t number = next_++;
    const auto peer = std::make_shared<Peer>(*this, std::move(socket), number, limits_, tls_);
    peers_[number] = peer;
    user_.OnOpen(number, *peer);
    peer->Read();
  }

  SocketUser& user_;
  const SocketLimits limits_;
  const Tls* const tls_;
  asio::io_context io_;
  tcp::acceptor acceptor_;
  std::map<std::int64_t, std::shared_ptr<Peer>> peers_;
  std::set<std::int64_t> dirty_;  // have something to say
  std::int64_t next_ = 1;
  Duration checked_;
};

void Peer::MarkDirty() {
  if (owner_ != nullptr) owner_->MarkDirty(number_);
}

// A client that sends more than is served waits: the codec is full until then.
void Peer::Read() {
  if (reading_ || owner_ == nullptr || codec_->full()) return;
  reading_ = true;
  socket_.async_read_some(asio::buffer(in_),
                          [self = shared_from_this()](const error_code& error, std::size_t size) {
                            self->reading_ = false;
                            if (self->owner_ == nullptr) return;
                            if (error) return self->Close();
                            self->active_ = os::MonotonicNow();
                            self->codec_->Receive({self->in_.data(), size});
                            self->MarkDirty();
                            self->Read();
                          });
}

void Peer::Flush() {
  if (owner_ == nullptr) return;
  out_ += codec_->TakeOutput();
  if (!sending_) Send();
  if (owner_ == nullptr) return;
  if (out_.size() - sent_ > owner_->limits().unread_bytes) return Close();
  Read();  // if the codec was full
}

// Sends at once what the system takes, and waits until it takes more.
void Peer::Send() {
  error_code error;
  while (sent_ < out_.size() && !error) {
    sent_ += socket_.write_some(asio::buffer(out_.data() + sent_, out_.size() - sent_), error);
  }
  if (error && error != asio::error::would_block) return Close();
  if (sent_ == out_.size()) {
    out_.clear();
    sent_ = 0;
    if (codec_->closed()) Close();
    return;
  }
  if (sent_ > out_.size() / 2) {
    out_.erase(0, sent_);
    sent_ = 0;
  }
  sending_ = true;
  stuck_ = os::MonotonicNow();
  socket_.async_wait(tcp::socket::wait_write,
                     [self = shared_from_this()](const error_code& wait_error) {
                       self->sending_ = false;
                       if (self->owner_ == nullptr) return;
                       if (wait_error) return self->Close();
                       self->Send();
                       self->MarkDirty();
                     });
}

void Peer::CheckTimes(Duration now, const SocketLimits& limits) {
  if (owner_ == nullptr) return;
  const bool idle = serving_ == 0 && now - active_ > limits.idle;
  const bool unread = sending_ && now - stuck_ > limits.unread;
  // Until then only the handshake's own bytes have come.
  const bool slow = tls_ != nullptr && !tls_->established() && now - opened_ > limits.handshake;
  if (idle || unread || slow) Close();
}

void Peer::Close() {
  if (owner_ == nullptr) return;
  const auto self = shared_from_this();
  codec_->Close();  // OnGone of what is open
  AsioSockets* const owner = std::exchange(owner_, nullptr);
  owner->user().OnClose(number_);
  owner->Forget(number_);
  error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_both, ignored);
  socket_.close(ignored);
}

void Peer::OnRequest(http::StreamId stream, http::HttpRequest request) {
  ++serving_;
  owner_->user().OnRequest(number_, stream, std::move(request));
}

void Peer::OnGone(http::StreamId stream) {
  if (serving_ > 0) --serving_;
  if (owner_ != nullptr) owner_->user().OnGone(number_, stream);
}

void Peer::Respond(http::StreamId stream, http::HttpResponse response) {
  if (serving_ > 0) --serving_;
  active_ = os::MonotonicNow();
  codec_->Respond(stream, std::move(response));
  MarkDirty();
}

void Peer::Begin(http::StreamId stream, http::HttpResponse head) {
  codec_->Begin(stream, std::move(head));
  MarkDirty();
}

void Peer::Write(http::StreamId stream, std::string_view piece) {
  codec_->Write(stream, piece);
  MarkDirty();
}

void Peer::End(http::StreamId stream) {
  if (serving_ > 0) --serving_;
  active_ = os::MonotonicNow();
  codec_->End(stream);
  MarkDirty();
}

void Peer::Reset(http::StreamId stream) {
  if (serving_ > 0) --serving_;
  codec_->Reset(stream);
  MarkDirty();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Sockets>> Sockets::Listen(const std::string& host,
                                                         std::uint16_t port, SocketUser& user,
                                                         const SocketLimits& limits,
                                                         const Tls* tls) {
  auto sockets = std::make_unique<AsioSockets>(user, limits, tls);
  if (const absl::Status status = sockets->Open(host, port); !status.ok()) return status;
  return sockets;
}

}  // namespace ksim::serve
