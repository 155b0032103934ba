#include "ksim/trace/record_object.h"

namespace ksim::trace {

std::optional<store::ObjectParts> ObjectOf(const Record& record) {
  std::optional<store::ObjectParts> parts = store::PartsOfKey(record.Text("key"));
  if (!parts) return parts;
  // A commit and a watch name the resource; an event and its delivery only if the key does not.
  for (const std::string_view field : {"resource", "knownAs"})
    if (!record.Text(field).empty()) parts->resource = record.Text(field);
  return parts;
}

}  // namespace ksim::trace
