// Moment: what the expressions of an invariant may name, at one write, at a deadline or at the end.
#pragma once
#include <cstdint>
#include <memory>
#include <string_view>

#include "ksim/cel/values/val.h"
#include "ksim/check/invariant_oracle.h"
#include "ksim/value/value.h"

namespace ksim::check {

struct Moment {
  Moment() = default;
  const value::Value* object = nullptr;      // null: it is deleted, or the set is meant
  const value::Value* old_object = nullptr;  // null: it was not there
  const ControllerOwners* owners = nullptr;
  std::shared_ptr<const cel::ListNode> objects;
  std::int64_t now = 0;      // virtual ns
  std::int64_t changed = 0;  // when the object was written before
  std::string_view actor;    // "": nobody writes
  std::string_view operation;
};

}  // namespace ksim::check
