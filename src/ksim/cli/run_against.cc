#include "ksim/cli/run_against.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "ksim/api/compat.h"
#include "ksim/cli/cited_events.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/result.h"
#include "ksim/cli/signals.h"
#include "ksim/cli/trace_differences.h"
#include "ksim/kubectl/printing/tree_text.h"
#include "ksim/scenario/runner.h"
#include "ksim/trace/diff.h"
#include "ksim/value/value.h"

namespace ksim::cli {
namespace {

using scenario::Scenario;
using trace::ObjectDifference;
using value::Value;

// A run that is kept, to be laid beside another.
struct KeptRun {
  KeptRun() = default;
  scenario::RunReport report;
  trace::Trace trace;
};

KeptRun RunAndKeep(Io& io, const Scenario& scenario, LiveLine* progress) {
  CitedEvents cited;
  scenario::RunnerOptions options;
  options.outcome = true;
  options.stop = [&](const sim::Event& e) {
    if (progress->IsDue())
      progress->Show(fmt::format("{} in {}: {} events", scenario.name,
                                 api::ToString(scenario.compat),
                                 WithCommas(static_cast<std::int64_t>(e.seq))));
    return interrupted != 0;
  };
  options.world.interrupted = [] { return interrupted != 0; };
  scenario::Runner runner(scenario, std::move(options));
  runner.world().sim().bus().Subscribe(sim::Bus::Stage::kWriter,
                                       [&cited](const sim::Event& e) { cited.Take(e); });
  KeptRun run;
  run.report = runner.Run();
  progress->Erase();
  if (interrupted != 0 && run.report.exit_code == kOk) run.report.exit_code = InterruptedCode();
  cited.Fetch(scenario, run.report.end.violations, [] { return interrupted != 0; });
  const std::string complaints = Complaints(run.report, cited, false, io.err_color());
  if (!complaints.empty())
    io.Err(fmt::format("in {}:\n{}", api::ToString(scenario.compat), complaints));
  run.trace = runner.MakeTrace(trace::RenderOptions());
  run.trace.end = run.report.end;
  return run;
}

// A version that says which one it is makes no difference.
bool SaysItsVersion(std::string_view change) {
  return change.starts_with("status.nodeInfo.kubeletVersion:") ||
         change.starts_with("status.nodeInfo.kubeProxyVersion:");
}

void ForgetVersions(trace::Diff* diff) {
  for (ObjectDifference& o : diff->objects) std::erase_if(o.changes, SaysItsVersion);
  std::erase_if(diff->objects, [](const ObjectDifference& o) {
    return o.kind == ObjectDifference::Kind::kChanged && o.changes.empty();
  });
}

Value RunTree(const Scenario& scenario, const KeptRun& run) {
  return value::Obj({{"compat", Value::Of(api::ToString(scenario.compat))},
                     {"result", Value::Of(run.report.end.result)},
                     {"exitCode", Value::Int(run.report.exit_code)},
                     {"digest", Value::Of(run.report.end.digest)}});
}

void PrintTree(Io& io, const CommonFlags& common, const Scenario& one, const KeptRun& left,
               const Scenario& other, const KeptRun& right, const trace::Diff& diff) {
  const Value tree =
      value::Obj({{"apiVersion", Value::Of("ksim.dev/v1")},
                  {"kind", Value::Of("VersionDiff")},
                  {"scenario", Value::Of(one.name)},
                  {"runs", Value::Array({RunTree(one, left), RunTree(other, right)})},
                  {"diff", DiffTree(DifferenceListing(), left.trace, right.trace, diff)}});
  io.Out(kubectl::TreeText(tree, common.output));
}

void PrintText(Io& io, const CommonFlags& common, const Scenario& one, const KeptRun& left,
               const Scenario& other, const KeptRun& right, const trace::Diff& diff) {
  io.Out(fmt::format("{}: Kubernetes {} against {}, seed {}\n", one.name, api::ToString(one.compat),
                     api::ToString(other.compat), one.seed));
  io.Out(fmt::format("- {} {}", api::ToString(one.compat), SummaryLine(one, left.report, false)));
  io.Out(
      fmt::format("+ {} {}", api::ToString(other.compat), SummaryLine(other, right.report, false)));
  if (common.quiet) return;
  DifferenceListing listing;
  listing.all_by = "";
  PrintChangedObjects(io, listing, diff);
  PrintWhatWasDone(io, listing, left.trace, right.trace, diff);
}

}  // namespace

int RunAgainst(Io& io, const CommonFlags& common, const Scenario& one, const Scenario& other,
               LiveLine* progress) {
  const KeptRun left = RunAndKeep(io, one, progress);
  const KeptRun right = interrupted == 0 ? RunAndKeep(io, other, progress) : KeptRun();
  if (interrupted != 0) return Worst({left.report.exit_code, InterruptedCode()});
  trace::Diff diff = trace::Compare(left.trace, right.trace, trace::DiffOptions());
  ForgetVersions(&diff);
  if (common.output == "json" || common.output == "yaml")
    PrintTree(io, common, one, left, other, right, diff);
  else
    PrintText(io, common, one, left, other, right, diff);
  const int differs = diff.objects.empty() ? kOk : kViolation;
  return Worst({left.report.exit_code, right.report.exit_code, differs});
}

}  // namespace ksim::cli
