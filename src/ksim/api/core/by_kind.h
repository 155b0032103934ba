// Tables about built-in kinds, looked up by the kind's number instead of by comparing its names
// with those of one row after the other.
//
//   static const ByKind<Rules> rules(kRules);  // rows with a `group` and a `kind`
//   const Rules* row = rules.Find(kind);       // null if there is none
#pragma once
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "ksim/api/core/builtin_kinds.h"
#include "ksim/api/kinds.h"

namespace ksim::api {

template <class Row>
class ByKind {
 public:
  // The rows live for ever; the first of a kind is taken.
  explicit ByKind(std::span<const Row> rows) : rows_(rows) {
    for (const ResourceInfo& kind : BuiltinKinds()) of_.push_back(Search(kind));
  }
  // A custom kind has no row, whatever its names are.
  const Row* Find(const ResourceInfo& kind) const {
    if (kind.custom) return nullptr;
    const std::size_t number = kind.builtin_number;
    return number < of_.size() ? of_[number] : Search(kind);
  }

 private:
  const Row* Search(const ResourceInfo& kind) const {
    for (const Row& row : rows_) {
      if (kind.kind == row.kind && kind.group == row.group) return &row;
    }
    return nullptr;
  }

  std::span<const Row> rows_;
  std::vector<const Row*> of_;  // the built-in kinds
};

}  // namespace ksim::api
