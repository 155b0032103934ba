#include "ksim/kubectl/printing/klog.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>

#include "ksim/base/time_zone.h"

namespace ksim::kubectl {
namespace {

std::int64_t MicrosecondsOf(VirtualTime time) { return time.ns() / 1000; }

CivilTime Utc(VirtualTime time) {
  const std::int64_t seconds = MicrosecondsOf(time) / 1'000'000;
  return CivilOf(kEpochUnixSeconds + seconds, TimeZone::Utc());
}

}  // namespace

std::string KlogHead(VirtualTime time, std::int64_t pid, std::string_view place) {
  const CivilTime c = Utc(time);
  return fmt::format("I{:02}{:02} {:02}:{:02}:{:02}.{:06} {:>7} {}] ", c.month, c.day, c.hour,
                     c.minute, c.second, MicrosecondsOf(time) % 1'000'000, pid, place);
}

std::string HttpDate(VirtualTime time, std::string_view zone) {
  constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed",
                                                     "Thu", "Fri", "Sat"};
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const CivilTime c = Utc(time);
  return fmt::format(
      "{}, {:02} {} {} {:02}:{:02}:{:02} {}", kDays[static_cast<std::size_t>(c.weekday)], c.day,
      kMonths[static_cast<std::size_t>(c.month - 1)], c.year, c.hour, c.minute, c.second, zone);
}

}  // namespace ksim::kubectl
