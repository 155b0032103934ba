// Digest: one 128-bit value over every event a run emitted, whatever is written. Two runs with one
// digest are the same run.
//
//   H(0) = 0;  H(i) = XXH3-128(H(i-1) || e(i))
//   e = length of the rest (4 bytes), time ns (8), seq (8), kind (2), actor name hash (8), object
//       key hash (8), revision (8), content hash (8); all little-endian, H as low half, high half
//
// At the end the number of draws and decisions asked and the sum of their answers' hashes are
// folded in, so that a stray ask shows even when nothing came of it.
#pragma once
#include <string>

#include "ksim/base/hash.h"
#include "ksim/sim/bus.h"
#include "ksim/sim/decisions.h"

namespace ksim::sim {

class Digest {
 public:
  // Subscribes itself, as the first stage; must live as long as the bus is used.
  explicit Digest(Bus& bus);
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;

  // The hash over the events so far.
  const Hash128Value& current() const { return hash_; }
  // With the draws and decisions folded in: 32 hex digits. Changes nothing.
  std::string Final(const Decisions& decisions) const;

 private:
  void Add(const Event& e);
  Hash128Value hash_;
};

}  // namespace ksim::sim
