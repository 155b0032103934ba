#include "ksim/check/audit/judge_audit.h"

#include <memory>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/check/audit/audit_rule.h"

namespace ksim::check {

OracleEntry HotLoopEntry() {
  static const OracleInfo& info = *new OracleInfo{
      // NOLINT(ksim-static): what a program links
      .name = "hot.loop",
      .guarantee = Guarantee::kLiveness,
      .promise =
          "No client writes one object again and again and comes to nothing: 10 updates in a "
          "minute that change nothing, 20 writes that are refused alike, or 10 turns in ten "
          "minutes in which two clients undo each other's writes.",
      .reads = {},
      .legal = {"a client that backs off, which tries some 14 times in a minute",
                "Leases, Events and dry runs"},
      .needs = "nobody wrote the same object twice"};
  return {&info, nullptr, "of runs and traces; `ksim check audit.log` judges it of an audit log"};
}

absl::StatusOr<AuditVerdicts> JudgeAuditLog(std::string_view text) {
  std::vector<std::unique_ptr<AuditRule>> rules;
  rules.push_back(AuditedRevisions());
  rules.push_back(AuditedDeletions());
  rules.push_back(AuditedStatusWrites());
  rules.push_back(AuditedLeases());
  rules.push_back(AuditedLoops());
  AuditVerdicts out;
  RETURN_IF_ERROR(ReadAuditLog(
      text,
      [&rules](const AuditEvent& event) {
        for (const std::unique_ptr<AuditRule>& rule : rules) rule->On(event);
      },
      &out.missing));
  std::vector<Verdict> judged;
  for (const std::unique_ptr<AuditRule>& rule : rules) {
    rule->Finish();
    judged.push_back(rule->Take());
  }
  for (const OracleEntry& entry : AllOracles()) {
    Verdict v;
    v.oracle = std::string(entry.info->name);
    v.guarantee = entry.info->guarantee;
    v.state = Verdict::State::kNotJudged;
    v.why = "an audit log does not show it";
    for (Verdict& own : judged)
      if (own.oracle == v.oracle) v = std::move(own);
    out.verdicts.push_back(std::move(v));
  }
  out.verdicts.push_back(std::move(judged.back()));
  return out;
}

}  // namespace ksim::check
