#include "ksim/cli/common_flags.h"

#include <fmt/format.h>

#include <utility>

namespace ksim::cli {

// The first format is the default.
void AddOutputFlag(FlagSet& set, CommonFlags& flags, std::vector<std::string> formats) {
  flags.output = formats.front();
  set.Add("-o,--output", &flags.output, fmt::format("Format: {}", fmt::join(formats, ", ")))
      .Type("FORMAT")
      .OneOf(std::move(formats), "output format");
}

void AddColorFlag(FlagSet& set, CommonFlags& flags) {
  set.Add("--color", &flags.color, "Colours: auto, always, never; NO_COLOR turns auto off")
      .Type("WHEN")
      .OneOf({"auto", "always", "never"}, "colour mode");
}

void AddQuietFlag(FlagSet& set, CommonFlags& flags) {
  set.Add("-q,--quiet", &flags.quiet, "Only results and errors");
}

void AddBisectFlag(FlagSet& set, CommonFlags& flags) {
  set.Add("--bisect", &flags.bisect, "Exit codes for git bisect run: 0, 1, 125");
}

}  // namespace ksim::cli
