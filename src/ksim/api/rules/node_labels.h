// The labels of nodes that are deprecated, and what to use in their place.
//
// Source: pkg/api/node/util.go deprecatedNodeLabels, GetWarningsForNodeSelector,
// GetWarningsForNodeSelectorTerm.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/core/profile.h"
#include "ksim/value/value.h"

namespace ksim::api {

// The text about the label; empty if it is not deprecated.
std::string_view DeprecatedLabelText(std::string_view key, const Profile& profile);

// Adds a warning for each deprecated label that a term of a node selector has in its
// matchExpressions.
void WarnOfLabelsInTerm(const value::Value& term, const std::string& path, const Profile& profile,
                        std::vector<std::string>* warnings);

// The same of a label selector for nodes; its matchLabels go by name, where Go walks a map.
void WarnOfLabelsInSelector(const value::Value& selector, const std::string& path,
                            const Profile& profile, std::vector<std::string>* warnings);

}  // namespace ksim::api
