#include "ksim/api/identity.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "ksim/api/kinds.h"
#include "ksim/sim/decisions.h"

namespace ksim::api {

struct Identities::Impl {
  // Look-ups only: no iteration order reaches anything.
  absl::flat_hash_map<std::uint64_t, std::uint64_t> creations;  // by (owner, resource)
  absl::flat_hash_map<std::string, std::uint64_t> recorded;     // by resource/ns/name
};

namespace {

std::string Subject(std::string_view resource, std::string_view ns, std::string_view name) {
  std::string subject;
  subject.reserve(resource.size() + ns.size() + name.size() + 2);
  return subject.append(resource).append("/").append(ns).append("/").append(name);
}

}  // namespace

Identities::Identities() : impl_(std::make_unique<Impl>()) {}
Identities::~Identities() = default;

std::uint64_t Identities::NextGenerated(std::uint64_t owner, std::string_view resource) {
  const std::uint64_t family = sim::KeyOf(owner, sim::KeyOf(resource));
  const std::uint64_t ordinal = impl_->creations[family]++;
  return sim::KeyOf(family, ordinal);
}

void Identities::Record(std::string_view resource, std::string_view ns, std::string_view name,
                        std::uint64_t identity) {
  impl_->recorded.insert_or_assign(Subject(resource, ns, name), identity);
}

std::uint64_t Identities::Of(std::string_view resource, std::string_view ns,
                             std::string_view name) const {
  const std::string subject = Subject(resource, ns, name);
  const auto found = impl_->recorded.find(subject);
  return found != impl_->recorded.end() ? found->second : sim::KeyOf(subject);
}

}  // namespace ksim::api
