#include "ksim/sim/long_waits.h"

#include <algorithm>
#include <utility>

namespace ksim::sim {

void LongWaits::Add(std::weak_ptr<LongWait> wait) {
  waits_.push_back(std::move(wait));
  if (waits_.size() <= most_) return;
  std::erase_if(waits_, [](const std::weak_ptr<LongWait>& w) { return w.expired(); });
  most_ = std::max(most_, 2 * waits_.size());
}

bool LongWaits::BecomeWork(VirtualTime by) {
  bool any = false;
  for (const std::weak_ptr<LongWait>& w : waits_)
    if (const std::shared_ptr<LongWait> wait = w.lock()) any |= wait->BecomeWork(by);
  return any;
}

}  // namespace ksim::sim
