#include "ksim/check/watch_verdicts.h"

#include <fmt/format.h>

#include <utility>

namespace ksim::check {

WatchVerdicts::WatchVerdicts() {
  for (const char* name : {"watch.ordered", "watch.unique", "watch.reliable"}) {
    Verdict& v = verdicts_[name];
    v.oracle = name;
    v.guarantee = FindOracle(name)->info->guarantee;
  }
}

void WatchVerdicts::Violate(std::string_view oracle, std::uint64_t n, const std::string& object,
                            std::string_view message) {
  Verdict& v = verdicts_.find(oracle)->second;
  v.state = Verdict::State::kViolated;
  Finding f;
  f.violation.oracle = oracle;
  f.violation.message = fmt::format("event {}: {}", n, message);
  f.violation.objects = {object};
  f.violation.first = n;
  f.seq = n;
  v.findings.push_back(std::move(f));
}

void WatchVerdicts::CannotJudge(std::string_view oracle, std::string_view why) {
  Verdict& v = verdicts_.find(oracle)->second;
  if (v.state == Verdict::State::kViolated) return;
  v.state = Verdict::State::kNotJudged;
  v.why = why;
}

std::vector<Verdict> WatchVerdicts::Take() {
  std::vector<Verdict> out;
  for (const OracleEntry& entry : AllOracles()) {
    const auto it = verdicts_.find(entry.info->name);
    if (it != verdicts_.end()) {
      out.push_back(std::move(it->second));
      continue;
    }
    Verdict v;
    v.oracle = std::string(entry.info->name);
    v.guarantee = entry.info->guarantee;
    v.state = Verdict::State::kNotJudged;
    v.why = "a watch alone does not show it";
    out.push_back(std::move(v));
  }
  return out;
}

}  // namespace ksim::check
