// ksim events: the Events that were recorded up to a moment of a trace.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "ksim/base/status.h"
#include "ksim/cli/command.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/lookup.h"
#include "ksim/kubectl/printing/event_list.h"
#include "ksim/kubectl/printing/output_format.h"
#include "ksim/kubectl/printing/table.h"
#include "ksim/kubectl/printing/tree_text.h"

namespace ksim::cli {
namespace {

using value::Value;

class EventsCommand : public Command {
 public:
  std::string_view name() const override { return "events"; }
  std::string_view summary() const override {
    return "list the Events that controllers had recorded at a moment of a trace";
  }
  std::string_view usage() const override { return "ksim events TRACE [flags]"; }
  std::vector<Example> examples() const override {
    return {{"What was recorded about the ReplicaSet",
             "ksim run scenarios/replicaset.yaml -q --trace /tmp/run.jsonl && "
             "ksim events /tmp/run.jsonl --for rs/my-replicaset"}};
  }
  void Define(CLI::App& app) override {
    selection_.Define(app);
    app.add_option("--for", about_, "Only those about one object")->type_name("TYPE/NAME");
    app.add_option("--types", types_, "Normal, Warning")->type_name("TYPE")->delimiter(',');
    app.add_flag("--no-headers", no_headers_, "No line of headings");
    app.add_option("-o,--output", output_, fmt::format("Format: {}", kubectl::OutputFormat::kNames))
        ->type_name("FORMAT");
    common_.DefineColor(app);
  }
  int Run(Io& io) override {
    if (!selection_.words.empty())
      return Wrong(io, fmt::format("unexpected argument \"{}\"\nhint: --for TYPE/NAME",
                                   selection_.words.front()));
    const absl::StatusOr<kubectl::OutputFormat> format = kubectl::OutputFormat::Parse(output_);
    if (!format.ok()) return Wrong(io, std::string(Message(format.status())));
    for (std::string& type : types_)
      if (!ToKnown(&type)) return Wrong(io, "valid --types are Normal or Warning");
    Lookup lookup(io, selection_);
    int code = kOk;
    if (!lookup.Open(&code)) return code;
    lookup.WarnIfNotWatched(*lookup.kinds().ByName("events"));
    kubectl::EventSubject subject;
    if (!about_.empty() && !Read(io, lookup.kinds(), &subject)) return kInvalid;
    subject.ns = selection_.all_namespaces ? "" : selection_.ns;
    std::vector<api::Object> events = kubectl::EventsAbout(lookup.view(), subject);
    if (!types_.empty())
      std::erase_if(events, [this](const api::Object& e) {
        return std::find(types_.begin(), types_.end(), e.tree().Get("type").AsString()) ==
               types_.end();
      });
    kubectl::SortByLastSeen(&events);
    const absl::Status printed = Print(io, *format, events, lookup);
    if (!printed.ok()) return Wrong(io, std::string(Message(printed)));
    return lookup.Code(!events.empty());
  }

 private:
  static int Wrong(Io& io, const std::string& what) {
    io.Err(fmt::format("error: {}\n", what));
    return kInvalid;
  }

  // In any case of letters.
  static bool ToKnown(std::string* type) {
    for (const std::string_view known : {"Normal", "Warning"}) {
      const bool same = std::equal(type->begin(), type->end(), known.begin(), known.end(),
                                   [](char a, char b) { return (a | 32) == (b | 32); });
      if (same) *type = known;
      if (same) return true;
    }
    return false;
  }

  // events.go decodeResourceTypeName.
  bool Read(Io& io, const api::Kinds& kinds, kubectl::EventSubject* subject) const {
    const std::size_t slash = about_.find('/');
    if (slash == std::string::npos || about_.find('/', slash + 1) != std::string::npos) {
      Wrong(io, slash == std::string::npos
                    ? "--for must be in resource/name form"
                    : "arguments in resource/name form may not have more than one slash");
      return false;
    }
    const api::ResourceInfo* info = ResourceOrTell(io, kinds, about_.substr(0, slash));
    if (info == nullptr) return false;
    subject->kind = info->kind;
    subject->api_version = info->api_version();
    subject->name = about_.substr(slash + 1);
    return true;
  }

  absl::Status Print(Io& io, const kubectl::OutputFormat& format,
                     const std::vector<api::Object>& events, const Lookup& lookup) const {
    if (events.empty()) {
      io.Err(selection_.all_namespaces
                 ? "No events found.\n"
                 : fmt::format("No events found in {} namespace.\n", selection_.ns));
    } else if (format.kind() == kubectl::OutputFormat::Kind::kName) {
      for (const api::Object& e : events) io.Out(fmt::format("event/{}\n", e.name()));
    } else if (format.kind() == kubectl::OutputFormat::Kind::kWide) {
      io.Out(WideTable(events, lookup.now()));
    } else if (format.is_table()) {
      io.Out(kubectl::RenderEvents(events, lookup.now(), selection_.all_namespaces, no_headers_));
    } else {
      std::vector<Value> trees;
      for (const api::Object& e : events) trees.push_back(e.ToTree());
      const Value list = kubectl::ListOf(std::move(trees))
                             .Set("kind", Value::Of("EventList"))
                             .Set("metadata", Value::EmptyObject());
      ASSIGN_OR_RETURN(const std::string text, format.Print(list, no_headers_, true));
      io.Out(text);
    }
    return absl::OkStatus();
  }

  // What `kubectl get events -o wide` adds.
  std::string WideTable(const std::vector<api::Object>& events, VirtualTime now) const {
    const api::Kinds kinds;
    kubectl::TableOptions options;
    options.wide = true;
    options.no_headers = no_headers_;
    options.with_namespace = selection_.all_namespaces;
    return kubectl::RenderTable(*kinds.ByName("events"), events, now, options);
  }

  Selection selection_;
  std::string output_ = "text";
  std::string about_;
  std::vector<std::string> types_;
  bool no_headers_ = false;
  CommonFlags common_;
};

}  // namespace

std::unique_ptr<Command> MakeEvents() { return std::make_unique<EventsCommand>(); }

}  // namespace ksim::cli
