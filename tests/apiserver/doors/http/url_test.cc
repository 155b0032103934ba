#include "ksim/apiserver/doors/http/url.h"

#include <gtest/gtest.h>

namespace ksim::apiserver::http {
namespace {

TEST(Url, ParsesTargets) {
  const auto url = ParseTarget("/api/v1/a%2fb%20c+d?x=1%2B2+3&y&x=4&=5");
  ASSERT_TRUE(url.has_value());
  EXPECT_EQ(url->path, "/api/v1/a/b c+d");
  ASSERT_NE(url->query.Find("x"), nullptr);
  EXPECT_EQ(*url->query.Find("x"), (std::vector<std::string>{"1+2 3", "4"}));
  EXPECT_EQ(url->query.Get("y"), "");
  EXPECT_NE(url->query.Find("y"), nullptr);
  EXPECT_EQ(url->query.Get(""), "5");
  EXPECT_EQ(url->query.Find("z"), nullptr);
}

TEST(Url, TakesTheAbsoluteForm) {
  EXPECT_EQ(ParseTarget("http://host:1/api?x=1")->path, "/api");
  EXPECT_EQ(ParseTarget("https://host")->path, "/");
  EXPECT_EQ(ParseTarget("http://host?x=1")->query.Get("x"), "1");
}

TEST(Url, RefusesWhatIsNone) {
  for (const std::string_view bad :
       {"", "api", "*", "/a%", "/a%2", "/a%zz", "/a\x7f", "/a\nb", "ftp://h/", "://h/"}) {
    EXPECT_FALSE(ParseTarget(bad).has_value()) << bad;
  }
}

// net/url: parseQuery drops what it cannot read and goes on.
TEST(Url, DropsBrokenParameters) {
  const QueryValues query = ParseQuery("a=1;b=2&c=%zz&%=x&d=4&&e=5=6");
  EXPECT_EQ(query.Find("a"), nullptr);
  EXPECT_EQ(query.Find("c"), nullptr);
  EXPECT_EQ(query.Get("d"), "4");
  EXPECT_EQ(query.Get("e"), "5=6");
}

}  // namespace
}  // namespace ksim::apiserver::http
