// Size bounds: the largest clusters that a run can come to the end of. What is larger is refused at
// its place in the file, with the number that is possible and the reason.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/base/diagnostic.h"
#include "ksim/scenario/mapping_reader.h"
#include "ksim/scenario/scenario.h"

namespace ksim::scenario {

inline constexpr std::int64_t kMostApiServers = 1'000;
inline constexpr std::int64_t kMostNodes = 5'000;  // in all
inline constexpr std::int64_t kMostControllerReplicas = 100;
inline constexpr std::int64_t kMostReplicas = 100'000;  // pods of a ReplicaSet

// Reports a number above `most` at its place. True if it is within.
bool CheckApiServers(Problems& problems, const Span& span, std::int64_t servers);
bool CheckNodes(Problems& problems, const Span& span, std::string_view where, std::int64_t nodes);
bool CheckControllerReplicas(Problems& problems, const Span& span, std::string_view where,
                             std::int64_t replicas);
bool CheckReplicas(Problems& problems, const Span& span, std::string_view where,
                   std::int64_t replicas);

// An error for each ReplicaSet of the scenario's steps that asks for more pods than that.
std::vector<Diagnostic> TooManyPods(const Scenario& scenario);

}  // namespace ksim::scenario
