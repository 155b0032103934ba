// StoryEvents: what a story needs of a run, kept while the run goes on: the events that can get a
// line, or that the words of a line come from, and of all others their causes alone. Heartbeats,
// Events and what servers do inside get no line: of a long run they are nearly all.
#pragma once
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ksim/sim/bus.h"
#include "ksim/trace/record.h"

namespace ksim::cli {

class StoryEvents {
 public:
  // Every event of the run, in order.
  void Take(const sim::Event& e);

  // The events that were kept, in order.
  std::vector<trace::Record> Records() const;
  std::uint64_t last_seq() const { return distances_.size(); }
  // 0: it has none. `seq`: of any event.
  std::uint64_t CauseOf(std::uint64_t seq) const {
    const std::uint32_t distance = distances_[seq - 1];
    return distance == 0 ? 0 : seq - distance;
  }
  // Stream and n of the watch events that clients took in, but for those that get no line.
  const std::vector<std::pair<std::int64_t, std::int64_t>>& delivered() const { return delivered_; }
  // The revisions of which kubelets were told by bookmarks.
  const std::set<std::int64_t>& bookmarks_of_kubelets() const { return bookmarks_of_kubelets_; }

 private:
  struct Stream {
    VirtualTime opened;
    bool kubelets = false;
  };
  using StreamKey = std::pair<std::uint64_t, std::uint64_t>;  // the server's name hash, number
  bool Keeps(const sim::Event& e);
  bool KeepsWatchEvent(const sim::Event& e);
  void TakeWatch(const sim::Event& e);
  void TakeDelivery(const sim::Event& e);

  std::vector<sim::Event> kept_;
  std::vector<std::uint32_t> distances_;  // by seq - 1: from the event back to its cause; 0: none
  absl::flat_hash_map<StreamKey, Stream> open_;  // of API servers; looked up only
  std::vector<std::pair<std::int64_t, std::int64_t>> delivered_;
  std::set<std::int64_t> bookmarks_of_kubelets_;
};

}  // namespace ksim::cli
