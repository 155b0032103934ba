#include "ksim/api/core/kind_service.h"

#include <utility>

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"

namespace ksim::api {

bool IsServed(const ResourceInfo& kind, Compat compat) {
  const auto gate = SpecOf(kind).served;
  return gate == nullptr || ProfileOf(compat).*gate;
}

std::vector<const ResourceInfo*> ServedKinds(const Kinds& kinds, Compat compat) {
  std::vector<const ResourceInfo*> served;
  for (const ResourceInfo* const kind : kinds.all())
    if (IsServed(*kind, compat)) served.push_back(kind);
  return served;
}

bool IsCachedFromStart(const ResourceInfo& kind) { return SpecOf(kind).cached_from_start; }

bool HasApproval(const ResourceInfo& kind) { return SpecOf(kind).prepare_approval != nullptr; }

Conversion ToStoredForm(const ResourceInfo& kind) { return SpecOf(kind).to_stored; }
Conversion FromStoredForm(const ResourceInfo& kind) { return SpecOf(kind).from_stored; }

value::Value WithCreator(const ResourceInfo& kind, value::Value tree, std::string_view user,
                         const std::vector<std::string>& groups) {
  const auto record = SpecOf(kind).record_creator;
  return record == nullptr ? tree : record(std::move(tree), user, groups);
}

}  // namespace ksim::api
