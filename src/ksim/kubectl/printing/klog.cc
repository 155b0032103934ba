#include "ksim/kubectl/printing/klog.h"

#include <fmt/format.h>

#include "ksim/base/time_zone.h"

namespace ksim::kubectl {

std::string KlogHead(VirtualTime time, std::int64_t pid, std::string_view place, char severity) {
  const std::int64_t microseconds = time.ns() / 1000;
  const CivilTime c = CivilOf(kEpochUnixSeconds + microseconds / 1'000'000, TimeZone::Utc());
  return fmt::format("{}{:02}{:02} {:02}:{:02}:{:02}.{:06} {:>7} {}] ", severity, c.month, c.day,
                     c.hour, c.minute, c.second, microseconds % 1'000'000, pid, place);
}

}  // namespace ksim::kubectl
