// ksim store replay: an op script against the store, for comparing it with a real etcd.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "ksim/base/check.h"
#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/cli/command.h"
#include "ksim/cli/exit_code.h"
#include "ksim/store/replay.h"
#include "ksim/store/script_file.h"
#include "ksim/value/json.h"

namespace ksim::cli {
namespace {

class StoreCommand : public Command {
 public:
  std::string_view name() const override { return "store"; }
  std::string_view summary() const override {
    return "run a script of etcd operations against the store";
  }
  std::string_view usage() const override { return "ksim store replay OPS.jsonl [flags]"; }
  std::string_view description() const override {
    return "Reads one JSON object a line, as "
           "{\"i\":0,\"op\":\"put\",\"key\":\"a\",\"value\":\"1\"}, "
           "and\n"
           "writes one result a line in the same order: the answer of etcd, or its error. `-` is\n"
           "standard input. The script is read and checked whole before anything runs: a line\n"
           "that is no operation ends it with code 2 and without results.\n"
           "\n"
           "Operations: put, range, delete_range, txn, compact, watch_open, watch_collect,\n"
           "watch_progress, watch_close, lease_grant, lease_revoke, lease_ttl, lease_keepalive,\n"
           "lease_list, sleep. docs/op-scripts.md has their fields.";
  }
  std::vector<Example> examples() const override {
    return {
        {"A recorded script", "ksim store replay tests/testdata/etcd/special/compaction.ops.jsonl"},
        {"From standard input",
         "echo '{\"i\":0,\"op\":\"put\",\"key\":\"a\",\"value\":\"1\"}' | ksim store replay -"}};
  }
  void Define(CLI::App& app) override {
    app.add_option("ACTION", action_, "replay");
    app.add_option("OPS", path_, "The script; - is standard input");
    common_.DefineColor(app);
  }

  int Run(Io& io) override {
    io.SetColor(common_.color);
    if (action_ != "replay") {
      io.Err(
          action_.empty()
              ? "error: store what?\nhint: ksim store replay OPS.jsonl\n"
              : fmt::format("error: unknown action \"{}\"; did you mean \"replay\"?\n", action_));
      return kInvalid;
    }
    if (path_.empty()) {
      io.Err("error: which script?\nhint: ksim store replay OPS.jsonl, or - for standard input\n");
      return kInvalid;
    }
    const absl::StatusOr<std::string> text = os::ReadFile(path_);
    if (!text.ok()) {
      io.Err(fmt::format("{}: error: cannot read it: {}\n", path_, Message(text.status())));
      return kInvalid;
    }
    const store::ScriptFile script = store::ReadScript(*text, path_ == "-" ? "stdin" : path_);
    io.Err(Render(script.errors, io.err_color()));
    if (!script.errors.empty()) return kInvalid;
    Replay(io, script);
    return kOk;
  }

 private:
  static void Replay(Io& io, const store::ScriptFile& script) {
    store::OpReplay replay;
    for (const value::Value& op : script.ops) {
      const absl::StatusOr<value::Value> result = replay.Run(op);
      KSIM_CHECK(result.ok()) << Message(result.status());
      io.Out(value::ToJson(*result) + "\n");
      if (io.closed()) return;
    }
  }

  std::string action_, path_;
  CommonFlags common_;
};

}  // namespace

std::unique_ptr<Command> MakeStore() { return std::make_unique<StoreCommand>(); }

}  // namespace ksim::cli
