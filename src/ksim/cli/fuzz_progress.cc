#include "ksim/cli/fuzz_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ksim/base/time.h"
#include "ksim/cli/fuzz_report.h"

namespace ksim::cli {
namespace {

constexpr std::size_t kKindsShown = 4;

std::uint64_t Share(std::uint64_t part, std::uint64_t whole) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(part) * 100 / whole);
}

// The rest of the runs or of --time: of the one that ends first. Nothing: not known yet.
struct Ahead {
  std::optional<std::uint64_t> percent;
  std::optional<Duration> left;
};

Ahead AheadOf(const fuzz::CampaignProgress& p) {
  Ahead out;
  const auto ns = static_cast<std::uint64_t>(std::max<std::int64_t>(p.lasted.ns(), 1));
  if (p.total > 0) {
    out.percent = Share(std::min(p.runs, p.total), p.total);
    const std::uint64_t rest = p.total - std::min(p.runs, p.total);
    if (p.runs > 0)
      out.left = Duration(static_cast<std::int64_t>(
          std::min<unsigned __int128>(static_cast<unsigned __int128>(ns) * rest / p.runs,
                                      static_cast<std::uint64_t>(Hours(99999).ns()))));
  }
  if (p.most_events > 0) out.percent = Share(std::min(p.events, p.most_events), p.most_events);
  if (!p.time) return out;
  const Duration left = std::max(Duration(), *p.time - p.lasted);
  if (out.left && *out.left < left) return out;
  const auto whole = static_cast<std::uint64_t>(p.time->ns());
  out.percent = std::max(out.percent.value_or(0), Share(std::min(ns, whole), whole));
  out.left = left;
  return out;
}

std::string WholeSeconds(Duration d) {
  return FormatDuration(Seconds((d.ns() + Seconds(1).ns() - 1) / Seconds(1).ns()));
}

// The kinds of faults that fired most.
std::vector<std::string> FaultParts(const fuzz::Tally& t) {
  std::vector<std::pair<std::uint64_t, std::string>> kinds;
  for (const auto& [kind, n] : t.faults)
    if (n > 0) kinds.emplace_back(n, kind);
  std::sort(kinds.rbegin(), kinds.rend());
  std::vector<std::string> out;
  std::uint64_t rest = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const std::string_view kind = kinds[i].second;
    const std::size_t dot = kind.find('.');
    if (i < kKindsShown)
      out.push_back(fmt::format("{} {}", kind.substr(dot == kind.npos ? 0 : dot + 1),
                                Grouped(kinds[i].first)));
    else
      rest += kinds[i].first;
  }
  if (rest > 0) out.push_back(fmt::format("others {}", Grouped(rest)));
  return out;
}

}  // namespace

std::string ProgressLine(const fuzz::CampaignProgress& p, int columns) {
  const Ahead ahead = AheadOf(p);
  std::vector<std::string> parts;
  parts.push_back(p.total > 0 ? fmt::format("{}/{} runs", Grouped(p.runs), Grouped(p.total))
                              : fmt::format("{} runs", Grouped(p.runs)));
  if (ahead.percent) parts.push_back(fmt::format("{}%", *ahead.percent));
  if (ahead.left) parts.push_back(WholeSeconds(*ahead.left) + " left");
  parts.push_back(fmt::format("{} runs/s", Grouped(PerSecond(p.runs, p.lasted.ns()))));
  parts.push_back(fmt::format("{} failing", Grouped(p.failing)));
  parts.push_back(fmt::format("{} distinct", p.tally.failures.size()));
  parts.push_back(fmt::format("{} events/s", Grouped(PerSecond(p.events, p.lasted.ns()))));
  for (std::string& part : FaultParts(p.tally)) parts.push_back(std::move(part));
  if (!p.tally.coverage.empty())
    parts.push_back(fmt::format("coverage {}", Grouped(p.tally.coverage.size())));
  parts.push_back(fmt::format("probes {}", p.tally.probes.size()));
  const auto room = static_cast<std::size_t>(std::max(columns - 1, 1));
  std::string out = parts.front().substr(0, room);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (out.size() + 2 + parts[i].size() > room) break;
    out += ", " + parts[i];
  }
  return out;
}

}  // namespace ksim::cli
