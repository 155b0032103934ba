#include "ksim/value/quantity.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "ksim/value/json.h"

namespace ksim::value {
namespace {

Quantity Q(std::string_view text) {
  auto q = Quantity::Parse(text);
  EXPECT_TRUE(q.ok()) << text;
  return q.ok() ? *q : Quantity();
}

TEST(Quantity, CanonicalForm) {
  const std::pair<const char*, const char*> cases[] = {
      {"0", "0"},
      {"0n", "0"},
      {"0Mi", "0"},
      {"-0", "0"},
      {"1", "1"},
      {"100m", "100m"},
      {"0.1", "100m"},
      {".1", "100m"},

      {"1.5", "1500m"},
      {"1.5Gi", "1536Mi"},
      {"1024", "1024"},
      {"1024Ki", "1Mi"},
      {"1000k", "1M"},
      {"1500", "1500"},
      {"15000", "15k"},
      {"100", "100"},
      {"1000", "1k"},
      {"0.5Ki", "512"},
      {"0.0001Ki", "102400u"},
      {"1.1Mi", "1153433600m"},
      {"12e6", "12e6"},
      {"12E6", "12E6"},
      {"1e3", "1e3"},
      {"1e2", "100"},
      {"1e-3", "1e-3"},
      {"1.5e3", "1500"},
      {"1e1", "10"},
      {"100e3", "100e3"},
      {"1000e3", "1e6"},
      {"0.1n", "1n"},
      {"-0.1n", "-1n"},
      {"1.23456789012", "1234567891n"},
      {"-1.5", "-1500m"},
      {"1E", "1E"},
      {"8Ei", "9223372036854775807"},
      {"100Ei", "9223372036854775807"},
      {"-100Ei", "-9223372036854775807"},
      {"1000E", "1000E"},
      {"5E", "5E"},
      {"2Pi", "2Pi"},
      {"1023Ki", "1023Ki"},
      {"1Ki", "1Ki"},
      {"1023", "1023"},
      {"2048Ki", "2Mi"},
      {"0.3Mi", "314572800m"},
      {"123456789123456789", "123456789123456789"},
      {"1234567890123456789012", "1234567890123456789012"},
      // Upstream keeps texts that its quick path takes for canonical.
      {"+1", "+1"},
      {"007", "007"},
      {"1.500", "1.500"},
      {"1.", "1."},
      {"1.000", "1"},
  };
  for (const auto& [text, want] : cases) {
    EXPECT_EQ(Q(text).ToString(), want) << text;
    EXPECT_EQ(Q(Q(text).ToString()), Q(text)) << text;
  }
}

TEST(Quantity, Refuses) {
  const std::string form =
      "quantities must match the regular expression "
      "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  const std::pair<const char*, std::string> cases[] = {
      {"", form},
      {"1x", form},
      {"1.1.1", form},
      {"1 k", form},
      {"1e3x", form},
      {"1ki", "unable to parse quantity's suffix"},
      {"1K", "unable to parse quantity's suffix"},
      {"1mi", "unable to parse quantity's suffix"},
      {"1e", "unable to parse quantity's suffix"},
      {"1-3", "unable to parse quantity's suffix"},
      {"1e99999999999999999999", "unable to parse quantity's suffix"},
      {"1e40", "unable to parse numeric part of quantity"},
      {"Ei", "unable to parse numeric part of quantity"},
      {"e-12", "unable to parse numeric part of quantity"},
  };
  for (const auto& [text, want] : cases) {
    const auto q = Quantity::Parse(text);
    ASSERT_FALSE(q.ok()) << text;
    EXPECT_EQ(q.status().message(), want) << text;
  }
}

TEST(Quantity, ValueAndMilliValueRoundAwayFromZero) {
  const struct {
    const char* text;
    std::int64_t value, milli;
  } cases[] = {
      {"100m", 1, 100},
      {"1", 1, 1000},
      {"1500m", 2, 1500},
      {"-1500m", -2, -1500},
      {"1n", 1, 1},
      {"1.5Gi", 1610612736, 1610612736000},
      {"2k", 2000, 2000000},
      {"0", 0, 0},
      {"1001u", 1, 2},
      {"9223372036854775807", INT64_MAX, INT64_MAX},
      {"100E", INT64_MAX, INT64_MAX},
      {"-100E", INT64_MIN, INT64_MIN},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Q(c.text).Value(), c.value) << c.text;
    EXPECT_EQ(Q(c.text).MilliValue(), c.milli) << c.text;
  }
}

