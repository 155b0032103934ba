// OpReplay: runs an op script against a fresh store, one result an operation. Time stands still but
// for `sleep`; watchers catch up at once and their events wait until they are collected.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/status/statusor.h"
#include "ksim/base/time.h"
#include "ksim/store/store.h"
#include "ksim/value/value.h"

namespace ksim::store {

class OpReplay {
 public:
  OpReplay();
  ~OpReplay();
  // The result: `i` and `op` of the operation and either its fields or `error`. InvalidArgument if
  // it is no operation of a script.
  absl::StatusOr<value::Value> Run(const value::Value& op);
  const Store& store() const { return store_; }

 private:
  struct Watch;
  using Result = absl::StatusOr<value::Value>;  // without i and op
  Result RunKv(std::string_view name, const value::Value& op);
  Result RunLease(std::string_view name, const value::Value& op);
  Result RunWatch(std::string_view name, const value::Value& op);
  Result OpenWatch(const value::Value& op);
  Result Sleep(const value::Value& op);
  static value::Value TakeEvents(Watch& watch);

  Store store_;
  VirtualTime now_;
  absl::btree_map<std::string, std::unique_ptr<Watch>> watches_;
};

}  // namespace ksim::store
