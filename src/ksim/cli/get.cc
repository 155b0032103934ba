// ksim get and describe: what kubectl would have shown at a moment of a trace.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <numeric>

#include "ksim/base/status.h"
#include "ksim/cli/command.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/lookup.h"
#include "ksim/kubectl/describe/describe.h"
#include "ksim/kubectl/printing/output_format.h"
#include "ksim/kubectl/printing/sort_by.h"
#include "ksim/kubectl/printing/table.h"
#include "ksim/kubectl/printing/tree_text.h"
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
         "ksim get /tmp/run.jsonl pods --at 2s --as-seen-by kube-scheduler"},
        {"The pods by age, with their images",
         "ksim get /tmp/run.jsonl pods --sort-by .metadata.creationTimestamp "
         "-o 'custom-columns=NAME:.metadata.name,IMAGE:.spec.containers[*].image'"},
        {"Where each pod runs",
         "ksim get /tmp/run.jsonl pods "
         "-o jsonpath='{range .items[*]}{.metadata.name} {.spec.nodeName}{\"\\n\"}{end}'"}};
  }
  void Define(CLI::App& app) override {
    selection_.Define(app);
    selection_.DefineSelector(app);
    selection_.DefineFieldSelector(app);
    app.add_option("-o,--output", output_, fmt::format("Format: {}", kubectl::OutputFormat::kNames))
        ->type_name("FORMAT");
    app.add_option("--sort-by", sort_by_, "Order by this field: .metadata.creationTimestamp")
        ->type_name("PATH");
    app.add_flag("--no-headers", table_.no_headers, "No line of headings");
    app.add_flag("--show-labels", table_.show_labels, "Labels as the last column");
    app.add_option("-L,--label-columns", table_.label_columns, "A column for each of these labels")
        ->type_name("LABEL")
        ->delimiter(',')
        ->take_all()
        ->expected(1);
    app.add_flag("--show-kind", table_.with_kind, "Names as TYPE/NAME");
    app.add_flag("--ignore-not-found", ignore_not_found_, "What is not there is no error");
    app.add_option("--allow-missing-template-keys", allow_missing_,
                   "false: a field that a jsonpath names must be there")
        ->type_name("BOOL");
    common_.DefineColor(app);
  }
  int Run(Io& io) override {
    const absl::StatusOr<kubectl::OutputFormat> format = kubectl::OutputFormat::Parse(output_);
    if (!format.ok()) return Wrong(io, std::string(Message(format.status())));
    if (table_.show_labels && !format->is_table())
      return Wrong(io, fmt::format("--show-labels option cannot be used with {} printer", output_));
    Lookup lookup(io, selection_);
    int code = kOk;
    if (!lookup.Open(&code)) return code;
    std::vector<Group> groups;
    std::vector<std::string> missing;
    if (!lookup.Find(&groups, &missing)) return kInvalid;
    if (ignore_not_found_) missing.clear();
    const bool found = std::any_of(groups.begin(), groups.end(),
                                   [](const Group& g) { return !g.objects.empty(); });
    const absl::Status printed = format->is_table()
                                     ? PrintTables(io, *format, &groups, lookup.now())
                                     : PrintOthers(io, *format, groups, missing.empty());
    if (!printed.ok()) return Wrong(io, std::string(Message(printed)));
    for (const std::string& m : missing) io.Err(m);
    if (format->is_table() && !found && missing.empty() && !ignore_not_found_) TellNone(io, groups);
    return lookup.Code((found || ignore_not_found_) && missing.empty());
  }

 private:
  static int Wrong(Io& io, const std::string& what) {
    io.Err(fmt::format("error: {}\n", what));
    return kInvalid;
  }

  void TellNone(Io& io, const std::vector<Group>& groups) const {
    const bool namespaced = !selection_.all_namespaces &&
                            std::all_of(groups.begin(), groups.end(),
                                        [](const Group& g) { return g.info->namespaced; });
    io.Err(namespaced ? fmt::format("No resources found in {} namespace.\n", selection_.ns)
                      : "No resources found\n");
  }

  absl::Status SortEach(std::vector<Group>* groups) const {
    if (sort_by_.empty()) return absl::OkStatus();
    for (Group& group : *groups) {
      std::vector<Value> trees;
      for (const api::Object& o : group.objects) trees.push_back(o.ToTree());
      ASSIGN_OR_RETURN(const std::vector<std::size_t> order, kubectl::OrderBy(sort_by_, trees));
      std::vector<api::Object> sorted;
      for (const std::size_t i : order) sorted.push_back(group.objects[i]);
      group.objects = std::move(sorted);
    }
    return absl::OkStatus();
  }

  // get.go Run: a table for each run of objects of one kind, a line between them if they have
  // headings.
  absl::Status PrintTables(Io& io, const kubectl::OutputFormat& format, std::vector<Group>* groups,
                           VirtualTime now) {
    RETURN_IF_ERROR(SortEach(groups));
    const bool mixed = std::any_of(groups->begin(), groups->end(), [groups](const Group& g) {
      return g.info != groups->front().info;
    });
    bool written = false;
    bool with_namespace = false;  // once there is such a column, every later table has it
    for (std::size_t i = 0; i < groups->size();) {
      Group group = std::move((*groups)[i]);
      for (++i; i < groups->size() && (*groups)[i].info == group.info; ++i)
        for (const api::Object& o : (*groups)[i].objects) group.objects.push_back(o);
      kubectl::TableOptions options = table_;
      options.wide = format.kind() == kubectl::OutputFormat::Kind::kWide;
      with_namespace = with_namespace || (selection_.all_namespaces && group.info->namespaced);
      options.with_namespace = with_namespace;
      options.with_kind = table_.with_kind || mixed;
      const std::string table = kubectl::RenderTable(*group.info, group.objects, now, options);
      if (written && !table.empty() && !options.no_headers) io.Out("\n");
      written = written || !table.empty();
      io.Out(table);
    }
    return absl::OkStatus();
  }

  // get.go printGeneric: the one object that was asked for by name, or a List.
  absl::Status PrintOthers(Io& io, const kubectl::OutputFormat& format,
                           const std::vector<Group>& groups, bool all_found) const {
    std::vector<Value> trees;
    std::vector<std::string> names;
    for (const Group& group : groups)
      for (const api::Object& o : group.objects) {
        trees.push_back(o.ToTree());
        names.push_back(scenario::Slashed(*group.info, o.name()) + "\n");
      }
    const bool one = selection_.one_named();
    if (trees.empty() && ((one && !all_found) || ignore_not_found_)) return absl::OkStatus();
    std::vector<std::size_t> order(trees.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (!one && !sort_by_.empty()) {
      ASSIGN_OR_RETURN(order, kubectl::OrderBy(sort_by_, trees));
    }
    if (format.kind() == kubectl::OutputFormat::Kind::kName) {
      for (const std::size_t i : order) io.Out(names[i]);
      return absl::OkStatus();
    }
    std::vector<Value> sorted;
    for (const std::size_t i : order) sorted.push_back(trees[i]);
    const Value shown =
        one && sorted.size() == 1 ? sorted.front() : kubectl::ListOf(std::move(sorted));
    ASSIGN_OR_RETURN(const std::string text,
                     format.Print(shown, table_.no_headers, allow_missing_));
    io.Out(text);
    return absl::OkStatus();
  }

  Selection selection_;
  CommonFlags common_;
  std::string output_ = "text";
  std::string sort_by_;
  kubectl::TableOptions table_;
  bool ignore_not_found_ = false;
  bool allow_missing_ = true;
};