TEST(Quantity, ComparesByAmount) {
  const char* ordered[] = {"-1",  "-1m",  "0",  "1n",  "1u", "999u", "1m", "999m", "1",   "1023",
                           "1Ki", "1025", "1M", "1Mi", "1G", "1Gi",  "1E", "1Ei",  "100E"};
  for (std::size_t i = 0; i < std::size(ordered); ++i) {
    for (std::size_t j = 0; j < std::size(ordered); ++j) {
      EXPECT_EQ(Q(ordered[i]) < Q(ordered[j]), i < j) << ordered[i] << " " << ordered[j];
      EXPECT_EQ(Q(ordered[i]) == Q(ordered[j]), i == j);
    }
  }
  EXPECT_EQ(Q("1"), Q("1000m"));
  EXPECT_EQ(Q("1Ki"), Q("1.024k"));
  EXPECT_EQ(Q("1e3"), Q("1k"));
}

TEST(Quantity, SumsKeepTheFormatOfTheFirst) {
  const struct {
    const char* a;
    const char* b;
    const char* sum;
    const char* difference;
  } cases[] = {
      {"100m", "900m", "1", "-800m"},     {"1Gi", "1G", "2073741824", "73741824"},
      {"1Gi", "1Mi", "1025Mi", "1023Mi"}, {"0", "1Ki", "1Ki", "-1Ki"},
      {"1k", "1Ki", "2024", "-24"},       {"1", "1n", "1000000001n", "999999999n"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ((Q(c.a) + Q(c.b)).ToString(), c.sum) << c.a << " " << c.b;
    EXPECT_EQ((Q(c.a) - Q(c.b)).ToString(), c.difference) << c.a << " " << c.b;
  }
  EXPECT_EQ(Q("1e29") + Q("1e29"), Q("1e29") + Q("1e29") + Q("1"));  // stays at the end
  EXPECT_EQ((-Q("1Gi")).ToString(), "-1Gi");
  EXPECT_EQ(Q("-5").Sign(), -1);
  EXPECT_EQ(Quantity().Sign(), 0);
}

TEST(Quantity, FromNumbersAndTrees) {
  EXPECT_EQ(Quantity::FromInt(2048, Quantity::Format::kBinarySI).ToString(), "2Ki");
  EXPECT_EQ(Quantity::FromMilli(1500).ToString(), "1500m");
  EXPECT_EQ(Quantity::FromTree(*ParseJson("2"))->ToString(), "2");
  EXPECT_EQ(Quantity::FromTree(*ParseJson("0.5"))->ToString(), "500m");
  EXPECT_EQ(Quantity::FromTree(*ParseJson("\" 1Gi \""))->ToString(), "1Gi");
  EXPECT_TRUE(Quantity::FromTree(Value())->is_zero());
  EXPECT_FALSE(Quantity::FromTree(*ParseJson("[1]")).ok());
  EXPECT_EQ(Q("64Mi").ToTree(), Value::Of("64Mi"));
}

// Long division by hand against the 128-bit arithmetic.
TEST(Quantity, AgreesWithNaiveDecimals) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 5000; ++i) {
    const std::int64_t whole = static_cast<std::int64_t>(random() % 1'000'000);
    const std::int64_t micro = static_cast<std::int64_t>(random() % 1'000'000);
    std::string fraction = std::to_string(micro);
    fraction.insert(0, 6 - fraction.size(), '0');
    const Quantity q = Q(std::to_string(whole) + "." + fraction);
    EXPECT_EQ(q.Value(), whole + (micro > 0 ? 1 : 0));
    EXPECT_EQ(q.MilliValue(), whole * 1000 + (micro + 999) / 1000);
    EXPECT_EQ(q, Q(std::to_string(whole) + fraction + "u"));
    const Quantity binary = Q(std::to_string(whole) + "." + fraction + "Ki");
    EXPECT_EQ(binary, Q(std::to_string((whole * 1'000'000 + micro) * 1024) + "u"));
  }
}

}  // namespace
}  // namespace ksim::value
