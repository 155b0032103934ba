// ksim serve: a simulated cluster for kubectl and other clients of the Kubernetes API.
#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <optional>

#include "ksim/base/os.h"
#include "ksim/base/output_file.h"
#include "ksim/base/status.h"
#include "ksim/cli/command.h"
#include "ksim/cli/common_flags.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/result.h"
#include "ksim/cli/scenario_flags.h"
#include "ksim/cli/signals.h"
#include "ksim/scenario/dry_run.h"
#include "ksim/scenario/load.h"
#include "ksim/scenario/not_simulated.h"
#include "ksim/serve/kubeconfig.h"
#include "ksim/serve/server.h"
#include "ksim/trace/trace_stream.h"

namespace ksim::cli {
namespace {

using scenario::Loaded;
using scenario::Scenario;

// The cluster of a user who names no file: that of plain manifests.
constexpr std::string_view kEmptyScenario =
    "apiVersion: ksim.dev/v1\nkind: Scenario\nmetadata: {name: serve}\nspec: {}\n";

struct ServeFlags {
  std::vector<std::string> files;
  ScenarioFlags scenario;
  CommonFlags common;
  std::string listen = "127.0.0.1:0";
  std::string kubeconfig, trace, until;
  std::string speed = "real";
};

void AddServeFlags(FlagSet& set, ServeFlags& flags) {
  set.Add("FILE", &flags.files, "A scenario, or manifests; default an empty cluster of 3 nodes")
      .Type("FILE");
  AddScenarioFlags(set, flags.scenario);
  set.Add("--listen", &flags.listen, "Where; default 127.0.0.1:0, any port that is free")
      .Type("ADDRESS:PORT");
  set.Add("--kubeconfig", &flags.kubeconfig, "Writes a kubeconfig for clients")
      .Type("FILE")
      .NotEmpty("file");
  set.Add("--speed", &flags.speed,
          "The virtual clock: real, N times as fast, max (as fast as the work allows), or step "
          "(stands still until ksim ctl)")
      .Type("real|N|max|step")
      .Check([](const std::string& text) {
        const auto speed = serve::ParseSpeed(text);
        return speed.ok() ? std::string() : std::string(Message(speed.status()));
      });
  set.Add("--until", &flags.until, "Ends at this virtual time; default when it is told")
      .Type("TIME")
      .Check([](const std::string& text) {
        const auto until = ParseDuration(text);
        return until.ok() ? std::string() : std::string(Message(until.status()));
      });
  set.Add("--trace", &flags.trace, "Writes the trace while the cluster is served: FILE.jsonl or -")
      .Type("FILE")
      .NotEmpty("file");
  AddColorFlag(set, flags.common);
  AddQuietFlag(set, flags.common);
  AddBisectFlag(set, flags.common);
}

int Refuse(Io& io, std::string_view place, std::string_view message, std::string_view hint = {}) {
  io.Err(fmt::format("{}: {} {}\n", place, Paint(io.err_color(), "1;31", "error:"), message));
  if (!hint.empty()) io.Err(fmt::format("hint: {}\n", hint));
  return kInvalid;
}

// ADDRESS:PORT of the loopback; nothing, and an error printed, for all else.
bool ReadListen(Io& io, const std::string& text, serve::ServerOptions* options) {
  const std::size_t colon = text.rfind(':');
  std::string host = text.substr(0, colon == text.npos ? 0 : colon);
  if (host == "localhost") host = "127.0.0.1";
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(
      text.data() + (colon == text.npos ? text.size() : colon + 1), end, options->port);
  if (host.empty() || error != std::errc() || stopped != end) {
    Refuse(io, "--listen", fmt::format("\"{}\" is not ADDRESS:PORT", text), "127.0.0.1:8080");
    return false;
  }
  if (!host.starts_with("127.") && host != "::1") {
    Refuse(io, "--listen",
           fmt::format("{} is not the loopback: whoever reaches it could do anything to the "
                       "cluster, for there is no TLS and no token yet",
                       host),
           "127.0.0.1:PORT, and a tunnel (ssh -L) for clients elsewhere");
    return false;
  }
  options->host = host;
  return true;
}

std::optional<Loaded> LoadServed(Io& io, const ServeFlags& flags) {
  scenario::LoadOptions options = LoadOptionsOf(flags.scenario);
  std::vector<std::string> files = flags.files;
  if (files.empty()) {
    files = {"serve.yaml"};
    options.read = [](const std::string&) { return std::string(kEmptyScenario); };
  }
  Loaded loaded = scenario::Load(files, options);
  std::vector<Diagnostic> errors = loaded.errors;
  for (std::size_t i = 0; errors.empty() && i < loaded.scenarios.size(); ++i) {
    errors = scenario::NotInThisVersion(loaded.scenarios[i], loaded.files[i]);
    for (Diagnostic& d : errors) d.severity = Diagnostic::Severity::kError;
    if (errors.empty()) errors = scenario::DryRun(loaded.scenarios[i]);
  }
  if (!flags.common.quiet) io.Err(Render(loaded.warnings, io.err_color()));
  if (!errors.empty()) {
    io.Err(Render(errors, io.err_color()));
    return std::nullopt;
  }
  if (loaded.scenarios.size() != 1) {
    Refuse(io, "ksim serve",
           fmt::format("serves one cluster, these are {} scenarios", loaded.scenarios.size()));
    return std::nullopt;
  }
  return loaded;
}

std::string UrlOf(const serve::ServerOptions& options, std::uint16_t port) {
  const bool v6 = options.host.find(':') != options.host.npos;
  return fmt::format("http://{}{}{}:{}", v6 ? "[" : "", options.host, v6 ? "]" : "", port);
}

class Serving {
 public:
  // `file`: what the user called the scenario.
  Serving(Io& io, const ServeFlags& flags, const Scenario& scenario, const std::string& file,
          serve::ServerOptions options)
      : io_(io),
        flags_(flags),
        scenario_(scenario),
        options_(std::move(options)),
        not_simulated_(scenario::NotSimulatedIn(scenario, file, scenario::Clients::kOutsideToo)) {}

