// Words that several oracles say.
#pragma once
#include <cstdint>
#include <string>

#include "ksim/check/facts.h"
#include "ksim/check/observation.h"

namespace ksim::check {

// "pods/default/web-1", of the observation's object.
std::string ObjectOf(const Observation& o);
// "MODIFIED pods/default/web-1 at revision 12"; a bookmark: "BOOKMARK at revision 12".
std::string Event(const Observation& o);
// "pods/default/web-1's update at revision 12"
std::string Commit(const CommittedChange& change);
// " (" and what the beliefs say ")", or nothing.
std::string Believed(const Facts& facts, std::uint64_t object);

// Which oracle of a stream or informer has reported it: it says no more about it then.
enum class Bit : std::uint32_t {
  kOrdered = 1,
  kUnique = 2,
  kReliable = 4,
  kResumable = 8,
  kBookmarkable = 16,
  kAtomic = 32,
  kMonotone = 64,
};
inline bool Has(std::uint32_t bits, Bit bit) {
  return (bits & static_cast<std::uint32_t>(bit)) != 0;
}
inline void Set(std::uint32_t* bits, Bit bit) { *bits |= static_cast<std::uint32_t>(bit); }

// The scope in which the watch.* and resume.* oracles judge a delivery: the one watch, or all the
// watches of its reflector since its last list. Unless the delivery is judged, read `step` only.
class Scope {
 public:
  Scope(const Delivery& delivery, bool resumed)
      : step(resumed ? delivery.resumed : delivery.step),
        stream_(resumed ? nullptr : delivery.stream),
        informer_(resumed ? delivery.informer : nullptr) {}
  std::string Who() const { return stream_ ? stream_->client.str() : informer_->name; }
  std::string Name() const { return stream_ ? stream_->Name() : informer_->name; }
  const WatchSequence& sequence() const {
    return stream_ ? stream_->sequence : informer_->sequence;
  }
  bool Reported(Bit bit) const { return Has(reported(), bit); }
  void Report(Bit bit) { Set(&reported(), bit); }

  const SequenceStep& step;

 private:
  std::uint32_t& reported() const { return stream_ ? stream_->reported : informer_->reported; }

  Stream* stream_;
  Informer* informer_;
};

}  // namespace ksim::check
