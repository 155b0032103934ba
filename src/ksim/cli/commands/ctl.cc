// ksim ctl: steers a cluster that `ksim serve` serves.
#include <fmt/format.h>

#include <optional>

#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/cli/command.h"
#include "ksim/cli/common_flags.h"
#include "ksim/cli/exit_code.h"
#include "ksim/serve/http_client.h"
#include "ksim/serve/kubeconfig.h"
#include "ksim/value/json.h"

namespace ksim::cli {
namespace {

using value::Value;

struct CtlFlags {
  std::vector<std::string> words;
  std::string server, kubeconfig;
  CommonFlags common;
};

void AddCtlFlags(FlagSet& set, CtlFlags& flags) {
  set.Add("VERB", &flags.words, "status, verdict, snapshot, step, run, inject or heal")
      .Type("VERB")
      .Required();
  set.Add("--server", &flags.server, "The cluster's URL, as ksim serve says it").Type("URL");
  set.Add("--kubeconfig", &flags.kubeconfig, "A kubeconfig that names it; default $KUBECONFIG")
      .Type("FILE");
  AddColorFlag(set, flags.common);
  AddQuietFlag(set, flags.common);
}

int Complain(Io& io, std::string_view what, std::string_view hint = {}) {
  io.Err(fmt::format("{} {}\n", Paint(io.err_color(), "1;31", "error:"), what));
  if (!hint.empty()) io.Err(fmt::format("hint: {}\n", hint));
  return kInvalid;
}

// How to reach the cluster; nothing, and an error printed, if nobody says it.
std::optional<serve::Access> AccessOf(Io& io, const CtlFlags& flags) {
  serve::Access access;
  std::string file = flags.kubeconfig;
  if (file.empty() && flags.server.empty()) file = os::Environment("KUBECONFIG").value_or("");
  if (file.empty() && flags.server.empty()) {
    Complain(io, "which cluster?", "--server URL or --kubeconfig FILE, as ksim serve says them");
    return std::nullopt;
  }
  if (!file.empty()) {
    const absl::StatusOr<std::string> text = os::ReadFile(file);
    absl::StatusOr<serve::Access> read =
        text.ok() ? serve::AccessOfKubeconfig(*text) : absl::StatusOr<serve::Access>(text.status());
    if (!read.ok()) {
      io.Err(fmt::format("{}: error: {}\n", file, Message(read.status())));
      return std::nullopt;
    }
    access = *std::move(read);
  }
  if (!flags.server.empty()) access.server = flags.server;
  if (access.server.starts_with("https://") && access.authority.empty()) {
    Complain(io, fmt::format("{} wants to be known, and to know who asks", access.server),
             "--kubeconfig FILE, as ksim serve --kubeconfig FILE writes it");
    return std::nullopt;
  }
  return access;
}

struct Ask {
  std::string method = "GET", path, body;
};

// The request for the words; nothing, and an error printed, for words that make none.
std::optional<Ask> AskOf(Io& io, const std::vector<std::string>& words) {
  const std::string& verb = words.front();
  const bool reads = verb == "status" || verb == "verdict" || verb == "snapshot";
  const bool takes = verb == "step" || verb == "run" || verb == "inject";
  if (!reads && !takes && verb != "heal") {
    Complain(io, fmt::format("unknown verb \"{}\"", verb),
             "status, verdict, snapshot, step DURATION, run SPEED, inject FAULT, heal");
    return std::nullopt;
  }
  if (words.size() != (takes ? 2 : 1)) {
    Complain(
        io,
        takes ? fmt::format("{} wants one word more", verb) : fmt::format("{} stands alone", verb),
        takes ? "step 10s; run real; inject 'dropWatch: {client: kube-scheduler, resource: "
                "pods}'"
              : "");
    return std::nullopt;
  }
  Ask ask;
  ask.path = "/ksim/v1/" + verb;
  if (reads) return ask;
  ask.method = "POST";
  if (verb == "step") ask.body = value::ToJson(value::Obj({{"for", Value::Of(words[1])}}));
  if (verb == "run") ask.body = value::ToJson(value::Obj({{"speed", Value::Of(words[1])}}));
  if (verb == "inject") ask.body = words[1];
  return ask;
}

int RunCtl(Io& io, const CtlFlags& flags) {
  const std::optional<Ask> ask = AskOf(io, flags.words);
  if (!ask) return kInvalid;
  const std::optional<serve::Access> access = AccessOf(io, flags);
  if (!access) return kInvalid;
  const absl::StatusOr<serve::HttpAnswer> answer =
      serve::Ask(*access, ask->method, ask->path, ask->body);
  if (!answer.ok()) {
    Complain(io, Message(answer.status()));
    return absl::IsInvalidArgument(answer.status()) ? kInvalid : kUndecided;
  }
  if (answer->code >= 400) {
    const auto tree = value::ParseJson(answer->body);
    Complain(io, tree.ok() ? tree->Get("error").AsString() : answer->body);
    return answer->code == 404 ? kNothing : kInvalid;
  }
  if (!flags.common.quiet || ask->method == "GET") io.Out(answer->body);
  if (ask->path != "/ksim/v1/verdict") return kOk;
  const auto tree = value::ParseJson(answer->body);
  return tree.ok() && tree->Get("result").AsString() == "ok" ? kOk : kViolation;
}

}  // namespace

Command CtlCommand() {
  return {.name = "ctl",
          .summary = "steer a served cluster: its clock, its faults, its verdict",
          .usage = "ksim ctl VERB [WORD] [flags]",
          .description =
              "  status           where the clock stands, the faults in force\n"
              "  step DURATION    lets the clock of --speed step go on by that\n"
              "  run SPEED        from now on at that speed: real, N, max or step\n"
              "  inject FAULT     VERB: {ARGUMENTS} as in spec.faults, at once; exit code 5 if "
              "nothing is there to meet\n"
              "  heal             ends all faults\n"
              "  verdict          what the oracles have found so far; exit code 1 for a violation\n"
              "  snapshot         all objects, as a List",
          .examples = {{"Half an hour of a cluster whose clock stands still",
                        "(ksim serve --speed step --until 30m --kubeconfig /tmp/kc & sleep 1; "
                        "ksim ctl step 31m --kubeconfig /tmp/kc)"}},
          .invoke = &Invoke<CtlFlags, AddCtlFlags, RunCtl>};
}

}  // namespace ksim::cli
