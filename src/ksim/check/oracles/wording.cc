#include "ksim/check/oracles/wording.h"

#include <fmt/format.h>

namespace ksim::check {

std::string ObjectOf(const Observation& o) {
  std::string out;  // a compiled format would copy from null where there is no namespace
  out.reserve(o.resource.size() + o.ns.size() + o.name.size() + 2);
  return out.append(o.resource).append("/").append(o.ns).append("/").append(o.name);
}

std::string Event(const Observation& o) {
  if (o.type == api::WatchEventType::kBookmark) return fmt::format("BOOKMARK at revision {}", o.rv);
  return fmt::format("{} {} at revision {}", api::ToString(o.type), ObjectOf(o), o.rv);
}

std::string Commit(const CommittedChange& change) {
  static constexpr std::string_view kOps[] = {"creation", "update", "deletion"};
  return fmt::format("{}'s {} at revision {}", change.Name(), kOps[static_cast<int>(change.op)],
                     change.revision);
}

std::string Believed(const Facts& facts, std::uint64_t object) {
  const std::vector<std::string> beliefs = facts.Beliefs(object);
  if (beliefs.empty()) return "";
  return fmt::format(" ({})", fmt::join(beliefs, "; "));
}

}  // namespace ksim::check
