// The version of ksim, as the file VERSION in the source tree says ("0.1.0"). It stands in every
// trace's header: only a trace of the same version is promised to replay byte by byte.
#pragma once
#include <string_view>

namespace ksim {

std::string_view Version();

}  // namespace ksim
