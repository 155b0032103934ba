// ksim events: the Events that were recorded up to a moment of a trace.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/cli/command.h"
#include "ksim/cli/common_flags.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/trace_cluster.h"
#include "ksim/kubectl/printing/event_list.h"
#include "ksim/kubectl/printing/output_format.h"
#include "ksim/kubectl/printing/table.h"
#include "ksim/kubectl/printing/tree_text.h"

namespace ksim::cli {
namespace {

using kubectl::EventSubject;
using kubectl::OutputFormat;
using value::Value;

struct EventsFlags {
  ObjectFlags selection;
  CommonFlags common;
  std::string output = "text";
  std::string subject;  // of --for
  std::vector<std::string> types;
  bool no_headers = false;
};

void AddEventsFlags(FlagSet& set, EventsFlags& flags) {
  AddObjectFlags(set, flags.selection);
  set.Add("--for", &flags.subject, "Only those about one object").Type("TYPE/NAME");
  set.Add("--types", &flags.types, "Normal, Warning").Type("TYPE").SplitAtCommas();
  set.Add("--no-headers", &flags.no_headers, "No line of headings");
  set.Add("-o,--output", &flags.output, fmt::format("Format: {}", OutputFormat::kNames))
      .Type("FORMAT");
  AddColorFlag(set, flags.common);
}

int EventsError(Io& io, std::string_view message) {
  io.Err(fmt::format("error: {}\n", message));
  return kInvalid;
}

// The type of Events that a user names in any case of letters; "" for an unknown one.
std::string_view KnownEventType(std::string_view type) {
  for (const std::string_view known : {"Normal", "Warning"})
    if (std::equal(type.begin(), type.end(), known.begin(), known.end(),
                   [](char a, char b) { return (a | 32) == (b | 32); }))
      return known;
  return "";
}

// events.go decodeResourceTypeName.
absl::StatusOr<EventSubject> ParseSubject(const std::string& text, const api::Kinds& kinds,
                                          api::Compat compat) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos)
    return absl::InvalidArgumentError("error: --for must be in resource/name form");
  if (text.find('/', slash + 1) != std::string::npos)
    return absl::InvalidArgumentError(
        "error: arguments in resource/name form may not have more than one slash");
  ASSIGN_OR_RETURN(const api::ResourceInfo* info,
                   kubectl::ResourceOfWord(kinds, text.substr(0, slash), compat));
  EventSubject subject;
  subject.kind = info->kind;
  subject.api_version = info->api_version();
  subject.name = text.substr(slash + 1);
  return subject;
}

// The columns of `kubectl get events -o wide`.
std::string WideEventTable(const std::vector<api::Object>& events, const EventsFlags& flags,
                           VirtualTime now) {
  const api::Kinds kinds;
  kubectl::TableOptions options;
  options.wide = true;
  options.no_headers = flags.no_headers;
  options.with_namespace = flags.selection.objects.all_namespaces;
  return kubectl::RenderTable(*kinds.ByName("events"), events, now, options);
}

absl::Status PrintEvents(Io& io, const EventsFlags& flags, const OutputFormat& format,
                         const std::vector<api::Object>& events, VirtualTime now) {
  const kubectl::ObjectArguments& objects = flags.selection.objects;
  if (events.empty()) {
    io.Err(objects.all_namespaces ? "No events found.\n"
                                  : fmt::format("No events found in {} namespace.\n", objects.ns));
  } else if (format.kind() == OutputFormat::Kind::kName) {
    for (const api::Object& e : events) io.Out(fmt::format("event/{}\n", e.name()));
  } else if (format.kind() == OutputFormat::Kind::kWide) {
    io.Out(WideEventTable(events, flags, now));
  } else if (format.is_table()) {
    io.Out(kubectl::RenderEvents(events, now, objects.all_namespaces, flags.no_headers));
  } else {
    std::vector<Value> trees;
    for (const api::Object& e : events) trees.push_back(e.ToTree());
    const Value list = kubectl::ListOf(std::move(trees))
                           .Set("kind", Value::Of("EventList"))
                           .Set("metadata", Value::EmptyObject());
    ASSIGN_OR_RETURN(const std::string text, format.Print(list, flags.no_headers, true));
    io.Out(text);
  }
  return absl::OkStatus();
}

int RunEvents(Io& io, const EventsFlags& flags) {
  const kubectl::ObjectArguments& objects = flags.selection.objects;
  if (!objects.words.empty())
    return EventsError(io, fmt::format("unexpected argument \"{}\"\nhint: --for TYPE/NAME",
                                       objects.words.front()));
  const absl::StatusOr<OutputFormat> format = OutputFormat::Parse(flags.output);
  if (!format.ok()) return EventsError(io, Message(format.status()));
  std::vector<std::string_view> types;
  for (const std::string& type : flags.types) {
    types.push_back(KnownEventType(type));
    if (types.back().empty()) return EventsError(io, "valid --types are Normal or Warning");
  }
  int code = kOk;
  const std::unique_ptr<TraceCluster> cluster = TraceCluster::Open(io, flags.selection, &code);
  if (cluster == nullptr) return code;
  cluster->WarnIfNotCached(io, *cluster->kinds().ByName("events"));
  EventSubject subject;
  if (!flags.subject.empty()) {
    const absl::StatusOr<EventSubject> parsed =
        ParseSubject(flags.subject, cluster->kinds(), cluster->compat());
    if (!parsed.ok()) {
      io.Err(fmt::format("{}\n", Message(parsed.status())));
      return kInvalid;
    }
    subject = *parsed;
  }
  subject.ns = objects.all_namespaces ? "" : objects.ns;
  std::vector<api::Object> events = kubectl::EventsAbout(*cluster, subject);
  if (!types.empty())
    std::erase_if(events, [&types](const api::Object& e) {
      return std::find(types.begin(), types.end(), e.tree().Get("type").AsString()) == types.end();
    });
  kubectl::SortByLastSeen(&events);
  const absl::Status printed = PrintEvents(io, flags, *format, events, cluster->now());
  if (!printed.ok()) return EventsError(io, Message(printed));
  return cluster->ExitCode(!events.empty(), true);
}

}  // namespace

Command EventsCommand() {
  return {.name = "events",
          .summary = "list the Events that controllers had recorded at a moment of a trace",
          .usage = "ksim events TRACE [flags]",
          .description = "",
          .examples = {{"What was recorded about the ReplicaSet",
                        "ksim run scenarios/replicaset.yaml -q --trace /tmp/run.jsonl && "
                        "ksim events /tmp/run.jsonl --for rs/my-replicaset"}},
          .invoke = &Invoke<EventsFlags, AddEventsFlags, RunEvents>};
}

}  // namespace ksim::cli
