// The formats that format.NAME() gives. Upstream: k8s.io/apiserver pkg/cel/library/format.go.
#pragma once
#include <cstdint>
#include <optional>

#include "ksim/cel/values/val.h"

namespace ksim::cel {

// The assumed length of a format's regular expression; nullopt for other values.
std::optional<std::uint64_t> MaxRegexSize(const Val& format);

}  // namespace ksim::cel
