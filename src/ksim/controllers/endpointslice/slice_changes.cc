#include "ksim/controllers/endpointslice/slice_changes.h"

#include <iterator>
#include <set>
#include <utility>

namespace ksim::controllers {

void SliceChanges::Append(SliceChanges other) {
  for (auto& [to, from] : {std::pair(&create, &other.create), std::pair(&update, &other.update),
                           std::pair(&erase, &other.erase)})
    to->insert(to->end(), std::make_move_iterator(from->begin()),
               std::make_move_iterator(from->end()));
}

std::vector<SliceDraft> UnchangedSlices(const std::vector<SliceDraft>& existing,
                                        const SliceChanges& changes) {
  std::set<std::string> changed;
  for (const SliceDraft& slice : changes.update) changed.insert(slice.name());
  for (const SliceDraft& slice : changes.erase) changed.insert(slice.name());
  std::vector<SliceDraft> unchanged;
  for (const SliceDraft& slice : existing)
    if (!changed.contains(slice.name())) unchanged.push_back(slice);
  return unchanged;
}

bool IsReadyEndpoint(const value::Value& endpoint) {
  return endpoint.Get("conditions").Get("ready").AsBool();
}

}  // namespace ksim::controllers
