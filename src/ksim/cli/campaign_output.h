// CampaignOutput: the files that `ksim fuzz` writes for the failures of a campaign, and the report
// of all of it in the end.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ksim/base/directory_lock.h"
#include "ksim/base/time.h"
#include "ksim/cli/fuzz_flags.h"
#include "ksim/cli/io.h"
#include "ksim/cli/live_line.h"
#include "ksim/fuzz/campaign.h"
#include "ksim/fuzz/causes.h"
#include "ksim/fuzz/summary.h"
#include "ksim/scenario/scenario.h"

namespace ksim::cli {

class CampaignOutput {
 public:
  // Both outlive it.
  CampaignOutput(Io& io, const FuzzFlags& flags) : io_(io), flags_(flags) {}
  ~CampaignOutput();
  CampaignOutput(const CampaignOutput&) = delete;
  CampaignOutput& operator=(const CampaignOutput&) = delete;

  // False, and the complaint printed, if the findings would have no place: better before a campaign
  // of hours than behind it.
  bool CanWrite() const;
  // Keeps other campaigns out of the directory as long as this lives. False, and the complaint
  // printed, if one is there.
  bool Lock();

  // Writes a failure at once, so that nothing is lost when the campaign is ended.
  void WriteFound(const scenario::Scenario& scenario, const fuzz::Failure& failure);
  bool IsWritten(const fuzz::Failure& failure) const;
  std::string DirectoryOf(const fuzz::Failure& failure) const;

  // Shrinks the failures that are written, and writes them anew. Their lines are in `summary`.
  void ShrinkAll(const scenario::Scenario& scenario, const fuzz::Tally& tally, Duration timeout,
                 LiveLine& live, fuzz::Summary* summary);

  // Copies the files of a shard's failure to --out.
  void Copy(fuzz::FailureLine* failure);

  // Prints the tables and writes campaign.json and the JUnit report. Returns the exit code.
  int Report(const fuzz::Summary& summary);

 private:
  bool WriteOrPrintError(const std::string& dir,
                         const std::function<absl::Status(const std::string&)>& write);
  // The failure is the summary's `i`; another cause at its place is added behind all.
  void ShrinkOne(const scenario::Scenario& scenario, std::size_t i, const fuzz::Failure& failure,
                 Duration timeout, fuzz::Summary* summary);
  bool WriteShrunk(const fuzz::Cause& cause, fuzz::FailureLine* line);

  Io& io_;
  const FuzzFlags& flags_;
  std::vector<std::string> written_;  // keys of failures that have a directory
  bool cannot_write_ = false;
  std::unique_ptr<os::DirectoryLock> lock_;
  bool made_directory_ = false;  // for the lock alone
};

}  // namespace ksim::cli
