// The table of docs/traces.md: fields of which some edits no checker can see, each with the reason.
#pragma once
#include <map>
#include <string>

namespace ksim::altered {

// Field, as Edit::name has it -> the reason.
std::map<std::string, std::string> Excuses();

}  // namespace ksim::altered
