// ScriptDrawer: draws the next operation of a script from any source of choices: a seed, or the
// bytes of a fuzzer. It draws revisions, leases and watches that the model has.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "ksim/value/value.h"
#include "tests/store/script_model.h"

namespace ksim::store {

class ScriptDrawer {
 public:
  using Draw = std::function<std::uint32_t(std::uint32_t n)>;  // 0 .. n-1
  ScriptDrawer(Draw draw, const ScriptModel& model) : draw_(std::move(draw)), model_(model) {}

  value::Value Next();

 private:
  bool OneIn(std::uint32_t n) { return draw_(n) == 0; }
  std::string Key();
  std::int64_t AnyRevision();
  std::int64_t AnyLease();
  void AddSpan(value::ObjectBuilder* op, std::uint32_t singles);
  value::Value PutOp();
  value::Value RangeOp();
  value::Value DeleteOp();
  value::Value TxnOp(int depth);
  value::Value CompareOp();
  value::Value OpsOf(int depth);
  value::Value LeaseOp();
  std::optional<value::Value> WatchOp();
  value::Value OpenOp();

  Draw draw_;
  const ScriptModel& model_;
  std::int64_t number_ = 0, labels_ = 0;
};

// Runs drawn operations on the store and on the model; returns their first difference, "" if there
// is none.
std::string CompareDrawnScript(ScriptDrawer::Draw draw, const std::function<bool()>& more);

}  // namespace ksim::store
