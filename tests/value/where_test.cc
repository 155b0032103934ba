#include "ksim/value/where.h"

#include <gtest/gtest.h>

#include "ksim/value/json.h"

namespace ksim::value {
namespace {

const char kPod[] = R"({
  "metadata":{"name":"web-1","labels":{"app.kubernetes.io/name":"my api","n":"10"},"generation":3},
  "spec":{"nodeName":"","replicas":2,"ratio":0.5,"paused":false,"none":null},
  "status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"},
                                            {"type":"Initialized","status":"False"}]}})";

TEST(Where, Matches) {
  const std::pair<const char*, bool> cases[] = {
      {"status.phase == Running", true},
      {"status.phase==Running", true},
      {"status.phase != Running", false},
      {"status.phase == \"Running\"", true},
      {"status.phase == 'Running'", true},
      {"status.phase in (Pending, Running)", true},
      {"status.phase in (Pending,'Failed')", false},
      {"status.conditions[type=Ready].status == True", true},  // as written
      {"status.conditions[type=Ready].status == true", false},
      {"spec.paused == False", true},
      {"status.conditions[type=Ready].status == \"True\"", true},
      {"status.conditions[type=Ready].status == 'True' && spec.replicas >= 2", true},
      {"status.conditions[type=Ready].status == 'True' && spec.replicas > 2", false},
      {"status.conditions[0].type == Ready", true},
      {"status.conditions[type=Other].status == 'True'", false},
      {"status.conditions[type=Other].status != 'True'", true},
      {"status.conditions[type=Other] exists", false},
      {"status.conditions[type=Ready] exists", true},
      {"spec.nodeName == ''", true},
      {"spec.nodeName exists && spec.none exists", true},
      {"spec.missing exists", false},
      {"spec.missing == ''", false},
      {"spec.missing < 5", false},
      {"spec.missing >= 5", false},
      {"spec.missing in (a, b)", false},
      {"spec.missing != x", true},
      {"spec.replicas == 2.0", true},
      {"spec.replicas < 10", true},
      {"spec.replicas <= 0x2", true},
      {"spec.ratio < 1", true},
      {"spec.paused == false", true},
      {"spec.none == null", true},
      {"metadata.labels.n == \"10\"", true},
      {"metadata.labels.n == 10", true},
      {"metadata.labels.n < 9", true},  // text against a number compares as text
      {"metadata.labels['app.kubernetes.io/name'] == my api", true},
      {"metadata.labels['app.kubernetes.io/name'] == \"my api\" && metadata.generation == 3", true},
      {R"(metadata.labels.app\.kubernetes\.io/name in ("my api"))", true},
      {"metadata.name > web-0", true},
      {"  metadata.name  ==  web-1  ", true},
      {".metadata.name == web-1", true},
      {"@.metadata.name == web-1", true},
      {"status.conditions[-1].type == Initialized", true},
      {"status.conditions[-2].type == Ready", true},
      {"status.conditions[-3] exists", false},
      {"status.conditions[-3].type != Ready", true},
      {"status.conditions[*].status == 'False'", true},
      {"status.conditions[*].status == Unknown", false},
      {"status.conditions[*].status != 'False'", true},  // one of them is not
      {"status.conditions[*].type in (Other, Ready)", true},
      {"status.conditions[*].reason exists", false},
      {"metadata.labels[*] exists", false},  // no list
      {"metadata.name == 'a''b'", false},
      {"metadata.name != \"a\\\"b\"", true},
  };
  const Value pod = *ParseJson(kPod);
  for (const auto& [text, want] : cases) {
    const auto where = Where::Parse(text);
    ASSERT_TRUE(where.ok()) << text << ": " << where.status().message();
    EXPECT_EQ(where->Matches(pod), want) << text;
    const auto again = Where::Parse(where->ToString());
    ASSERT_TRUE(again.ok()) << where->ToString() << ": " << again.status().message();
    EXPECT_EQ(again->Matches(pod), want) << where->ToString();
    EXPECT_EQ(again->ToString(), where->ToString());
  }
  EXPECT_TRUE(Where().Matches(pod));
}

TEST(Where, PrintsItsCanonicalForm) {
  const std::pair<const char*, const char*> cases[] = {
      {"a.b==c", "a.b == c"},
      {"a in( 'x y',1,\"true\" )&&b exists", "a in (\"x y\", 1, \"true\") && b exists"},
      {"a['b.c']<=1.50", "a['b.c'] <= 1.50"},
  };
  for (const auto& [text, want] : cases) EXPECT_EQ(Where::Parse(text)->ToString(), want);
}

TEST(Where, BadOnesNameTheColumn) {
  const std::pair<const char*, const char*> cases[] = {
      {"{.a} == 1", "column 1: a path stands without braces"},
      {"a == 1 || a == 2", "column 8: there is no ||; quote the value if it is part of it"},
      {"a == '1 || 2'", ""},
      {"", "column 1: expected a path"},
      {"== x", "column 1: expected a path"},
      {"status.phase", "column 13: expected one of == != < <= > >= exists in"},
      {"status.phase = Running", "column 14: expected one of == != < <= > >= exists in"},
      {"status.phase is Running", "column 14: expected one of == != < <= > >= exists in"},
      {"status.phase ==", "column 16: expected a value"},
      {"a == b && ", "column 11: expected a path"},
      {"a == b & c", ""},
      {"é..b == c", "column 3: expected a field name"},
      {"x == y && a.* == c", "column 14: wildcards are not supported"},
      {"a[-0] == c", "column 4: expected an index from the end"},
      {"a[-] == c", "column 4: expected an index from the end"},
      {"a in x", "column 6: expected '(' after in"},
      {"a in (x", "column 8: expected ',' or ')'"},
      {"a in (x,)", "column 9: expected a value"},
      {"a == 'x", "column 6: quote is not closed"},
      {"a == 'x' y", "column 10: expected && or the end"},
      {"a exists b", "column 10: expected && or the end"},
  };
  for (const auto& [text, want] : cases) {
    const auto where = Where::Parse(text);
    if (*want == '\0') {
      EXPECT_TRUE(where.ok()) << text;
      continue;
    }
    ASSERT_FALSE(where.ok()) << text;
    EXPECT_EQ(where.status().message(), want) << text;
  }
}

}  // namespace
}  // namespace ksim::value
