#include "ksim/cli/object_watch.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "ksim/apiserver/core/predicate.h"
#include "ksim/base/status.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/trace_cluster.h"
#include "ksim/cli/trace_input.h"
#include "ksim/kubectl/printing/object_name.h"
#include "ksim/trace/state.h"
#include "ksim/value/json.h"

namespace ksim::cli {
namespace {

using kubectl::OutputFormat;
using trace::Record;
using value::Value;

// tableprinter.go formattedEventType.
constexpr std::size_t kEventWidth = 10;

// The one resource that is watched, and what of it.
struct Watched {
  Watched() = default;
  const api::ResourceInfo* info = nullptr;
  apiserver::Predicate predicate;
};

absl::StatusOr<Watched> WatchedBy(const api::Kinds& kinds, api::Compat compat,
                                  const ObjectFlags& selection) {
  const kubectl::ObjectArguments& asked = selection.objects;
  const std::vector<std::string> words = asked.Normalized();
  const auto refuse = [](std::string_view text) {
    return absl::InvalidArgumentError(fmt::format("error: {}", text));
  };
  if (words.empty()) return refuse("which type? pods, rs, nodes, events, ... or TYPE/NAME");
  const std::size_t slash = words.front().find('/');
  const bool slashed = slash != std::string::npos;
  const std::string type = words.front().substr(0, slash);
  if (type.find(',') != std::string::npos || type == "all")
    return refuse("you may only specify a single resource type");
  if (words.size() > (slashed ? 1U : 2U))
    return refuse(
        "watch is only supported on individual resources and resource collections - more than 1 "
        "resource was found");
  const std::string name = slashed             ? words.front().substr(slash + 1)
                           : words.size() == 2 ? words.back()
                                               : "";
  if (!name.empty() && asked.has_selector())
    return refuse("name cannot be provided when a selector is specified");
  Watched out;
  ASSIGN_OR_RETURN(out.info, kubectl::ResourceOfWord(kinds, type, compat));
  if (!name.empty() && out.info->namespaced && asked.all_namespaces)
    return refuse("a resource cannot be retrieved by name across all namespaces");
  api::ListOptions options;
  options.label_selector = asked.selector;
  options.field_selector = asked.field_selector;
  const bool everywhere = asked.all_namespaces || !out.info->namespaced;
  auto predicate = apiserver::Predicate::Make(*out.info, everywhere ? "" : asked.ns, name, options);
  if (!predicate.ok())
    return absl::InvalidArgumentError(fmt::format(
        "Error from server ({}): {}", predicate.status().reason, predicate.status().message));
  out.predicate = *std::move(predicate);
  return out;
}

// Tables as rows whose columns only grow, anything else as documents.
class WatchPrinter {
 public:
  WatchPrinter(Io& io, const ObjectFlags& selection, const api::ResourceInfo& info,
               const WatchFlags& flags, const WatchOutput& output)
      : io_(io), info_(info), flags_(flags), output_(output), table_(output.table) {
    table_.wide = output.format.kind() == OutputFormat::Kind::kWide;
    table_.with_namespace = selection.objects.all_namespaces && info.namespaced;
  }

  // The objects of one moment, whose rows are aligned together.
  absl::Status Print(const char* event, const std::vector<api::Object>& objects, VirtualTime now) {
    if (objects.empty()) return absl::OkStatus();
    if (!printed_) WarnIfNotConverted(io_, info_, objects);
    printed_ = true;
    if (output_.format.is_table()) {
      PrintRows(event, objects, now);
      return absl::OkStatus();
    }
    for (const api::Object& object : objects) RETURN_IF_ERROR(PrintDocument(event, object));
    return absl::OkStatus();
  }

  bool printed() const { return printed_; }

 private:
  void PrintRows(const char* event, const std::vector<api::Object>& objects, VirtualTime now) {
    kubectl::TableLines lines = kubectl::LinesOfTable(info_, objects, now, table_);
    if (flags_.with_events)
      for (std::size_t i = 0; i < lines.size(); ++i) {
        const bool heading = i == 0 && !table_.no_headers;
        lines[i].insert(lines[i].begin(),
                        heading ? "EVENT" : fmt::format("{:<{}}", event, kEventWidth));
      }
    table_.no_headers = true;  // they are printed once
    io_.Out(kubectl::AlignColumns(lines, &widths_));
  }

