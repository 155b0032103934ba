// The files of a campaign: campaign.json, and a directory of three for each failure, which are
// there as a whole or not at all.
#pragma once
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ksim/fuzz/summary.h"

namespace ksim::cli {

// `write` writes the three into the directory it is given, which is beside `dir`; when that went
// well they take the place of those in `dir`. Otherwise `dir` stays as it is.
absl::Status WriteAsWhole(const std::string& dir,
                          const std::function<absl::Status(const std::string&)>& write);

absl::Status CopyFiles(const std::string& from, const std::string& to);

// The command that shows the failure in `dir` again: `runs_alone`: its scenario does, else its
// trace.
std::string CommandOn(const std::string& program, bool runs_alone, const std::string& dir);

// `dir` is where the failure's files are now, and `program` the command that shows them.
void SetDirectory(const std::string& program, const std::string& dir, fuzz::FailureLine* failure);

absl::StatusOr<fuzz::Summary> ReadCampaign(const std::string& path);
// `replaces`: failures that only the campaign.json before named go. What a user has put beside
// their files stays, and then the directory too.
absl::Status WriteCampaign(const std::string& dir, const fuzz::Summary& summary, bool replaces);

}  // namespace ksim::cli
