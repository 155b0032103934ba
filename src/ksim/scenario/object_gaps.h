// What a run leaves out of objects that it takes: for NotSimulated.
#pragma once
#include <string>
#include <string_view>

#include "ksim/value/value.h"

namespace ksim::scenario {

// Of an object that a server has printed, with its status, and that is created anew.
inline constexpr std::string_view kNoStatus =
    "a new object has no status, whatever the manifest says: to begin with what kubectl has printed "
    "of a cluster, give the file to --from";
bool IsPrinted(const value::Value& tree);

// Whether a webhook of the configuration is called under conditions.
bool HasConditions(const value::Value& configuration);

// What of a CustomResourceDefinition needs a webhook that converts; "": nothing.
std::string ConversionGap(const value::Value& tree);

}  // namespace ksim::scenario
