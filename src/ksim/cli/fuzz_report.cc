#include "ksim/cli/fuzz_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/cli/io.h"

namespace ksim::cli {
namespace {

std::uint64_t PerSecond(std::uint64_t n, std::int64_t wall_ns) {
  if (wall_ns <= 0) return 0;
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(n) * 1'000'000'000u /
                                    static_cast<std::uint64_t>(wall_ns));
}

using Row = std::vector<std::string>;

// Columns as wide as their widest cell, three spaces between, as kubectl prints them.
std::string Columns(const std::vector<Row>& rows) {
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

std::string FailureTable(const fuzz::Summary& s) {
  std::vector<Row> rows{{"ORACLE", "SEED", "RUNS", "DECISIONS", "SEEDS", "SHOW IT AGAIN"}};
  for (const fuzz::FailureLine& f : s.failures)
    rows.push_back({f.oracle, std::to_string(f.seed), Grouped(f.count),
                    f.steps < 0 ? "-" : std::to_string(f.steps), f.seeds.empty() ? "-" : f.seeds,
                    f.show});
  return Columns(rows);
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

std::string Listing(const std::string& title, const std::vector<std::string>& names) {
  if (names.empty()) return "";
  return fmt::format("{}: {}\n", title, fmt::join(names, ", "));
}

}  // namespace

std::string Grouped(std::uint64_t n) {
  std::string out = std::to_string(n);
  for (std::size_t i = out.size(); i > 3; i -= 3) out.insert(i - 3, ",");
  return out;
}

std::string ProgressLine(const fuzz::Tally& t, std::int64_t wall_ns) {
  std::string out =
      fmt::format("{} runs, {} runs/s, {} events/s", Grouped(t.runs),
                  Grouped(PerSecond(t.runs, wall_ns)), Grouped(PerSecond(t.events, wall_ns)));
  std::vector<std::pair<std::uint64_t, std::string>> kinds;
  for (const auto& [kind, n] : t.faults)
    if (n > 0) kinds.emplace_back(n, kind);
  std::sort(kinds.rbegin(), kinds.rend());
  std::uint64_t rest = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const std::string_view kind = kinds[i].second;
    const std::size_t dot = kind.find('.');
    if (i < 4)
      out += fmt::format(", {} {}", kind.substr(dot == kind.npos ? 0 : dot + 1),
                         Grouped(kinds[i].first));
    else
      rest += kinds[i].first;
  }
  if (rest > 0) out += fmt::format(", others {}", Grouped(rest));
  out += fmt::format(", {} failures", t.failures.size());
  if (!t.coverage.empty()) out += fmt::format(", coverage {}", Grouped(t.coverage.size()));
  return out + fmt::format(", probes {}", t.probes.size());
}

std::string CampaignText(const fuzz::Summary& s, bool color, bool quiet) {
  std::string out;
  for (const fuzz::FailureLine& f : s.failures)
    out += fmt::format("{} {}: {}\n", Paint(color, "1;31", "failure:"), f.oracle, f.message);
  if (!s.failures.empty()) out += "\n" + FailureTable(s) + "\n";
  out += UndecidedText(s);
  if (!quiet) {
    out += Listing("never fired", s.NeverFired());
    out += Listing("probes never reached", s.ProbesNeverReached());
  }
  out += fmt::format("{}: {} runs, {} distinct failures", s.scenario, Grouped(s.runs),
                     s.failures.size());
  if (!s.undecided.empty()) out += fmt::format(", {} undecided", Grouped(s.undecided.size()));
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
  whole.exit_code = !s.undecided.empty() && s.failures.empty() ? fuzz::kUndecided : 0;
  whole.message = fmt::format("{} runs undecided", s.undecided.size());
  out.push_back(std::move(whole));
  for (const fuzz::FailureLine& f : s.failures) {
    JUnitCase one;
    one.name = f.oracle + " " + f.place;
    one.exit_code = f.code;
    one.message = fmt::format("{}\nseed {}\n{}", f.message, f.seed, f.show);
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace ksim::cli
