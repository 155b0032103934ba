#include "ksim/cli/trace_excerpt.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/base/os.h"
#include "ksim/base/output_file.h"
#include "ksim/base/status.h"
#include "ksim/cli/exit_code.h"

namespace ksim::cli {
namespace {

std::nullopt_t PrintExcerptError(Io& io, std::string_view flag, const absl::Status& status,
                                 const trace::Trace& trace, int* code) {
  const bool wrong = status.code() == absl::StatusCode::kInvalidArgument;
  *code = wrong ? kInvalid : trace.end ? kNothing : kUndecided;
  io.Err(fmt::format("{}error: {}\n", wrong ? flag : "", Message(status)));
  return std::nullopt;
}

int PrintWriteError(Io& io, std::string_view file, const absl::Status& status, int code) {
  io.Err(CannotWrite(file, status));
  return code;
}

}  // namespace

void AddExcerptFlags(FlagSet& set, ExcerptFlags& flags, std::string output_help) {
  set.Add("TRACE", &flags.path, "A trace; - is standard input").Required();
  set.Add("-o,--output", &flags.out, std::move(output_help)).Type("FILE");
  set.Add("--window", &flags.window, "Only from A to B, each a time such as 1.5s, seq:N, rv:N")
      .Type("A..B");
}

std::optional<trace::Excerpt> ExcerptOf(Io& io, const ExcerptFlags& flags,
                                        const trace::Trace& trace, int* code) {
  trace::Excerpt excerpt(trace);
  if (!flags.window.empty()) {
    const absl::Status status = excerpt.SetWindow(flags.window);
    if (!status.ok()) return PrintExcerptError(io, "--window: ", status, trace, code);
  }
  if (!flags.actors.empty()) {
    const absl::Status status = excerpt.SetActors(flags.actors);
    if (!status.ok()) return PrintExcerptError(io, "--actors: ", status, trace, code);
  }
  return excerpt;
}

int WriteOutput(Io& io, const ExcerptFlags& flags,
                const std::function<void(const TextSink& sink)>& write) {
  if (flags.out == "-") {
    write([&io](std::string_view text) { io.Out(text); });
    return kOk;
  }
  if (os::IsSameFile(flags.out, flags.path)) {
    io.Err(fmt::format("--output: error: would write over {}\n", flags.path));
    return kInvalid;
  }
  absl::StatusOr<os::OutputFile> file = os::OutputFile::Create(flags.out);
  if (!file.ok()) return PrintWriteError(io, flags.out, file.status(), kInvalid);
  absl::Status status;
  write([&](std::string_view text) {
    if (status.ok()) status = file->Write(text);
  });
  if (status.ok()) status = file->Commit();
  return status.ok() ? kOk : PrintWriteError(io, flags.out, status, kUndecided);
}

}  // namespace ksim::cli
