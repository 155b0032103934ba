#include "ksim/check/audit/judge_audit.h"

#include <memory>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/check/audit/audit_rule.h"

namespace ksim::check {

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
