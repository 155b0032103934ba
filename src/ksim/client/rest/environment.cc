// Environment (include/ksim/client/client.h): ordinals and identities behind the keys of draws.
#include "absl/container/flat_hash_map.h"
#include "ksim/client/client.h"
#include "ksim/sim/ask_counter.h"

namespace ksim::client {

// The values that were asked for so far. Looked up only, never walked.
struct Environment::ResourceNames {
  absl::flat_hash_map<const api::ResourceInfo*, std::unique_ptr<const std::string>> names;
};

Environment::Environment(sim::Simulation& s, sim::Network& n, api::Kinds& k, api::Compat c)
    : sim(s),
      network(n),
      kinds(k),
      compat(c),
      variants(api::DefaultVariants(c)),
      ordinals_(std::make_unique<sim::AskCounter>()),
      resource_names_(std::make_unique<ResourceNames>()) {}

Environment::~Environment() = default;

const std::string& Environment::NameOf(const api::ResourceInfo& r) {
  std::unique_ptr<const std::string>& name = resource_names_->names[&r];
  if (name == nullptr) {
    const api::ResourceInfo* const plain = kinds.ByName(r.resource);
    const bool alone = r.custom || plain == nullptr || plain->group == r.group;
    name = std::make_unique<const std::string>(alone ? r.known_as() : r.group_resource());
  }
  return *name;
}

std::uint64_t Environment::NextOrdinal(std::uint64_t key) {
  return ordinals_->CountUp(0, key, 0) + 1;
}

}  // namespace ksim::client
