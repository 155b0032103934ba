// The object that a record with a key of etcd's is about. What the run calls its resource says the
// record, if the key does not (store/object_key.h).
#pragma once
#include <optional>

#include "ksim/store/object_key.h"
#include "ksim/trace/record.h"

namespace ksim::trace {

// nullopt if the record has no key, or one that names no object. The views are into the record.
std::optional<store::ObjectParts> ObjectOf(const Record& record);

}  // namespace ksim::trace
