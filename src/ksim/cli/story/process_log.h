// ProcessLog: the log of one process at a verbosity from 6 on, line by line as client-go's klog
// prints it: each request with its curl line, the connection, the answer's headers and bodies. Of
// kubectl also what it does before: the kubeconfig, the OpenAPI documents that it validates by, and
// discovery, which it asks for at its first command and has in its cache from then on. Of a process
// with informers also what these and their reflectors tell (reflector_lines.h), at any verbosity.
//
// ksim's kubectl asks for neither documents nor discovery: these lines have the time of the command
// (docs/fidelity.md).
//
// Sources: client-go transport/round_trippers.go debuggingRoundTripper, rest/request.go glogBody,
// tools/clientcmd/loader.go, discovery/cached/disk/cached_discovery.go; kubectl pkg/cmd/util
// helpers.go.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/kinds.h"
#include "ksim/client/core/cache_log.h"
#include "ksim/kubectl/printing/client_go_lines.h"
#include "ksim/sim/bus.h"
#include "ksim/sim/simulation.h"
#include "ksim/value/value.h"

namespace ksim::client {
struct RequestPayload;
}

namespace ksim::cli {

inline constexpr int kTellsRequests = 6;  // the least verbosity of client-go's round tripper

struct LoggedText {
  LoggedText() = default;
  LoggedText(std::uint64_t s, std::string t) : seq(s), text(std::move(t)) {}
  std::uint64_t seq = 0;  // of the event that the lines are about
  std::string text;       // whole lines
};

class ProcessLog : public client::CacheLog {
 public:
  // `sim` is the run's, `kinds` are those of the cluster, and both outlive it.
  ProcessLog(std::string process, int level, const sim::Simulation& sim, const api::Kinds& kinds,
             api::Compat compat);

  // In the order of the run; what is no step or request of this process is ignored.
  void Take(const sim::Event& e);
  void Hear(const client::CacheMoment& moment) override;
  const std::vector<LoggedText>& texts() const { return texts_; }

 private:
  // One run of the program: kubectl is a process of its own for each command.
  struct Run {
    Run() = default;
    std::int64_t pid = 1;
    std::string verb;        // of kubectl's command
    bool asked = true;       // what goes before the first request
    bool connected = false;  // it has a connection
    value::Value refusal;    // the last Status that was an error; null: none
  };
  void TakeStep(const sim::Event& e);
  void TakeRequest(const sim::Event& e);
  void TakeResponse(const sim::Event& e);
  // The run whose event led to this one; commands may go on side by side.
  Run& RunOf(const sim::Event& e);

  // Tells of all that kubectl asks for before the first request of a command.
  void AskBefore(const sim::Event& e, Run& run, const client::RequestPayload& p);
  void AskDiscovery(const sim::Event& e, Run& run, std::string_view server);
  void TellCachedDiscovery(const sim::Event& e, const Run& run, std::string_view server);
  void Fetch(const sim::Event& e, Run& run, std::string_view server, const std::string& target,
             const char* accept, const char* caller);

  kubectl::ClientGoLines LinesOf(const sim::Event& e, const Run& run);
  void Ask(const sim::Event& e, const Run& run, const kubectl::HttpExchange& x,
           std::string_view server);
  void Answer(const sim::Event& e, Run& run, const kubectl::HttpExchange& x);
  void TellConfig(const sim::Event& e, const Run& run);
  // `result`: all that the command printed.
  void TellError(const sim::Event& e, const Run& run, std::string_view result);
  void Line(const sim::Event& e, const Run& run, std::string_view place, std::string_view text);
  void Add(std::uint64_t seq, std::string_view line);
  std::string UserAgent() const;

  const std::string process_;
  const int level_;
  const sim::Simulation& sim_;
  const api::Kinds& kinds_;
  const api::Compat compat_;
  const kubectl::Profile& profile_;
  std::map<std::int64_t, Run> runs_;              // by the number of the step; 0: no kubectl
  std::map<std::uint64_t, std::int64_t> run_of_;  // by the seq of steps, requests and responses
  std::int64_t last_begun_ = 0;
  bool discovered_ = false;                        // discovery is in the cache
  std::map<std::uint64_t, sim::PayloadRef> sent_;  // requests without an answer, by id
  std::uint64_t last_seq_ = 0;                     // of the events taken
  std::vector<LoggedText> texts_;
};

}  // namespace ksim::cli
