// Gaps of objects: the parts that a run leaves out, for NotSimulated.
#pragma once
#include <string>
#include <string_view>

#include "ksim/value/value.h"

namespace ksim::scenario {

// Said of an object that a server has printed, with its status, and that is created anew.
inline constexpr std::string_view kNoStatus =
    "a new object has no status, whatever the manifest says: to begin with what kubectl has "
    "printed "
    "of a cluster, give the file to --from";
bool IsPrinted(const value::Value& tree);

// The part of a CustomResourceDefinition that needs a webhook that converts; "": none.
std::string ConversionGap(const value::Value& tree);

}  // namespace ksim::scenario
