#include "ksim/cli/fuzz_staleness.h"

#include <fmt/format.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/fuzz_report.h"
#include "ksim/cli/live_line.h"
#include "ksim/cli/signals.h"
#include "ksim/value/json.h"
#include "ksim/value/yaml.h"

namespace ksim::cli {
namespace {

// The flags that are about campaigns, with which a search for delays has nothing to do.
constexpr const char* kOfCampaigns[] = {
    "seeds",      "time",  "budget", "strategy", "depth", "rate",   "bound",
    "corpus",     "shard", "out",    "known",    "junit", "strict", "check-determinism",
    "shrink-runs"};

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

bool CheckStalenessFlags(Io& io, const FuzzFlags& flags) {
  for (const char* flag : kOfCampaigns) {
    if (!flags.given.contains(flag)) continue;
    PrintFuzzError(io, std::string("--") + flag,
                   "says nothing of --staleness, which is no campaign");
    return false;
  }
  return true;
}

std::string StalenessText(const fuzz::Staleness& s, const std::string& scenario) {
  if (!s.undelayed.findings.empty())
    return fmt::format("{} fails without any delay: {}: {}\n", scenario,
                       s.undelayed.findings.front().oracle,
                       FirstLine(s.undelayed.findings.front().message));
  if (!s.undelayed.failed_steps.empty())
    return fmt::format("{} fails without any delay: step {}: {}\n", scenario,
                       s.undelayed.failed_steps.front().number,
                       FirstLine(s.undelayed.failed_steps.front().error));
  std::vector<TableRow> rows{{"CLIENT", "RESOURCE", "STANDS", "FAILS-AT", "ORACLE"}};
  for (const fuzz::StreamStaleness& stream : s.streams)
    rows.push_back({stream.client, stream.resource, FormatDuration(stream.stands),
                    stream.fails_at ? FormatDuration(*stream.fails_at) : "-",
                    stream.oracle.empty() ? "-" : stream.oracle});
  std::string out = s.streams.empty() ? "" : Columns(rows) + "\n";
  for (const fuzz::StreamStaleness& stream : s.streams) {
    if (stream.stands_again.empty()) continue;
    std::vector<std::string> again;
    for (const Duration d : stream.stands_again) again.push_back(FormatDuration(d));
    out += fmt::format(
        "not monotone: {} {} fails at {} and does no harm at {}: there may be other limits\n",
        stream.client, stream.resource, FormatDuration(*stream.fails_at), fmt::join(again, ", "));
  }
  return out +
         fmt::format("{}: {} streams, {} runs\n", scenario, s.streams.size(), Grouped(s.runs));
}

int RunStaleness(Io& io, const FuzzFlags& flags, const scenario::Scenario& scenario,
                 Duration timeout) {
  io.Flush();
  const InterruptibleScope until_it_is_told;
  LiveLine live(flags.common.quiet ? -1 : STDERR_FILENO);
  fuzz::StalenessOptions options;
  options.jobs = flags.jobs > 0 ? flags.jobs : os::ProcessorCount();
  options.timeout = timeout;
  options.stop = [] { return interrupted != 0; };
  options.on_progress = [&live](std::size_t done, std::size_t all) {
    if (live.IsDue(1)) live.Show(fmt::format("{}/{} streams", done, all));
  };
  const absl::StatusOr<fuzz::Staleness> found = fuzz::FindStaleness(scenario, options);
  live.Erase();
  if (!found.ok()) return PrintFuzzError(io, "--jobs", Message(found.status()));
  const std::string json = fuzz::ToJson(*found, scenario.name);
  if (flags.common.output == "json")
    io.Out(json);
  else if (flags.common.output == "yaml")
    io.Out(value::ToYaml(*value::ParseJson(json)));
  else
    io.Out(StalenessText(*found, scenario.name));
  const int code = found->Code();
  return found->stopped ? Worst({code == kNothing ? kOk : code, InterruptedCode()}) : code;
}

}  // namespace ksim::cli
