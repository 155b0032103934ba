// OpenRequests: the requests, watches apart, that one API server is working on. At its deadline a
// request is answered with a timeout, and the task that still works on it writes nothing more.
// Nearly all are done long before, so no timer waits for each: one alarm is set for the earliest
// deadline.
//
// Source: apiserver pkg/endpoints/handlers/rest.go requestTimeoutUpperBound, finisher/finisher.go
// FinishRequest; pkg/server/config.go RequestTimeout, pkg/server/filters/timeout.go.
#pragma once
#include <list>

#include "absl/functional/any_invocable.h"
#include "ksim/api/request.h"
#include "ksim/apiserver/audit.h"
#include "ksim/apiserver/core/request_context.h"
#include "ksim/base/time.h"
#include "ksim/sim/process.h"

namespace ksim::apiserver {

class OpenRequests {
 public:
  using Reply = absl::AnyInvocable<void(api::Response)>;
  static constexpr Duration kWriteTimeout = Seconds(34);    // of one object
  static constexpr Duration kRequestTimeout = Seconds(60);  // of anything else

  // `audit` may be null.
  OpenRequests(sim::Process& process, AuditLog* audit) : process_(process), audit_(audit) {}
  ~OpenRequests();
  OpenRequests(const OpenRequests&) = delete;
  OpenRequests& operator=(const OpenRequests&) = delete;

  struct Open;
  using Place = std::list<Open>::iterator;
  // `rc` must outlive the work on the request. Call it in the step that received the request.
  Place Add(RequestContext& rc, Reply reply);
  // Sends the response, unless the request has been abandoned: then `place` is no longer valid.
  void Answer(Place place, RequestContext& rc, api::Response&& response);
  // Abandons all requests, as when their connections break; none of them is answered.
  void DropAll();

 private:
  std::list<Open>& QueueOf(const RequestContext& rc);
  void Send(Open& open, api::Response&& response);
  void SetAlarm();
  void EndOverdue(std::list<Open>& queue);

  sim::Process& process_;
  AuditLog* audit_;
  std::list<Open> writes_, others_;            // the earliest deadline first
  VirtualTime alarm_at_ = VirtualTime::Max();  // Max: there is no alarm
  sim::Simulation::SlotRef alarm_;
};

struct OpenRequests::Open {
  Open(RequestContext& c, OpenRequests::Reply r, VirtualTime d, const sim::Context& w)
      : rc(c), reply(std::move(r)), deadline(d), worker(w) {}
  RequestContext& rc;
  OpenRequests::Reply reply;
  VirtualTime deadline;
  sim::Context worker;  // the context that the timeout's response is sent in
};

}  // namespace ksim::apiserver
