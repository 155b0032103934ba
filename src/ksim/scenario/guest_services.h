// GuestServices: which guest a webhook's clientConfig leads to. Guests are no pods, and nobody
// makes endpoints of them: a service leads to the guest of its own name, and to one that names it
// (cluster.guests[].services); a URL also to the guest of its host.
//
// Source: kube-proxy picks one of the endpoints of a service for each connection.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ksim/apiserver/webhooks.h"
#include "ksim/scenario/scenario.h"
#include "ksim/sim/decisions.h"

namespace ksim::scenario {

// Whether a connection to the target leads to the guest, whatever listens there.
bool LeadsTo(const GuestSpec& guest, const apiserver::WebhookTarget& target);

class GuestServices final : public apiserver::WebhookDirectory {
 public:
  // A process that may listen.
  struct Replica {
    Replica() = default;
    std::string name;
    std::function<std::vector<std::int32_t>()> ports;  // where it listens now, in order
    std::function<apiserver::WebhookServer&(std::int32_t port)> server;
  };

  // `others` finds what is no guest; null: nobody. All outlive the directory.
  GuestServices(sim::Decisions& decisions, apiserver::WebhookDirectory* others)
      : decisions_(decisions), others_(others) {}
  void Add(const GuestSpec& guest, std::vector<Replica> replicas);

  apiserver::WebhookServer* Find(const apiserver::WebhookTarget& target,
                                 std::uint64_t key) override;

 private:
  struct Group {
    Group() = default;
    std::string name;
    std::vector<std::string> services;  // NAMESPACE/NAME
    std::vector<Replica> replicas;
  };
  // The replicas that a target leads to.
  std::vector<const Replica*> ReplicasOf(const apiserver::WebhookTarget& target) const;

  sim::Decisions& decisions_;
  apiserver::WebhookDirectory* others_;
  std::vector<Group> groups_;
};

}  // namespace ksim::scenario
