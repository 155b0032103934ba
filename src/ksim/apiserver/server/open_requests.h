// OpenRequests: the requests, watches apart, that one API server is working on. Each has a
// deadline: there the caller is told so, and what still works on the request writes nothing more.
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
  // `rc` must outlive the work on it. To be called as whom the request came from.
  Place Add(RequestContext& rc, Reply reply);
  // The work is done: replies, unless the request was abandoned (`rc` says so), which is then gone
  // from its place.
  void Answer(Place place, RequestContext& rc, api::Response&& response);
  // The connections are gone: all are abandoned, and nobody is answered.
  void DropAll();

 private:
  std::list<Open>& QueueOf(const RequestContext& rc);
  void Send(Open& open, api::Response&& response);
  void SetAlarm();
  void EndOverdue(std::list<Open>& queue);

  sim::Process& process_;
  AuditLog* audit_;
  std::list<Open> writes_, others_;  // the earliest deadline first
  bool alarmed_ = false;
  sim::Simulation::SlotRef alarm_;
};

struct OpenRequests::Open {
  Open(RequestContext& c, OpenRequests::Reply r, VirtualTime d, const sim::Context& w)
      : rc(c), reply(std::move(r)), deadline(d), worker(w) {}
  RequestContext& rc;
  OpenRequests::Reply reply;
  VirtualTime deadline;
  sim::Context worker;  // on whose behalf the caller is told that time is up
};

}  // namespace ksim::apiserver
