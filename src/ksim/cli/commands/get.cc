// ksim get: the tables and trees that kubectl get would have shown at a moment of a trace.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/cli/command.h"
#include "ksim/cli/common_flags.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/object_watch.h"
#include "ksim/cli/trace_cluster.h"
#include "ksim/kubectl/printing/object_name.h"
#include "ksim/kubectl/printing/output_format.h"
#include "ksim/kubectl/printing/sort_by.h"
#include "ksim/kubectl/printing/table.h"
#include "ksim/kubectl/printing/tree_text.h"

namespace ksim::cli {
namespace {

using kubectl::ObjectGroup;
using kubectl::OutputFormat;
using value::Value;

struct GetFlags {
  ObjectFlags selection;
  CommonFlags common;
  std::string output = "text";
  std::string sort_by;
  kubectl::TableOptions table;
  WatchFlags watch;
  bool ignore_not_found = false;
  bool allow_missing = true;
};

void AddGetFlags(FlagSet& set, GetFlags& flags) {
  AddObjectFlags(set, flags.selection);
  AddSelectorFlag(set, flags.selection);
  AddFieldSelectorFlag(set, flags.selection);
  set.Add("-o,--output", &flags.output, fmt::format("Format: {}", OutputFormat::kNames))
      .Type("FORMAT");
  set.Add("--sort-by", &flags.sort_by, "Order by this field: .metadata.creationTimestamp")
      .Type("PATH");
  set.Add("--no-headers", &flags.table.no_headers, "No line of headings");
  set.Add("--show-labels", &flags.table.show_labels, "Labels as the last column");
  set.Add("-L,--label-columns", &flags.table.label_columns, "A column for each of these labels")
      .Type("LABEL")
      .SplitAtCommas()
      .Repeated();
  set.Add("--show-kind", &flags.table.with_kind, "Names as TYPE/NAME");
  set.Add("-w,--watch", &flags.watch.watch,
          "Then each change until the trace ends; from its beginning on, or from --at");
  set.Add("--watch-only", &flags.watch.watch_only, "The changes alone");
  set.Add("--output-watch-events", &flags.watch.with_events,
          "With --watch or --watch-only: ADDED, MODIFIED or DELETED beside each");
  set.Add("--ignore-not-found", &flags.ignore_not_found, "What is not there is no error");
  set.Add("--allow-missing-template-keys", &flags.allow_missing,
          "false: a field that a jsonpath names must be there")
      .Type("BOOL");
  AddColorFlag(set, flags.common);
}

int GetError(Io& io, std::string_view message) {
  io.Err(fmt::format("error: {}\n", message));
  return kInvalid;
}

void PrintNoResources(Io& io, const GetFlags& flags, const std::vector<ObjectGroup>& groups) {
  const kubectl::ObjectArguments& objects = flags.selection.objects;
  const bool namespaced = !objects.all_namespaces &&
                          std::all_of(groups.begin(), groups.end(),
                                      [](const ObjectGroup& g) { return g.info->namespaced; });
  io.Err(namespaced ? fmt::format("No resources found in {} namespace.\n", objects.ns)
                    : "No resources found\n");
}

absl::Status SortGroups(const GetFlags& flags, std::vector<ObjectGroup>* groups) {
  if (flags.sort_by.empty()) return absl::OkStatus();
  for (ObjectGroup& group : *groups) {
    std::vector<Value> trees;
    for (const api::Object& o : group.objects) trees.push_back(o.ToTree());
    ASSIGN_OR_RETURN(const std::vector<std::size_t> order, kubectl::OrderBy(flags.sort_by, trees));
    std::vector<api::Object> sorted;
    for (const std::size_t i : order) sorted.push_back(group.objects[i]);
    group.objects = std::move(sorted);
  }
  return absl::OkStatus();
}

// get.go Run: a table for each run of objects of one kind, a line between them if they have
// headings.
absl::Status PrintTables(Io& io, const GetFlags& flags, const OutputFormat& format,
                         std::vector<ObjectGroup>* groups, VirtualTime now) {
  RETURN_IF_ERROR(SortGroups(flags, groups));
  const bool mixed = std::any_of(groups->begin(), groups->end(), [groups](const ObjectGroup& g) {
    return g.info != groups->front().info;
  });
  bool written = false;
  bool with_namespace = false;  // once there is such a column, every later table has it
  for (std::size_t i = 0; i < groups->size();) {
    ObjectGroup group = std::move((*groups)[i]);
    for (++i; i < groups->size() && (*groups)[i].info == group.info; ++i)
      for (const api::Object& o : (*groups)[i].objects) group.objects.push_back(o);
    kubectl::TableOptions options = flags.table;
    options.wide = format.kind() == OutputFormat::Kind::kWide;
    with_namespace =
        with_namespace || (flags.selection.objects.all_namespaces && group.info->namespaced);
    options.with_namespace = with_namespace;
    options.with_kind = flags.table.with_kind || mixed;
    const std::string table = kubectl::RenderTable(*group.info, group.objects, now, options);
    if (written && !table.empty() && !options.no_headers) io.Out("\n");
    written = written || !table.empty();
    io.Out(table);
  }
  return absl::OkStatus();
}

// get.go printGeneric: the one object that was asked for by name, or a List.
absl::Status PrintTreesOrNames(Io& io, const GetFlags& flags, const OutputFormat& format,
                               const std::vector<ObjectGroup>& groups, bool all_found) {
  std::vector<Value> trees;
  std::vector<std::string> names;
  for (const ObjectGroup& group : groups)
    for (const api::Object& o : group.objects) {
      trees.push_back(o.ToTree());
      names.push_back(kubectl::SlashedName(*group.info, o.name()) + "\n");
    }
  const bool one = flags.selection.objects.names_one();
  if (trees.empty() && ((one && !all_found) || flags.ignore_not_found)) return absl::OkStatus();
  std::vector<std::size_t> order(trees.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!one && !flags.sort_by.empty()) {
    ASSIGN_OR_RETURN(order, kubectl::OrderBy(flags.sort_by, trees));
  }
  if (format.kind() == OutputFormat::Kind::kName) {
    for (const std::size_t i : order) io.Out(names[i]);
    return absl::OkStatus();
  }
  std::vector<Value> sorted;
  for (const std::size_t i : order) sorted.push_back(trees[i]);
  const Value shown =
      one && sorted.size() == 1 ? sorted.front() : kubectl::ListOf(std::move(sorted));
  ASSIGN_OR_RETURN(const std::string text,
                   format.Print(shown, flags.table.no_headers, flags.allow_missing));
  io.Out(text);
  return absl::OkStatus();
}

int RunWatch(Io& io, const GetFlags& flags, const OutputFormat& format) {
  if (!flags.selection.as_seen_by.empty())
    return GetError(io, "--watch follows what etcd held: leave out --as-seen-by");
  if (flags.watch.with_events && format.kind() == OutputFormat::Kind::kName)
    return GetError(io, "--output-watch-events cannot be used with -o name");
  if (!flags.sort_by.empty())
    io.Err("warning: --watch or --watch-only requested, --sort-by will be ignored\n");
  return WatchObjects(
      io, flags.selection, flags.watch,
      {.format = format, .table = flags.table, .allow_missing = flags.allow_missing});
}

int RunGet(Io& io, const GetFlags& flags) {
  const absl::StatusOr<OutputFormat> format = OutputFormat::Parse(flags.output);
  if (!format.ok()) return GetError(io, Message(format.status()));
  if (flags.table.show_labels && !format->is_table())
    return GetError(
        io, fmt::format("--show-labels option cannot be used with {} printer", flags.output));
  if (flags.watch.with_events && !flags.watch.any())
    return GetError(io,
                    "--output-watch-events option can only be used with --watch or --watch-only");
  if (flags.watch.any()) return RunWatch(io, flags, *format);
  int code = kOk;
  const std::unique_ptr<TraceCluster> cluster = TraceCluster::Open(io, flags.selection, &code);
  if (cluster == nullptr) return code;
  std::optional<kubectl::FoundObjects> objects =
      cluster->FindOrPrintError(io, flags.selection.objects);
  if (!objects) return kInvalid;
  if (flags.ignore_not_found) objects->not_found.clear();
  const bool all_found = objects->not_found.empty();
  std::vector<ObjectGroup>& groups = objects->groups;
  const bool found = std::any_of(groups.begin(), groups.end(),
                                 [](const ObjectGroup& g) { return !g.objects.empty(); });
  const absl::Status printed = format->is_table()
                                   ? PrintTables(io, flags, *format, &groups, cluster->now())
                                   : PrintTreesOrNames(io, flags, *format, groups, all_found);
  if (!printed.ok()) return GetError(io, Message(printed));
  for (const std::string& line : objects->not_found) io.Err(line);
  if (format->is_table() && !found && all_found && !flags.ignore_not_found)
    PrintNoResources(io, flags, groups);
  return cluster->ExitCode(found || flags.ignore_not_found, all_found);
}

}  // namespace

Command GetCommand() {
  return {.name = "get",
          .summary = "show objects as kubectl would have at a moment of a trace",
          .usage = "ksim get TRACE TYPE[,TYPE] [NAME...] [flags]",
          .description = "",
          .examples =
              {{"The pods in the end",
                "ksim run scenarios/replicaset.yaml -q --trace /tmp/run.jsonl && "
                "ksim get /tmp/run.jsonl pods -o wide"},
               {"The ReplicaSet two seconds into the run",
                "ksim get /tmp/run.jsonl rs --at 2s -o yaml"},
               {"What the scheduler believed just then",
                "ksim get /tmp/run.jsonl pods --at 2s --as-seen-by kube-scheduler"},
               {"Each change of the pods, as it happened",
                "ksim get /tmp/run.jsonl pods --watch --output-watch-events"},
               {"The pods by age, with their images",
                "ksim get /tmp/run.jsonl pods --sort-by .metadata.creationTimestamp "
                "-o 'custom-columns=NAME:.metadata.name,IMAGE:.spec.containers[*].image'"},
               {"Where each pod runs",
                "ksim get /tmp/run.jsonl pods "
                "-o jsonpath='{range .items[*]}{.metadata.name} {.spec.nodeName}{\"\\n\"}{end}'"}},
          .invoke = &Invoke<GetFlags, AddGetFlags, RunGet>};
}

}  // namespace ksim::cli
