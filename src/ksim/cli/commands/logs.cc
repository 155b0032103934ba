// ksim logs: what kubectl logs would have printed at a moment of a trace.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "ksim/api/kinds.h"
#include "ksim/base/status.h"
#include "ksim/cli/command.h"
#include "ksim/cli/common_flags.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/trace_cluster.h"
#include "ksim/kubectl/logs/pod_logs.h"
#include "ksim/trace/container_runs.h"
#include "ksim/trace/event_text.h"
#include "ksim/value/selector.h"
#include "ksim/value/timestamp.h"

namespace ksim::cli {
namespace {

constexpr std::string_view kProcessPrefix = "process/";
constexpr std::int64_t kTailOfSelector = 10;

struct LogsFlags {
  ObjectFlags selection;
  CommonFlags common;
  kubectl::LogOptions print;
  std::string since, since_time;
  std::int64_t tail = -1;
  std::int64_t limit = 0;
  bool follow = false;
  GivenFlags given;
};

void AddLogsFlags(FlagSet& set, LogsFlags& flags) {
  set.Add("TRACE", &flags.selection.path, "A trace; - is standard input").Required();
  set.Add("POD", &flags.selection.objects.words,
          "POD [CONTAINER], TYPE/NAME of what has pods, or process/NAME");
  set.Add("--at", &flags.selection.at, "The moment: a time such as 1.5s, seq:N, rv:N, end")
      .Type("MOMENT");
  set.Add("-n,--namespace", &flags.selection.objects.ns, "Namespace; default \"default\"")
      .Type("NAME");
  AddSelectorFlag(set, flags.selection);
  set.Add("-c,--container", &flags.print.container, "The container; else the first").Type("NAME");
  set.Add("--all-containers", &flags.print.all_containers, "Those of all containers");
  set.Add("--all-pods", &flags.print.all_pods, "Of TYPE/NAME those of all pods, with --prefix");
  set.Add("-p,--previous", &flags.print.previous, "The run before, if there was one");
  set.Add("--since", &flags.since, "Lines of so long before the moment: 5s, 2m").Type("DURATION");
  set.Add("--since-time", &flags.since_time, "Lines from a time on: 2025-01-01T00:00:30Z")
      .Type("TIME");
  set.Add("--tail", &flags.tail, "The last lines; -1: all, the default but for -l (10)")
      .Type("LINES");
  set.Add("--limit-bytes", &flags.limit, "At most so much of each log").Type("BYTES");
  set.Add("--timestamps", &flags.print.timestamps, "The time before each line");
  set.Add("--prefix", &flags.print.prefix, "Pod and container before each line");
  set.Add("--ignore-errors", &flags.print.ignore_errors, "Goes on with the next log");
  set.Add("-f,--follow", &flags.follow, "Known from kubectl; a trace has nothing to follow");
  AddColorFlag(set, flags.common);
  set.NoteGiven(&flags.given);
}

int LogsError(Io& io, std::string_view message, int code = kInvalid) {
  io.Err(fmt::format("{}\n", message));
  return code;
}

// The logs of a trace's nodes.
class TraceLogs final : public kubectl::ContainerLogs {
 public:
  TraceLogs(const trace::Trace& trace, std::size_t events) : runs_(trace, events) {}

  std::vector<kubectl::LogLine> Of(const api::Object& pod, std::string_view container,
                                   VirtualTime started, bool ended) const override {
    const trace::ContainerRun* chosen = nullptr;
    const std::vector<trace::ContainerRun>& runs = runs_.Of(pod.uid(), container);
    for (const trace::ContainerRun& run : runs) {
      const bool same_second = run.started.ns() / 1'000'000'000 == started.ns() / 1'000'000'000;
      const bool newest = &run == &runs.back();
      if (same_second && (!ended || (run.over && !newest))) chosen = &run;
    }
    std::vector<kubectl::LogLine> out;
    if (chosen == nullptr) return out;
    for (const trace::ContainerRun::Line& line : chosen->lines) {
      kubectl::LogLine& one = out.emplace_back();
      one.time = line.time;
      one.text = line.text;
    }
    return out;
  }

