// TlsConnection: a client's connection over TLS, as a codec around the codec of HTTP.
#pragma once
#include <memory>
#include <string>
#include <utility>

#include "ksim/apiserver/doors/http/connection.h"
#include "ksim/serve/tls.h"

namespace ksim::serve {

class TlsConnection final : public apiserver::http::Connection {
 public:
  using StreamId = apiserver::http::StreamId;
  using HttpResponse = apiserver::http::HttpResponse;

  TlsConnection(std::unique_ptr<TlsSession> session,
                std::unique_ptr<apiserver::http::Connection> inner)
      : session_(std::move(session)), inner_(std::move(inner)) {}

  bool established() const { return session_->established(); }
  // By the client's certificate; null without a good one.
  const Identity* identity() const { return session_->identity(); }

  // A client that begins with HTTP is told so, as Go does (net/http server.go, conn.serve).
  void Receive(std::string_view bytes) override;
  void Close() override { inner_->Close(); }
  std::string TakeOutput() override;
  std::size_t held(StreamId stream) const override { return inner_->held(stream); }
  bool full() const override { return inner_->full(); }
  bool closed() const override { return ended_ || inner_->closed(); }

  void Respond(StreamId stream, HttpResponse response) override {
    inner_->Respond(stream, std::move(response));
  }
  void Begin(StreamId stream, HttpResponse head) override {
    inner_->Begin(stream, std::move(head));
  }
  void Write(StreamId stream, std::string_view piece) override { inner_->Write(stream, piece); }
  void End(StreamId stream) override { inner_->End(stream); }
  void Reset(StreamId stream) override { inner_->Reset(stream); }

 private:
  bool RefuseWhatIsNoTls(std::string_view bytes);

  const std::unique_ptr<TlsSession> session_;
  const std::unique_ptr<apiserver::http::Connection> inner_;
  std::string first_;  // the first bytes, until they are a record's head
  std::string refusal_;
  bool begun_ = false;  // by TLS
  bool ended_ = false;
};

}  // namespace ksim::serve
