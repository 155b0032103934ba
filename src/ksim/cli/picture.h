// Picture: what export and report have in common: the trace, the part of it, the file.
#pragma once
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ksim/base/os.h"
#include "ksim/base/output_file.h"
#include "ksim/base/status.h"
#include "ksim/cli/command.h"
#include "ksim/cli/exit_code.h"
#include "ksim/trace/excerpt.h"

namespace ksim::cli {

class Picture : public Command {
 protected:
  void DefineExcerpt(CLI::App& app) {
    app.add_option("TRACE", path_, "A trace; - is standard input")->required();
    app.add_option("-o,--output", out_, OutputText())->type_name("FILE");
    app.add_option("--window", window_, "Only from A to B, each a time such as 1.5s, seq:N, rv:N")
        ->type_name("A..B");
  }
  virtual std::string OutputText() const = 0;

  // What of the trace was asked for; nullopt, and the complaint told, if there is none.
  std::optional<trace::Excerpt> ExcerptOf(Io& io, const trace::Trace& trace, int* code) const {
    trace::Excerpt excerpt(trace);
    if (!window_.empty()) {
      const absl::Status status = excerpt.SetWindow(window_);
      if (!status.ok()) return Refused(io, "--window: ", status, trace, code);
    }
    if (!actors_.empty()) {
      const absl::Status status = excerpt.SetActors(actors_);
      if (!status.ok()) return Refused(io, "--actors: ", status, trace, code);
    }
    return excerpt;
  }

  // Writes what `write` gives its sink: all of it, or nothing and the complaint.
  template <class F>
  int Write(Io& io, const F& write) const {
    if (out_ == "-") {
      write([&io](std::string_view text) { io.Out(text); });
      return kOk;
    }
    if (os::IsSameFile(out_, path_)) {
      io.Err(fmt::format("--output: error: would write over {}\n", path_));
      return kInvalid;
    }
    absl::StatusOr<os::OutputFile> file = os::OutputFile::Create(out_);
    if (!file.ok()) return NotWritten(io, file.status(), kInvalid);
    absl::Status status;
    write([&](std::string_view text) {
      if (status.ok()) status = file->Write(text);
    });
    if (status.ok()) status = file->Commit();
    return status.ok() ? kOk : NotWritten(io, status, kUndecided);
  }

  std::string path_, out_, window_;
  std::vector<std::string> actors_;

 private:
  static std::optional<trace::Excerpt> Refused(Io& io, std::string_view flag,
                                               const absl::Status& status,
                                               const trace::Trace& trace, int* code) {
    const bool wrong = status.code() == absl::StatusCode::kInvalidArgument;
    *code = wrong ? kInvalid : trace.end ? kNothing : kUndecided;
    io.Err(fmt::format("{}error: {}\n", wrong ? flag : "", Message(status)));
    return std::nullopt;
  }

  int NotWritten(Io& io, const absl::Status& status, int code) const {
    io.Err(CannotWrite(out_, status));
    return code;
  }
};

}  // namespace ksim::cli
