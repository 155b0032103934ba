// Updater: how a change of an object changes who owns its fields.
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
  // `reset`: fields that the endpoint throws away, which nobody comes to own through it.
  Updater(Shape shape, FieldSet reset) : shape_(std::move(shape)), reset_(std::move(reset)) {}

  // `manager` has made `live` into `changed`: it owns what it changed, and nobody else does.
  void Update(const value::Value& live, const value::Value& changed, const Manager& manager,
              const std::string& api_version, Managers* managers) const;

  struct Applied {
    value::Value object;
    std::vector<ApplyConflict> conflicts;  // nothing was applied if there are any
  };
  // `manager` wants the fields of `config` as they are there, and those it applied before and no
  // longer names to be gone, unless somebody else owns them. With `force` others lose what is in
  // the way.
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
