#include "tests/whole/churn/two_servers.h"

#include <fmt/format.h>

#include <utility>

namespace ksim::churn {
namespace {

sim::SimulationOptions Seeded(std::uint64_t seed) {
  sim::SimulationOptions options;
  options.seed = seed;
  return options;
}

}  // namespace

TwoServers::TwoServers(std::uint64_t seed, api::Compat compat, const Watcher& watcher)
    : sim(Seeded(seed)),
      network(sim, sim::LatencyRange()),
      hooks(sim),
      env(sim, network, kinds, compat),
      etcd(network, store::EtcdOptions()),
      shared_(sim, network, kinds, identities, compat) {
  env.identities = &identities;
  env.faults = &hooks;
  sim.bus().Subscribe(sim::Bus::Stage::kOracle, watcher);
  etcd.process().Start();
  for (int i = 0; i < 2; ++i) {
    apiserver::ServerOptions options;
    options.name = fmt::format("kube-apiserver-{}", i);
    servers_.push_back(std::make_unique<apiserver::Server>(shared_, etcd, options));
    servers_.back()->Start();
    while (!servers_.back()->ready()) sim.Step();
  }
}

api::Request TwoServers::About(api::Verb verb, std::string_view resource, std::string name) const {
  api::Request request;
  request.verb = verb;
  request.resource = kinds.ByName(resource);
  request.ns = "default";
  request.name = std::move(name);
  request.user = "system:admin";
  request.client = "kubectl";
  request.actor = sim::ActorId::Of("kubectl");
  return request;
}

void TwoServers::Send(api::Request request, std::size_t to) {
  request.id = env.next_request_id++;
  server(to).endpoint().Accept(std::move(request), [](api::Response) {}, nullptr);
}

}  // namespace ksim::churn
