// One object as text for people.
//
// Source: kubectl pkg/describe/describe.go; pods and ReplicaSets have describers of their own, all
// others are told as it tells custom resources (genericDescriber).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/trace/state.h"

namespace ksim::cli {

std::string DescribeObject(const api::Object& object, const trace::State& state);
std::string DescribeGenerically(const api::Object& object, const trace::State& state);

// Events about an object ("" = any), oldest first.
std::vector<api::Object> EventsAbout(const trace::State& state, std::string_view ns,
                                     std::string_view kind, std::string_view name);

}  // namespace ksim::cli
