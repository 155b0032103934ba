// Network: messages between processes, with latency. A message's delay is its drawn base latency
// (site latency/FROM/TO/SUBJECT) plus a chosen extra (site delay/FROM/TO/SUBJECT; answer 0 = none).
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "ksim/base/time.h"
#include "ksim/sim/simulation.h"

namespace ksim::sim {

// The extra delays that Choose may answer, beside the protocol constants they beat:
// 1 = 10 ms, 2 = 1 s, 3 = 35 s (backoff cap), 4 = 45 s (ping), 5 = 301 s (expectations), 6 = 15
// min.
inline constexpr std::array<Duration, 7> kExtraDelays = {
    Duration(), Milliseconds(10), Seconds(1), Seconds(35), Seconds(45), Seconds(301), Minutes(15)};

struct LatencyRange {
  Duration min = Microseconds(200);
  Duration max = Milliseconds(2);
};

class Network {
 public:
  Network(Simulation& sim, LatencyRange latency) : sim_(sim), latency_(latency) {}
  Simulation& simulation() { return sim_; }
  LatencyRange latency() const { return latency_; }
  // Numbers a watch stream, whoever serves it: no two of a run have one number.
  std::uint64_t NumberStream() { return ++streams_; }

  // --- for faults ---
  // Two processes do not hear each other: what one sends the other waits, and is on its way again
  // when the last Cut of the pair is mended (TCP sends again). What is under way already arrives.
  void Cut(std::string_view a, std::string_view b);
  void Mend(std::string_view a, std::string_view b);

 private:
  friend class Channel;
  struct Waiting {
    std::string from, to;
    Context context;  // the sender's
    absl::AnyInvocable<void()> send;
  };
  bool IsCut(std::string_view a, std::string_view b) const;

  Simulation& sim_;
  LatencyRange latency_;
  std::uint64_t streams_ = 0;
  std::vector<std::pair<std::string, std::string>> cuts_;  // the lesser name first
  std::vector<Waiting> waiting_;                           // in order of sending
};

// One direction of one conversation. kOrdered keeps messages in sending order (a watch stream on
// its connection); kUnordered lets each take its own time (two requests of one client).
class Channel {
 public:
  enum class Order { kOrdered, kUnordered };
  // kDiffer: no two messages of one conversation have the same key.
  enum class Keys { kDiffer, kMayRepeat };
  Channel(Network& network, std::string_view from, std::string_view to, std::string_view subject,
          Order order, Keys keys = Keys::kMayRepeat);
  // Runs `deliver` after the message's delay, in the sender's Context (cause, background).
  // `key` says what the message is about. `extra` is how much later a fault lets it arrive.
  void Send(std::uint64_t key, absl::AnyInvocable<void()> deliver, Duration extra = {});

 private:
  Duration Latency(std::uint64_t key) const;
  Duration ChosenDelay(std::uint64_t key) const;
  void Depart(std::uint64_t key, Duration delay, absl::AnyInvocable<void()>&& deliver);
  std::string_view from() const;
  std::string_view to() const;

  Network& network_;
  std::uint32_t from_size_, to_size_;  // of their names, which stand in that of latency_site_
  Keys keys_;
  SiteId latency_site_, delay_site_;
  ChainId chain_;
  std::shared_ptr<VirtualTime> last_;  // of an ordered channel: when its last message arrives
};

}  // namespace ksim::sim
