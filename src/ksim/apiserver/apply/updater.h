// Updater: changes the owners of an object's fields when an update or an apply changes the object.
//
// Source: structured-merge-diff merge/update.go.
#pragma once
#include <utility>
#include <vector>

#include "ksim/apiserver/apply/managed_fields.h"
#include "ksim/apiserver/apply/shape.h"
#include "ksim/apiserver/apply/typed.h"

namespace ksim::apiserver {

class Updater {
 public:
  // `reset`: fields that the endpoint discards; no manager comes to own them through it.
  Updater(Shape shape, FieldSet reset) : shape_(std::move(shape)), reset_(std::move(reset)) {}

  // `manager` has made `live` into `changed`: from now on it alone owns the fields that it changed.
  void Update(const value::Value& live, const value::Value& changed, const Manager& manager,
              const std::string& api_version, Managers* managers) const;

  struct Applied {
    value::Value object;
    std::vector<ApplyConflict> conflicts;  // nothing was applied if there are any
  };
  // Sets the fields of `config` for `manager`, and removes those that it applied before and no
  // longer names, unless another manager owns them. With `force` other managers lose the fields in
  // conflict.
  Applied Apply(const value::Value& live, const value::Value& config, const Manager& manager,
                const std::string& api_version, bool force, Managers* managers) const;

 private:
  Comparison Differences(const value::Value& live, const value::Value& changed) const;
  std::vector<ApplyConflict> Conflicts(const Comparison& change, const Manager& manager,
                                       const Managers& managers) const;
  void TakeFromOthers(const Comparison& change, const Manager& manager, Managers* managers) const;
  value::Value Prune(const value::Value& merged, const FieldSet& last,
                     const Managers& managers) const;

  Shape shape_;
  FieldSet reset_;
};

}  // namespace ksim::apiserver
