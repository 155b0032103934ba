// Streams: the watches of a trace as one walks through it: who is at the other end, what is on its
// way, and what never came.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "ksim/trace/trace.h"

namespace ksim::trace {

struct Stream {
  Stream() = default;
  std::string client, resource;
  std::int64_t under_way = 0;  // events put on the wire and neither taken in nor lost
  std::int64_t change = 0;     // of that, by the event at hand
};

class Streams {
 public:
  // Looks at the whole trace for what was delivered and what was closed.
  explicit Streams(const Trace& trace);

  // Takes in the next event, in their order. Returns the stream that it is about, null for none;
  // valid until the next call.
  const Stream* Take(const Record& r);

  // IsDelivered: the client takes this `event` in. IsLost: the stream closed before it could.
  // Neither: the event is still under way when the trace ends.
  bool IsDelivered(const Record& event) const { return delivered_[event.seq]; }
  bool IsLost(const Record& event) const;

 private:
  // etcd and each server number their streams on their own.
  using Key = std::tuple<std::string, bool, std::int64_t>;
  static Key KeyOf(const Record& of_server);

  const Trace& trace_;
  std::vector<bool> delivered_;          // by seq of the `event`
  std::map<Key, std::uint64_t> closed_;  // seq of the `watch`
  std::map<Key, Stream> open_;
  Stream last_;
};

}  // namespace ksim::trace
