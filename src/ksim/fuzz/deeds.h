// Deeds: what controllers do in a trace, and how a report words it: "creates
// pods/default/web-x7k2p", "updates the status of replicasets/default/web".
#pragma once
#include <string>
#include <string_view>

#include "ksim/trace/trace.h"

namespace ksim::fuzz {

// A write of a controller, or what a kubelet does with containers. Events, Leases and what users do
// are none.
bool IsDeed(const trace::Record& r);
// Whether they are by the same actor, of the same verb and about the same object.
bool IsLike(const trace::Record& a, const trace::Record& b);

std::string_view VerbOf(const trace::Record& deed);      // "create"
std::string_view ResourceOf(const trace::Record& deed);  // "pods"; "containers" of a kubelet's
std::string Does(std::string_view verb);                 // "creates", "patches"
// With the name that a server gave to what was created. Reads have words, too.
std::string DeedText(const trace::Trace& trace, const trace::Record& deed);

}  // namespace ksim::fuzz
