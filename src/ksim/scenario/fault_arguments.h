// Checks the arguments of a fault by the row of its verb in fault/catalogue.h: their types, that
// none is missing, and that the cluster has the processes and nodes that they name, or a step adds
// them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/fault/catalogue.h"
#include "ksim/scenario/parse.h"

namespace ksim::scenario {

// The names of clients outside the simulation begin so (ksim serve): nobody knows them before they
// come, and a fault on one that is not there is skipped.
inline constexpr std::string_view kOutside = "outside-";

// The nodes that are there from the start, and those that steps add.
std::vector<std::string> AllNodes(const ClusterSpec& cluster, const std::vector<Step>& steps);

// Reports each argument that the verb requires and that is missing, at `span`.
void CheckRequired(MappingReader& args, const fault::FaultVerb& verb, const Span& span);

// Reports what is wrong with the arguments of a fault.
void CheckFaultArguments(ParseContext& context, MappingReader& args, const fault::FaultVerb& verb,
                         const ClusterSpec& cluster, const std::vector<std::string>& nodes);

}  // namespace ksim::scenario
