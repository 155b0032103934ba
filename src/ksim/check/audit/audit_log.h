// Reads the audit log of a kube-apiserver: events of audit.k8s.io/v1, a line each or one after
// another, as its log backend writes them, or the EventLists that its webhook backend sends.
//
// Source: k8s.io/apiserver pkg/apis/audit/v1/types.go, pkg/audit/request.go,
// plugin/pkg/audit/truncate.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "ksim/base/time.h"
#include "ksim/value/value.h"

namespace ksim::check {

// A request that was answered, as the event of its stage ResponseComplete tells it.
struct AuditEvent {
  AuditEvent() = default;
  int line = 0;  // of the file
  std::string id;
  std::string verb;
  std::string client;    // the user, impersonated or not, and its program
  std::string resource;  // deployments.apps; "" = no resource
  std::string ns, name, subresource;
  std::string uid, resource_version;  // of the reference: what the body of the request says
  std::string uri;
  VirtualTime received, completed;
  std::int64_t code = 0;
  value::Value request, response;  // the bodies; null if the level does not have them

  bool succeeded() const { return code >= 200 && code < 300; }
  bool is_dry_run() const { return uri.find("dryRun=") != std::string::npos; }
  std::string Object() const;  // "deployments.apps default/web"
  // "line 17 (2025-01-01T00:00:05.123456Z, auditID 5f4d...)"
  std::string Place() const;
};

// Calls `take` for each request that was answered, in the order of the log. `missing` says what of
// a log that ends within an event is not there. InvalidArgument, "line L column C: what", for what
// is no audit log.
absl::Status ReadAuditLog(std::string_view text, const std::function<void(const AuditEvent&)>& take,
                          std::string* missing);

// Whether the text begins with an audit event, or with a list of them.
bool IsAuditLog(std::string_view text);

}  // namespace ksim::check
