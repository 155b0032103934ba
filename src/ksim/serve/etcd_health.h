// EtcdHealth: an etcd's health and version over HTTP, and nothing else of one. Test environments
// start an etcd and wait for its health before they start an API server; ksim's has its own store.
//
// Source: etcd server/etcdserver/api/etcdhttp {health,version}.go; controller-runtime
// pkg/internal/testing/controlplane/etcd.go.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ksim/serve/sockets.h"

namespace ksim::serve {

inline constexpr std::string_view kEtcdVersion = "3.5.21";  // the etcd that ksim's stands in for

class EtcdHealth final : public SocketUser {
 public:
  // Unavailable for a place where nobody can listen, InvalidArgument for no address.
  static absl::StatusOr<std::unique_ptr<EtcdHealth>> Listen(const std::string& host,
                                                            std::uint16_t port);
  std::uint16_t port() const { return sockets_->port(); }
  // Answers until `stop`, which is asked ten times a second and more.
  void Run(const std::function<bool()>& stop);

  // --- SocketUser ---
  void OnOpen(std::int64_t connection, apiserver::http::ResponseWriter& writer) override;
  void OnRequest(std::int64_t connection, apiserver::http::StreamId stream,
                 apiserver::http::HttpRequest request) override;
  void OnGone(std::int64_t, apiserver::http::StreamId) override {}
  void OnClose(std::int64_t connection) override { writers_.erase(connection); }

 private:
  EtcdHealth() = default;

  std::map<std::int64_t, apiserver::http::ResponseWriter*> writers_;
  std::unique_ptr<Sockets> sockets_;
};

}  // namespace ksim::serve
