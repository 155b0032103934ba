#include "ksim/controllers/common/pod_availability.h"

#include <algorithm>

#include "ksim/api/pod.h"

namespace ksim::controllers {

std::optional<Duration> NextPodAvailability(const std::vector<api::Object>& pods,
                                            Duration min_ready, VirtualTime evaluated,
                                            VirtualTime now) {
  std::optional<Duration> least;
  for (const api::Object& pod : pods) {
    const api::PodView view(pod);
    const std::optional<VirtualTime> since = view.ready_since();
    if (!view.ready() || !since || *since + min_ready <= evaluated) continue;
    const Duration left = *since + min_ready - evaluated;
    if (!least || left < *least) least = left;
  }
  if (!least) return std::nullopt;
  return std::max(Duration(), *least - (now - evaluated));
}

}  // namespace ksim::controllers
