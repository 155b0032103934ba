// ksim informers: how much waits in the queues of informers at a moment of a trace, or all along.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/cli/command.h"
#include "ksim/cli/common_flags.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/informer_queues.h"
#include "ksim/cli/trace_input.h"
#include "ksim/kubectl/printing/tree_text.h"

namespace ksim::cli {
namespace {

using client::InformerQueues;
using value::Value;

struct InformersFlags {
  std::string path, process, resource;
  std::string at = "end";
  bool watch = false;
  CommonFlags common;
};

void AddInformersFlags(FlagSet& set, InformersFlags& flags) {
  set.Add("TRACE", &flags.path, "A trace; - is standard input");
  set.Add("--at", &flags.at, "The moment: a time such as 1.5s, seq:N, rv:N, end").Type("MOMENT");
  set.Add("--process", &flags.process, "Only the informers of this process").Type("PROCESS");
  set.Add("--resource", &flags.resource,
          "Only the informers of this resource: PLURAL or PLURAL.GROUP")
      .Type("NAME");
  set.Add("-w,--watch", &flags.watch, "Every change of a length up to then, a line each");
  AddOutputFlag(set, flags.common, {"text", "json", "yaml"});
  AddColorFlag(set, flags.common);
}

bool IsMeant(const InformersFlags& flags, const InformerQueues& informer) {
  const api::ResourceInfo& r = *informer.resource;
  return flags.resource.empty() || r.known_as() == flags.resource ||
         r.group_resource() == flags.resource;
}

// --- a moment ---

Value TreeOf(const InformerQueues& informer) {
  std::vector<Value> listeners;
  for (const InformerQueues::Listener& listener : informer.listeners)
    listeners.push_back(
        value::Obj({{"name", Value::Of(listener.name)},
                    {"pendingNotifications", Value::Int(static_cast<int>(listener.pending))}}));
  return value::Obj({{"resource", Value::Of(informer.resource->group_resource())},
                     {"deltaFIFO", Value::Int(static_cast<int>(informer.deltas))},
                     {"listeners", Value::Array(std::move(listeners))}});
}

Value TreeOf(const InformersFlags& flags, const std::vector<ProcessQueues>& all) {
  std::vector<Value> processes;
  for (const ProcessQueues& process : all) {
    std::vector<Value> informers;
    for (const InformerQueues& informer : process.informers)
      if (IsMeant(flags, informer)) informers.push_back(TreeOf(informer));
    if (informers.empty()) continue;
    processes.push_back(value::Obj({{"process", Value::Of(process.process)},
                                    {"informers", Value::Array(std::move(informers))}}));
  }
  return value::Obj({{"kind", Value::Of("InformerQueuesList")},
                     {"apiVersion", Value::Of("ksim.dev/v1")},
                     {"items", Value::Array(std::move(processes))}});
}

// One line a listener; an informer that nobody listens to has one line too.
std::string TableOf(const InformersFlags& flags, const std::vector<ProcessQueues>& all) {
  using Cells = std::vector<std::string>;
  std::vector<Cells> rows{{"PROCESS", "INFORMER", "DELTAFIFO", "LISTENER", "PENDING"}};
  for (const ProcessQueues& process : all) {
    for (const InformerQueues& informer : process.informers) {
      if (!IsMeant(flags, informer)) continue;
      const Cells head{process.process, informer.resource->group_resource(),
                       std::to_string(informer.deltas)};
      if (informer.listeners.empty()) rows.push_back({head[0], head[1], head[2], "<none>", ""});
      for (const InformerQueues::Listener& listener : informer.listeners)
        rows.push_back(
            {head[0], head[1], head[2], listener.name, std::to_string(listener.pending)});
    }
  }
  if (rows.size() == 1) return "";
  std::vector<std::size_t> widths(rows.front().size());
  for (const Cells& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string out;
  for (const Cells& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += fmt::format("{:<{}}", row[i], widths[i] + 3);
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

// --- all along ---

// The lengths of one informer, "deltafifo 0  watcher/early 12".
std::string LengthsOf(const InformerQueues& informer) {
  std::string out = fmt::format("deltafifo {}", informer.deltas);
  for (const InformerQueues::Listener& listener : informer.listeners)
    out += fmt::format("  {} {}", listener.name, listener.pending);
  return out;
}

using ByInformer = std::map<std::string, const InformerQueues*>;  // by PROCESS RESOURCE

ByInformer Flattened(const InformersFlags& flags, const std::vector<ProcessQueues>& all) {
  ByInformer informers;
  for (const ProcessQueues& process : all)
    for (const InformerQueues& informer : process.informers)
      if (IsMeant(flags, informer))
        informers[fmt::format("{} {}", process.process, informer.resource->group_resource())] =
            &informer;
  return informers;
}

void PrintChanges(Io& io, const InformersFlags& flags, const sim::Event& e,
                  const std::vector<ProcessQueues>& before, const std::vector<ProcessQueues>& now) {
  const ByInformer old = Flattened(flags, before);
  for (const auto& [name, informer] : Flattened(flags, now)) {
    const auto was = old.find(name);
    if (was != old.end() && *was->second == *informer) continue;
    io.Out(fmt::format("+{}.{:06}s  #{}  {}: {}\n", e.time.ns() / 1'000'000'000,
                       e.time.ns() / 1000 % 1'000'000, e.seq, name, LengthsOf(*informer)));
  }
}

int RunInformers(Io& io, const InformersFlags& flags) {
  io.SetColor(flags.common.color);
  if (flags.path.empty()) {
    io.Err("error: which trace?\nhint: ksim informers TRACE --at 10s\n");
    return kInvalid;
  }
  if (flags.watch && flags.common.output != "text") {
    io.Err("error: --watch prints lines, not a document\nhint: --at MOMENT -o json\n");
    return kInvalid;
  }
  const std::optional<trace::Trace> trace = ReadTraceOrPrintError(io, flags.path);
  if (!trace) return kInvalid;
  int code = kOk;
  // It prints what is wrong with the moment.
  if (!StateAtOrPrintError(io, *trace, flags.at, &code)) return code;
  bool any = false;
  const QueuesLook look = [&](const sim::Event& e, const std::vector<ProcessQueues>& before,
                              const std::vector<ProcessQueues>& now) {
    any = any || !Flattened(flags, now).empty();
    PrintChanges(io, flags, e, before, now);
  };
  const std::optional<std::vector<ProcessQueues>> queues =
      ReplayInformerQueues(io, *trace, flags.path, flags.process, *trace::ParseMoment(flags.at),
                           flags.watch ? look : QueuesLook(), &code);
  if (!queues) return code;
  any = any || !Flattened(flags, *queues).empty();
  if (!any) {
    io.Err("no informers were there then\n");
    return kNothing;
  }
  if (!flags.watch && flags.common.output == "text") io.Out(TableOf(flags, *queues));
  if (!flags.watch && flags.common.output != "text")
    io.Out(kubectl::TreeText(TreeOf(flags, *queues), flags.common.output));
  return trace->end ? kOk : kUndecided;
}

}  // namespace

Command InformersCommand() {
  return {
      .name = "informers",
      .summary = "show how much waits in the queues of informers",
      .usage = "ksim informers TRACE [--at MOMENT] [flags]",
      .description =
          "An informer's reflector puts changes into DELTAFIFO (in 1.36 a RealFIFO); from there\n"
          "they go into the cache, and a notification to each listener, whose handler may be\n"
          "slow: PENDING counts its pendingNotifications, and the one that waits in nextCh.\n"
          "A trace holds no queues: the scenario is run again up to the moment.",
      .examples = {{"A slow handler, and what waits for it",
                    "ksim run scenarios/informers-late-handlers.yaml -q --trace /tmp/run.jsonl && "
                    "ksim informers /tmp/run.jsonl --process watcher --at 25s"},
                   {"How it came to that",
                    "ksim informers /tmp/run.jsonl --process watcher --at 25s --watch"}},
      .invoke = &Invoke<InformersFlags, AddInformersFlags, RunInformers>};
}

}  // namespace ksim::cli
