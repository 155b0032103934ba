#include "ksim/check/oracles/words.h"

#include <fmt/compile.h>
#include <fmt/format.h>

namespace ksim::check {

std::string ObjectOf(const Observation& o) {
  return fmt::format(FMT_COMPILE("{}/{}/{}"), o.resource, o.ns, o.name);
}

std::string Event(const Observation& o) {
  if (o.type == api::WatchEventType::kBookmark) return fmt::format("BOOKMARK at revision {}", o.rv);
  return fmt::format("{} {} at revision {}", api::ToString(o.type), ObjectOf(o), o.rv);
}

std::string Commit(const Change& change) {
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
