#include "ksim/api/identity.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "ksim/api/kinds.h"
#include "ksim/sim/decisions.h"

namespace ksim::api {

struct Identities::Impl {
  // Look-ups only: no iteration order reaches anything.
  absl::flat_hash_map<std::uint64_t, std::uint64_t> creations;  // by (owner, resource)
  absl::flat_hash_map<std::uint64_t, std::uint64_t> recorded;   // by ObjectHash
  absl::flat_hash_map<std::uint64_t, std::uint64_t> ordinals;   // by identity; 0 is left out
};

Identities::Identities() : impl_(std::make_unique<Impl>()) {}
Identities::~Identities() = default;

std::uint64_t Identities::NextGenerated(std::uint64_t owner, std::string_view resource) {
  const std::uint64_t family = sim::KeyOf(owner, sim::KeyOf(resource));
  const std::uint64_t ordinal = impl_->creations[family]++;
  const std::uint64_t identity = sim::KeyOf(family, ordinal);
  if (ordinal > 0) impl_->ordinals.emplace(identity, ordinal);
  return identity;
}

std::uint64_t Identities::OrdinalOf(std::uint64_t identity) const {
  const auto found = impl_->ordinals.find(identity);
  return found == impl_->ordinals.end() ? 0 : found->second;
}

void Identities::Record(std::string_view resource, std::string_view ns, std::string_view name,
                        std::uint64_t identity) {
  impl_->recorded.insert_or_assign(ObjectHash(resource, ns, name), identity);
}

std::uint64_t Identities::Of(std::string_view resource, std::string_view ns,
                             std::string_view name) const {
  return Of(ObjectHash(resource, ns, name));  // KeyOf its text
}

std::uint64_t Identities::Of(std::uint64_t object_hash) const {
  const auto found = impl_->recorded.find(object_hash);
  return found != impl_->recorded.end() ? found->second : object_hash;
}

}  // namespace ksim::api
