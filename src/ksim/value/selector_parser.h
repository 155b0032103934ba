// The grammar of label selectors: apimachinery pkg/labels/selector.go (Lexer, Parser).
#pragma once
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ksim/value/selector.h"

namespace ksim::value {

// In the order of the text. Values of a requirement come sorted, without duplicates.
absl::StatusOr<std::vector<LabelSelector::Requirement>> ParseRequirements(std::string_view text);

// Key, number and form of the values (labels.NewRequirement).
absl::Status CheckRequirement(const LabelSelector::Requirement& r);

}  // namespace ksim::value
