#include "ksim/cli/serving.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/base/os.h"
#include "ksim/base/output_file.h"
#include "ksim/base/status.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/guest_programs.h"
#include "ksim/cli/listen_flags.h"
#include "ksim/cli/result.h"
#include "ksim/cli/signals.h"
#include "ksim/scenario/dry_run.h"
#include "ksim/serve/kubeconfig.h"

namespace ksim::cli {

std::optional<scenario::Loaded> LoadServed(Io& io, const std::vector<std::string>& files,
                                           const scenario::LoadOptions& options, bool quiet) {
  scenario::Loaded loaded = scenario::Load(files, options);
  std::vector<Diagnostic> errors = loaded.errors;
  for (std::size_t i = 0; errors.empty() && i < loaded.scenarios.size(); ++i) {
    errors = scenario::NotInThisVersion(loaded.scenarios[i], loaded.files[i]);
    for (Diagnostic& d : errors) d.severity = Diagnostic::Severity::kError;
    if (errors.empty()) errors = scenario::DryRun(loaded.scenarios[i]);
  }
  if (!quiet) io.Err(Render(loaded.warnings, io.err_color()));
  if (!errors.empty()) {
    io.Err(Render(errors, io.err_color()));
    return std::nullopt;
  }
  if (loaded.scenarios.size() != 1) {
    Refuse(io, "ksim serve",
           fmt::format("serves one cluster, these are {} scenarios", loaded.scenarios.size()));
    return std::nullopt;
  }
  if (!LoadGuestPrograms(io, loaded.scenarios)) return std::nullopt;
  return loaded;
}

Serving::Serving(Io& io, const scenario::Scenario& scenario, const std::string& file,
                 ServingOptions options)
    : io_(io),
      scenario_(scenario),
      options_(std::move(options)),
      not_simulated_(scenario::NotSimulatedIn(scenario, file, scenario::Clients::kOutsideToo)) {}

int Serving::Run() {
  io_.Err(NotSimulatedText(not_simulated_, options_.strict, io_.err_color()));
  scenario::RunnerOptions runner_options;
  runner_options.record = false;
  runner_options.world.interrupted = [] { return interrupted != 0; };
  // The trace is written to until the cluster is gone.
  std::unique_ptr<trace::TraceStream> trace;
  serve::ServedCluster cluster(scenario_, std::move(runner_options));
  if (!options_.trace.empty()) {
    auto stream = trace::TraceStream::Create(options_.trace, cluster.runner().MakeHeader());
    if (!stream.ok()) return CannotWriteTo(options_.trace, stream.status());
    trace = *std::move(stream);
    trace->Subscribe(cluster.runner().world().sim().bus());
  }
  const InterruptibleScope stoppable;
  cluster.Begin();
  SetStop(cluster, trace.get());
  auto server = serve::Server::Listen(cluster, scenario_, options_.server);
  if (!server.ok()) {
    const bool place = absl::IsUnavailable(server.status());
    return Refuse(io_, place ? "--listen" : "--tls",
                  place ? fmt::format("{}: {}", options_.listen, Message(server.status()))
                        : std::string(Message(server.status())));
  }
  if (!Announce((*server)->port())) return kUndecided;
  const sim::Simulation::Stop stop = (*server)->Run();
  server->reset();
  scenario::RunReport report = cluster.Finish(stop);
  TellNotSimulated(cluster);
  const bool all = not_simulated_.empty() && told_ == 0;
  if (options_.strict && !all && report.exit_code == kOk) report.exit_code = kViolation;
  return Report(std::move(report), trace.get());
}

int Serving::CannotWriteTo(const std::string& file, const absl::Status& status) {
  io_.Err(CannotWrite(file, status));
  return kInvalid;
}

void Serving::SetStop(serve::ServedCluster& cluster, trace::TraceStream* trace) {
  options_.server.stop = [&cluster, until = options_.until] {
    return interrupted != 0 || (until && cluster.now() >= *until);
  };
  options_.server.on_idle = [this, &cluster, trace] {
    TellNotSimulated(cluster);
    if (trace != nullptr) trace->Flush();
  };
}

void Serving::TellNotSimulated(const serve::ServedCluster& cluster) {
  const auto& found = cluster.not_simulated();
  if (told_ == found.size()) return;
  io_.Err(NotSimulatedText({found.begin() + static_cast<std::ptrdiff_t>(told_), found.end()},
                           options_.strict, io_.err_color()));
  io_.Flush();
  told_ = found.size();
}

bool Serving::Announce(std::uint16_t port) {
  const auto& credentials = options_.server.credentials;
  serve::Access access;
  if (credentials) access = credentials->access;
  access.server = UrlOf(options_.server, port);
  const std::string& file = options_.kubeconfig;
  if (!file.empty()) {
    const std::string text = serve::KubeconfigFor(access);
    const absl::Status written =
        credentials ? os::WritePrivateFile(file, text) : os::WriteFile(file, text);
    if (!written.ok()) {
      CannotWriteTo(file, written);
      return false;
    }
  }
  std::string how = fmt::format("kubectl --kubeconfig {} get nodes", file);
  if (file.empty() && credentials) how = "--kubeconfig FILE has the credentials that clients need";
  if (file.empty() && !credentials)
    how = fmt::format("kubectl --server {} get nodes", access.server);
  io_.Err(fmt::format("serving {} at {} (Kubernetes {}, {} nodes, speed {}): {}\n", scenario_.name,
                      access.server, api::ToString(scenario_.compat),
                      scenario_.cluster.NodeNames().size(), ToString(options_.server.speed), how));
  return true;
}

// A cluster that is told to end has done so: the signal is no failure.
int Serving::Report(scenario::RunReport report, trace::TraceStream* trace) {
  int code = report.exit_code;
  if (trace != nullptr) {
    const absl::Status written = trace->Finish(report.end);
    if (!written.ok()) {
      io_.Err(CannotWrite(options_.trace, written));
      code = Worst({code, kUndecided});
    }
  }
  io_.Err(Complaints(report, CitedEvents(), options_.strict, io_.err_color()));
  const std::string summary = SummaryLine(scenario_, report, false);
  if (options_.summary_to_err) {
    io_.Err(summary);
  } else if (options_.trace != "-") {
    io_.Out(summary);
  }
  return code;
}

}  // namespace ksim::cli
