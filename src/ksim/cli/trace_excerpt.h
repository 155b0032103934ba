// The part of a trace that export and report show, and the file that they write.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/cli/flags.h"
#include "ksim/cli/io.h"
#include "ksim/trace/excerpt.h"

namespace ksim::cli {

struct ExcerptFlags {
  std::string path, out, window;
  std::vector<std::string> actors;
};

void AddExcerptFlags(FlagSet& set, ExcerptFlags& flags, std::string output_help);

// The part of the trace that the flags ask for; nullopt with `code` set, and the complaint printed,
// if there is none.
std::optional<trace::Excerpt> ExcerptOf(Io& io, const ExcerptFlags& flags,
                                        const trace::Trace& trace, int* code);

using TextSink = std::function<void(std::string_view text)>;

// Writes what `write` gives its sink to the file of --output: all of it, or nothing, and the
// complaint is printed. Returns the exit code.
int WriteOutput(Io& io, const ExcerptFlags& flags,
                const std::function<void(const TextSink& sink)>& write);

}  // namespace ksim::cli
