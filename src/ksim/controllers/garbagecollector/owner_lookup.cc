#include "ksim/controllers/garbagecollector/owner_lookup.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/api/status.h"
#include "ksim/controllers/common/finalizers.h"

namespace ksim::controllers {

// An owner as the API server has it.
struct OwnerLookup::Found {
  Found() = default;
  explicit Found(Outcome o) : outcome(std::move(o)) {}
  Outcome outcome;
  api::Object owner;  // empty: it is absent
};

sim::Task<OwnerLookup::Found> OwnerLookup::Find(NodePtr item, Owner owner) {
  const std::string& ns = item->identity.ns;
  ObjectIdentity key = owner.In("");
  if (absent_.Has(key) || absent_.Has(owner.In(ns))) co_return Found();
  const api::ResourceInfo* const resource = kinds_.Find(owner.api_version, owner.kind);
  if (resource == nullptr) {
    co_return Found(Outcome::Failed(
        fmt::format("unable to get REST mapping for {}/{}.", owner.api_version, owner.kind)));
  }
  if (resource->namespaced) key.ns = ns;
  if (resource->namespaced && ns.empty())
    co_return Found(Outcome(Outcome::Kind::kOwnerOfWrongScope));
  if (requests_.LooksInWrongScope(*resource, ns)) {
    absent_.Add(key);
    co_return Found();
  }
  const client::Client::ObjectResult got = co_await requests_.GetOwner(resource, ns, owner.name);
  if (!got.ok() && !api::IsNotFound(got.status())) co_return Found(Outcome::Of(got));
  Found found;
  if (got.ok() && got->uid() == owner.uid)
    found.owner = *got;
  else
    absent_.Add(key);
  co_return found;
}

sim::Task<ClassifiedOwners> OwnerLookup::Classify(NodePtr item, Owners owners) {
  ClassifiedOwners out;
  for (const Owner& owner : owners) {
    const Found found = co_await Find(item, owner);
    if (!found.outcome.ok()) {
      out.outcome = found.outcome;
      co_return out;
    }
    if (found.owner.empty())
      out.absent.push_back(owner.uid);
    else if (found.owner.deleting() && HasFinalizer(found.owner, kForegroundFinalizer))
      out.waiting.push_back(owner.uid);
    else
      out.solid.push_back(owner.uid);
  }
  co_return out;
}

}  // namespace ksim::controllers
