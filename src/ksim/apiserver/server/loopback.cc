#include "ksim/apiserver/server/loopback.h"

#include <utility>

#include "ksim/apiserver/core/audit_event.h"

namespace ksim::apiserver {

sim::Task<api::Response> Loopback::Do(api::Request request) {
  request.actor = process_.actor();
  request.client = process_.name();
  request.user = "system:apiserver";
  if (request.event == 0) request.event = process_.simulation().context().cause;
  RequestContext rc(process_, std::move(request));
  const api::Status admitted = handler_.Admit(rc);
  if (!admitted.ok()) co_return ErrorResponse(admitted);
  api::Response response = co_await handler_.Handle(rc);
  Audit(audit_, AuditStage::kResponseComplete, rc, &response);
  co_return response;
}

}  // namespace ksim::apiserver
