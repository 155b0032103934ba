#include "ksim/cli/run_scenario.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "ksim/apiserver/audit.h"
#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/base/version.h"
#include "ksim/cli/cited_events.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/result.h"
#include "ksim/cli/signals.h"
#include "ksim/cli/story/process_log.h"
#include "ksim/cli/story/story.h"
#include "ksim/client/cache/informer_queues.h"
#include "ksim/kubectl/printing/request_log.h"
#include "ksim/kubectl/printing/tree_text.h"
#include "ksim/scenario/runner.h"
#include "ksim/trace/trace_stream.h"

namespace ksim::cli {
namespace {

using scenario::RunReport;
using scenario::Scenario;

// The story of a run that was interrupted is told only if that takes no time to speak of.
constexpr std::size_t kMostEventsToldAtOnce = 20'000;

// "replicaset: 12m30s of 1h0m0s, 1,234,567 events"
std::string ProgressText(const Scenario& scenario, VirtualTime now, std::uint64_t events) {
  const std::int64_t whole = now.ns() >= 10'000'000'000 ? 1'000'000'000 : 1'000'000;
  const std::string until =
      scenario.until ? fmt::format("of {}", FormatDuration(*scenario.until)) : "of virtual time";
  return fmt::format("{}: {} {}, {} events", scenario.name,
                     FormatDuration(Duration(now.ns() / whole * whole)), until,
                     WithCommas(static_cast<std::int64_t>(events)));
}

class ScenarioRun {
 public:
  ScenarioRun(const RunOptions& options, Io& io, const Scenario& scenario,
              const std::vector<scenario::NotSimulated>& not_simulated, bool many,
              LiveLine* progress)
      : options_(options),
        io_(io),
        scenario_(scenario),
        not_simulated_(not_simulated),
        many_(many),
        progress_(options.trace == "-" ? nullptr : progress),  // not amid the trace
        audit_(apiserver::ParseAuditLevel(options.audit_level).value()),
        runner_(scenario, RunnerOptionsOf()) {}

  RunOutput Run() {
    bool written = BeginTrace();
    Listen();
    report_ = runner_.Run();
    written = EndTrace() && written;
    if (options_.strict) ApplyStrict();
    if (interrupted != 0 && report_.exit_code == kOk) report_.exit_code = InterruptedCode();
    written = WriteAudit() && written;
    if (!written) report_.exit_code = Worst({report_.exit_code, kUndecided});
    output_.code = report_.exit_code;
    cited_.Fetch(scenario_, report_.end.violations, [] { return interrupted != 0; });
    Print();
    output_.complaints = NotSimulatedText(not_simulated_, options_.strict, false) +
                         Complaints(report_, cited_, options_.strict, false);
    return std::move(output_);
  }

 private:
  scenario::RunnerOptions RunnerOptionsOf() {
    scenario::RunnerOptions runner_options;
    runner_options.record = false;
    runner_options.outcome = true;
    runner_options.stop = [this](const sim::Event& e) {
      if (progress_ != nullptr && progress_->IsDue())
        progress_->Show(ProgressText(scenario_, e.time, e.seq));
      return interrupted != 0;
    };
    runner_options.world.interrupted = [this] {
      if (progress_ != nullptr && progress_->IsDue())
        progress_->Show(fmt::format("{}: making the cluster", scenario_.name));
      return interrupted != 0;
    };
    if (!options_.audit_log.empty()) runner_options.world.audit = &audit_;
    return runner_options;
  }

  // Makes an error of steps and faults that never came, of expectations that say little, and of
  // whatever is not simulated. The trace does not record it: a replay has no --strict.
  void ApplyStrict() {
    std::string result;
    if (!not_simulated_.empty()) result = "notSimulated";
    if (!report_.not_lasting.empty()) result = "notLasting";
    if (!report_.vacuous.empty() || !report_.vacuous_invariants.empty()) result = "vacuous";
    if (!report_.never_begun.empty() || !report_.faults_missing.empty()) result = "neverCame";
    if (result.empty()) return;
    if (report_.exit_code == kOk) report_.exit_code = kViolation;
    if (report_.end.result == "ok") report_.end.result = result;
  }

  bool BeginTrace() {
    if (options_.trace.empty()) return true;
    trace::RenderOptions options;
    options.objects = options_.trace_objects;
    const trace::Header header = runner_.MakeHeader();
    if (options_.trace == "-") {
      const auto out = [this](std::string_view text) { io_.Out(text); };
      trace_ = std::make_unique<trace::TraceStream>(out, header, options);
    } else {
      auto stream = trace::TraceStream::Create(options_.trace, header, options);
      if (!stream.ok()) return IsWritten(options_.trace, stream.status());
      trace_ = *std::move(stream);
    }
    trace_->Subscribe(runner_.world().sim().bus());
    return true;
  }

  bool EndTrace() {
    return trace_ == nullptr || IsWritten(options_.trace, trace_->Finish(report_.end));
  }

  // Keeps of the run what its output will need.
  void Listen() {
    sim::Bus& bus = runner_.world().sim().bus();
    const auto give = [&bus](auto* taker) {
      bus.Subscribe(sim::Bus::Stage::kWriter, [taker](const sim::Event& e) { taker->Take(e); });
    };
    give(&cited_);
    if (TellsStory()) give(&story_.emplace());
    if (!options_.log.empty())
      ListenForLog(bus);
    else if (options_.common.verbosity >= 6)
      give(&log_.emplace(options_.common.verbosity));
    if (IsForPrograms() || options_.common.verbosity >= 1) delivery_.emplace(bus);
  }

