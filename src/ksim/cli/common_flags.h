// Flags that several commands take.
#pragma once
#include <string>
#include <vector>

#include "ksim/cli/flags.h"

namespace ksim::cli {

struct CommonFlags {
  std::string output;  // -o
  std::string color = "auto";
  bool quiet = false;
  int verbosity = 0;
  bool bisect = false;
};

void AddOutputFlag(FlagSet& set, CommonFlags& flags, std::vector<std::string> formats);
void AddColorFlag(FlagSet& set, CommonFlags& flags);
void AddQuietFlag(FlagSet& set, CommonFlags& flags);
void AddBisectFlag(FlagSet& set, CommonFlags& flags);

}  // namespace ksim::cli
