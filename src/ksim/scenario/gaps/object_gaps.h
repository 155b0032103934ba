// Gaps of objects: the parts that a run leaves out, for NotSimulated.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "ksim/api/kinds.h"
#include "ksim/apiserver/webhooks.h"
#include "ksim/value/value.h"

namespace ksim::scenario {

// Said of an object that a server has printed, with its status, and that is created anew.
inline constexpr std::string_view kNoStatus =
    "a new object has no status, whatever the manifest says: to begin with what kubectl has "
    "printed "
    "of a cluster, give the file to --from";
bool IsPrinted(const value::Value& tree);

// Said of a CustomResourceDefinition whose versions a webhook converts that no guest serves; "":
// one does, or none is needed. `serves`: whether a guest serves what is there.
std::string ConversionGap(
    const value::Value& tree,
    const std::function<bool(const apiserver::WebhookTarget& target)>& serves);

}  // namespace ksim::scenario
