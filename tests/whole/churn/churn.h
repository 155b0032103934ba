// Churn: two processes with a shared informer each, on two API servers, under a random workload and
// everything that befalls list and watch: streams cut, held, expired; caches that lag, freeze,
// begin anew; servers and processes that die; slow handlers; clients that change servers;
// compactions. ksim's oracles and the ReflectorLaws judge every event.
#pragma once
#include <cstdint>
#include <string>

#include "ksim/api/compat.h"
#include "ksim/api/variants.h"
#include "tests/whole/churn/legal_rows.h"
#include "tests/whole/churn/tap.h"

namespace ksim::churn {

struct ChurnOptions {
  ChurnOptions() = default;
  std::uint64_t seed = 1;
  api::Compat compat = api::Compat::k1_36;
  int steps = 60;
  api::VariantChoice variants = {{"all", "fixed"}};
  Mutant mutant = Mutant::kNone;
  LegalRows* legal = nullptr;  // gets every event
};

// "" or the first violation: "ORACLE: MESSAGE (seed 7, 1.30)".
std::string RunChurn(const ChurnOptions& options);

}  // namespace ksim::churn
