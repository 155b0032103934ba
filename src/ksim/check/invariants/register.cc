// MakeInvariantOracle of invariant_oracle.h: a row for each kind.
#include "ksim/check/invariants/judge.h"

namespace ksim::check {

std::unique_ptr<InvariantOracle> MakeInvariantOracle(const Invariant& invariant,
                                                     const InvariantSurroundings& surroundings) {
  using Make = std::unique_ptr<InvariantOracle> (*)(const Invariant&, const InvariantSurroundings&);
  static constexpr Make kMakers[] = {MakeEachWrite, MakeEachWrite, MakeEventually,
                                     MakeFinally,   MakeLeadsTo,   MakeStable};
  return kMakers[static_cast<int>(invariant.kind)](invariant, surroundings);
}

}  // namespace ksim::check
