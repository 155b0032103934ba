// RequestContext: one request on its way through the pipeline, and the trace of its stages.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/request.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/core/in_flight_place.h"
#include "ksim/apiserver/core/payloads.h"
#include "ksim/apiserver/core/user.h"
#include "ksim/apiserver/core/write_context.h"
#include "ksim/sim/process.h"

namespace ksim::apiserver {

class RequestContext {
 public:
  RequestContext(sim::Process& process, api::Request&& request)
      : process_(process),
        request_(std::move(request)),
        received_(process.Now()),
        arrived_(process.SteadyNow()) {}
  RequestContext(const RequestContext&) = delete;
  RequestContext& operator=(const RequestContext&) = delete;

  const api::Request& request() const { return request_; }
  // An eviction says so in its body too.
  void MakeDryRun() { request_.dry_run = true; }
  const api::ResourceInfo& resource() const { return *request_.resource; }
  api::GroupResource group_resource() const {
    return api::GroupResource(resource().group, resource().resource);
  }
  sim::Process& process() { return process_; }
  const sim::Process& process() const { return process_; }
  VirtualTime now() const { return process_.Now(); }
  VirtualTime received() const { return received_; }  // by the server's clock
  VirtualTime arrived() const { return arrived_; }    // the same by its monotonic clock

  const User* user = nullptr;        // the authenticator's; null until it was asked
  std::optional<bool> authorized;    // nullopt until the authorizer was asked
  std::string authorization_reason;  // of its decision
  InFlightPlace in_flight;
  const std::function<CommitFault(const api::Request&)>* commit_fault = nullptr;  // CommitHook
  std::vector<std::string> warnings;
  // The key of draws about the object being created (api/identity.h).
  std::uint64_t identity = 0;

  // Adds a warning to the response, once.
  void Warn(std::string text) {
    if (std::find(warnings.begin(), warnings.end(), text) == warnings.end())
      warnings.push_back(std::move(text));
  }

  // Adds an annotation to the audit events of the request. The first of a key counts.
  void Annotate(std::string key, std::string text) {
    annotations_.try_emplace(std::move(key), std::move(text));
  }
  const std::map<std::string, std::string>& annotations() const { return annotations_; }

  // The request has timed out or its connection is gone: a write under way may still succeed, but
  // no further write begins.
  void Abandon() { abandoned_ = true; }
  bool abandoned() const { return abandoned_; }

  // Emits that the stage is done; with a `refusal`, that it refused the request and why.
  void PassStage(Stage stage, const SharedText& refusal = {});
  // Emits the stage's end by `status`, and returns it. A refusal is emitted once, by the stage that
  // it comes from.
  const api::Status& EndStage(Stage stage, const api::Status& status);

  WriteContext write() const {
    WriteContext w;
    w.origin = store::WriteOrigin(request_.actor, request_.id);
    w.dry_run = request_.dry_run;
    w.abandoned = &abandoned_;
    w.hook.ask = commit_fault;
    w.hook.request = &request_;
    w.hook.sim = &process_.simulation();
    return w;
  }

 private:
  sim::Process& process_;
  api::Request request_;
  VirtualTime received_;
  VirtualTime arrived_;
  SharedText last_refusal_;
  std::map<std::string, std::string> annotations_;
  bool abandoned_ = false;
};

}  // namespace ksim::apiserver
