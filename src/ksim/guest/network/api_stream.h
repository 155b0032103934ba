// ApiStream: one connection of a guest to its API server: bytes on the guest's side, requests of a
// Relay on the other.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "ksim/api/compat.h"
#include "ksim/api/core/metrics_source.h"
#include "ksim/api/kinds.h"
#include "ksim/apiserver/core/access.h"
#include "ksim/apiserver/doors/http/connection.h"
#include "ksim/apiserver/doors/http/http_door.h"
#include "ksim/apiserver/doors/http/paths.h"
#include "ksim/apiserver/doors/http/reviews.h"
#include "ksim/guest/network/relay.h"
#include "ksim/sim/simulation.h"

namespace ksim::guest {

// The guest that speaks, and the kind of server that it speaks to.
struct ApiSide {
  ApiSide() = default;
  api::Compat compat = api::kDefaultCompat;
  // Says what the guest may ask for; null allows everything. Outlives the guest.
  const apiserver::AccessJudge* access = nullptr;
  std::string user;  // of requests that ask in nobody else's name
  // The metrics APIs that it serves; null: none. Outlives the guest.
  const api::MetricsSource* metrics = nullptr;
};

class ApiStream final : private apiserver::http::RequestSink {
 public:
  // `came` is told, in the step in which it happens, what comes from the server: bytes, and at the
  // end, once, that nothing more does, with an errno of WASI or 0. It outlives the stream, which
  // may be destroyed in it only if it was told the end.
  struct Asked {
    Asked() = default;
    std::string method, path;  // without the query
    std::string reads;         // BrokenReads::KeyOf
    bool background = false;   // it is part of what goes on for ever
  };
  struct Came {
    Came() = default;
    std::function<void(std::string_view bytes)> bytes;
    std::function<void(std::uint16_t error)> end;
    // A request goes out in the running step, whose context may still be changed.
    std::function<void(const apiserver::http::HttpRequest&)> request;
    // The answer to a request has come, or begins: its status; 0 if there will be none.
    std::function<void(const Asked& asked, int status)> answer;
    // A watch has broken off, or says an error. `reads` as above.
    std::function<void(const std::string& reads)> broke;
  };
  ApiStream(sim::Simulation& sim, const api::Kinds& kinds, const ApiSide& side, Relay& relay,
            Came came);
  ~ApiStream() override;

  // From the guest. Inside a step.
  void Send(std::string_view bytes);

 private:
  class Writer;
  void OnRequest(apiserver::http::StreamId stream, apiserver::http::HttpRequest request) override;
  void OnGone(apiserver::http::StreamId stream) override;
  // The answer to what needs no look at the cluster: discovery, the version, health, reviews.
  std::optional<apiserver::http::HttpResponse> OwnAnswer(
      const apiserver::http::HttpRequest& request) const;
  // The server's answer as the guest gets it: a list of pods may have been asked for their metrics.
  apiserver::http::HttpResponse Finished(apiserver::http::StreamId stream,
                                         apiserver::http::HttpResponse response);
  void Flush();
  void Answered(apiserver::http::StreamId stream, int status);
  void Broke(apiserver::http::StreamId stream);

  sim::Simulation& sim_;
  Relay& relay_;
  const std::string user_;
  const api::MetricsSource* const metrics_;
  Came came_;
  std::unique_ptr<apiserver::http::Connection> codec_;
  std::unique_ptr<Writer> writer_;
  std::unique_ptr<apiserver::http::HttpSession> session_;
  std::map<apiserver::http::StreamId, Asked> asked_;           // that is not answered
  std::map<apiserver::http::StreamId, std::string> watching_;  // what is read, of open watches
  std::map<apiserver::http::StreamId, std::string> measured_;  // selectors of pods
  std::uint16_t error_ = 0;
  bool ended_ = false;
  apiserver::http::Paths paths_;
  apiserver::http::Reviews reviews_;
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace ksim::guest
