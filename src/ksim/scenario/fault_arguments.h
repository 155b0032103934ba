// What the arguments of a fault must be: of the right type, there when the verb needs them, and
// about processes and nodes that the cluster has or that a step adds.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/scenario/parse.h"

namespace ksim::scenario {

// The nodes that are there from the start, and those that steps add.
std::vector<std::string> AllNodes(const ClusterSpec& cluster, const std::vector<Step>& steps);

// That nothing is missing of what the verb cannot do without; what is, is told at `span`.
void CheckFaultNeeds(MappingReader& args, std::string_view verb, const Span& span);

void CheckFaultArguments(ParseContext& context, MappingReader& args, std::string_view verb,
                         const ClusterSpec& cluster, const std::vector<std::string>& nodes);

}  // namespace ksim::scenario
