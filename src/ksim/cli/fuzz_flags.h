// The flags of `ksim fuzz`, and what they ask for.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/base/time.h"
#include "ksim/cli/common_flags.h"
#include "ksim/cli/flags.h"
#include "ksim/cli/io.h"
#include "ksim/fuzz/campaign.h"

namespace ksim::cli {

struct FuzzFlags {
  std::vector<std::string> files;  // or `merge` and directories
  std::vector<std::string> set;
  CommonFlags common;
  fuzz::PlannerOptions plan;
  std::string seeds, time, budget, shard, junit, known, corpus;
  std::string out = "ksim-fuzz";
  std::string recheck = "1%";
  std::string run_timeout = "60s";
  std::uint64_t shrink_runs = 2000;
  bool strict = false;
  bool staleness = false;
  int jobs = 0;  // 0: one for each processor
  GivenFlags given;

  bool merges() const { return !files.empty() && files.front() == "merge"; }
  bool has_out() const { return given.contains("out"); }
};

void AddFuzzFlags(FlagSet& set, FuzzFlags& flags);

// A campaign as the flags ask for it.
struct CampaignPlan {
  fuzz::CampaignOptions options;
  Duration timeout;  // of one run, real time
};

// Nullopt with the complaint printed for flags that make no sense.
std::optional<CampaignPlan> ParseCampaignPlan(Io& io, const FuzzFlags& flags);

// The command line that does the run of this number again, with every flag that it depends on.
// `code`: how the run ended.
std::string CommandForRun(const Program& program, const FuzzFlags& flags, const CampaignPlan& plan,
                          std::uint64_t number, int code);

// Prints "WHAT: error: MESSAGE"; returns the exit code.
int PrintFuzzError(Io& io, std::string_view what, std::string_view message);

}  // namespace ksim::cli
