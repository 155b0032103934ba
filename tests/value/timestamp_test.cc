#include "ksim/value/timestamp.h"

#include <gtest/gtest.h>

#include <ctime>
#include <random>
#include <string>

namespace ksim::value {
namespace {

TEST(Timestamp, Formats) {
  EXPECT_EQ(FormatTimestamp(VirtualTime()), "2025-01-01T00:00:00Z");
  EXPECT_EQ(FormatTimestamp(VirtualTime() + Seconds(7) + Milliseconds(999)),
            "2025-01-01T00:00:07Z");
  EXPECT_EQ(FormatTimestamp(VirtualTime() - Nanoseconds(1)), "2024-12-31T23:59:59Z");
  EXPECT_EQ(FormatMicroTime(VirtualTime() + Nanoseconds(7'000'120'999)),
            "2025-01-01T00:00:07.000120Z");
  EXPECT_EQ(FormatMicroTime(VirtualTime() - Nanoseconds(1)), "2024-12-31T23:59:59.999999Z");
}

TEST(Timestamp, Parses) {
  const std::pair<const char*, std::int64_t> cases[] = {
      {"2025-01-01T00:00:00Z", 0},
      {"2025-01-01T00:00:00.5Z", 500'000'000},
      {"2025-01-01T02:00:00+02:00", 0},
      {"2024-12-31T19:30:00-04:30", 0},
      {"2025-01-01T00:00:00.1234567891Z", 123'456'789},
      {"2024-02-29T00:00:00Z", -26'524'800'000'000'000},
  };
  for (const auto& [text, ns] : cases) {
    const auto t = ParseTimestamp(text);
    ASSERT_TRUE(t.ok()) << text;
    EXPECT_EQ(t->ns(), ns) << text;
  }
}

TEST(Timestamp, Refuses) {
  for (const char* bad :
       {"", "2025-01-01", "2025-01-01T00:00:00", "2025-01-01 00:00:00Z", "2025-13-01T00:00:00Z",
        "2025-02-29T00:00:00Z", "2025-01-01T24:00:00Z", "2025-01-01T00:00:60Z",
        "2025-01-01T00:00:00.Z", "2025-01-01T00:00:00Zx", "2025-01-01T00:00:00+0200",
        "3000-01-01T00:00:00Z", "0001-01-01T00:00:00Z"}) {
    EXPECT_FALSE(ParseTimestamp(bad).ok()) << bad;
  }
  EXPECT_EQ(ParseTimestamp("x").status().message(),
            "\"x\" is not a time like \"2025-01-01T00:00:00Z\"");
  EXPECT_FALSE(ParseMicroTime("2025-01-01T00:00:00Z").ok());
  EXPECT_FALSE(ParseMicroTime("2025-01-01T00:00:00.12345Z").ok());
  EXPECT_EQ(ParseMicroTime("2025-01-01T00:00:00.000001Z")->ns(), 1000);
}

TEST(Timestamp, AgreesWithTheCLibrary) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 5000; ++i) {
    const VirtualTime t(static_cast<std::int64_t>(random()));
    const std::string text = FormatTimestamp(t);
    std::int64_t seconds = t.ns() / 1'000'000'000;
    if (t.ns() % 1'000'000'000 < 0) --seconds;
    const std::time_t unix_seconds = static_cast<std::time_t>(kEpochUnixSeconds + seconds);
    std::tm parts{};
    gmtime_r(&unix_seconds, &parts);
    char want[40];
    std::strftime(want, sizeof want, "%Y-%m-%dT%H:%M:%SZ", &parts);
    ASSERT_EQ(text, want);
    if (seconds > -9'000'000'000) {
      ASSERT_EQ(ParseTimestamp(text)->ns(), seconds * 1'000'000'000);
    }
  }
}

TEST(HumanDuration, IsKubectls) {
  const std::pair<Duration, const char*> cases[] = {
      {Seconds(-2), "<invalid>"},
      {Milliseconds(-1500), "0s"},
      {Duration(), "0s"},
      {Seconds(1), "1s"},
      {Seconds(119), "119s"},
      {Minutes(2), "2m"},
      {Seconds(150), "2m30s"},
      {Minutes(10), "10m"},
      {Seconds(600 + 59), "10m"},
      {Minutes(179), "179m"},
      {Hours(3), "3h"},
      {Minutes(3 * 60 + 5), "3h5m"},
      {Hours(8), "8h"},
      {Hours(47), "47h"},
      {Hours(48), "2d"},
      {Hours(49), "2d1h"},
      {Hours(24 * 8), "8d"},
      {Hours(24 * 365), "365d"},
      {Hours(24 * 365 * 2), "2y"},
      {Hours(24 * (365 * 2 + 3)), "2y3d"},
      {Hours(24 * 365 * 8), "8y"},
  };
  for (const auto& [d, want] : cases) EXPECT_EQ(HumanDuration(d), want) << d.ns();
}

TEST(HumanDuration, Short) {
  const std::pair<Duration, const char*> cases[] = {
      {Seconds(-2), "<invalid>"}, {Seconds(-1), "0s"},  {Seconds(59), "59s"},
      {Seconds(60), "1m"},        {Minutes(59), "59m"}, {Hours(1), "1h"},
      {Hours(23), "23h"},         {Hours(24), "1d"},    {Hours(24 * 364), "364d"},
      {Hours(24 * 800), "2y"},
  };
  for (const auto& [d, want] : cases) EXPECT_EQ(ShortHumanDuration(d), want) << d.ns();
}

TEST(Timestamp, Rfc1123NamesDayAndMonth) {
  EXPECT_EQ(FormatRfc1123(VirtualTime(Seconds(7).ns()), "GMT"), "Wed, 01 Jan 2025 00:00:07 GMT");
  EXPECT_EQ(FormatRfc1123(VirtualTime(Seconds(59 * 86400).ns()), "+0000"),
            "Sat, 01 Mar 2025 00:00:00 +0000");
}

}  // namespace
}  // namespace ksim::value