 private:
  trace::ContainerRuns runs_;
};

// logs.go Complete, Validate. "": all is well.
std::string Problem(const LogsFlags& flags) {
  const std::vector<std::string>& words = flags.selection.objects.words;
  const bool selects = !flags.selection.objects.selector.empty();
  if ((words.empty() && !selects) || words.size() > 2)
    return "error: expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\n"
           "POD or TYPE/NAME is a required argument for the logs command";
  if (!words.empty() && selects) return "error: only a selector (-l) or a POD name is allowed";
  if (!flags.since.empty() && !flags.since_time.empty())
    return "error: at most one of `sinceTime` or `sinceSeconds` may be specified";
  const std::string& container = words.size() == 2 ? words[1] : flags.print.container;
  if (flags.print.all_containers && !container.empty())
    return "error: --all-containers=true should not be specified with container name " + container;
  if (words.size() == 2 && flags.given.contains("container"))
    return "error: only one of -c or an inline [CONTAINER] arg is allowed";
  if (flags.limit < 0) return "error: --limit-bytes must be greater than 0";
  if (flags.tail < -1) return "error: --tail must be greater than or equal to -1";
  return "";
}

// ToLogOptions. InvalidArgument with the line that kubectl prints.
absl::StatusOr<kubectl::LogOptions> OptionsOf(const LogsFlags& flags, VirtualTime now) {
  kubectl::LogOptions out = flags.print;
  const std::vector<std::string>& words = flags.selection.objects.words;
  if (words.size() == 2) out.container = words[1];
  out.prefix = out.prefix || out.all_pods;
  if (!flags.since.empty()) {
    ASSIGN_OR_RETURN(const Duration since, ParseDuration(flags.since));
    if (since < Duration()) return absl::InvalidArgumentError("--since must be greater than 0");
    const std::int64_t seconds = (since.ns() + 500'000'000) / 1'000'000'000;
    if (since > Duration()) out.since = now - Seconds(seconds);
  }
  if (!flags.since_time.empty()) {
    ASSIGN_OR_RETURN(out.since, value::ParseTimestamp(flags.since_time));
  }
  if (flags.tail >= 0) out.tail = flags.tail;
  if (!flags.selection.objects.selector.empty() && !flags.given.contains("tail"))
    out.tail = kTailOfSelector;
  if (flags.limit > 0) out.limit = flags.limit;
  return out;
}

// SelectorsForObject.
absl::StatusOr<value::LabelSelector> PodSelectorOf(const api::Object& object) {
  const value::Value& selector = object.spec().Get("selector");
  const bool core = api::GroupOf(object.api_version()).empty();
  if (core && (object.kind() == "Service" || object.kind() == "ReplicationController")) {
    if (selector.empty() && object.kind() == "Service")
      return absl::InvalidArgumentError(fmt::format(
          "invalid service '{}': Service is defined without a selector", object.name()));
    return value::LabelSelector::FromSet(selector);
  }
  if (!selector.is_object())
    return absl::InvalidArgumentError(
        fmt::format("cannot get the logs from {}: selector for {} not implemented", object.kind(),
                    object.kind()));
  return value::LabelSelector::FromObject(selector);
}

// The pods whose logs are asked for; nullopt with the complaint printed and `code` set.
class LoggedPods {
 public:
  LoggedPods(Io& io, const LogsFlags& flags, const TraceCluster& cluster)
      : io_(io), flags_(flags), cluster_(cluster) {}

  std::optional<std::vector<api::Object>> Find(int* code) {
    const kubectl::ObjectArguments& objects = flags_.selection.objects;
    kubectl::ObjectArguments wanted = objects;
    wanted.words = {objects.words.empty()                             ? "pods"
                    : objects.words[0].find('/') != std::string::npos ? objects.words[0]
                                                                      : "pods/" + objects.words[0]};
    *code = kInvalid;
    const std::optional<kubectl::FoundObjects> found = cluster_.FindOrPrintError(io_, wanted);
    if (!found) return std::nullopt;
    std::vector<api::Object> all;
    for (const kubectl::ObjectGroup& group : found->groups)
      all.insert(all.end(), group.objects.begin(), group.objects.end());
    *code = cluster_.ExitCode(!all.empty(), found->not_found.empty());
    // logs.go Complete, from 1.31 on: the error as text, in a text of its own.
    for (std::string line : found->not_found) {
      if (line.ends_with('\n')) line.pop_back();
      line.replace(0, line.starts_with("Error") ? 1 : 0, "e");
      io_.Err(fmt::format("error: {} in namespace \"{}\"\n", line, objects.ns));
    }
    if (!found->not_found.empty()) return std::nullopt;
    if (all.empty()) io_.Err(fmt::format("No resources found in {} namespace.\n", objects.ns));
    if (objects.words.empty() || all.empty() || all.front().kind() == "Pod") return all;
    return PodsOf(all.front(), code);
  }

 private:
  // GetFirstPod, GetPodList.
  std::optional<std::vector<api::Object>> PodsOf(const api::Object& owner, int* code) {
    const absl::StatusOr<value::LabelSelector> selector = PodSelectorOf(owner);
    if (!selector.ok()) {
      *code = LogsError(io_, fmt::format("error: {}", Message(selector.status())));
      return std::nullopt;
    }
    std::vector<api::Object> pods = cluster_.List("pods", owner.ns());
    std::erase_if(pods, [&](const api::Object& pod) {
      return !selector->Matches(pod.tree().Get("metadata").Get("labels"));
    });
    kubectl::SortByLogging(&pods);
    if (pods.empty()) {
      // It waits 20 s for one (--pod-running-timeout).
      *code = LogsError(io_, "error: timed out waiting for the condition", kNothing);
      return std::nullopt;
    }
    if (pods.size() > 1 && !flags_.print.all_pods) {
      io_.Err(fmt::format("Found {} pods, using pod/{}\n", pods.size(), pods.front().name()));
      pods.resize(1);
    }
    return pods;
  }