  int Run() {
    io_.Err(NotSimulatedText(not_simulated_, flags_.scenario.strict, io_.err_color()));
    scenario::RunnerOptions runner_options;
    runner_options.record = false;
    runner_options.world.interrupted = [] { return interrupted != 0; };
    // The trace is written to until the cluster is gone.
    std::unique_ptr<trace::TraceStream> trace;
    serve::ServedCluster cluster(scenario_, std::move(runner_options));
    if (!flags_.trace.empty()) {
      auto stream = trace::TraceStream::Create(flags_.trace, cluster.runner().MakeHeader());
      if (!stream.ok()) return CannotWriteTo(flags_.trace, stream.status());
      trace = *std::move(stream);
      trace->Subscribe(cluster.runner().world().sim().bus());
    }
    const InterruptibleScope stoppable;
    cluster.Begin();
    SetStop(cluster, trace.get());
    auto server = serve::Server::Listen(cluster, scenario_, options_);
    if (!server.ok())
      return Refuse(io_, "--listen",
                    fmt::format("{}: {}", flags_.listen, Message(server.status())));
    if (!Announce((*server)->port())) return kUndecided;
    const sim::Simulation::Stop stop = (*server)->Run();
    server->reset();
    scenario::RunReport report = cluster.Finish(stop);
    TellNotSimulated(cluster);
    const bool all = not_simulated_.empty() && told_ == 0;
    if (flags_.scenario.strict && !all && report.exit_code == kOk) report.exit_code = kViolation;
    return Report(std::move(report), trace.get());
  }

 private:
  int CannotWriteTo(const std::string& file, const absl::Status& status) {
    io_.Err(CannotWrite(file, status));
    return kInvalid;
  }

  void SetStop(serve::ServedCluster& cluster, trace::TraceStream* trace) {
    std::optional<VirtualTime> until;
    if (!flags_.until.empty()) until = VirtualTime() + ParseDuration(flags_.until).value();
    options_.stop = [&cluster, until] {
      return interrupted != 0 || (until && cluster.now() >= *until);
    };
    options_.on_idle = [this, &cluster, trace] {
      TellNotSimulated(cluster);
      if (trace != nullptr) trace->Flush();
    };
  }

