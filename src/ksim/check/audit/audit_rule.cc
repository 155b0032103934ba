#include "ksim/check/audit/audit_rule.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace ksim::check {

AuditRule::AuditRule(std::string_view oracle, Guarantee guarantee, std::string_view needs)
    : needs_(needs) {
  verdict_.oracle = oracle;
  verdict_.guarantee = guarantee;
}

Verdict AuditRule::Take() {
  if (!judged_ && verdict_.findings.empty()) {
    verdict_.state = Verdict::State::kNotJudged;
    verdict_.why = needs_;
  }
  return std::move(verdict_);
}

void AuditRule::Violate(int line, std::string object, std::string client, std::string message) {
  verdict_.state = Verdict::State::kViolated;
  Finding f;
  f.violation.oracle = verdict_.oracle;
  f.violation.message = std::move(message);
  f.violation.objects = {std::move(object)};
  f.violation.first = static_cast<std::uint64_t>(line);
  f.guarantee = verdict_.guarantee;
  f.seq = static_cast<std::uint64_t>(line);
  f.who = std::move(client);
  verdict_.findings.push_back(std::move(f));
}

void AuditRule::Note(int line, std::string message) {
  Remark remark;
  remark.oracle = verdict_.oracle;
  remark.message = std::move(message);
  remark.first = static_cast<std::uint64_t>(line);
  verdict_.remarks.push_back(std::move(remark));
}

std::int64_t RevisionIn(std::string_view text) {
  std::int64_t revision = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), revision);
  return error == std::errc() && end == text.data() + text.size() ? revision : 0;
}

std::int64_t AnsweredRevision(const AuditEvent& event) {
  if (event.response.Get("kind").AsString() == "Status") return 0;
  return RevisionIn(event.response.Get("metadata").Get("resourceVersion").AsString());
}

bool AnswersWithObject(const AuditEvent& event) {
  constexpr std::array<std::string_view, 7> kOfObject{
      "", "status", "scale", "ephemeralcontainers", "resize", "finalize", "approval"};
  return std::find(kOfObject.begin(), kOfObject.end(), event.subresource) != kOfObject.end();
}

}  // namespace ksim::check
