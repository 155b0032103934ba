// AuditLog: the audit events of all API servers of a cluster, as kube-apiserver writes them to
// --audit-log-path (audit.k8s.io/v1 Event, one JSON object a line). It only records: with or
// without it a run is the same.
//
// Source: apiserver pkg/audit/request.go, pkg/apis/audit/v1/types.go, plugin/pkg/audit/log.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/value/value.h"

namespace ksim::apiserver {

enum class AuditLevel : std::uint8_t { kMetadata, kRequest, kRequestResponse };
std::string_view ToString(AuditLevel level);  // "Metadata", "Request", "RequestResponse"
std::optional<AuditLevel> ParseAuditLevel(std::string_view text);

class AuditLog {
 public:
  explicit AuditLog(AuditLevel level = AuditLevel::kMetadata) : level_(level) {}
  AuditLevel level() const { return level_; }
  void Add(value::Value event) { events_.push_back(std::move(event)); }
  const std::vector<value::Value>& events() const { return events_; }  // in order of time
  std::string ToJsonLines() const;

 private:
  AuditLevel level_;
  std::vector<value::Value> events_;
};

}  // namespace ksim::apiserver
