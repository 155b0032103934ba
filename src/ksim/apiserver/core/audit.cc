#include "ksim/apiserver/audit.h"

#include "ksim/value/json.h"

namespace ksim::apiserver {

std::string_view ToString(AuditLevel level) {
  switch (level) {
    case AuditLevel::kMetadata:
      return "Metadata";
    case AuditLevel::kRequest:
      return "Request";
    case AuditLevel::kRequestResponse:
      return "RequestResponse";
  }
  return "";
}

std::optional<AuditLevel> ParseAuditLevel(std::string_view text) {
  for (const AuditLevel level :
       {AuditLevel::kMetadata, AuditLevel::kRequest, AuditLevel::kRequestResponse})
    if (text == ToString(level)) return level;
  return std::nullopt;
}

std::string AuditLog::ToJsonLines() const {
  std::string out;
  for (const value::Value& event : events_) out += value::ToJson(event) + "\n";
  return out;
}

}  // namespace ksim::apiserver
