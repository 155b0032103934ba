// WatchHandler: opens the watches that clients ask one API server for: admits the request,
// validates its options, and has the watch cache, or etcd itself, serve it from then on.
//
// Source: apiserver pkg/endpoints/handlers/get.go ListResource (forceWatch), watch.go
// serveWatchHandler.
#pragma once
#include <functional>
#include <memory>

#include "ksim/api/request.h"
#include "ksim/apiserver/audit.h"
#include "ksim/apiserver/core/request_context.h"
#include "ksim/apiserver/handlers/handler.h"
#include "ksim/apiserver/server.h"
#include "ksim/apiserver/server/open_watches.h"
#include "ksim/sim/task.h"

namespace ksim::apiserver {

// The request for a watch, until it is answered.
struct WatchCall {
  using Reply = absl::AnyInvocable<void(api::Response)>;
  WatchCall(std::unique_ptr<RequestContext> c, Reply r, std::shared_ptr<api::WatchSink> s)
      : rc(std::move(c)), reply(std::move(r)), sink(std::move(s)) {}
  std::unique_ptr<RequestContext> rc;
  Reply reply;
  std::shared_ptr<api::WatchSink> sink;
};

class WatchHandler {
 public:
  // `lifetime_site`: where the lifetimes of watches without a timeout are drawn. `audit` may be
  // null.
  WatchHandler(sim::Process& process, const Shared& shared, Handler& handler, Resources& resources,
               OpenWatches& watches, sim::SiteId lifetime_site, AuditLog* audit)
      : process_(process),
        shared_(shared),
        profile_(apiserver::ProfileOf(shared.compat)),
        handler_(handler),
        resources_(resources),
        watches_(watches),
        lifetime_site_(lifetime_site),
        audit_(audit) {}

  // Refuses the watch, or opens it and returns once the rest is waiting.
  sim::Task<void> Serve(std::unique_ptr<WatchCall> call);

 private:
  struct Opened;
  sim::Task<Opened> Open(WatchCall& call);
  void ExpireByFault(Cacher& cacher, const WatchQuery& query, const api::Request& request) const;
  Duration DrawLifetime(const api::Request& request) const;
  WatchCall::Reply Audited(WatchCall::Reply reply, const RequestContext& rc) const;

  sim::Process& process_;
  const Shared& shared_;
  const Profile& profile_;
  Handler& handler_;
  Resources& resources_;
  OpenWatches& watches_;
  sim::SiteId lifetime_site_;
  AuditLog* audit_;
};

}  // namespace ksim::apiserver
