// Validators: further errors of an expression whose types are right: literals of durations,
// timestamps, regular expressions and format strings, and lists and maps of one type.
//
// Upstream: cel-go cel/validator.go, ext/formatting.go; Kubernetes has them since 1.29.
#pragma once
#include <vector>

#include "ksim/cel/check/checker.h"

namespace ksim::cel {

std::vector<SourceError> Validate(const CheckedAst& checked);

}  // namespace ksim::cel
