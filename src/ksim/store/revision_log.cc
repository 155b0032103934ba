#include "ksim/store/revision_log.h"

#include <algorithm>

namespace ksim::store {

std::size_t RevisionLog::LowerBound(Revision revision) const {
  const auto it = std::lower_bound(
      entries_.begin(), entries_.end(), revision,
      [](const LoggedChange& change, Revision r) { return change.revision() < r; });
  return static_cast<std::size_t>(it - entries_.begin());
}

}  // namespace ksim::store