  // Tells whatever clients asked for since the last call that nobody does anything about.
  void TellNotSimulated(const serve::ServedCluster& cluster) {
    const auto& found = cluster.not_simulated();
    if (told_ == found.size()) return;
    io_.Err(NotSimulatedText({found.begin() + static_cast<std::ptrdiff_t>(told_), found.end()},
                             flags_.scenario.strict, io_.err_color()));
    io_.Flush();
    told_ = found.size();
  }

  bool Announce(std::uint16_t port) {
    const std::string url = UrlOf(options_, port);
    if (!flags_.kubeconfig.empty()) {
      const absl::Status written = os::WriteFile(flags_.kubeconfig, serve::KubeconfigFor(url));
      if (!written.ok()) {
        CannotWriteTo(flags_.kubeconfig, written);
        return false;
      }
    }
    const std::string how =
        flags_.kubeconfig.empty()
            ? fmt::format("kubectl --server {} get nodes", url)
            : fmt::format("kubectl --kubeconfig {} get nodes", flags_.kubeconfig);
    io_.Err(fmt::format("serving {} at {} (Kubernetes {}, {} nodes, speed {}): {}\n",
                        scenario_.name, url, api::ToString(scenario_.compat),
                        scenario_.cluster.NodeNames().size(), flags_.speed, how));
    return true;
  }

  // A cluster that is told to end has done so: the signal is no failure.
  int Report(scenario::RunReport report, trace::TraceStream* trace) {
    int code = report.exit_code;
    if (trace != nullptr) {
      const absl::Status written = trace->Finish(report.end);
      if (!written.ok()) {
        io_.Err(CannotWrite(flags_.trace, written));
        code = Worst({code, kUndecided});
      }
    }
    io_.Err(Complaints(report, {}, flags_.scenario.strict, io_.err_color()));
    if (flags_.trace != "-") io_.Out(SummaryLine(scenario_, report, false));
    return code;
  }

  Io& io_;
  const ServeFlags& flags_;
  const Scenario& scenario_;
  serve::ServerOptions options_;
  const std::vector<scenario::NotSimulated> not_simulated_;  // of the scenario
  std::size_t told_ = 0;                                     // of what clients asked for
};

int RunServe(Io& io, const ServeFlags& flags) {
  io.SetColor(flags.common.color);
  serve::ServerOptions options;
  if (!ReadListen(io, flags.listen, &options)) return kInvalid;
  options.speed = serve::ParseSpeed(flags.speed).value();
  if (flags.trace.ends_with(".ktrace"))
    return Refuse(io, "--trace",
                  "a served cluster writes JSON Lines, which can be read at any time",
                  "FILE.jsonl");
  const std::optional<Loaded> loaded = LoadServed(io, flags);
  if (!loaded) return kInvalid;
  for (const std::string* file : {&flags.trace, &flags.kubeconfig}) {
    if (file->empty()) continue;
    for (const std::string& input : loaded->files)
      if (os::IsSameFile(*file, input))
        return Refuse(io, *file, fmt::format("would write over {}", input));
  }
  return Serving(io, flags, loaded->scenarios.front(), loaded->files.front(), std::move(options))
      .Run();
}

}  // namespace

Command ServeCommand() {
  return {.name = "serve",
          .summary = "serve a simulated cluster to kubectl and other clients over HTTP",
          .usage = "ksim serve [FILE...] [flags]",
          .description =
              "The cluster runs until Ctrl-C or SIGTERM; then the oracles judge what its clients\n"
              "were told and did. `ksim ctl` steps its clock and injects faults. Requests are\n"
              "inputs of the trace: `ksim replay` makes the same run without the clients.",
          .examples = {{"A scenario, for five virtual seconds",
                        "ksim serve scenarios/replicaset.yaml --speed max --until 5s"}},
          .invoke = &Invoke<ServeFlags, AddServeFlags, RunServe>};
}

}  // namespace ksim::cli
