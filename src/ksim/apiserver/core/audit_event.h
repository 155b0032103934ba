// Audit events: one stage of one request, as the audit log records it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "ksim/api/request.h"
#include "ksim/apiserver/audit.h"
#include "ksim/apiserver/core/request_context.h"

namespace ksim::apiserver {

// kResponseStarted comes with watches only. Panic has no counterpart.
enum class AuditStage : std::uint8_t { kRequestReceived, kResponseStarted, kResponseComplete };
std::string_view ToString(AuditStage stage);  // "RequestReceived" ...

// A UUID of version 4 in form: a hash of the text and no draw, for what is told must not change the
// run.
std::string HashedUuid(std::string_view of);
// The id of a request in the audit log of the API server `server`, a UUID; also its Audit-Id
// header.
std::string AuditId(std::string_view server, std::uint64_t request);

// Adds the event to the log, if there is one. `response` is null before there is a response.
void Audit(AuditLog* log, AuditStage stage, const RequestContext& rc,
           const api::Response* response);

}  // namespace ksim::apiserver
