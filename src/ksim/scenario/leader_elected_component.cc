#include "ksim/scenario/leader_elected_component.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/client/rest/component_limits.h"

namespace ksim::scenario {
namespace {

// Half the renew deadline (resourcelock.NewFromKubeconfig).
constexpr Duration kLeaseTimeout = Seconds(5);

client::ClientOptions LeaseClient(api::Compat compat) {
  client::ClientOptions options = client::LimitedAs(client::Limits::kControllerManager, compat,
                                                    "system:kube-controller-manager");
  options.timeout = kLeaseTimeout;
  return options;
}

// HOSTNAME_UUID: unlike that of an earlier run of the same replica.
client::LeaderElectionOptions ElectionOptions(sim::Process& process, const std::string& lease) {
  client::LeaderElectionOptions options;
  options.name = lease;
  options.identity = fmt::format("{}_{}", process.name(), process.incarnation());
  return options;
}

}  // namespace

void ElectionGroup::Joins(sim::Process&) {
  ++living_;
  HoldOrRelease();
}

void ElectionGroup::Leads(sim::Process& replica) {
  leading_.push_back(&replica);
  HoldOrRelease();
}

void ElectionGroup::Leaves(sim::Process& replica) {
  --living_;
  std::erase(leading_, &replica);
  HoldOrRelease();
}

void ElectionGroup::HoldOrRelease() {
  const bool wanted = living_ > 0 && leading_.empty();
  if (wanted && !held_) sim_.HoldWork();
  if (!wanted && held_) sim_.ReleaseWork();
  held_ = wanted;
}

ElectedBody::ElectedBody(sim::Process& process, client::Connection& connection,
                         client::InformerFactory& informers, ElectionGroup& group, Build build)
    : env_(connection.env()),
      process_(process),
      informers_(informers),
      group_(group),
      build_(std::move(build)),
      client_(connection, process.actor(), LeaseClient(connection.compat())),
      elector_(client_, ElectionOptions(process, group.lease()), [this] {
        client::LeaderCallbacks callbacks;
        callbacks.started = [this] { Lead(); };
        callbacks.stopped = [this] { Stop(); };
        return callbacks;
      }()) {
  group_.Joins(process_);
  elector_.Start();
}

ElectedBody::~ElectedBody() { group_.Leaves(process_); }

void ElectedBody::Lead() {
  EmitActor(process_.simulation(), process_, "lead");
  group_.Leads(process_);
  controllers_ = build_();
  for (const auto& controller : controllers_) controller->Start();
  informers_.Start();
}

void ElectedBody::Stop() {
  EmitActor(process_.simulation(), process_, "lose");
  ExitAndRestart(env_, process_);
}

bool ElectedBody::HasWorkAhead(const controllers::Heartbeats& heartbeats) const {
  return std::any_of(controllers_.begin(), controllers_.end(),
                     [&heartbeats](const auto& c) { return c->HasWorkAhead(heartbeats); });
}

}  // namespace ksim::scenario
