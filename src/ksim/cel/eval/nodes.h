// The nodes of a plan other than attributes. They charge what cel-go's observers charge.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ksim/cel/eval/plan.h"

namespace ksim::cel {

using PlanPtr = std::unique_ptr<PlanNode>;

class ConstantNode : public PlanNode {
 public:
  explicit ConstantNode(Val v) : value_(std::move(v)) {}
  Val Eval(Run&) const override { return value_; }
  const Val* constant() const override { return &value_; }

 private:
  Val value_;
};

// && and ||: an error gives way to the value that decides.
class LogicNode : public PlanNode {
 public:
  LogicNode(bool decides, std::vector<PlanPtr> terms)
      : decides_(decides), terms_(std::move(terms)) {}
  Val Eval(Run& run) const override;

 private:
  bool decides_;  // true for ||
  std::vector<PlanPtr> terms_;
};

struct CallTarget {
  std::string function;
  std::string overload;  // empty: several
  std::function<Val(Arguments)> run;
  bool strict = true;
  bool stops_at_error = false;  // later arguments are not evaluated, as evalVarArgs does
};

class CallNode : public PlanNode {
 public:
  CallNode(CallTarget target, std::vector<PlanPtr> args, const CostPolicy* policy)
      : target_(std::move(target)), args_(std::move(args)), policy_(policy) {}
  Val Eval(Run& run) const override;
  // The first argument is this loop's accumulator, and what it held may be changed in place.
  void TakeFrom(std::size_t slot) { taken_slot_ = static_cast<int>(slot); }

 private:
  // Adds to a list or map that nobody else holds; false: it has to be copied.
  static bool AddInPlace(std::vector<Val>* args, Val* result);

  CallTarget target_;
  std::vector<PlanPtr> args_;
  const CostPolicy* policy_;
  int taken_slot_ = -1;
};

// x in [constants]: no cost of its own.
class MembershipNode : public PlanNode {
 public:
  MembershipNode(PlanPtr item, Val list) : item_(std::move(item)), list_(std::move(list)) {}
  Val Eval(Run& run) const override;

 private:
  PlanPtr item_;
  Val list_;
};

// optional.or and orValue: the right side only if it is needed.
class OptionalOrNode : public PlanNode {
 public:
  OptionalOrNode(PlanPtr left, PlanPtr right, bool unwrap)
      : left_(std::move(left)), right_(std::move(right)), unwrap_(unwrap) {}
  Val Eval(Run& run) const override;

 private:
  PlanPtr left_, right_;
  bool unwrap_;
};

class ListMaker : public PlanNode {
 public:
  ListMaker(std::vector<PlanPtr> items, std::vector<bool> optional)
      : items_(std::move(items)), optional_(std::move(optional)) {}
  Val Eval(Run& run) const override;
  bool IsConstant() const;

 private:
  std::vector<PlanPtr> items_;
  std::vector<bool> optional_;
};

class MapMaker : public PlanNode {
 public:
  struct Entry {
    PlanPtr key, value;
    bool optional = false;
  };
  explicit MapMaker(std::vector<Entry> entries) : entries_(std::move(entries)) {}
  Val Eval(Run& run) const override;
  bool IsConstant() const;

 private:
  std::vector<Entry> entries_;
};

struct LoopParts {
  std::size_t var = 0, var2 = 0, accu = 0;  // slots
  bool two_variables = false;
  PlanPtr range, init, condition, step, result;
};

class LoopNode : public PlanNode {
 public:
  explicit LoopNode(LoopParts parts) : p_(std::move(parts)) {}
  Val Eval(Run& run) const override;

 private:
  bool Turn(Run& run) const;
  LoopParts p_;
};

Val Cancelled();

}  // namespace ksim::cel
