// ksim serve: a simulated cluster for kubectl and other clients of the Kubernetes API.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/cli/command.h"
#include "ksim/cli/common_flags.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/listen_flags.h"
#include "ksim/cli/scenario_flags.h"
#include "ksim/cli/serving.h"
#include "ksim/scenario/load.h"

namespace ksim::cli {
namespace {

using scenario::Loaded;

// The cluster of a user who names no file: that of plain manifests.
constexpr std::string_view kEmptyScenario =
    "apiVersion: ksim.dev/v1\nkind: Scenario\nmetadata: {name: serve}\nspec: {}\n";

struct ServeFlags {
  std::vector<std::string> files;
  ScenarioFlags scenario;
  CommonFlags common;
  ListenFlags listen;
  std::string kubeconfig, trace, until;
  std::string speed = "real";
};

void AddServeFlags(FlagSet& set, ServeFlags& flags) {
  set.Add("FILE", &flags.files, "A scenario, or manifests; default an empty cluster of 3 nodes")
      .Type("FILE");
  AddScenarioFlags(set, flags.scenario);
  AddListenFlags(set, flags.listen);
  set.Add("--kubeconfig", &flags.kubeconfig,
          "Writes a kubeconfig for clients; with TLS it has secrets, and its owner alone may read "
          "it")
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

std::optional<Loaded> LoadFiles(Io& io, const ServeFlags& flags) {
  scenario::LoadOptions options = LoadOptionsOf(flags.scenario, io.program());
  if (!flags.files.empty()) return LoadServed(io, flags.files, options, flags.common.quiet);
  options.read = [](const std::string&) { return std::string(kEmptyScenario); };
  return LoadServed(io, {"serve.yaml"}, options, flags.common.quiet);
}

int RunServe(Io& io, const ServeFlags& flags) {
  io.SetColor(flags.common.color);
  ServingOptions options;
  options.server.speed = serve::ParseSpeed(flags.speed).value();
  options.listen = flags.listen.listen;
  options.kubeconfig = flags.kubeconfig;
  options.trace = flags.trace;
  if (!flags.until.empty()) options.until = VirtualTime() + ParseDuration(flags.until).value();
  options.strict = flags.scenario.strict;
  if (flags.trace.ends_with(".ktrace"))
    return Refuse(io, "--trace",
                  "a served cluster writes JSON Lines, which can be read at any time",
                  "FILE.jsonl");
  const std::optional<Loaded> loaded = LoadFiles(io, flags);
  if (!loaded) return kInvalid;
  for (const std::string* file : {&flags.trace, &flags.kubeconfig}) {
    if (file->empty()) continue;
    for (const std::string& input : loaded->files)
      if (os::IsSameFile(*file, input))
        return Refuse(io, *file, fmt::format("would write over {}", input));
  }
  if (!ReadListenFlags(io, flags.listen, &options.server)) return kInvalid;
  return Serving(io, loaded->scenarios.front(), loaded->files.front(), std::move(options)).Run();
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
