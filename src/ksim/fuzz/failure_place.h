// Place: who a violation befell, as a name that stays when seeds, generated names, numbers and
// times change. Two failures are one when they have the same oracle and the same place.
#pragma once
#include <string>
#include <string_view>

#include "ksim/trace/header.h"

namespace ksim::fuzz {

// The objects, with generated suffixes and ordinals taken out: "pods/default/web-*". Of an
// expectation its own words; of a limit what kept the run busy, unless it was the limit of events;
// otherwise the message.
std::string PlaceOf(const trace::Violation& violation);

// "web-x7k2p" -> "web-*", "kubelet/node-12" -> "kubelet/node-N", "watch 7 of x" -> "watch N of x".
std::string Generalised(std::string_view text);

// A file's name: "expect-pods-default-web-4f1a2b". `by`: the deed that broke it, which tells apart
// what happened at one place.
std::string FileNameOf(std::string_view oracle, std::string_view place, std::string_view by = "");

}  // namespace ksim::fuzz
