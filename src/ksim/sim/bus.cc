#include "ksim/sim/bus.h"

#include <algorithm>
#include <utility>

#include "ksim/base/check.h"

namespace ksim::sim {

void Bus::Subscribe(Stage stage, Subscriber s) {
  KSIM_CHECK(!publishing_) << "subscribed from inside a subscriber";
  const auto place =
      std::find_if(subscribers_.begin(), subscribers_.end(),
                   [stage](const auto& subscriber) { return subscriber.first > stage; });
  subscribers_.emplace(place, stage, std::move(s));
}

void Bus::Publish(const Event& e) {
  KSIM_CHECK(!publishing_) << "emitted from inside a subscriber; Defer it";
  KSIM_CHECK(e.seq == last_seq_ + 1);
  last_seq_ = e.seq;
  publishing_ = true;
  for (const auto& subscriber : subscribers_) subscriber.second(e);
  publishing_ = false;
}

}  // namespace ksim::sim
