// SliceChanges: what a sync makes of the EndpointSlices of a Service at one type of address, before
// anything is written.
#pragma once
#include <string>
#include <vector>

#include "ksim/controllers/endpointutil/slice_draft.h"

namespace ksim::controllers {

struct SliceChanges {
  SliceChanges() = default;
  void Append(SliceChanges other);

  std::vector<SliceDraft> create, update, erase;
};

// The existing slices that are neither written nor deleted.
std::vector<SliceDraft> UnchangedSlices(const std::vector<SliceDraft>& existing,
                                        const SliceChanges& changes);

bool IsReadyEndpoint(const value::Value& endpoint);

}  // namespace ksim::controllers