  Io& io_;
  const LogsFlags& flags_;
  const TraceCluster& cluster_;
};

// Processes of the control plane: a guest says its lines; of one of ksim's own, which prints
// nothing, when it began and ended, and how each of its reconciles went.
bool IsSaidBy(const trace::Record& r, std::string_view process, bool prints) {
  const bool own =
      r.actor == process || (r.actor.starts_with(process) && r.actor.size() > process.size() &&
                             r.actor[process.size()] == '/');
  if (r.kind == sim::EventKind::kActor) return !prints && r.Text("process") == process;
  if (!own || r.Get("container").is_string()) return false;
  if (r.kind == sim::EventKind::kLog) return true;
  return !prints && r.kind == sim::EventKind::kReconcile && r.Text("state") == "end";
}

int PrintProcess(Io& io, const trace::Trace& trace, std::size_t events, std::string_view process,
                 const kubectl::LogOptions& options) {
  bool known = false, prints = false;
  for (const trace::Record& r : trace.events) {
    known = known || (r.kind == sim::EventKind::kActor && r.Text("process") == process) ||
            r.actor == process;
    prints = prints || (r.kind == sim::EventKind::kLog && r.actor == process);
  }
  if (!known)
    return LogsError(io, fmt::format("error: the trace has no process {}", process), kNothing);
  std::vector<kubectl::LogLine> lines;
  for (std::size_t i = 0; i < events; ++i) {
    const trace::Record& r = trace.events[i];
    if (!IsSaidBy(r, process, prints)) continue;
    kubectl::LogLine& line = lines.emplace_back();
    line.time = VirtualTime(r.t);
    line.text = trace::EventText(r);
  }
  io.Out(kubectl::WriteLines(lines, options));
  return kOk;
}

int RunLogs(Io& io, const LogsFlags& flags) {
  if (const std::string problem = Problem(flags); !problem.empty()) return LogsError(io, problem);
  int code = kOk;
  trace::Trace trace;
  const std::unique_ptr<TraceCluster> cluster =
      TraceCluster::Open(io, flags.selection, &code, &trace);
  if (cluster == nullptr) return code;
  const absl::StatusOr<kubectl::LogOptions> options = OptionsOf(flags, cluster->now());
  if (!options.ok()) return LogsError(io, fmt::format("error: {}", Message(options.status())));
  // Open has parsed the moment, and found it in the trace.
  const std::size_t events = *trace::EventsBy(trace, *trace::ParseMoment(flags.selection.at));
  if (flags.follow)
    io.Err("warning: -f has nothing to follow: a trace holds all that was printed\n");
  const std::vector<std::string>& words = flags.selection.objects.words;
  if (!words.empty() && words[0].starts_with(kProcessPrefix))
    return PrintProcess(io, trace, events, words[0].substr(kProcessPrefix.size()), *options);
  const std::optional<std::vector<api::Object>> pods = LoggedPods(io, flags, *cluster).Find(&code);
  if (!pods) return code;
  const kubectl::LogOutput output = kubectl::PrintLogs(*pods, *options, TraceLogs(trace, events));
  io.Err(output.notes);
  io.Out(output.out);
  if (!output.error.empty()) return LogsError(io, output.error, kNothing);
  return cluster->ExitCode(true, true);
}

}  // namespace

Command LogsCommand() {
  return {
      .name = "logs",
      .summary = "show what containers and controllers had printed at a moment of a trace",
      .usage = "ksim logs TRACE (POD | TYPE/NAME | process/NAME) [CONTAINER] [flags]",
      .description =
          "Prints what kubectl logs would have. Containers print what the annotation\n"
          "log.ksim.dev/CONTAINER of their pod says (docs/scenarios.md); guests print what they\n"
          "print. Of a process of ksim's own, which prints nothing, process/NAME tells how its\n"
          "reconciles went.",
      .examples = {{"What a pod printed, with the times",
                    "ksim run scenarios/container-logs.yaml -q --trace /tmp/logs.jsonl && "
                    "ksim logs /tmp/logs.jsonl web --timestamps"},
                   {"The run that ended before", "ksim logs /tmp/logs.jsonl crashes --previous"},
                   {"The last line of each pod with a label",
                    "ksim logs /tmp/logs.jsonl -l app=web --all-containers --prefix --tail 1"},
                   {"How a controller fared",
                    "ksim logs /tmp/logs.jsonl process/kube-controller-manager --tail 5"}},
      .invoke = &Invoke<LogsFlags, AddLogsFlags, RunLogs>};
}

}  // namespace ksim::cli
