#include "ksim/sim/bus.h"

#include <algorithm>
#include <utility>

#include "ksim/base/check.h"

namespace ksim::sim {

void Bus::Subscribe(Stage stage, EventKinds kinds, Subscriber take) {
  KSIM_CHECK(!publishing_) << "subscribed from inside a subscriber";
  const auto place = std::find_if(subscriptions_.begin(), subscriptions_.end(),
                                  [stage](const Subscription& s) { return s.stage > stage; });
  subscriptions_.insert(place, Subscription{stage, kinds, std::move(take)});
  read_.Add(kinds);
}

void Bus::Publish(const Event& e) {
  KSIM_CHECK(!publishing_) << "emitted from inside a subscriber; Defer it";
  KSIM_CHECK(e.seq == last_seq_ + 1);
  last_seq_ = e.seq;
  publishing_ = true;
  for (const Subscription& s : subscriptions_)
    if (s.kinds.Has(e.kind)) s.take(e);
  publishing_ = false;
}

}  // namespace ksim::sim
