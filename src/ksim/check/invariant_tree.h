// Invariants as trees: spec.invariants in the header of a trace, and `ksim check` reads them there.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/check/invariant.h"
#include "ksim/value/value.h"

namespace ksim::check {

std::string OracleOf(const Invariant& invariant);  // "invariant.one-config-map"

// "websites.example.dev", "configmaps": the resource as a scenario names it.
std::string ResourceOf(const Invariant& invariant);
// "configmaps in default with app=shop": the objects in words.
std::string ObjectsInWords(const Invariant& invariant);

// As scenarios write it, with all defaults. InvariantsFromTree of such trees gives the same.
value::Value ToTree(const Invariant& invariant);
// The trees are those that ToTree makes: whatever else they say is left out without a word.
std::vector<Invariant> InvariantsFromTree(const value::Value& list);

}  // namespace ksim::check
