// ksim events: the Events that were recorded up to a moment of a trace.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "ksim/api/printers.h"
#include "ksim/cli/command.h"
#include "ksim/cli/describe.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/lookup.h"
#include "ksim/cli/tree_text.h"

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
    app.add_option("--types", types_, "Normal, Warning")
        ->type_name("TYPE")
        ->delimiter(',')
        ->check(OneOf({"Normal", "Warning"}));
    app.add_flag("--no-headers", no_headers_, "No line of headings");
    common_.DefineOutput(app, {"text", "wide", "json", "yaml", "name"}, "text");
    common_.DefineColor(app);
  }
  int Run(Io& io) override {
    if (!selection_.words.empty()) {
      io.Err(fmt::format("error: unexpected argument \"{}\"\nhint: --for TYPE/NAME\n",
                         selection_.words.front()));
      return kInvalid;
    }
    Lookup lookup(io, selection_);
    int code = kOk;
    if (!lookup.Open(&code)) return code;
    const api::Kinds kinds;
    std::string kind, name;
    if (!about_.empty()) {
      const std::size_t slash = about_.find('/');
      const api::ResourceInfo* info = ResourceOrTell(io, kinds, about_.substr(0, slash));
      if (info == nullptr) return kInvalid;
      kind = info->kind;
      if (slash != std::string::npos) name = about_.substr(slash + 1);
    }
    const std::string ns = selection_.all_namespaces ? "" : selection_.ns;
    std::vector<api::Object> events = EventsAbout(lookup.state(), ns, kind, name);
    if (!types_.empty())
      std::erase_if(events, [this](const api::Object& e) {
        return std::find(types_.begin(), types_.end(), e.tree().Get("type").AsString()) ==
               types_.end();
      });
    return Print(io, events, lookup);
  }

 private:
  int Print(Io& io, const std::vector<api::Object>& events, const Lookup& lookup) {
    if (common_.output == "json" || common_.output == "yaml") {
      std::vector<Value> trees;
      for (const api::Object& e : events) trees.push_back(e.ToTree());
      io.Out(TreeText(ListOf(std::move(trees)), common_.output));
    } else if (common_.output == "name") {
      for (const api::Object& e : events) io.Out("event/" + std::string(e.name()) + "\n");
    } else if (common_.output == "wide" && !events.empty()) {
      io.Out(WideTable(events, lookup.now()));
    } else if (!events.empty()) {
      const std::string table = api::RenderEvents(events, lookup.now(), selection_.all_namespaces);
      io.Out(no_headers_ ? table.substr(table.find('\n') + 1) : table);
    } else {
      io.Err(fmt::format("No events found in {} namespace.\n", selection_.ns));
    }
    return lookup.Code(!events.empty());
  }

  // What `kubectl get events -o wide` adds.
  std::string WideTable(const std::vector<api::Object>& events, VirtualTime now) const {
    const api::Kinds kinds;
    api::TableOptions options;
    options.wide = true;
    options.no_headers = no_headers_;
    options.with_namespace = selection_.all_namespaces;
    return api::RenderTable(*kinds.ByName("events"), events, now, options);
  }

  Selection selection_;
  std::string about_;
  std::vector<std::string> types_;
  bool no_headers_ = false;
  CommonFlags common_;
};

}  // namespace

std::unique_ptr<Command> MakeEvents() { return std::make_unique<EventsCommand>(); }

}  // namespace ksim::cli
