#include "ksim/client/core/items_hash.h"

#include <algorithm>
#include <string>

#include "ksim/base/hash.h"

namespace ksim::client {
namespace {

struct Row {
  std::string key;
  const api::Object* object;
};

bool Before(const Row& a, const Row& b) {
  if (a.key != b.key) return a.key < b.key;
  if (a.object->uid() != b.object->uid()) return a.object->uid() < b.object->uid();
  return a.object->resource_version() < b.object->resource_version();
}

}  // namespace

std::uint64_t ItemsHash(const std::vector<api::Object>& items) {
  std::vector<Row> rows;
  rows.reserve(items.size());
  for (const api::Object& o : items) rows.push_back(Row{o.key(), &o});
  if (!std::is_sorted(rows.begin(), rows.end(), Before)) {
    std::sort(rows.begin(), rows.end(), Before);
  }
  Hasher hash;
  for (const Row& row : rows) {
    hash.Add(row.key).Add(row.object->uid()).Add(row.object->resource_version());
  }
  return hash.Digest();
}

}  // namespace ksim::client
