// LeaseServer: an API server with one Lease, which refuses stale versions; it can refuse, be late,
// or lose its answer. Several processes may talk to it.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ksim/api/lease.h"
#include "ksim/api/request.h"
#include "ksim/sim/simulation.h"

namespace ksim::client {

class LeaseServer : public api::Endpoint {
 public:
  explicit LeaseServer(sim::Simulation& sim) : sim_(sim) {}

  // A record that somebody else wrote.
  void Put(std::string_view holder, std::int64_t seconds, std::int64_t transitions = 0) {
    using value::Value;
    lease = api::Object::FromTree(
        value::Obj({{"apiVersion", Value::Of("coordination.k8s.io/v1")},
                    {"kind", Value::Of("Lease")},
                    {"metadata", value::Obj({{"name", Value::Of("lock")},
                                             {"namespace", Value::Of("kube-system")}})},
                    {"spec", value::Obj({{"holderIdentity", Value::Of(holder)},
                                         {"leaseDurationSeconds", Value::Of(seconds)},
                                         {"acquireTime", Value::Of("2001-01-01T00:00:00.000000Z")},
                                         {"renewTime", Value::Of("2001-01-01T00:00:00.000000Z")},
                                         {"leaseTransitions", Value::Of(transitions)}})}}),
        ++rv_);
  }
  std::string holder() const { return std::string(api::LeaseView(lease).holder()); }
  std::int64_t transitions() const { return api::LeaseView(lease).transitions(); }

  const std::string& name() const override { return name_; }
  bool accepting() const override { return up; }
  void Accept(api::Request request, absl::AnyInvocable<void(api::Response)> reply,
              std::shared_ptr<api::WatchSink>) override {
    log.emplace_back(sim_.now(), request.client + " " + std::string(api::ToString(request.verb)));
    if (silent.contains(request.client.str())) return;  // taken in by nobody
    api::Response response = Serve(request);
    if (mute.contains(request.client.str())) return;  // done, but the answer is lost
    reply(std::move(response));
  }
  void CloseWatch(std::uint64_t) override {}

  bool up = true;
  std::map<std::string, bool> silent, mute;  // by client
  api::Object lease;
  std::vector<std::pair<VirtualTime, std::string>> log;
  std::vector<std::string> Verbs() {
    std::vector<std::string> out;
    for (const auto& [time, line] : std::exchange(log, {})) out.push_back(line);
    return out;
  }

 private:
  static api::Response Refuse(api::Status status) {
    api::Response response;
    response.code = status.code;
    response.status = std::move(status);
    return response;
  }
  api::Response Serve(const api::Request& request) {
    const api::GroupResource leases("coordination.k8s.io", "leases");
    api::Response response;
    switch (request.verb) {
      case api::Verb::kGet:
        if (lease.empty()) return Refuse(api::NotFound(leases, "lock"));
        response.object = lease;
        return response;
      case api::Verb::kCreate:
        if (!lease.empty()) return Refuse(api::AlreadyExists(leases, "lock"));
        break;
      default: {
        const api::Object asked = api::Object::FromTree(request.WholeBody());
        if (lease.empty()) return Refuse(api::NotFound(leases, "lock"));
        if (asked.resource_version() != lease.resource_version())
          return Refuse(api::Conflict(leases, "lock", "changed"));
      }
    }
    lease = api::Object::FromTree(request.WholeBody()).WithResourceVersion(++rv_);
    response.object = lease;
    return response;
  }

  sim::Simulation& sim_;
  std::string name_ = "kube-apiserver-0";
  std::int64_t rv_ = 0;
};

}  // namespace ksim::client
