#include "ksim/cli/campaign_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "ksim/base/os.h"
#include "ksim/base/output_file.h"
#include "ksim/base/status.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/failure_files.h"
#include "ksim/cli/fuzz_report.h"
#include "ksim/cli/help.h"
#include "ksim/cli/signals.h"
#include "ksim/fuzz/failure_report.h"
#include "ksim/fuzz/shrink.h"
#include "ksim/value/json.h"
#include "ksim/value/yaml.h"

namespace ksim::cli {
namespace {

using fuzz::Failure;
using fuzz::FailureLine;

// To shrink more than this takes hours and helps nobody; all are written.
constexpr std::size_t kMostShrunk = 50;

bool HasTrace(const Failure& f) { return f.code == fuzz::kSafety || f.code == fuzz::kLiveness; }

}  // namespace

bool CampaignOutput::CanWrite() const {
  absl::Status status = flags_.has_out() ? os::MakeDirectories(flags_.out) : absl::OkStatus();
  if (status.ok() && flags_.has_out()) status = os::CheckWritable(flags_.out + "/campaign.json");
  const bool out_is_bad = !status.ok();
  if (!out_is_bad && !flags_.junit.empty()) status = os::CheckWritable(flags_.junit);
  if (status.ok()) return true;
  PrintFuzzError(io_, out_is_bad ? flags_.out : flags_.junit,
                 fmt::format("cannot write it: {}", Message(status)));
  return false;
}

bool CampaignOutput::Lock() {
  made_directory_ = !flags_.has_out() && !os::Exists(flags_.out);
  // Without --out there may be nothing to write; if there is, the complaint comes then.
  if (!os::MakeDirectories(flags_.out).ok()) return true;
  const std::string holder =
      fmt::format("process {}, ksim fuzz {}", ::getpid(), fmt::join(flags_.files, " "));
  absl::StatusOr<std::unique_ptr<os::DirectoryLock>> lock =
      os::DirectoryLock::Take(flags_.out, holder);
  const absl::Status status = lock.status();
  if (lock.ok()) lock_ = *std::move(lock);
  if (!absl::IsFailedPrecondition(status)) return true;
  made_directory_ = false;
  PrintFuzzError(io_, flags_.out,
                 fmt::format("another campaign writes there ({}); wait for it, or give this one "
                             "another --out",
                             Message(status)));
  return false;
}

CampaignOutput::~CampaignOutput() {
  lock_.reset();
  std::error_code ignored;
  if (made_directory_) std::filesystem::remove(flags_.out, ignored);  // only if it is empty
}

void CampaignOutput::WriteFound(const scenario::Scenario& scenario, const Failure& f) {
  if (!HasTrace(f)) return;
  const auto write = [&](const std::string& dir) { return fuzz::WriteFound(dir, scenario, f); };
  if (WriteOrPrintError(DirectoryOf(f), write)) written_.push_back(f.finding.Key());
}

bool CampaignOutput::IsWritten(const Failure& f) const {
  return std::find(written_.begin(), written_.end(), f.finding.Key()) != written_.end();
}

std::string CampaignOutput::DirectoryOf(const Failure& f) const {
  return flags_.out + "/" + fuzz::NameOf(f);
}

void CampaignOutput::ShrinkAll(const scenario::Scenario& scenario, const fuzz::Tally& tally,
                               Duration timeout, LiveLine& live, fuzz::Summary* summary) {
  std::size_t tried = 0;
  for (std::size_t i = 0; i < tally.failures.size() && flags_.shrink_runs > 0; ++i) {
    const Failure& f = tally.failures[i];
    if (interrupted != 0) return;
    if (!HasTrace(f) || !IsWritten(f)) continue;
    if (++tried > kMostShrunk) continue;
    live.Show(fmt::format("shrinking failure {} of {}: {}", i + 1, tally.failures.size(),
                          f.finding.oracle));
    ShrinkOne(scenario, i, f, timeout, summary);
  }
  live.Erase();
  fuzz::MarkSameCauses(summary);
  if (tried > kMostShrunk)
    io_.Err(fmt::format("warning: {} of {} failures were shrunk; ksim shrink does it for one\n",
                        kMostShrunk, tried));
}

void CampaignOutput::ShrinkOne(const scenario::Scenario& scenario, std::size_t i, const Failure& f,
                               Duration timeout, fuzz::Summary* summary) {
  fuzz::ShrinkOptions options;
  options.runs = flags_.shrink_runs;
  options.timeout = timeout;
  options.interrupted = [] { return interrupted != 0; };
  const std::vector<fuzz::Cause> causes = fuzz::CausesOf(scenario, f, options);
  WriteShrunk(causes.front(), &summary->failures[i]);
  for (std::size_t n = 1; n < causes.size(); ++n) {
    FailureLine line = summary->failures[i];
    line.seed = causes[n].failure.number;
    line.count = causes[n].failure.count;
    line.dir = DirectoryOf(causes[n].failure);
    line.show = CommandOn(io_.program().command, false, line.dir);
    if (WriteShrunk(causes[n], &line)) summary->failures.push_back(std::move(line));
  }
}

bool CampaignOutput::WriteShrunk(const fuzz::Cause& cause, FailureLine* line) {
  const fuzz::Shrunk& shrunk = cause.shrunk;
  if (!shrunk.reproduced) return false;
  const auto write = [&](const std::string& dir) {
    return fuzz::WriteShrunk(dir, cause.failure, shrunk);
  };
  if (!WriteOrPrintError(line->dir, write)) return false;
  line->steps = static_cast<std::int64_t>(fuzz::StepsLeft(shrunk));
  if (shrunk.seeds_tried > 0)
    line->seeds = fmt::format("{}/{}", shrunk.seeds_failing, shrunk.seeds_tried);
  if (shrunk.runs_alone) line->show = CommandOn(io_.program().command, true, line->dir);
  if (shrunk.wrong_step) line->wrong_step = shrunk.wrong_step->what;
  return true;
}

void CampaignOutput::Copy(FailureLine* f) {
  const std::string to = flags_.out + "/" + fuzz::DirectoryName(f->dir);
  const auto copy = [f](const std::string& dir) { return CopyFiles(f->dir, dir); };
  if (WriteOrPrintError(to, copy)) SetDirectory(io_.program().command, to, f);
}

bool CampaignOutput::WriteOrPrintError(
    const std::string& dir, const std::function<absl::Status(const std::string&)>& write) {
  const absl::Status status = WriteAsWhole(dir, write);
  if (status.ok()) return true;
  io_.Err(CannotWrite(dir, status));
  cannot_write_ = true;
  return false;
}

int CampaignOutput::Report(const fuzz::Summary& summary) {
  if (flags_.common.output == "yaml")
    io_.Out(value::ToYaml(*value::ParseJson(fuzz::ToJson(summary))));
  else if (flags_.common.output == "json")
    io_.Out(fuzz::ToJson(summary));
  else
    io_.Out(CampaignText(summary, io_.out_color(), flags_.common.quiet));
  std::vector<int> codes{summary.Code()};
  if (summary.interrupted) codes.push_back(interrupted == 15 ? kTerminated : kInterrupted);
  const auto check = [&](const std::string& path, const absl::Status& status) {
    if (status.ok()) return;
    io_.Err(CannotWrite(path, status));
    codes.push_back(kUndecided);
  };
  if (!summary.failures.empty() || flags_.has_out())
    check(flags_.out + "/campaign.json",
          WriteCampaign(flags_.out, summary, !flags_.merges() || flags_.has_out()));
  if (!flags_.junit.empty())
    check(flags_.junit, os::WriteFile(flags_.junit, JUnitXml(CampaignCases(summary))));
  if (cannot_write_) codes.push_back(kUndecided);
  return summary.Code() == fuzz::kCrashed ? fuzz::kCrashed : Worst(codes);
}

}  // namespace ksim::cli