class DescribeCommand : public Command {
 public:
  std::string_view name() const override { return "describe"; }
  std::string_view summary() const override {
    return "show all there is to one object, and its events, at a moment of a trace";
  }
  std::string_view usage() const override {
    return "ksim describe TRACE (TYPE [NAME_PREFIX] | TYPE/NAME) [flags]";
  }
  std::vector<Example> examples() const override {
    return {{"The ReplicaSet in the end",
             "ksim run scenarios/replicaset.yaml -q --trace /tmp/run.jsonl && "
             "ksim describe /tmp/run.jsonl rs/my-replicaset"},
            {"The machines, with what was recorded about them",
             "ksim describe /tmp/run.jsonl nodes --show-events"}};
  }
  void Define(CLI::App& app) override {
    selection_.Define(app);
    selection_.DefineSelector(app);
    show_events_flag_ =
        app.add_flag("--show-events", show_events_, "Events too; default if it is one object");
    common_.DefineColor(app);
  }
  int Run(Io& io) override {
    Lookup lookup(io, selection_);
    int code = kOk;
    if (!lookup.Open(&code)) return code;
    std::vector<Group> groups;
    std::vector<std::string> missing;
    if (!lookup.Find(&groups, &missing)) return kInvalid;
    std::vector<api::Object> objects;
    for (const Group& group : groups)
      objects.insert(objects.end(), group.objects.begin(), group.objects.end());
    const bool several = objects.size() > 1 || !missing.empty();
    const bool events = show_events_flag_->count() > 0 ? show_events_ : !several;
    if (objects.empty() && missing.size() == 1 && selection_.words.size() == 2)
      return DescribeByPrefix(io, lookup, missing.front(), events);
    for (std::size_t i = 0; i < objects.size(); ++i)
      io.Out((i > 0 ? "\n\n" : "") + kubectl::DescribeObject(objects[i], lookup.view(), events));
    for (const std::string& m : missing) io.Err(m);
    if (objects.empty() && missing.empty())
      io.Err(selection_.all_namespaces
                 ? "No resources found\n"
                 : fmt::format("No resources found in {} namespace.\n", selection_.ns));
    return lookup.Code(!objects.empty() && missing.empty());
  }

 private:
  // `describe pods web` tells of all whose names begin so (DescribeMatchingResources).
  int DescribeByPrefix(Io& io, Lookup& lookup, const std::string& missing, bool events) {
    const std::string prefix = selection_.words[1];
    selection_.words.resize(1);
    std::vector<Group> groups;
    std::vector<std::string> none;
    if (!lookup.Find(&groups, &none)) return kInvalid;
    bool found = false;
    for (const Group& group : groups)
      for (const api::Object& o : group.objects) {
        if (!o.name().starts_with(prefix)) continue;
        io.Out(kubectl::DescribeObject(o, lookup.view(), events) + "\n");
        found = true;
      }
    if (!found) io.Err(missing);
    return lookup.Code(found);
  }

  Selection selection_;
  CommonFlags common_;
  bool show_events_ = false;
  CLI::Option* show_events_flag_ = nullptr;
};

}  // namespace

std::unique_ptr<Command> MakeGet() { return std::make_unique<GetCommand>(); }
std::unique_ptr<Command> MakeDescribe() { return std::make_unique<DescribeCommand>(); }

}  // namespace ksim::cli
