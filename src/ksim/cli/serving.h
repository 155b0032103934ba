// Serving: a scenario's cluster behind a server, from the first client to the oracles' verdict.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ksim/base/time.h"
#include "ksim/cli/io.h"
#include "ksim/scenario/load.h"
#include "ksim/scenario/not_simulated.h"
#include "ksim/scenario/runner.h"
#include "ksim/scenario/scenario.h"
#include "ksim/serve/server.h"
#include "ksim/trace/trace_stream.h"

namespace ksim::cli {

struct ServingOptions {
  ServingOptions() = default;
  serve::ServerOptions server;
  std::string listen;      // as the user said it
  std::string kubeconfig;  // file to write; "": none
  std::string trace;       // file to write, or -; "": none
  std::optional<VirtualTime> until;
  bool strict = false;  // what nobody simulates is a failure
  // The last line of the run goes to stderr, for who starts it reads no result.
  bool summary_to_err = false;
};

// The one scenario of the files, checked; nothing, and its errors printed, for anything else.
std::optional<scenario::Loaded> LoadServed(Io& io, const std::vector<std::string>& files,
                                           const scenario::LoadOptions& options, bool quiet);

class Serving {
 public:
  // `file`: what the user called the scenario. All but the options outlive it.
  Serving(Io& io, const scenario::Scenario& scenario, const std::string& file,
          ServingOptions options);

  // Until a signal or options.until; the exit code.
  int Run();

 private:
  int CannotWriteTo(const std::string& file, const absl::Status& status);
  void SetStop(serve::ServedCluster& cluster, trace::TraceStream* trace);
  // Tells whatever clients asked for since the last call that nobody does anything about.
  void TellNotSimulated(const serve::ServedCluster& cluster);
  bool Announce(std::uint16_t port);
  int Report(scenario::RunReport report, trace::TraceStream* trace);

  Io& io_;
  const scenario::Scenario& scenario_;
  ServingOptions options_;
  const std::vector<scenario::NotSimulated> not_simulated_;  // of the scenario
  std::size_t told_ = 0;                                     // of what clients asked for
};

}  // namespace ksim::cli
