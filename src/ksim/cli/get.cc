// ksim get, describe and events: what kubectl would have shown at a moment of a trace.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "ksim/api/printers.h"
#include "ksim/base/diagnostic.h"
#include "ksim/base/status.h"
#include "ksim/cli/command.h"
#include "ksim/cli/describe.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/seen_by.h"
#include "ksim/cli/trace_input.h"
#include "ksim/cli/tree_text.h"
#include "ksim/scenario/kubectl.h"
#include "ksim/value/selector.h"

namespace ksim::cli {
namespace {

using trace::State;
using value::Value;

// Which objects: types, names, namespace and selector, as kubectl takes them.
struct Selection {
  std::string path;
  std::vector<std::string> words;  // pods | rs,pods | pods/x | pods x y
  std::string ns = "default";
  bool all_namespaces = false;
  std::string selector;
  std::string at = "end";
  std::string as_seen_by;

  void Define(CLI::App& app) {
    app.add_option("TRACE", path, "A trace; - is standard input")->required();
    app.add_option("TYPE", words, "TYPE[,TYPE] [NAME...], or TYPE/NAME");
    app.add_option("--at", at, "The moment: a time such as 1.5s, seq:N, rv:N, end")
        ->type_name("MOMENT");
    app.add_option("-n,--namespace", ns, "Namespace; default \"default\"")->type_name("NAME");
    app.add_flag("-A,--all-namespaces", all_namespaces, "All namespaces");
    app.add_option("--as-seen-by", as_seen_by, "The process whose cache to show")
        ->type_name("PROCESS");
  }
  void DefineSelector(CLI::App& app) {
    app.add_option("-l,--selector", selector, "Label selector")->type_name("SELECTOR");
  }
  bool SelectorIsGood(Io& io) const {
    const auto parsed = value::LabelSelector::Parse(selector);
    if (!parsed.ok()) io.Err(fmt::format("--selector: error: {}\n", Message(parsed.status())));
    return parsed.ok();
  }
};

// kubectl's category `all` (each resource says that it belongs to it).
constexpr std::string_view kAllCategory =
    "pods,replicationcontrollers,services,daemonsets.apps,deployments.apps,replicasets.apps,"
    "statefulsets.apps,horizontalpodautoscalers.autoscaling,cronjobs.batch,jobs.batch";

struct Group {
  const api::ResourceInfo* info = nullptr;
  std::vector<api::Object> objects;
};

// Resource of `word`, complaining if there is none.
const api::ResourceInfo* ResourceOrTell(Io& io, const api::Kinds& kinds, const std::string& word) {
  const api::ResourceInfo* info = kinds.ByName(word);
  if (info != nullptr) return info;
  std::vector<std::string_view> known;
  for (const api::ResourceInfo* r : kinds.all()) known.push_back(r->resource);
  const std::string near = Nearest(word, known);
  io.Err(fmt::format("error: the server doesn't have a resource type \"{}\"{}\n", word,
                     near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
  return nullptr;
}

// The whole look-up, shared by get and describe.
class Lookup {
 public:
  Lookup(Io& io, const Selection& selection) : io_(io), selection_(selection) {}

  // Reads and folds the trace; false with `code` set when that fails.
  bool Open(int* code) {
    *code = kInvalid;
    std::optional<trace::Trace> trace = ReadTraceOrTell(io_, selection_.path);
    if (!trace) return false;
    cut_ = !trace->end;
    std::optional<State> state = StateOf(io_, *trace, selection_.at, code);
    if (!state) return false;
    if (!selection_.as_seen_by.empty()) {
      // StateOf has read the moment.
      state = SeenBy(io_, *trace, selection_.path, selection_.as_seen_by,
                     *trace::ParseMoment(selection_.at), *state, code);
      if (!state) return false;
    }
    state_ = *std::move(state);
    LearnKinds(state_, &kinds_);
    return true;
  }

  // The objects asked for; false when a type is unknown.
  bool Find(std::vector<Group>* groups, std::vector<std::string>* missing) {
    std::vector<std::string> names = selection_.words;
    if (names.empty()) {
      io_.Err("error: which type? pods, rs, nodes, events, ... or TYPE/NAME\n");
      return false;
    }
    if (names.front().find('/') != std::string::npos) return FindSlashed(names, groups, missing);
    const std::string types(names.front() == "all" ? kAllCategory : names.front());
    names.erase(names.begin());
    for (std::size_t begin = 0; begin <= types.size();) {
      const std::size_t comma = std::min(types.find(',', begin), types.size());
      const api::ResourceInfo* info =
          ResourceOrTell(io_, kinds_, types.substr(begin, comma - begin));
      if (info == nullptr) return false;
      Add(info, names, groups, missing);
      begin = comma + 1;
    }
    return true;
  }

  const State& state() const { return state_; }
  VirtualTime now() const { return VirtualTime(state_.time()); }
  bool cut() const { return cut_; }

 private:
  bool FindSlashed(const std::vector<std::string>& words, std::vector<Group>* groups,
                   std::vector<std::string>* missing) {
    for (const std::string& word : words) {
      const std::size_t slash = word.find('/');
      if (slash == std::string::npos) {
        io_.Err(
            "error: there is no need to specify a resource type as a separate argument when "
            "passing arguments in resource/name form\n");
        return false;
      }
      const api::ResourceInfo* info = ResourceOrTell(io_, kinds_, word.substr(0, slash));
      if (info == nullptr) return false;
      Add(info, {word.substr(slash + 1)}, groups, missing);
    }
    return true;
  }

  void Add(const api::ResourceInfo* info, const std::vector<std::string>& names,
           std::vector<Group>* groups, std::vector<std::string>* missing) {
    Group group;
    group.info = info;
    const bool everywhere = selection_.all_namespaces || !info->namespaced;
    const std::string ns = everywhere ? "" : selection_.ns;
    const absl::StatusOr<value::LabelSelector> selector =
        value::LabelSelector::Parse(selection_.selector);
    for (api::Object& o : state_.List(info->resource, ns)) {
      if (o.kind() != info->kind) continue;
      if (!names.empty() && std::find(names.begin(), names.end(), o.name()) == names.end())
        continue;
      if (selector.ok() && !selector->Matches(o.labels())) continue;
      group.objects.push_back(std::move(o));
    }
    for (const std::string& name : names) {
      const bool found = std::any_of(group.objects.begin(), group.objects.end(),
                                     [&](const api::Object& o) { return o.name() == name; });
      if (!found)
        missing->push_back(fmt::format("Error from server (NotFound): {} \"{}\" not found\n",
                                       info->group_resource(), name));
    }
    groups->push_back(std::move(group));
  }

  Io& io_;
  const Selection& selection_;
  State state_;
  api::Kinds kinds_;
  bool cut_ = false;
};

// What is missing from a cut trace may be what was not found.
int CodeOf(const Lookup& lookup, bool found) {
  if (lookup.cut()) return kUndecided;
  return found ? kOk : kNothing;
}

class GetCommand : public Command {
 public:
  std::string_view name() const override { return "get"; }
  std::string_view summary() const override {
    return "show objects as kubectl would have at a moment of a trace";
  }
  std::string_view usage() const override { return "ksim get TRACE TYPE[,TYPE] [NAME...] [flags]"; }
  std::vector<Example> examples() const override {
    return {
        {"The pods in the end",
         "ksim run scenarios/replicaset.yaml -q --trace /tmp/run.jsonl && "
         "ksim get /tmp/run.jsonl pods -o wide"},
        {"The ReplicaSet two seconds into the run", "ksim get /tmp/run.jsonl rs --at 2s -o yaml"},
        {"What the scheduler believed just then",
         "ksim get /tmp/run.jsonl pods --at 2s --as-seen-by kube-scheduler"}};
  }
  void Define(CLI::App& app) override {
    selection_.Define(app);
    selection_.DefineSelector(app);
    common_.DefineOutput(app, {"text", "wide", "json", "yaml", "name"}, "text");
    app.add_flag("--no-headers", no_headers_, "No line of headings");
    app.add_flag("--show-labels", show_labels_, "Labels as the last column");
    common_.DefineColor(app);
  }
  int Run(Io& io) override {
    if (!selection_.SelectorIsGood(io)) return kInvalid;
    Lookup lookup(io, selection_);
    int code = kOk;
    if (!lookup.Open(&code)) return code;
    std::vector<Group> groups;
    std::vector<std::string> missing;
    if (!lookup.Find(&groups, &missing)) return kInvalid;
    const bool found = Print(io, groups, lookup.now());
    for (const std::string& m : missing) io.Err(m);
    if (!found && missing.empty())
      io.Err(selection_.all_namespaces
                 ? "No resources found\n"
                 : fmt::format("No resources found in {} namespace.\n", selection_.ns));
    return CodeOf(lookup, found && missing.empty());
  }

 private:
  bool Print(Io& io, const std::vector<Group>& groups, VirtualTime now) {
    std::vector<Value> trees;
    bool found = false;
    std::size_t shown = 0;
    for (const Group& group : groups) {
      found = found || !group.objects.empty();
      for (const api::Object& o : group.objects) {
        if (common_.output == "name") io.Out(scenario::Slashed(*group.info, o.name()) + "\n");
        trees.push_back(o.ToTree());
      }
      if (group.objects.empty() || (common_.output != "text" && common_.output != "wide")) continue;
      api::TableOptions options;
      options.wide = common_.output == "wide";
      options.with_namespace = selection_.all_namespaces && group.info->namespaced;
      options.with_kind = groups.size() > 1;
      options.no_headers = no_headers_;
      options.show_labels = show_labels_;
      if (shown++ > 0) io.Out("\n");
      io.Out(api::RenderTable(*group.info, group.objects, now, options));
    }
    if (common_.output != "json" && common_.output != "yaml") return found;
    const bool one = trees.size() == 1 && selection_.words.size() > 1;
    const bool slashed =
        trees.size() == 1 && selection_.words.front().find('/') != std::string::npos;
    const Value list = one || slashed ? trees.front() : ListOf(std::move(trees));
    io.Out(TreeText(list, common_.output));
    return found;
  }

  Selection selection_;
  CommonFlags common_;
  bool no_headers_ = false;
  bool show_labels_ = false;
};

class DescribeCommand : public Command {
 public:
  std::string_view name() const override { return "describe"; }
  std::string_view summary() const override {
    return "show all there is to one object, and its events, at a moment of a trace";
  }
  std::string_view usage() const override { return "ksim describe TRACE TYPE/NAME [flags]"; }
  std::vector<Example> examples() const override {
    return {{"The ReplicaSet in the end",
             "ksim run scenarios/replicaset.yaml -q --trace /tmp/run.jsonl && "
             "ksim describe /tmp/run.jsonl rs/my-replicaset"}};
  }
  void Define(CLI::App& app) override {
    selection_.Define(app);
    selection_.DefineSelector(app);
    common_.DefineColor(app);
  }
  int Run(Io& io) override {
    if (!selection_.SelectorIsGood(io)) return kInvalid;
    Lookup lookup(io, selection_);
    int code = kOk;
    if (!lookup.Open(&code)) return code;
    std::vector<Group> groups;
    std::vector<std::string> missing;
    if (!lookup.Find(&groups, &missing)) return kInvalid;
    std::size_t shown = 0;
    for (const Group& group : groups)
      for (const api::Object& o : group.objects) {
        if (shown++ > 0) io.Out("\n\n");
        io.Out(DescribeObject(o, lookup.state()));
      }
    for (const std::string& m : missing) io.Err(m);
    if (shown == 0 && missing.empty()) io.Err("No resources found\n");
    return CodeOf(lookup, shown > 0 && missing.empty());
  }

 private:
  Selection selection_;
  CommonFlags common_;
};

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
    return CodeOf(lookup, !events.empty());
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

std::unique_ptr<Command> MakeGet() { return std::make_unique<GetCommand>(); }
std::unique_ptr<Command> MakeDescribe() { return std::make_unique<DescribeCommand>(); }
std::unique_ptr<Command> MakeEvents() { return std::make_unique<EventsCommand>(); }

}  // namespace ksim::cli
