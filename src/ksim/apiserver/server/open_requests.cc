#include "ksim/apiserver/server/open_requests.h"

#include <algorithm>
#include <utility>

#include "ksim/apiserver/core/audit_event.h"
#include "ksim/sim/probe.h"

namespace ksim::apiserver {
namespace {

bool WritesOneObject(const api::Request& request) {
  switch (request.verb) {
    case api::Verb::kCreate:
    case api::Verb::kUpdate:
    case api::Verb::kPatch:
    case api::Verb::kDelete:
      return true;
    default:
      return false;
  }
}

// The handler of a write waits for its work and words the timeout itself (finisher.go); a filter
// around all handlers does so for other requests (timeout.go).
api::Response TimedOut(const RequestContext& rc) {
  api::Response response;
  response.status = api::TimeoutError(
      WritesOneObject(rc.request())
          ? "request did not complete within requested timeout - context deadline exceeded"
          : "request did not complete within the allotted timeout",
      0);
  response.code = response.status.code;
  return response;
}

}  // namespace

OpenRequests::~OpenRequests() { process_.simulation().CancelCall(alarm_); }

std::list<OpenRequests::Open>& OpenRequests::QueueOf(const RequestContext& rc) {
  return WritesOneObject(rc.request()) ? writes_ : others_;
}

OpenRequests::Place OpenRequests::Add(RequestContext& rc, OpenRequests::Reply reply) {
  std::list<Open>& queue = QueueOf(rc);
  const Duration timeout = &queue == &writes_ ? kWriteTimeout : kRequestTimeout;
  sim::Simulation& sim = process_.simulation();
  sim::Context worker = sim.context();
  worker.process = &process_;
  worker.actor = process_.actor();
  queue.emplace_back(rc, std::move(reply), process_.SteadyNow() + timeout, worker);
  // A write may be due before the reads that came before it.
  if (queue.back().deadline < alarm_at_) SetAlarm();
  return std::prev(queue.end());
}

void OpenRequests::Answer(Place place, RequestContext& rc, api::Response&& response) {
  if (rc.abandoned()) return;
  Send(*place, std::move(response));
  QueueOf(rc).erase(place);
}

void OpenRequests::Send(Open& open, api::Response&& response) {
  response.warnings = std::exchange(open.rc.warnings, {});
  Audit(audit_, AuditStage::kResponseComplete, open.rc, &response);
  open.reply(std::move(response));
}

void OpenRequests::DropAll() {
  for (std::list<Open>* queue : {&writes_, &others_}) {
    for (const std::list<Open> dropped = std::exchange(*queue, {}); const Open& open : dropped)
      open.rc.Abandon();
  }
}

// Sets the alarm for the earliest deadline of the open requests. A request that is done before its
// deadline leaves the alarm as it is.
void OpenRequests::SetAlarm() {
  VirtualTime earliest = VirtualTime::Max();
  for (const std::list<Open>* queue : {&writes_, &others_}) {
    if (!queue->empty()) earliest = std::min(earliest, queue->front().deadline);
  }
  process_.simulation().CancelCall(alarm_);
  alarm_at_ = earliest;
  if (alarm_at_ == VirtualTime::Max()) return;
  const Duration left = earliest - process_.SteadyNow();
  alarm_ = process_.After(left, sim::TimerKind::kPeriodic, "request timeout", [this] {
    EndOverdue(writes_);
    EndOverdue(others_);
    SetAlarm();
  });
}

void OpenRequests::EndOverdue(std::list<Open>& queue) {
  sim::Simulation& sim = process_.simulation();
  while (!queue.empty() && queue.front().deadline <= process_.SteadyNow()) {
    KSIM_PROBE("apiserver/request-timed-out");
    Open& open = queue.front();
    sim.context() = open.worker;
    open.rc.Abandon();
    Send(open, TimedOut(open.rc));
    queue.pop_front();
  }
}

}  // namespace ksim::apiserver
