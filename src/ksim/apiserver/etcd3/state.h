// State: the state of an object that an update or a delete begins with. Private to etcd3/.
#pragma once
#include <cstdint>

#include "ksim/apiserver/etcd3/storage.h"

namespace ksim::apiserver {

struct Storage::State {
  State() = default;
  State(api::Object o, bool c) : object(std::move(o)), current(c) {}
  std::int64_t revision() const { return object.empty() ? 0 : object.resource_version(); }
  api::Object object;    // empty: the key is missing
  bool current = false;  // read from storage, not suggested
};

}  // namespace ksim::apiserver
