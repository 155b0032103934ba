#include "ksim/base/time.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ksim/base/version.h"

namespace ksim {
namespace {

constexpr Duration kSmallest = Duration(std::numeric_limits<std::int64_t>::min());

// The cases of Go's time_test.go, parseDurationTests.
TEST(ParseDuration, TakesWhatGoTakes) {
  const struct {
    std::string_view text;
    Duration want;
  } kCases[] = {
      {"0", Duration()},
      {"5s", Seconds(5)},
      {"1478s", Seconds(1478)},
      {"-5s", Seconds(-5)},
      {"+5s", Seconds(5)},
      {"-0", Duration()},
      {"+0", Duration()},
      {"5.0s", Seconds(5)},
      {"5.6s", Milliseconds(5600)},
      {"5.s", Seconds(5)},
      {".5s", Milliseconds(500)},
      {"1.004s", Milliseconds(1004)},
      {"1.0040s", Milliseconds(1004)},
      {"100.00100s", Milliseconds(100'001)},
      {"10ns", Nanoseconds(10)},
      {"11us", Microseconds(11)},
      {"12\u00b5s", Microseconds(12)},
      {"12\u03bcs", Microseconds(12)},
      {"13ms", Milliseconds(13)},
      {"15m", Minutes(15)},
      {"16h", Hours(16)},
      {"3h30m", Minutes(210)},
      {"10.5s4m", Milliseconds(250'500)},
      {"-2m3.4s", Milliseconds(-123'400)},
      {"1h2m3s4ms5us6ns", Nanoseconds(3'723'004'005'006)},
      {"39h9m14.425s", Milliseconds(140'954'425)},
      {"52763797000ns", Nanoseconds(52'763'797'000)},
      {"0.3333333333333333333h", Minutes(20)},
      {"9007199254740993ns", Nanoseconds(9'007'199'254'740'993)},
      {"9223372036854775807ns", Duration::Max()},
      {"9223372036854775.807us", Duration::Max()},
      {"9223372036854ms775us807ns", Duration::Max()},
      {"-9223372036854775808ns", kSmallest},
      {"-9223372036854775.808us", kSmallest},
      {"-9223372036854ms775us808ns", kSmallest},
      {"-2562047h47m16.854775808s", kSmallest},
      {"0.100000000000000000000h", Minutes(6)},
      {"0.830103483285477580700h", Nanoseconds(2'988'372'539'827)},
  };
  for (const auto& c : kCases) {
    const absl::StatusOr<Duration> got = ParseDuration(c.text);
    ASSERT_TRUE(got.ok()) << c.text;
    EXPECT_EQ(got->ns(), c.want.ns()) << c.text;
  }
}

TEST(ParseDuration, RefusesWhatGoRefuses) {
  for (const std::string_view text : {"",
                                      "3",
                                      "-",
                                      "s",
                                      ".",
                                      "-.",
                                      ".s",
                                      "+.s",
                                      "1d",
                                      "\x85\x85",
                                      "hello \xff world",
                                      " 1s",
                                      "1s ",
                                      "1 s",
                                      "--1s",
                                      "1e3s",
                                      "9223372036854775810ns",
                                      "9223372036854775808ns",
                                      "-9223372036854775809ns",
                                      "9223372036854776us",
                                      "3000000h",
                                      "9223372036854775.808us",
                                      "9223372036854ms775us808ns",
                                      "99999999999999999999s"}) {
    const absl::StatusOr<Duration> got = ParseDuration(text);
    EXPECT_EQ(got.status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
  EXPECT_EQ(ParseDuration("1d").status().message(), "invalid duration \"1d\"");
}

// The cases of Go's time_test.go, durationTests, with "us" for the micro sign.
TEST(FormatDuration, WritesAsGoDoes) {
  const struct {
    Duration value;
    std::string_view want;
  } kCases[] = {
      {Duration(), "0s"},
      {Nanoseconds(1), "1ns"},
      {Nanoseconds(1100), "1.1us"},
      {Microseconds(2200), "2.2ms"},
      {Milliseconds(250), "250ms"},
      {Milliseconds(3300), "3.3s"},
      {Seconds(60), "1m0s"},
      {Seconds(245), "4m5s"},
      {Milliseconds(245'001), "4m5.001s"},
      {Hours(5) + Minutes(6) + Milliseconds(7001), "5h6m7.001s"},
      {Minutes(8) + Nanoseconds(1), "8m0.000000001s"},
      {Hours(1), "1h0m0s"},
      {Seconds(-90), "-1m30s"},
      {Duration::Max(), "2562047h47m16.854775807s"},
      {kSmallest, "-2562047h47m16.854775808s"},
  };
  for (const auto& c : kCases) EXPECT_EQ(FormatDuration(c.value), c.want);
}

TEST(FormatDuration, ParsesBackExactly) {
  std::uint64_t x = 88172645463325252u;
  for (int i = 0; i < 20'000; ++i) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    const Duration d(static_cast<std::int64_t>(x) >> (i % 64));
    const absl::StatusOr<Duration> back = ParseDuration(FormatDuration(d));
    ASSERT_TRUE(back.ok()) << FormatDuration(d);
    // Go reads the fraction through a double: exact for nine decimals of a second.
    ASSERT_EQ(back->ns(), d.ns()) << FormatDuration(d);
  }
}

TEST(FormatTime, KeepsAtLeastThreeDecimals) {
  EXPECT_EQ(FormatTime(VirtualTime()), "+0.000s");
  EXPECT_EQ(FormatTime(VirtualTime(12'345'000'000)), "+12.345s");
  EXPECT_EQ(FormatTime(VirtualTime(1'500'000'000)), "+1.500s");
  EXPECT_EQ(FormatTime(VirtualTime(1'000'200'000)), "+1.0002s");
  EXPECT_EQ(FormatTime(VirtualTime(7)), "+0.000000007s");
  EXPECT_EQ(FormatTime(VirtualTime(-250'000'000)), "-0.250s");
}

TEST(Time, Arithmetic) {
  const VirtualTime t = VirtualTime() + Seconds(3);
  EXPECT_EQ((t + Milliseconds(5)) - t, Milliseconds(5));
  EXPECT_EQ((t - Seconds(1)).ns(), Seconds(2).ns());
  EXPECT_EQ(Seconds(7) / 2, Milliseconds(3500));
  EXPECT_EQ(Seconds(7).whole_seconds(), 7);
  EXPECT_LT(Minutes(59), Hours(1));
}

TEST(Version, IsThreeNumbers) {
  const std::string_view version = Version();
  EXPECT_EQ(std::count(version.begin(), version.end(), '.'), 2);
  EXPECT_EQ(version.find_first_not_of("0123456789."), std::string_view::npos);
}

}  // namespace
}  // namespace ksim
