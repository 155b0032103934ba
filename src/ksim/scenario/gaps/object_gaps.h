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

// Traces and oracles know a resource by its plural alone: said of a CustomResourceDefinition whose
// plural is that of a kind of another group; "": it is its own.
std::string PluralGap(const value::Value& tree, const api::Kinds& kinds);

}  // namespace ksim::scenario