  // The process's informers tell the log, those of each of its incarnations from its first event
  // on.
  void ListenForLog(sim::Bus& bus) {
    scenario::World& world = runner_.world();
    process_log_.emplace(options_.log, options_.common.verbosity, world.sim(), world.kinds(),
                         scenario_.compat);
    bus.Subscribe(sim::Bus::Stage::kWriter, [this, &world](const sim::Event& e) {
      if (const client::InformerFactory* informers = world.InformersOf(options_.log))
        client::LogTo(*informers, &*process_log_);
      process_log_->Take(e);
    });
  }

  bool IsForPrograms() const {
    return options_.common.output == "json" || options_.common.output == "yaml";
  }
  bool IsStdoutTaken() const { return options_.trace == "-" || options_.audit_log == "-"; }
  bool TellsStory() const {
    return options_.common.output == "text" && !options_.common.quiet && !many_ && !IsStdoutTaken();
  }

  bool WriteAudit() {
    if (options_.audit_log.empty()) return true;
    if (options_.audit_log != "-")
      return IsWritten(options_.audit_log, os::WriteFile(options_.audit_log, audit_.ToJsonLines()));
    output_.Out(audit_.ToJsonLines());
    return true;
  }

  bool IsWritten(const std::string& file, const absl::Status& status) {
    if (!status.ok()) output_.Err(CannotWrite(file, status));
    return status.ok();
  }

  void Print() {
    if (log_) output_.Err(log_->text());
    if (process_log_ && process_log_->texts().empty())
      output_.Err(fmt::format("{} no process {} {}\n", Paint(io_.err_color(), "1;35", "warning:"),
                              options_.log,
                              options_.common.verbosity >= kTellsRequests
                                  ? "asked an API server for anything"
                                  : fmt::format("has informers that tell anything at -v {}",
                                                options_.common.verbosity)));
    if (process_log_ && !story_)
      for (const LoggedText& logged : process_log_->texts()) output_.Err(logged.text);
    const std::vector<api::Object> objects = runner_.world().Objects();
    const std::string& format = options_.common.output;
    const auto tree = [&] {
      return ResultTree(scenario_, report_, objects, delivery_->Rows(), not_simulated_);
    };
    if (IsForPrograms() && many_)
      output_.tree = tree();
    else if (IsForPrograms())
      output_.Out(kubectl::TreeText(tree(), format));
    else if (format == "name")
      output_.Out(ResultNames(scenario_, runner_.world().kinds(), objects));
    else if (!IsStdoutTaken())
      PrintText(objects);
    output_.Err(Complaints(report_, cited_, options_.strict, io_.err_color()));
  }

  void PrintText(const std::vector<api::Object>& objects) {
    const bool story = options_.common.output == "text";
    const bool long_interrupted = interrupted != 0 && report_.end.events > kMostEventsToldAtOnce;
    if (story_ && !long_interrupted) PrintStory();
    if (story_ && long_interrupted)
      output_.Out(fmt::format("The story of {} events is left out: --trace FILE keeps them.\n\n",
                              WithCommas(static_cast<std::int64_t>(report_.end.events))));
    if (!many_ && !(options_.common.quiet && story)) {
      const std::string table = ResultTable(scenario_, runner_.world().kinds(), objects,
                                            runner_.world().sim().now(), true);
      if (story && !table.empty()) output_.Out("$ kubectl get -o wide\n");
      output_.Out(table + (table.empty() ? "" : "\n"));
    }
    if (options_.common.verbosity >= 1) {
      output_.Out("From a commit to the handlers, and what was listed:\n");
      output_.Out(scenario::DeliveryTable(delivery_->Rows()) + "\n");
    }
    output_.Out(SummaryLine(scenario_, report_, many_));
  }

  void PrintStory() {
    output_.Out(fmt::format(
        "scenario {}: {} nodes, seed {}, Kubernetes {}, ksim {}\n"
        "Each line: step of the walk-through, virtual time, event, who, what  <- the event that "
        "led to it.\n",
        scenario_.name, scenario_.cluster.NodeNames().size(), scenario_.seed,
        api::ToString(scenario_.compat), Version()));
    const std::vector<LoggedText> no_log;
    output_.Out(RenderStory(*story_, runner_.world().kinds(), io_.out_color(),
                            process_log_ ? process_log_->texts() : no_log) +
                "\n");
  }

  const RunOptions& options_;
  Io& io_;
  const Scenario& scenario_;
  const std::vector<scenario::NotSimulated>& not_simulated_;
  bool many_;
  LiveLine* progress_;  // null: none
  apiserver::AuditLog audit_;
  // They listen for as long as the run is there.
  std::unique_ptr<trace::TraceStream> trace_;
  CitedEvents cited_;
  std::optional<StoryEvents> story_;
  std::optional<kubectl::RequestLog> log_;  // of all processes, in short
  std::optional<ProcessLog> process_log_;   // of one, to the letter
  std::optional<scenario::RunDelivery> delivery_;
  scenario::Runner runner_;
  RunReport report_;
  RunOutput output_;
};

}  // namespace

RunOutput RunScenario(const RunOptions& options, Io& io, const Scenario& scenario,
                      const std::vector<scenario::NotSimulated>& not_simulated, bool many,
                      LiveLine* progress) {
  return ScenarioRun(options, io, scenario, not_simulated, many, progress).Run();
}

}  // namespace ksim::cli
