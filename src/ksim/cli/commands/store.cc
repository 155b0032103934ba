// ksim store replay: an op script against the store, for comparing it with a real etcd.
#include <fmt/format.h>

#include "ksim/base/check.h"
#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/cli/command.h"
#include "ksim/cli/common_flags.h"
#include "ksim/cli/exit_code.h"
#include "ksim/store/replay.h"
#include "ksim/store/script_file.h"
#include "ksim/value/json.h"

namespace ksim::cli {
namespace {

struct StoreFlags {
  std::string action, path;
  CommonFlags common;
};

void AddStoreFlags(FlagSet& set, StoreFlags& flags) {
  set.Add("ACTION", &flags.action, "replay");
  set.Add("OPS", &flags.path, "The script; - is standard input");
  AddColorFlag(set, flags.common);
}

// Runs the operations and prints the result of each.
void ReplayOps(Io& io, const store::ScriptFile& script) {
  store::OpReplay replay;
  for (const value::Value& op : script.ops) {
    const absl::StatusOr<value::Value> result = replay.Run(op);
    KSIM_CHECK(result.ok()) << Message(result.status());
    io.Out(value::ToJson(*result) + "\n");
    if (io.closed()) return;
  }
}

int RunStore(Io& io, const StoreFlags& flags) {
  io.SetColor(flags.common.color);
  if (flags.action != "replay") {
    io.Err(flags.action.empty()
               ? "error: store what?\nhint: ksim store replay OPS.jsonl\n"
               : fmt::format("error: unknown action \"{}\"; did you mean \"replay\"?\n",
                             flags.action));
    return kInvalid;
  }
  if (flags.path.empty()) {
    io.Err("error: which script?\nhint: ksim store replay OPS.jsonl, or - for standard input\n");
    return kInvalid;
  }
  const absl::StatusOr<std::string> text = os::ReadFile(flags.path);
  if (!text.ok()) {
    io.Err(fmt::format("{}: error: cannot read it: {}\n", flags.path, Message(text.status())));
    return kInvalid;
  }
  const store::ScriptFile script =
      store::ReadScript(*text, flags.path == "-" ? "stdin" : flags.path);
  io.Err(Render(script.errors, io.err_color()));
  if (!script.errors.empty()) return kInvalid;
  ReplayOps(io, script);
  return kOk;
}

}  // namespace

Command StoreCommand() {
  return {
      .name = "store",
      .summary = "run a script of etcd operations against the store",
      .usage = "ksim store replay OPS.jsonl [flags]",
      .description =
          "Reads one JSON object a line, as "
          "{\"i\":0,\"op\":\"put\",\"key\":\"a\",\"value\":\"1\"}, "
          "and\n"
          "writes one result a line in the same order: the answer of etcd, or its error. `-` is\n"
          "standard input. The script is read and checked whole before anything runs: a line\n"
          "that is no operation ends it with code 2 and without results.\n"
          "\n"
          "Operations: put, range, delete_range, txn, compact, watch_open, watch_collect,\n"
          "watch_progress, watch_close, lease_grant, lease_revoke, lease_ttl, lease_keepalive,\n"
          "lease_list, sleep. docs/op-scripts.md has their fields.",
      .examples =
          {{"A recorded script",
            "ksim store replay tests/testdata/etcd/special/compaction.ops.jsonl"},
           {"From standard input",
            "echo '{\"i\":0,\"op\":\"put\",\"key\":\"a\",\"value\":\"1\"}' | ksim store replay -"}},
      .invoke = &Invoke<StoreFlags, AddStoreFlags, RunStore>};
}

}  // namespace ksim::cli
