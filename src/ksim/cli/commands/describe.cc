// ksim describe: what kubectl describe would have shown at a moment of a trace.
#include "ksim/kubectl/describe/describe.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "ksim/cli/command.h"
#include "ksim/cli/common_flags.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/trace_cluster.h"

namespace ksim::cli {
namespace {

struct DescribeFlags {
  ObjectFlags selection;
  CommonFlags common;
  bool show_events = false;
  GivenFlags given;
};

void AddDescribeFlags(FlagSet& set, DescribeFlags& flags) {
  AddObjectFlags(set, flags.selection);
  AddSelectorFlag(set, flags.selection);
  set.Add("--show-events", &flags.show_events, "Events too; default if it is one object");
  AddColorFlag(set, flags.common);
  set.NoteGiven(&flags.given);
}

// `describe pods web` shows all objects whose names begin so (DescribeMatchingResources).
int DescribeByPrefix(Io& io, const TraceCluster& cluster, kubectl::ObjectArguments arguments,
                     const std::string& not_found, bool events) {
  const std::string prefix = arguments.words[1];
  arguments.words.resize(1);
  const std::optional<kubectl::FoundObjects> objects = cluster.FindOrPrintError(io, arguments);
  if (!objects) return kInvalid;
  bool found = false;
  for (const kubectl::ObjectGroup& group : objects->groups)
    for (const api::Object& o : group.objects) {
      if (!o.name().starts_with(prefix)) continue;
      io.Out(kubectl::DescribeObject(o, cluster, events) + "\n");
      found = true;
    }
  if (!found) io.Err(not_found);
  return cluster.ExitCode(found, found);
}

int RunDescribe(Io& io, const DescribeFlags& flags) {
  const kubectl::ObjectArguments& arguments = flags.selection.objects;
  int code = kOk;
  const std::unique_ptr<TraceCluster> cluster = TraceCluster::Open(io, flags.selection, &code);
  if (cluster == nullptr) return code;
  const std::optional<kubectl::FoundObjects> found = cluster->FindOrPrintError(io, arguments);
  if (!found) return kInvalid;
  std::vector<api::Object> objects;
  for (const kubectl::ObjectGroup& group : found->groups)
    objects.insert(objects.end(), group.objects.begin(), group.objects.end());
  const std::vector<std::string>& not_found = found->not_found;
  const bool several = objects.size() > 1 || !not_found.empty();
  const bool events = flags.given.contains("show-events") ? flags.show_events : !several;
  if (objects.empty() && not_found.size() == 1 && arguments.words.size() == 2)
    return DescribeByPrefix(io, *cluster, arguments, not_found.front(), events);
  for (std::size_t i = 0; i < objects.size(); ++i)
    io.Out((i > 0 ? "\n\n" : "") + kubectl::DescribeObject(objects[i], *cluster, events));
  for (const std::string& line : not_found) io.Err(line);
  if (objects.empty() && not_found.empty())
    io.Err(arguments.all_namespaces
               ? "No resources found\n"
               : fmt::format("No resources found in {} namespace.\n", arguments.ns));
  return cluster->ExitCode(!objects.empty(), not_found.empty());
}

}  // namespace

Command DescribeCommand() {
  return {.name = "describe",
          .summary = "show all there is to one object, and its events, at a moment of a trace",
          .usage = "ksim describe TRACE (TYPE [NAME_PREFIX] | TYPE/NAME) [flags]",
          .description = "",
          .examples = {{"The ReplicaSet in the end",
                        "ksim run scenarios/replicaset.yaml -q --trace /tmp/run.jsonl && "
                        "ksim describe /tmp/run.jsonl rs/my-replicaset"},
                       {"The machines, with what was recorded about them",
                        "ksim describe /tmp/run.jsonl nodes --show-events"}},
          .invoke = &Invoke<DescribeFlags, AddDescribeFlags, RunDescribe>};
}

}  // namespace ksim::cli
