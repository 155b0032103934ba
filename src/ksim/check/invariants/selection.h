// Selection: the objects that an invariant is about, kept up to date commit by commit. `objects` of
// an expression is a view on it: no list is made.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/cel/values/val.h"
#include "ksim/check/invariant.h"
#include "ksim/check/observation.h"
#include "ksim/value/selector.h"
#include "ksim/value/value.h"

namespace ksim::check {

// One of them, and what the judge remembers of it.
struct SelectedObject {
  SelectedObject() = default;
  std::string key;  // namespace/name
  value::Value tree;
  std::int64_t changed = 0;  // when it was last written
  std::uint64_t seq = 0;     // by which commit
  bool broken = false;       // reported, and not mended since
  bool done = false;         // it came true
  // leadsTo: since when it waits, and the commit that made it wait.
  std::optional<std::int64_t> since;
  std::uint64_t first = 0;
  std::int64_t revision = 0;
  std::string error;  // what kept the last answer from being one
};

// A commit, as the selection sees it.
struct SelectedChange {
  SelectedChange() = default;
  bool was = false, is = false;
  SelectedObject* object = nullptr;    // if it is
  std::int64_t changed_before = 0;     // when it had been written before
  std::optional<SelectedObject> gone;  // if it was and is not
  bool concerns() const { return was || is; }
};

class Selection {
 public:
  explicit Selection(const Invariant& invariant);

  // Takes in a commit of the resource.
  SelectedChange Take(const Observation& commit);

  std::size_t size() const;
  SelectedObject& at(std::size_t i) const;  // in the order of their keys
  SelectedObject* Find(std::string_view key) const;
  std::shared_ptr<const cel::ListNode> list() const;

 private:
  class List;
  bool Has(const value::Value& tree) const;

  const Invariant& invariant_;
  value::LabelSelector labels_;
  std::shared_ptr<List> objects_;
};

}  // namespace ksim::check
