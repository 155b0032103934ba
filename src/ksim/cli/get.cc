// ksim get and describe: what kubectl would have shown at a moment of a trace.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "ksim/api/printers.h"
#include "ksim/cli/command.h"
#include "ksim/cli/describe.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/lookup.h"
#include "ksim/cli/tree_text.h"
#include "ksim/scenario/kubectl.h"

namespace ksim::cli {
namespace {

using value::Value;

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
    return lookup.Code(found && missing.empty());
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
    return lookup.Code(shown > 0 && missing.empty());
  }

 private:
  Selection selection_;
  CommonFlags common_;
};

}  // namespace

std::unique_ptr<Command> MakeGet() { return std::make_unique<GetCommand>(); }
std::unique_ptr<Command> MakeDescribe() { return std::make_unique<DescribeCommand>(); }

}  // namespace ksim::cli