  absl::Status PrintDocument(const char* event, const api::Object& object) {
    if (output_.format.kind() == OutputFormat::Kind::kName) {
      io_.Out(kubectl::SlashedName(info_, object.name()) + "\n");
      return absl::OkStatus();
    }
    Value tree = object.ToTree();
    if (flags_.with_events && output_.format.kind() == OutputFormat::Kind::kJson) {
      // json.go PrintObj: an event is one line, in the order of Go's fields.
      io_.Out(fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", event, value::ToJson(tree)));
      return absl::OkStatus();
    }
    if (flags_.with_events)
      tree = value::Obj({{"object", std::move(tree)}, {"type", Value::String(event)}});
    ASSIGN_OR_RETURN(const std::string text,
                     output_.format.Print(tree, table_.no_headers, output_.allow_missing));
    if (output_.format.kind() == OutputFormat::Kind::kYaml && documents_++ > 0) io_.Out("---\n");
    table_.no_headers = true;
    io_.Out(text);
    return absl::OkStatus();
  }

  Io& io_;
  const api::ResourceInfo& info_;
  const WatchFlags& flags_;
  const WatchOutput& output_;
  kubectl::TableOptions table_;
  std::vector<std::size_t> widths_;
  std::uint64_t documents_ = 0;
  bool printed_ = false;
};

class ObjectWatch {
 public:
  ObjectWatch(const trace::Trace& trace, Watched watched, WatchPrinter& printer)
      : trace_(trace), watched_(std::move(watched)), printer_(printer) {}

  // The list as it was after `begin` events, then each change.
  absl::Status Run(std::size_t begin, VirtualTime now, bool list_first) {
    for (std::size_t i = 0; i < begin; ++i)
      if (IsCommit(trace_.events[i])) RETURN_IF_ERROR(state_.Apply(trace_.events[i]));
    if (list_first) {
      std::vector<api::Object> there;
      for (api::Object& o : state_.List(watched_.info->known_as(), ""))
        if (IsWanted(o)) there.push_back(AsServed(*watched_.info, std::move(o)));
      RETURN_IF_ERROR(printer_.Print("ADDED", there, now));
    }
    for (std::size_t i = begin; i < trace_.events.size(); ++i)
      if (IsCommit(trace_.events[i])) RETURN_IF_ERROR(Follow(trace_.events[i]));
    return absl::OkStatus();
  }

 private:
  static bool IsCommit(const Record& r) { return r.kind == sim::EventKind::kCommit; }

  bool IsWanted(const api::Object& o) const {
    return !o.empty() && o.kind() == watched_.info->kind && watched_.predicate.Matches(o);
  }

  absl::Status Follow(const Record& commit) {
    if (commit.Text("resource") != watched_.info->known_as()) return state_.Apply(commit);
    const std::string_view ns = commit.Text("namespace"), name = commit.Text("name");
    const api::Object before = state_.Get(watched_.info->known_as(), ns, name);
    RETURN_IF_ERROR(state_.Apply(commit));
    const api::Object after = state_.Get(watched_.info->known_as(), ns, name);
    const bool was = IsWanted(before), is = IsWanted(after);
    if (!was && !is) return absl::OkStatus();
    const char* event = !is ? "DELETED" : was ? "MODIFIED" : "ADDED";
    return printer_.Print(event, {AsServed(*watched_.info, is ? after : before)},
                          VirtualTime(commit.t));
  }

  const trace::Trace& trace_;
  Watched watched_;
  WatchPrinter& printer_;
  trace::State state_;
};

// The kinds of all objects that there ever were, not only of those that are left.
absl::Status AddAllKinds(const trace::Trace& trace, api::Kinds* kinds) {
  LearnResourceNames(trace, kinds);
  trace::State state;
  for (const Record& r : trace.events) {
    if (r.kind != sim::EventKind::kCommit) continue;
    RETURN_IF_ERROR(state.Apply(r));
    if (r.Text("op") != "create") continue;
    trace::State created;
    created.Put(r.Text("resource"),
                state.Get(r.Text("resource"), r.Text("namespace"), r.Text("name")));
    AddKindsOf(created, kinds);
  }
  return absl::OkStatus();
}

}  // namespace

int WatchObjects(Io& io, const ObjectFlags& selection, const WatchFlags& flags,
                 const WatchOutput& output) {
  const std::optional<trace::Trace> trace = ReadTraceOrPrintError(io, selection.path);
  if (!trace) return kInvalid;
  const std::string at = selection.at == "end" ? "0s" : selection.at;
  int code = kOk;
  const std::optional<trace::State> state = StateAtOrPrintError(io, *trace, at, &code);
  if (!state) return code;
  const absl::StatusOr<std::size_t> begin = trace::EventsBy(*trace, *trace::ParseMoment(at));
  api::Kinds kinds;
  absl::Status status = AddAllKinds(*trace, &kinds);
  status.Update(begin.status());
  if (status.ok()) {
    absl::StatusOr<Watched> watched = WatchedBy(kinds, CompatOf(*trace), selection);
    if (!watched.ok()) {
      io.Err(fmt::format("{}\n", Message(watched.status())));
      return kInvalid;
    }
    WatchPrinter printer(io, selection, *watched->info, flags, output);
    ObjectWatch watch(*trace, *std::move(watched), printer);
    status = watch.Run(*begin, VirtualTime(state->time()), !flags.watch_only);
    code = !trace->end ? kUndecided : printer.printed() ? kOk : kNothing;
  }
  if (status.ok()) return code;
  io.Err(fmt::format("error: {}\n", Message(status)));
  return kInvalid;
}

}  // namespace ksim::cli
