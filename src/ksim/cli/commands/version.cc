// ksim version.
#include "ksim/base/version.h"

#include <fmt/format.h>

#include "ksim/api/compat.h"
#include "ksim/cli/command.h"
#include "ksim/cli/common_flags.h"
#include "ksim/cli/exit_code.h"
#include "ksim/kubectl/printing/tree_text.h"
#include "ksim/trace/header.h"

namespace ksim::cli {
namespace {

using value::Value;

void AddVersionFlags(FlagSet& set, CommonFlags& flags) {
  AddOutputFlag(set, flags, {"text", "json", "yaml"});
}

int PrintVersion(Io& io, const CommonFlags& flags) {
  const Registry* const own = io.program().registry.get();
  if (flags.output == "text") {
    if (own != nullptr) io.Out(fmt::format("{} {}\n", own->program(), own->version()));
    io.Out(fmt::format("ksim {}\n", Version()));
    return kOk;
  }
  std::vector<Value> compat;
  for (const api::Compat c : api::kCompats) compat.push_back(Value::Of(api::ToString(c)));
  Value result = value::Obj({{"apiVersion", Value::Of("ksim.dev/v1")},
                             {"kind", Value::Of("Version")},
                             {"version", Value::Of(Version())},
                             {"traceVersion", Value::Of(trace::kTraceVersion)},
                             {"compat", Value::Array(std::move(compat))}});
  if (own != nullptr)
    result = result.Set("program", value::Obj({{"name", Value::Of(own->program())},
                                               {"version", Value::Of(own->version())},
                                               {"registry", Value::Of(own->hash())}}));
  io.Out(kubectl::TreeText(result, flags.output));
  return kOk;
}

}  // namespace

Command VersionCommand() {
  return {.name = "version",
          .summary = "print the version",
          .usage = "ksim version [-o json|yaml]",
          .description = "",
          .examples = {{"For a program", "ksim version -o json"}},
          .invoke = &Invoke<CommonFlags, AddVersionFlags, PrintVersion>};
}

}  // namespace ksim::cli
