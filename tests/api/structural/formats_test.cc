// Formats and regular expressions of schemas.
#include "ksim/api/structural/formats.h"

#include <gtest/gtest.h>

#include <string>

#include "ksim/api/structural/go_regexp.h"

namespace ksim::api {
namespace {

// CRD-05: examples of strfmt's own tests.
TEST(Formats, GoodAndBad) {
  struct Row {
    const char *format, *good, *bad;
  };
  for (const Row& row : {
           Row{"date", "2014-02-28", "2014-02-30"},
           Row{"date-time", "2014-12-15T08:00:00.000Z", "2014-12-15 08:00:00"},
           Row{"datetime", "2014-12-15T08:00:00+01:00", "2014-12-15T24:00:00Z"},
           Row{"duration", "1h30m", "1 fortnight"},
           Row{"duration", "3 days", "soon"},
           Row{"uri", "https://example.com/a?b=c", "example.com"},
           Row{"uri", "/path", "http://a b/"},
           Row{"email", "somebody@example.com", "somebody@somewhere@example.com"},
           Row{"hostname", "somewhere.com", "somewhere.com!"},
           Row{"ipv4", "192.168.254.1", "198.168.254.2.2"},
           Row{"ipv6", "::1", "127.0.0.1"},
           Row{"cidr", "192.168.254.1/24", "198.168.254.1/66"},
           Row{"mac", "01:02:03:04:05:06", "01:02:03:04:05"},
           Row{"uuid", "a8098c1a-f86e-11da-bd1a-00112444be1e", "a8098c1a"},
           Row{"uuid4", "025b0d74-00a2-4048-bf57-227c5111bb34",
               "025b0d74-00a2-1048-bf57-227c5111bb34"},
           Row{"isbn10", "0321751043", "836217463"},
           Row{"isbn13", "978 3401013190", "978 3401013191"},
           Row{"creditcard", "4111-1111-1111-1111", "9999-9999-9999-999"},
           Row{"ssn", "111-11-1111", "999 99 999"},
           Row{"hexcolor", "#FFFFFF", "#fffffffz"},
           Row{"rgbcolor", "rgb(255,255,255)", "rgb(300,0,0)"},
           Row{"byte", "ZWxpemFiZXRocG9zZXk=", "ZWxpemFiZXRocG9zZXk"},
           Row{"bsonobjectid", "507f1f77bcf86cd799439011", "507f1f77"},
       }) {
    EXPECT_TRUE(IsSupportedFormat(row.format, Compat::k1_30)) << row.format;
    EXPECT_TRUE(HasFormat(row.good, row.format)) << row.format << " " << row.good;
    EXPECT_FALSE(HasFormat(row.bad, row.format)) << row.format << " " << row.bad;
  }
  EXPECT_FALSE(IsSupportedFormat("int32", Compat::k1_36));
  EXPECT_FALSE(IsSupportedFormat("k8s-short-name", Compat::k1_30));
  EXPECT_TRUE(IsSupportedFormat("k8s-short-name", Compat::k1_36));
  EXPECT_FALSE(HasFormat("a.b", "k8s-short-name"));
  EXPECT_TRUE(HasFormat("a.b", "k8s-long-name"));
}

TEST(GoRegexp, ReadsWhatGoReads) {
  EXPECT_TRUE(GoRegexp("^[a-z]{2,3}$").Matches("ab"));
  EXPECT_TRUE(GoRegexp(R"(\pL)").Matches("\xc3\xa4"));
  EXPECT_EQ(GoRegexp("a").problem(), "");
  EXPECT_EQ(GoRegexp("[a").problem(), "error parsing regexp: missing closing ]: `[a`");
  EXPECT_EQ(GoRegexp("(a").problem(), "error parsing regexp: missing closing ): `(a`");
  EXPECT_EQ(GoRegexp("*").problem(),
            "error parsing regexp: missing argument to repetition operator: `*`");
  EXPECT_EQ(GoRegexp("a(?!b)").problem(),
            "error parsing regexp: invalid or unsupported Perl syntax: `(?!`");
}

}  // namespace
}  // namespace ksim::api
