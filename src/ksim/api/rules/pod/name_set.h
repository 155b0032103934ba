// NameSet: the names that came before in one list; a handful, so a vector.
#pragma once
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace ksim::api {

using NameSet = std::vector<std::string>;

// Adds `name`; false if the set had it.
inline bool Insert(NameSet* set, std::string name) {
  if (std::find(set->begin(), set->end(), name) != set->end()) return false;
  set->push_back(std::move(name));
  return true;
}

}  // namespace ksim::api
