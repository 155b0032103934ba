// AttributeNode: a variable, or any value, followed by selections and indexes: a.b[c].?d. Costs and
// errors come step by step, as in cel-go interpreter/attributes.go.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ksim/cel/eval/nodes.h"

namespace ksim::cel {

struct Qualifier {
  Val key;
  PlanPtr dynamic;  // the key if it is no constant
  bool optional = false;
};

class AttributeNode : public PlanNode {
 public:
  enum class Root : std::uint8_t { kVariable, kSlot, kValue, kConditional };

  static std::unique_ptr<AttributeNode> Variable(std::size_t number, std::string name);
  static std::unique_ptr<AttributeNode> OfSlot(std::size_t slot);
  static std::unique_ptr<AttributeNode> OfValue(PlanPtr value);
  static std::unique_ptr<AttributeNode> Conditional(PlanPtr condition, PlanPtr yes, PlanPtr no);

  void Add(Qualifier qualifier) { qualifiers_.push_back(std::move(qualifier)); }
  // The last qualifier is tested for, not read: has().
  void MakeTest() { test_ = true; }
  bool is_test() const { return test_; }
  // The slot that it is, without qualifiers; -1 else.
  int plain_slot() const {
    return root_ == Root::kSlot && qualifiers_.empty() ? static_cast<int>(number_) : -1;
  }

  Val Eval(Run& run) const override;
  // The value without the cost of the attribute itself, as another attribute's index or branch.
  Val Resolve(Run& run) const;

 private:
  Val ResolveRoot(Run& run) const;
  Val Step(Run& run, const Val& object, const Qualifier& qualifier, bool optional, bool presence,
           bool* present) const;

  Root root_ = Root::kVariable;
  std::size_t number_ = 0;
  std::string name_;
  PlanPtr value_, yes_, no_;
  std::vector<Qualifier> qualifiers_;
  bool test_ = false;
};

}  // namespace ksim::cel
