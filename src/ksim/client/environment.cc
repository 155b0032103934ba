#include "ksim/client/client.h"
#include "ksim/sim/ask_counter.h"

namespace ksim::client {

Environment::Environment(sim::Simulation& s, sim::Network& n, api::Kinds& k, api::Compat c)
    : sim(s),
      network(n),
      kinds(k),
      compat(c),
      variants(api::DefaultVariants(c)),
      ordinals_(std::make_unique<sim::AskCounter>()) {}

Environment::~Environment() = default;

std::uint64_t Environment::NextOrdinal(std::uint64_t key) {
  return ordinals_->CountUp(0, key, 0) + 1;
}

}  // namespace ksim::client
