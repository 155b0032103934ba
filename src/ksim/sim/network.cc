#include "ksim/sim/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ksim::sim {

Channel::Channel(Network& network, std::string_view from, std::string_view to,
                 std::string_view subject, Order order)
    : network_(network), order_(order) {
  Simulation& sim = network.simulation();
  const std::string link = fmt::format("{}/{}/{}", from, to, subject);
  latency_site_ = sim.decisions().Site("latency/" + link);
  delay_site_ = sim.decisions().Site("delay/" + link);
  chain_ = sim.NewChain(link);
}

void Channel::Send(std::uint64_t key, absl::AnyInvocable<void()> deliver) {
  Simulation& sim = network_.simulation();
  Decisions& decisions = sim.decisions();
  const LatencyRange range = network_.latency();
  Duration delay = decisions.DrawDuration(latency_site_, key, range.min, range.max);
  delay += kExtraDelays[decisions.Choose(delay_site_, key, kExtraDelays.size())];
  VirtualTime at = sim.now() + delay;
  if (order_ == Order::kOrdered) last_ = at = std::max(at, last_);
  ChainId chain = chain_;
  if (order_ == Order::kUnordered) chain.item = std::max<std::uint64_t>(key, 1);
  sim.After(at - sim.now(), TimerKind::kWork, "message", std::move(deliver), chain);
}

}  // namespace ksim::sim
