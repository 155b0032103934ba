#include "ksim/controllers/common/consistency_store.h"

#include <fmt/format.h>

#include <algorithm>

namespace ksim::controllers {

void ConsistencyStore::WroteAt(const std::string& owner, std::string_view owner_uid,
                               std::string_view resource, std::int64_t rv) {
  if (!enabled_ || rv == 0) return;
  Record& record = records_[owner];
  if (record.uid != owner_uid) {
    record.written.clear();
    record.uid = std::string(owner_uid);
  }
  std::int64_t& written = record.written[std::string(resource)];
  written = std::max(written, rv);
}

std::optional<std::string> ConsistencyStore::NotReady(const std::string& owner) {
  const auto it = records_.find(owner);
  if (it == records_.end()) return std::nullopt;
  for (const auto& [resource, written] : it->second.written) {
    const std::int64_t seen = store_version_(resource);
    if (seen == 0 || seen >= written) continue;
    return fmt::format(
        "read version: {} is not as new as written version: {} for group resource {}", seen,
        written, resource);
  }
  records_.erase(it);
  return std::nullopt;
}

void ConsistencyStore::Clear(const std::string& owner, std::string_view owner_uid) {
  const auto it = records_.find(owner);
  if (it == records_.end()) return;
  if (owner_uid.empty() || it->second.uid == owner_uid) records_.erase(it);
}

}  // namespace ksim::controllers
