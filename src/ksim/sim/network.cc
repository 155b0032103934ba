#include "ksim/sim/network.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"

namespace ksim::sim {

void Network::Cut(std::string_view a, std::string_view b) {
  cuts_.emplace_back(std::min(a, b), std::max(a, b));
}

void Network::Mend(std::string_view a, std::string_view b) {
  const std::pair<std::string, std::string> cut(std::min(a, b), std::max(a, b));
  const auto it = std::find(cuts_.begin(), cuts_.end(), cut);
  if (it == cuts_.end()) return;
  cuts_.erase(it);
  std::vector<Waiting> still;
  const Context before = sim_.context();
  for (Waiting& w : std::exchange(waiting_, {})) {
    if (IsCut(w.from, w.to)) {
      still.push_back(std::move(w));
      continue;
    }
    sim_.context() = w.context;
    w.send();
  }
  sim_.context() = before;
  waiting_ = std::move(still);
}

bool Network::IsCut(std::string_view a, std::string_view b) const {
  const auto same = [&](const std::pair<std::string, std::string>& cut) {
    return cut.first == std::min(a, b) && cut.second == std::max(a, b);
  };
  return std::any_of(cuts_.begin(), cuts_.end(), same);
}

namespace {
constexpr std::string_view kLatency = "latency/", kDelay = "delay/";
}

Channel::Channel(Network& network, std::string_view from, std::string_view to,
                 std::string_view subject, Order order, Keys keys)
    : network_(network),
      from_size_(static_cast<std::uint32_t>(from.size())),
      to_size_(static_cast<std::uint32_t>(to.size())),
      keys_(keys) {
  Decisions& decisions = network.simulation().decisions();
  // Hundreds are made when a cluster starts: one text serves all three names.
  absl::InlinedVector<char, 128> text(kLatency.size() + from.size() + to.size() + subject.size() +
                                      2);
  char* const rest = std::copy(kLatency.begin(), kLatency.end(), text.data());
  char* end = std::copy(from.begin(), from.end(), rest);
  *end++ = '/';
  end = std::copy(to.begin(), to.end(), end);
  *end++ = '/';
  end = std::copy(subject.begin(), subject.end(), end);
  latency_site_ = decisions.Site({text.data(), end});
  chain_ = ChainId::Of({rest, end});
  std::copy_backward(kDelay.begin(), kDelay.end(), rest);
  delay_site_ = decisions.Site({rest - kDelay.size(), end});
  if (order == Order::kOrdered) last_ = std::make_shared<VirtualTime>();
}

std::string_view Channel::from() const {
  const std::string_view name = network_.simulation().decisions().name(latency_site_);
  return name.substr(kLatency.size(), from_size_);
}

std::string_view Channel::to() const {
  const std::string_view name = network_.simulation().decisions().name(latency_site_);
  return name.substr(kLatency.size() + from_size_ + 1, to_size_);
}

Duration Channel::Latency(std::uint64_t key) const {
  Decisions& decisions = network_.simulation().decisions();
  const LatencyRange range = network_.latency();
  return keys_ == Keys::kDiffer
             ? decisions.DrawDurationOnce(latency_site_, key, range.min, range.max)
             : decisions.DrawDuration(latency_site_, key, range.min, range.max);
}

Duration Channel::ChosenDelay(std::uint64_t key) const {
  Decisions& decisions = network_.simulation().decisions();
  return kExtraDelays[keys_ == Keys::kDiffer
                          ? decisions.ChooseOnce(delay_site_, key, kExtraDelays.size())
                          : decisions.Choose(delay_site_, key, kExtraDelays.size())];
}

void Channel::Send(std::uint64_t key, absl::AnyInvocable<void()> deliver, Duration extra) {
  Simulation& sim = network_.simulation();
  if (sim.closed()) return;  // the run is over: nothing would arrive
  Duration delay = Latency(key) + extra;
  const Duration chosen = ChosenDelay(key);
  delay += chosen;
  const bool awaited = !sim.context().background || !sim.context().unawaited;
  if (awaited && chosen + extra > Duration()) {
    // A late message is a fault in force until it is there: nothing is quiet before that, not even
    // if it is of the background (a bookmark, a watch that is opened again).
    sim.HoldWork();
    deliver = [&sim, late = std::move(deliver)]() mutable {
      sim.ReleaseWork();
      late();
    };
  }
  if (network_.cuts_.empty() || !network_.IsCut(from(), to()))
    return Depart(key, delay, std::move(deliver));
  Network::Waiting waiting{std::string(from()), std::string(to()), sim.context(), nullptr};
  // The channel may be gone by then.
  waiting.send = [copy = *this, key, delay, deliver = std::move(deliver)]() mutable {
    copy.Depart(key, delay, std::move(deliver));
  };
  network_.waiting_.push_back(std::move(waiting));
}

void Channel::Depart(std::uint64_t key, Duration delay, absl::AnyInvocable<void()>&& deliver) {
  Simulation& sim = network_.simulation();
  VirtualTime at = sim.now() + delay;
  if (last_ != nullptr) *last_ = at = std::max(at, *last_);
  ChainId chain = chain_;
  if (last_ == nullptr) chain.item = std::max<std::uint64_t>(key, 1);
  sim.After(at - sim.now(), TimerKind::kWork, "message", std::move(deliver), chain);
}

}  // namespace ksim::sim
