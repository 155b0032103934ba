#include "ksim/cli/run_one.h"

#include <fmt/format.h>

#include "ksim/apiserver/audit.h"
#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/base/version.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/result.h"
#include "ksim/cli/signals.h"
#include "ksim/cli/story.h"
#include "ksim/kubectl/printing/request_log.h"
#include "ksim/kubectl/printing/tree_text.h"
#include "ksim/scenario/runner.h"

namespace ksim::cli {
namespace {

using scenario::RunReport;
using scenario::Scenario;

scenario::RunnerOptions OptionsFor(const RunFlags& flags, apiserver::AuditLog* audit) {
  scenario::RunnerOptions options;
  options.stop = [](const sim::Event&) { return interrupted != 0; };
  if (!flags.audit_log.empty()) options.world.audit = audit;
  return options;
}

class OneRun {
 public:
  OneRun(const RunFlags& flags, const Io& look, const Scenario& scenario, bool many)
      : flags_(flags),
        look_(look),
        scenario_(scenario),
        many_(many),
        audit_(apiserver::ParseAuditLevel(flags.audit_level).value()),
        runner_(scenario, OptionsFor(flags, &audit_)) {}

  Ran Run() {
    report_ = runner_.Run();
    if (flags_.strict) BeStrict();
    if (interrupted != 0 && report_.exit_code == kOk) report_.exit_code = InterruptedCode();
    if (!WriteTrace() || !WriteAudit()) report_.exit_code = Worst({report_.exit_code, kUndecided});
    ran_.code = report_.exit_code;
    Print();
    ran_.complaints = Complaints(report_, runner_.events(), flags_.strict, false);
    return std::move(ran_);
  }

 private:
  // What never came is an error. The trace does not know of it: a replay has no --strict.
  void BeStrict() {
    if (report_.never_begun.empty() && report_.faults_missing.empty()) return;
    if (report_.exit_code == kOk) report_.exit_code = kViolation;
    if (report_.end.result == "ok") report_.end.result = "neverCame";
  }

  bool WriteTrace() {
    if (flags_.trace.empty()) return true;
    trace::RenderOptions options;
    options.objects = flags_.trace_objects;
    const trace::Trace trace = runner_.MakeTrace(options);
    if (flags_.trace != "-") return Written(flags_.trace, trace::WriteTrace(trace, flags_.trace));
    ran_.Out(trace::FormatTrace(trace, false));
    return true;
  }

  bool WriteAudit() {
    if (flags_.audit_log.empty()) return true;
    if (flags_.audit_log != "-")
      return Written(flags_.audit_log, os::WriteFile(flags_.audit_log, audit_.ToJsonLines()));
    ran_.Out(audit_.ToJsonLines());
    return true;
  }

  bool Written(const std::string& file, const absl::Status& status) {
    if (!status.ok()) ran_.Err(CannotWrite(file, status));
    return status.ok();
  }

  void Print() {
    const int verbosity = flags_.common.verbosity;
    if (verbosity >= 6) ran_.Err(kubectl::RequestLog(runner_.events(), verbosity));
    const std::vector<api::Object> objects = runner_.world().Objects();
    const std::string& output = flags_.common.output;
    const auto tree = [&] {
      return ResultTree(scenario_, report_, objects, scenario::DeliveryOf(runner_.events()));
    };
    const bool program = output == "json" || output == "yaml";
    if (program && many_)
      ran_.tree = tree();
    else if (program)
      ran_.Out(kubectl::TreeText(tree(), output));
    else if (output == "name")
      ran_.Out(ResultNames(scenario_, runner_.world().kinds(), objects));
    else if (flags_.trace != "-" && flags_.audit_log != "-")
      PrintText(objects);
    ran_.Err(Complaints(report_, runner_.events(), flags_.strict, look_.err_color()));
  }

  void PrintText(const std::vector<api::Object>& objects) {
    const bool story = flags_.common.output == "text";
    if (story && !flags_.common.quiet && !many_) PrintStory();
    if (!many_ && !(flags_.common.quiet && story)) {
      const std::string table = ResultTable(scenario_, runner_.world().kinds(), objects,
                                            runner_.world().sim().now(), true);
      if (story && !table.empty()) ran_.Out("$ kubectl get -o wide\n");
      ran_.Out(table + (table.empty() ? "" : "\n"));
    }
    if (flags_.common.verbosity >= 1) {
      ran_.Out("From a commit to the handlers, and what was listed:\n");
      ran_.Out(scenario::DeliveryTable(scenario::DeliveryOf(runner_.events())) + "\n");
    }
    ran_.Out(SummaryLine(scenario_, report_, many_));
  }

  void PrintStory() {
    ran_.Out(fmt::format(
        "scenario {}: {} nodes, seed {}, Kubernetes {}, ksim {}\n"
        "Each line: step of the walk-through, virtual time, event, who, what  <- the event that "
        "led to it.\n",
        scenario_.name, scenario_.cluster.NodeNames().size(), scenario_.seed,
        api::ToString(scenario_.compat), Version()));
    std::vector<trace::Record> records;
    for (const sim::Event& e : runner_.events())
      records.push_back(trace::Render(e, trace::RenderOptions()));
    ran_.Out(TellStory(records, runner_.world().kinds(), look_.out_color()) + "\n");
  }

  const RunFlags& flags_;
  const Io& look_;
  const Scenario& scenario_;
  bool many_;
  apiserver::AuditLog audit_;
  scenario::Runner runner_;
  RunReport report_;
  Ran ran_;
};

}  // namespace

Ran RunOne(const RunFlags& flags, const Io& look, const Scenario& scenario, bool many) {
  return OneRun(flags, look, scenario, many).Run();
}

}  // namespace ksim::cli
