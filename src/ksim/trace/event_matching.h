// EventMatching: which event of one trace is which of another.
//
// By meaning events match by (actor, kind, verb or type or op, object identity) and the ordinal of
// this combination. To the letter the equal beginnings and ends of the traces match by place, so
// that one edited event disturbs no other; what lies between matches by place too if most of it is
// equal there, else by meaning.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ksim/trace/identity.h"
#include "ksim/trace/trace.h"

namespace ksim::trace {

class EventMatching {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  EventMatching(const Trace& left, const TraceIdentities& left_identities, const Trace& right,
                const TraceIdentities& right_identities, bool exact);

  // The counterpart of an event, by index; kNone if it has none.
  std::size_t RightOf(std::size_t left) const { return to_right_[left]; }
  std::size_t LeftOf(std::size_t right) const { return to_left_[right]; }

 private:
  void Pair(std::size_t left, std::size_t right) {
    to_right_[left] = right;
    to_left_[right] = left;
  }

  std::vector<std::size_t> to_right_, to_left_;
};

}  // namespace ksim::trace
