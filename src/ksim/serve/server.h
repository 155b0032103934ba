// Server: a served cluster behind a socket, at a pace. It answers what needs no cluster by itself
// (discovery, /ksim/v1), gives all else to the cluster as inputs, and moves the virtual clock as
// the pace allows, in slices, so that no client waits for it.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/apiserver/doors/http/paths.h"
#include "ksim/apiserver/doors/http/reviews.h"
#include "ksim/serve/control.h"
#include "ksim/serve/credentials.h"
#include "ksim/serve/pace.h"
#include "ksim/serve/served_cluster.h"
#include "ksim/serve/sockets.h"

namespace ksim::serve {

struct ServerOptions {
  ServerOptions() = default;
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  Speed speed;
  SocketLimits limits;
  // With TLS, for clients that show credentials; null: plain HTTP, and everybody is believed.
  std::optional<ServerCredentials> credentials;
  std::function<bool()> stop;     // asked ten times a second and more
  std::function<void()> on_idle;  // now and then: time to flush files
};

class Server final : public SocketUser, public ControlTarget {
 public:
  // Listens at once, but answers nobody before Run. The cluster outlives it. InvalidArgument for
  // credentials that are none, Unavailable for a place where nobody can listen.
  static absl::StatusOr<std::unique_ptr<Server>> Listen(ServedCluster& cluster,
                                                        const scenario::Scenario& scenario,
                                                        ServerOptions options);
  ~Server() override;

  std::uint16_t port() const { return sockets_->port(); }
  // Until options.stop says so, or the run ends by itself; then says how it ended.
  sim::Simulation::Stop Run();

  // --- SocketUser ---
  void OnOpen(std::int64_t connection, apiserver::http::ResponseWriter& writer) override;
  void OnRequest(std::int64_t connection, apiserver::http::StreamId stream,
                 apiserver::http::HttpRequest request) override;
  void OnGone(std::int64_t connection, apiserver::http::StreamId stream) override;
  void OnClose(std::int64_t connection) override;

  // --- ControlTarget ---
  ServedCluster& cluster() override { return cluster_; }
  Speed speed() const override { return pace_.speed(); }
  void SetSpeed(Speed speed) override;
  void Step(Duration by) override;
  std::string Inject(Input input) override;

 private:
  Server(ServedCluster& cluster, const scenario::Scenario& scenario, ServerOptions options);
  sim::Simulation::Stop Advance();
  bool MustAnswer();
  // Why the request is not served; nothing for one that may come in, with its user in its headers.
  std::optional<apiserver::http::HttpResponse> Refusal(std::int64_t connection,
                                                       const apiserver::http::Url& url,
                                                       apiserver::http::HttpRequest* request);
  // The answer to a request that the cluster need not serve.
  std::optional<apiserver::http::HttpResponse> OwnAnswer(
      const apiserver::http::HttpRequest& request, const apiserver::http::Url& url);
  sim::Simulation::Stop AnswerRequests();
  void TakeInputs();
  void PauseAndResume();
  Duration TimeToWait();

  ServedCluster& cluster_;
  const ServerOptions options_;
  const apiserver::http::Paths paths_;
  const apiserver::http::Reviews reviews_;
  Control control_;
  std::map<std::int64_t, apiserver::http::ResponseWriter*> writers_;
  std::unique_ptr<Tls> tls_;  // outlives the sockets
  std::unique_ptr<Sockets> sockets_;
  Pace pace_;
  sim::Simulation::Stop stop_ = sim::Simulation::Stop::kTimeReached;  // anything else: the end
  std::vector<Input> inputs_;                                         // come in, not taken yet
};

}  // namespace ksim::serve
