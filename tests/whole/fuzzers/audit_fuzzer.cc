// The reader of audit logs survives any bytes, and so does what judges them; what it accepts it
// accepts again with a line behind it that is cut.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ksim/check/audit/audit_log.h"
#include "ksim/check/audit/judge_audit.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<ksim::check::AuditVerdicts> read = ksim::check::JudgeAuditLog(text);
  (void)ksim::check::IsAuditLog(text);
  if (!read.ok() || !read->missing.empty()) return 0;
  const auto cut = ksim::check::JudgeAuditLog(std::string(text) + "\n{\"kind\"");
  if (!cut.ok() || cut->missing.empty()) std::abort();
  if (cut->verdicts.size() != read->verdicts.size()) std::abort();
  return 0;
}
