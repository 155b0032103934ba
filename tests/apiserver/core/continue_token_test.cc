#include "ksim/apiserver/core/continue_token.h"

#include <gtest/gtest.h>

namespace ksim::apiserver {
namespace {

std::string Token(std::string_view json) {
  // The oracle encodes base64url by hand, without the code under test.
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string out;
  for (std::size_t i = 0; i < json.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, json.size() - i);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (k < n ? static_cast<unsigned char>(json[i + k]) : 0u);
    for (std::size_t k = 0; k <= n; ++k) out += kDigits[bits >> (18 - 6 * k) & 63];
  }
  return out;
}

// API-47
TEST(ContinueToken, EncodesWhatKubernetesEncodes) {
  const std::string token = EncodeContinue(ContinueToken(42, std::string("ns/web\0", 7)));
  EXPECT_EQ(token, Token(R"({"v":"meta.k8s.io/v1","rv":42,"start":"ns/web\u0000"})"));
  const auto decoded = DecodeContinue(token);
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->revision, 42);
  EXPECT_EQ(decoded->start, std::string("ns/web\0", 7));
}

// API-47
TEST(ContinueToken, TakesALeadingSlashAndNegativeRevisions) {
  const auto decoded = DecodeContinue(Token(R"({"v":"meta.k8s.io/v1","rv":-1,"start":"/a/b"})"));
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->revision, -1);
  EXPECT_EQ(decoded->start, "a/b");
}

// API-47
// API-39
TEST(ContinueToken, RefusesWhatItDidNotMake) {
  for (const std::string& bad : {std::string("***"), std::string("A"), Token("{"), Token("[]"),
                                 Token(R"({"v":"meta.k8s.io/v1","rv":0,"start":"a"})"),
                                 Token(R"({"v":"meta.k8s.io/v1","rv":5,"start":""})"),
                                 Token(R"({"v":"meta.k8s.io/v2","rv":5,"start":"a"})"),
                                 Token(R"({"v":"meta.k8s.io/v1","rv":5,"start":"./a"})"),
                                 Token(R"({"v":"meta.k8s.io/v1","rv":5,"start":"../a"})"),
                                 Token(R"({"v":"meta.k8s.io/v1","rv":5,"start":"a/../b"})"),
                                 Token(R"({"v":"meta.k8s.io/v1","rv":5,"start":"a//b"})"),
                                 Token(R"({"v":"meta.k8s.io/v1","rv":5,"start":"a/"})")}) {
    const auto decoded = DecodeContinue(bad);
    ASSERT_FALSE(decoded.ok()) << bad;
    EXPECT_EQ(decoded.status().code, 400);
    EXPECT_EQ(decoded.status().reason, "BadRequest");
    EXPECT_TRUE(decoded.status().message.starts_with("invalid continue token")) << bad;
  }
}

// API-49
TEST(ContinueToken, AnExpiredOneComesWithAFreshOne) {
  const api::Status status = ExpiredContinue(ContinueToken(7, "a/b"));
  EXPECT_EQ(status.code, 410);
  EXPECT_EQ(status.reason, "Expired");
  EXPECT_TRUE(status.message.starts_with(
      "The provided continue parameter is too old to display a consistent list result"));
  const auto fresh = DecodeContinue(status.details->continue_token);
  ASSERT_TRUE(fresh.ok());
  EXPECT_EQ(fresh->revision, -1);
  EXPECT_EQ(fresh->start, "a/b");
}

}  // namespace
}  // namespace ksim::apiserver
