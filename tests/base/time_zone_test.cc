#include "ksim/base/time_zone.h"

#include <gtest/gtest.h>

namespace ksim {
namespace {

std::int64_t OffsetIn(std::string_view zone, const CivilTime& utc) {
  const TimeZone* found = TimeZone::Find(zone);
  return found == nullptr ? -1 : found->OffsetAt(UnixOf(utc, TimeZone::Utc()));
}

CivilTime At(std::int64_t year, int month, int day, std::int64_t hour = 0,
             std::int64_t minute = 0) {
  CivilTime time;
  time.year = year;
  time.month = month;
  time.day = day;
  time.hour = hour;
  time.minute = minute;
  return time;
}

TEST(TimeZone, KnowsZonesByTheirNames) {
  EXPECT_EQ(TimeZone::Find(""), &TimeZone::Utc());
  EXPECT_EQ(TimeZone::Find("UTC"), &TimeZone::Utc());
  EXPECT_NE(TimeZone::Find("Europe/Berlin"), nullptr);
  EXPECT_NE(TimeZone::Find("US/Pacific"), nullptr);
  EXPECT_EQ(TimeZone::Find("europe/berlin"), nullptr);
  EXPECT_EQ(TimeZone::Find("Mars/Olympus"), nullptr);
  EXPECT_EQ(TimeZone::Find("EET-2EEST"), nullptr);
}

TEST(TimeZone, ChangesAtTheMomentOfItsRule) {
  EXPECT_EQ(OffsetIn("Europe/Berlin", At(2025, 3, 30, 0, 59)), 3600);
  EXPECT_EQ(OffsetIn("Europe/Berlin", At(2025, 3, 30, 1)), 7200);
  EXPECT_EQ(OffsetIn("Europe/Berlin", At(2025, 10, 26, 0, 59)), 7200);
  EXPECT_EQ(OffsetIn("Europe/Berlin", At(2025, 10, 26, 1)), 3600);
  EXPECT_EQ(OffsetIn("America/New_York", At(2025, 3, 9, 6, 59)), -5 * 3600);
  EXPECT_EQ(OffsetIn("America/New_York", At(2025, 3, 9, 7)), -4 * 3600);
  EXPECT_EQ(OffsetIn("Asia/Kolkata", At(2025, 6, 1)), 19800);
  // The southern summer lies over the turn of the year.
  EXPECT_EQ(OffsetIn("Australia/Sydney", At(2025, 1, 1)), 11 * 3600);
  EXPECT_EQ(OffsetIn("Australia/Sydney", At(2025, 7, 1)), 10 * 3600);
  // Ireland's summer is its standard time; a rule before midnight; a negative offset's half.
  EXPECT_EQ(OffsetIn("Europe/Dublin", At(2025, 1, 1)), 0);
  EXPECT_EQ(OffsetIn("Europe/Dublin", At(2025, 7, 1)), 3600);
  EXPECT_EQ(OffsetIn("America/St_Johns", At(2025, 1, 1)), -12600);
  EXPECT_EQ(OffsetIn("America/Nuuk", At(2025, 3, 30, 0, 59)), -7200);
  EXPECT_EQ(OffsetIn("America/Nuuk", At(2025, 3, 30, 1)), -3600);
}

// Ramadan moves through the year, so no rule gives it.
TEST(TimeZone, KnowsChangesThatNoRuleGives) {
  EXPECT_EQ(OffsetIn("Africa/Casablanca", At(2025, 1, 1)), 3600);
  EXPECT_EQ(OffsetIn("Africa/Casablanca", At(2025, 3, 1)), 0);
  EXPECT_EQ(OffsetIn("Africa/Casablanca", At(2025, 5, 1)), 3600);
  EXPECT_EQ(OffsetIn("Africa/Casablanca", At(2090, 1, 1)), 3600);
}

TEST(CivilTime, GoesThereAndBack) {
  const TimeZone& berlin = *TimeZone::Find("Europe/Berlin");
  for (std::int64_t unix = 1735689600 - 400 * 86400; unix < 1735689600 + 800 * 86400;
       unix += 3607) {
    const CivilTime utc = CivilOf(unix, TimeZone::Utc());
    EXPECT_EQ(UnixOf(utc, TimeZone::Utc()), unix);
    const CivilTime local = CivilOf(unix, berlin);
    // The hour that a clock shows twice is the second one.
    const std::int64_t back = UnixOf(local, berlin);
    EXPECT_TRUE(back == unix || back == unix + 3600) << unix;
  }
  EXPECT_EQ(CivilOf(1735689600, TimeZone::Utc()).weekday, 3);  // a Wednesday
  EXPECT_EQ(UnixOf(At(2024, 14, 31), TimeZone::Utc()), UnixOf(At(2025, 3, 3), TimeZone::Utc()));
}

}  // namespace
}  // namespace ksim
