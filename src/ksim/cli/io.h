// Io: where a command writes. Results go to stdout, all else to stderr. A reader that has gone away
// ends the command quietly.
#pragma once
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "ksim/base/paint.h"
#include "ksim/cli/program.h"

namespace ksim::cli {

class Io {
 public:
  // File descriptors; 1 and 2 for a program.
  Io(int out, int err, Program program = Program())
      : out_(out), err_(err), program_(std::move(program)) {}
  ~Io() { Flush(); }
  Io(const Io&) = delete;
  Io& operator=(const Io&) = delete;

  void Out(std::string_view text);  // buffered
  void Err(std::string_view text);  // after what was written to Out before
  void Flush();
  bool closed() const { return closed_; }  // stdout takes nothing any more
  bool wrote() const { return wrote_; }    // anything to stdout
  // The first kilobytes of the text that went to stderr.
  const std::string& error_text() const { return error_text_; }
  // Why stdout could not be written, "no space left on device"; "" if it could, or if only nobody
  // reads it.
  const std::string& write_error() const { return write_error_; }

  // auto, always or never. `auto` is a terminal whose TERM is not dumb; or CLICOLOR_FORCE, also
  // without a terminal; NO_COLOR turns it off.
  void SetColor(std::string_view when);
  bool out_color() const { return out_color_; }
  bool err_color() const { return err_color_; }

  const Program& program() const { return program_; }  // that writes

 private:
  int out_, err_;
  const Program program_;
  bool closed_ = false, wrote_ = false;
  bool out_color_ = false, err_color_ = false;
  std::string buffer_, write_error_, error_text_;
};

// "FILE: error: cannot write it: WHY", a line.
std::string CannotWrite(std::string_view file, const absl::Status& status);

}  // namespace ksim::cli
