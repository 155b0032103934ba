#include "ksim/cli/fuzz_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/cli/io.h"

namespace ksim::cli {
namespace {

using Row = TableRow;

std::string FailureTable(const fuzz::Summary& s) {
  std::vector<Row> rows{{"ORACLE", "SEED", "RUNS", "DECISIONS", "SEEDS", "SHOW IT AGAIN"}};
  for (const fuzz::FailureLine& f : s.failures)
    if (f.known.empty())
      rows.push_back({f.oracle, f.seed == 0 ? "-" : std::to_string(f.seed), Grouped(f.count),
                      f.steps < 0 ? "-" : std::to_string(f.steps), f.seeds.empty() ? "-" : f.seeds,
                      f.show});
  return Columns(rows);
}

// The failures that are one cause with others, told once.
std::string SameCauses(const fuzz::Summary& s) {
  std::string out;
  for (const fuzz::FailureLine& f : s.failures)
    if (!f.same_cause.empty())
      out += fmt::format("{} of seed {} has the cause of {}: {}\n", f.oracle, f.seed, f.same_cause,
                         f.wrong_step);
  return out;
}

// Which runs took too long: people look at few of them.
std::string UndecidedText(const fuzz::Summary& s) {
  constexpr std::size_t kMost = 20;
  if (s.undecided.empty()) return "";
  const std::size_t shown = std::min(s.undecided.size(), kMost);
  std::string out =
      s.timeout.empty() ? "undecided" : fmt::format("undecided after {} of real time", s.timeout);
  out += fmt::format(": seed{} {}", s.undecided.size() == 1 ? "" : "s",
                     fmt::join(s.undecided.begin(),
                               s.undecided.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < s.undecided.size()) out += fmt::format(" and {} more", s.undecided.size() - shown);
  return out + (s.show_undecided.empty() ? "\n" : fmt::format("; {}\n", s.show_undecided));
}

// Warnings: no failures, and yet not as they seem.
std::string Cautions(const fuzz::Summary& s, bool color) {
  const std::string caution =
      s.strict ? Paint(color, "1;31", "error:") : Paint(color, "1;35", "warning:");
  std::string out;
  for (const fuzz::StepLine& step : s.failed_steps)
    out += fmt::format(
        "{} {} failed for good in {} of {} runs, first of seed {}, and nothing was expected of the "
        "end of these: {}\n",
        caution, step.what, Grouped(step.runs), Grouped(s.runs), step.seed, step.error);
  for (const fuzz::ExpectationLine& e : s.vacuous)
    out += fmt::format("{} expectation {} ({}) is vacuous: {}\n", caution, e.number, e.what, e.why);
  for (const fuzz::ExpectationLine& e : s.vacuous_invariants)
    out += fmt::format("{} invariant {} is vacuous: {}\n", caution, e.what, e.why);
  for (const std::string& file : s.silent_known)
    out += fmt::format("{} {} fails no more: it is known for nothing\n", caution, file);
  for (const fuzz::ExpectationLine& e : s.not_lasting)
    out += fmt::format(
        "{} expectation {} ({}) does not hold at the end without drawn faults: "
        "{}; `lasts` says which is meant\n",
        caution, e.number, e.what, e.why);
  if (s.JudgedNothing())
    out +=
        "nothing was judged: nobody but the user did anything with what the steps made, no "
        "expectation applied to anything, and no step waited\n";
  return out;
}

std::string Listing(const std::string& title, const std::vector<std::string>& names) {
  if (names.empty()) return "";
  return fmt::format("{}: {}\n", title, fmt::join(names, ", "));
}

}  // namespace

std::string Columns(const std::vector<TableRow>& rows) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += i + 1 < row.size() ? fmt::format("{:<{}}", row[i], widths[i] + 3) : row[i];
    out += line + "\n";
  }
  return out;
}

std::string ForeignText(const fuzz::Corpus& corpus) {
  if (corpus.foreign().empty()) return "";
  return fmt::format("{}: {} inputs are of another ksim or scenario, and are run again\n",
                     corpus.directory(), corpus.foreign().size());
}

std::string CorpusText(const fuzz::Corpus& corpus) {
  return fmt::format("corpus {}: began with {}, {} kept, {} that added nothing removed\n",
                     corpus.directory(), corpus.known().size(), corpus.kept(), corpus.dropped());
}

std::string Grouped(std::uint64_t n) {
  std::string out = std::to_string(n);
  for (std::size_t i = out.size(); i > 3; i -= 3) out.insert(i - 3, ",");
  return out;
}

std::uint64_t PerSecond(std::uint64_t n, std::int64_t wall_ns) {
  if (wall_ns <= 0) return 0;
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(n) * 1'000'000'000u /
                                    static_cast<std::uint64_t>(wall_ns));
}

std::string CampaignText(const fuzz::Summary& s, bool color, bool quiet) {
  std::string out;
  for (const fuzz::FailureLine& f : s.failures) {
    if (f.known.empty())
      out += fmt::format("{} {}: {}\n", Paint(color, "1;31", "failure:"), f.oracle, f.message);
    else
      out += fmt::format("known: {}: {} ({} run{}; {} shows it)\n", f.oracle, f.message,
                         Grouped(f.count), f.count == 1 ? "" : "s", f.known);
  }
  if (s.NewFailures() > 0) out += "\n" + FailureTable(s) + "\n";
  out += SameCauses(s);
  out += UndecidedText(s);
  out += Cautions(s, color);
  if (!quiet) {
    if (s.pairs > 0) out += fmt::format("pairs of events covered: {}\n", Grouped(s.pairs));
    out += Listing("never fired", s.NeverFired());
    out += Listing("probes never reached", s.ProbesNeverReached());
  }
  out += fmt::format("{}: {} runs, {} distinct failures", s.scenario, Grouped(s.runs),
                     s.NewFailures());
  const std::size_t known = s.failures.size() - s.NewFailures();
  if (known > 0) out += fmt::format(", {} known", known);
  if (!s.undecided.empty()) out += fmt::format(", {} undecided", Grouped(s.undecided.size()));
  if (s.equivalent > 0)
    out += fmt::format(", {} not done: others do the same", Grouped(s.equivalent));
  if (s.rechecked > 0) out += fmt::format(", {} done twice", Grouped(s.rechecked));
  out += fmt::format(", {} events", Grouped(s.events));
  if (s.wall_ns > 0)  // not known of merged shards
    out += fmt::format(", {} runs/s, {} events/s", Grouped(PerSecond(s.runs, s.wall_ns)),
                       Grouped(PerSecond(s.events, s.wall_ns)));
  return out + "\n";
}

std::vector<JUnitCase> CampaignCases(const fuzz::Summary& s) {
  std::vector<JUnitCase> out;
  JUnitCase whole;
  whole.name = fmt::format("{} seeds {}..{} {}", s.scenario, s.first, s.last, s.strategy);
  whole.exit_code = s.NewFailures() == 0 ? s.Code() : 0;
  whole.message = Cautions(s, false);
  if (!s.undecided.empty()) whole.message += fmt::format("{} runs undecided", s.undecided.size());
  out.push_back(std::move(whole));
  for (const fuzz::FailureLine& f : s.failures) {
    if (!f.known.empty()) continue;
    JUnitCase one;
    one.name = f.oracle + " " + f.place;
    one.exit_code = f.code;
    one.message = fmt::format("{}\nseed {}\n{}", f.message, f.seed, f.show);
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace ksim::cli
