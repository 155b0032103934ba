// The cases of upstream's own tests (client-go util/jsonpath/{jsonpath,parser}_test.go), over JSON.
#include "ksim/value/jsonpath.h"

#include <gtest/gtest.h>

#include "ksim/base/status.h"
#include "ksim/value/go_format.h"
#include "ksim/value/json.h"

namespace ksim::value {
namespace {

// The text, or "error: " and the reason.
std::string Printed(const std::string& text, const std::string& json,
                    JsonPath::Missing missing = JsonPath::Missing::kError) {
  const auto path = JsonPath::Parse(text);
  if (!path.ok()) return "error: " + std::string(Message(path.status()));
  const auto found = path->Find(*ParseJson(json), missing);
  return found.ok() ? JsonPath::Text(*found) : "error: " + std::string(Message(found.status()));
}

struct Case {
  const char* text;
  const char* want;
};

const char kTypes[] = R"({"bools":[true,false,true,false],"integers":[1,2,3,4],
  "floats":[1.5,2.2,3.3,4.0],"strings":["one","two","three","four"],
  "mixed":[true,"one",1,1.1],"none":null,
  "maps":[{"name":"one","value":1},{"name":"two","value":2.02},{"name":"three","value":3.03}]})";

TEST(JsonPath, TakesPartsOfArrays) {
  const Case cases[] = {
      {"{ .bools }", "[true,false,true,false]"},
      {"{ .bools[0] }", "true"},
      {"{ .bools[-1] }", "false"},
      {"{ .bools[0:2] }", "true false"},
      {"{ .bools[:2] }", "true false"},
      {"{ .bools[:4:2] }", "true true"},
      {"{ .integers[-2] }", "3"},
      {"{ .floats[-2] }", "3.3"},
      {"{ .floats[3] }", "4"},
      {"{ .strings }", R"(["one","two","three","four"])"},
      {"{ .strings[:4:2] }", "one three"},
      {"{ .mixed[0:3] }", "true one 1"},
      {"{ .maps[0] }", R"({"name":"one","value":1})"},
      {"{ .maps[::2] }", R"({"name":"one","value":1} {"name":"three","value":3.03})"},
      {"{ .maps[1::2].name }", "two"},
      {"{.none}", "null"},
      {"{.integers[]}", "1"},
      {"{.integers[0:0]}", ""},
      {"{.integers[0:-1]}", "1 2 3"},
      {"{.integers[-1:]}", "4"},
      {"{.integers[-4:]}", "1 2 3 4"},
      {"{.integers[5:5]}", ""},
      {"{.integers[-5:-5]}", ""},
      {"{.integers[0:4:3]}", "1 4"},
      {"{.integers[0:4:9223372036854775807]}", "1"},
      {"{.integers[-1:0]}", "error: starting index 3 is greater than ending index 0"},
      {"{.integers[-5]}", "error: array index out of bounds: index -1, length 4"},
      {"{.integers[4]}", "error: array index out of bounds: index 4, length 4"},
      {"{.integers[0:5]}", "error: array index out of bounds: index 4, length 4"},
      {"{.integers[3:1]}", "error: starting index 3 is greater than ending index 1"},
      {"{.integers[0:4:0]}", "error: step must be > 0"},
      {"{.integers[0:4:-1]}", "error: step must be > 0"},
  };
  for (const Case& c : cases) EXPECT_EQ(Printed(c.text, kTypes), c.want) << c.text;
}

const char kStore[] = R"({"Name":"jsonpath","Book":[
  {"Category":"reference","Author":"Nigel Rees","Price":8.95},
  {"Category":"fiction","Author":"Evelyn Waugh","Price":12.99},
  {"Category":"fiction","Author":"Herman Melville","Price":8.99}],
  "Bicycle":[{"Color":"red","IsNew":true,"Price":19.95},
             {"Color":"green","IsNew":false,"Price":20.01}],
  "Labels":{"engineer":10,"web/html":15,"k8s-app":20}})";

TEST(JsonPath, LooksUpAndMixesWithText) {
  const Case cases[] = {
      {"hello jsonpath", "hello jsonpath"},
      {R"({"{"})", "{"},
      {"hello {.Name}", "hello jsonpath"},
      {"{$.Labels.web/html}", "15"},
      {"{.Labels.k8s-app}", "20"},
      {"{.Bicycle[*].Color}", "red green"},
      {"{.Book[*].Author}", "Nigel Rees Evelyn Waugh Herman Melville"},
      {R"({range .Bicycle[*]}{ "{" }{ @.* }{ "} " }{end})",
       "{red true 19.95} {green false 20.01} "},
      {"{..Price}", "19.95 20.01 8.95 12.99 8.99"},
      {"{...Price}", "19.95 20.01 8.95 12.99 8.99"},
      {"{.Book[-1:].Author}", "Herman Melville"},
      {"{..Book[2].Author}", "Herman Melville"},
      {"{.Bicycle[?(@.IsNew==true)].Color}", "red"},
      {"{.Bicycle[?(@.Color!='red')].Color}", "green"},
      {"{.Book[?(@.Price<9.0)].Author}", "Nigel Rees Herman Melville"},
      {"{.Book[?(@.Price>=12.99)].Author}", "Evelyn Waugh"},
      {"{.Bicycle[?(@.Color)].Color}", "red green"},
      {"{.Bicycle[?(@.Size)].Color}", ""},
      {"{['Name','Name']}", "jsonpath jsonpath"},
      {"{.Book[0,2]['Author']}", "Nigel Rees Herman Melville"},
      {"{.Book[0]['Category', 'Author']}", "reference Nigel Rees"},
      {"{.Labels.*}", "10 20 15"},
      {"{true}{3}{-1.5}", "true3-1.5"},
      {"{range .Labels.*}<{@}>{end}!", "<10><20><15>!"},
      {"{@.Name}{$.Name}", "jsonpathjsonpath"},
      {R"({.Name}{"\t\"\u00e9\x41\101\\\n"})", "jsonpath\t\"\u00e9AA\\\n"},
      {R"({'it\'s'})", "it's"},
      {"{.hello}", "error: hello is not found"},
      {"{hello}", "error: unrecognized identifier hello"},
      {"{.Labels[0]}", "error: map[string]interface {} is not array or slice"},
      {"{.Name[?(@.x)]}", "error: jsonpath is not array or slice and cannot be filtered"},
      {"{.Book[?(@.Price<>10)]}", "error: unrecognized filter operator <>"},
      {"{.Book[?(@.Price<9)]}", "error: incompatible types for comparison"},
      {"{.Bicycle[?(@.IsNew<true)]}", "error: invalid type for comparison"},
      {"{.Book[?(@.* == 1)]}", "error: can only compare one element at a time"},
      {"{range .Labels.*}{@}{end}{end}", "error: not in range, nothing to end"},
  };
  for (const Case& c : cases) EXPECT_EQ(Printed(c.text, kStore), c.want) << c.text;
  EXPECT_EQ(Printed("{..}", "[1,2,3]"), "[1,2,3]");
  EXPECT_EQ(Printed("{[?(@<5)]}", "[2,6,3,7]"), "2 3");
  EXPECT_EQ(Printed("{[1,3,4]}", "[0,1,2,3,4]"), "1 3 4");
  EXPECT_EQ(Printed("{[?(@.z)].id}", R"([{"id":"a","z":1},{"id":"b"},{"id":"c","z":null}])"),
            "a c");
  EXPECT_EQ(Printed("{[-1]['x']}", R"([{"x":null}])"), "null");
  EXPECT_EQ(Printed("before-{.hello}after", kStore, JsonPath::Missing::kEmpty), "before-after");
}

const char kNodes[] = R"({"kind":"List","items":[
  {"kind":"None","metadata":{"name":"127.0.0.1",
     "labels":{"kubernetes.io/hostname":"127.0.0.1"}},
   "status":{"capacity":{"cpu":"4"},"ready":true,
     "addresses":[{"type":"LegacyHostIP","address":"127.0.0.1"}]}},
  {"kind":"None","metadata":{"name":"127.0.0.2",
     "labels":{"kubernetes.io/hostname":"127.0.0.2"}},
   "status":{"capacity":{"cpu":"8"},"ready":false,
     "addresses":[{"type":"LegacyHostIP","address":"127.0.0.2"},
                  {"type":"another","address":"127.0.0.3"}]}}],
  "users":[{"name":"myself","user":{}},
           {"name":"e2e","user":{"username":"admin","password":"secret"}}]})";

TEST(JsonPath, TellsOfNodes) {
  const Case cases[] = {
      {"{range .items[*]}{.metadata.name}, {end}{.kind}", "127.0.0.1, 127.0.0.2, List"},
      {R"({range .items[*]}{.metadata.name}{"\t"}{end})", "127.0.0.1\t127.0.0.2\t"},
      {"{.items[*].status.addresses[*].address}", "127.0.0.1 127.0.0.2 127.0.0.3"},
      {"{range .items[*]}{range .status.addresses[*]}{.address}, {end}{end}",
       "127.0.0.1, 127.0.0.2, 127.0.0.3, "},
      {"{.items[*]['metadata.name', 'status.capacity']}",
       R"(127.0.0.1 127.0.0.2 {"cpu":"4"} {"cpu":"8"})"},
      {"{range .items[*]}[{.metadata.name}, {.status.capacity}] {end}",
       R"([127.0.0.1, {"cpu":"4"}] [127.0.0.2, {"cpu":"8"}] )"},
      {R"({.users[?(@.name=="e2e")].user.password})", "secret"},
      {R"({.items[0].metadata.labels.kubernetes\.io/hostname})", "127.0.0.1"},
      {R"({.items[?(@.metadata.labels.kubernetes\.io/hostname=="127.0.0.1")].kind})", "None"},
      {"{.items[?(@..ready==true)].metadata.name}", "127.0.0.1"},
      {"{..name}", "127.0.0.1 127.0.0.2 myself e2e"},
  };
  for (const Case& c : cases) EXPECT_EQ(Printed(c.text, kNodes), c.want) << c.text;
}

TEST(JsonPath, NestsRanges) {
  const char kPods[] = R"({"items":[
    {"name":"pod1","cs":[{"name":"foo","more":[{"name":"v1"},{"name":"v2"}]},
                         {"name":"bar","more":[{"name":"v1"}]}]},
    {"name":"pod2","cs":[{"name":"baz","more":[{"name":"v1"}]}]}]})";
  const Case cases[] = {
      {R"({range .items[*]}{.name}{":"}{range @.cs[*]}{.name}{","}{end}{"+"}{end})",
       "pod1:foo,bar,+pod2:baz,+"},
      {"{range .items[*]}{.name}~{range @.cs[*]}{.name}:{range @.more[*]}{.name},{end}+{end}#"
       "{end}",
       "pod1~foo:v1,v2,+bar:v1,+#pod2~baz:v1,+#"},
      {R"({range .items[*]}{.name}-{range .cs[*]}{.name} {end}-{range .cs[*]}{.name} {end};{end})",
       "pod1-foo bar -foo bar ;pod2-baz -baz ;"},
  };
  for (const Case& c : cases) EXPECT_EQ(Printed(c.text, kPods), c.want) << c.text;
  const std::string empty = R"({"items":[]})";
  EXPECT_EQ(Printed("{range .items[*]}{.name}{end}.", empty, JsonPath::Missing::kEmpty), ".");
  EXPECT_EQ(Printed("{range .items[*]}{.a}{range @.b.c[*]}{.d}{end}+{end}.", empty,
                    JsonPath::Missing::kEmpty),
            ".");
}

TEST(JsonPath, AFilterPassesOverWhatHasNoSuchField) {
  const char kItems[] = R"({"items":[{"name":"a","color":"blue"},{"name":"b"},
                                     {"name":"c","color":"green"}]})";
  const std::string text = R"({.items[?(@.color=="blue")].name})";
  EXPECT_EQ(Printed(text, kItems, JsonPath::Missing::kEmpty), "a");
  EXPECT_EQ(Printed(text, kItems), "error: color is not found");
}

TEST(JsonPath, TakesQuotesInFilters) {
  const Case cases[] = {
      {R"j({[?(@.os == "()")].n})j", "1"},     {R"j({[?(@.os == "(\"\")")].n})j", "2"},
      {R"j({[?(@.os == "())(")].n})j", "3"},   {R"j({[?(@.os == 'Linux')].n})j", "4"},
      {R"j({[?(@.os == "{[()]}")].n})j", "5"}, {R"j({[?(@.os == "''")].n})j", "6"},
      {R"j({[?(@.os == '""')].n})j", "7"},
  };
  const char kItems[] = R"j([{"os":"()","n":1},{"os":"(\"\")","n":2},{"os":"())(","n":3},
    {"os":"Linux","n":4},{"os":"{[()]}","n":5},{"os":"''","n":6},{"os":"\"\"","n":7}])j";
  for (const Case& c : cases) EXPECT_EQ(Printed(c.text, kItems), c.want) << c.text;
}

TEST(JsonPath, SaysWhatIsNoTemplate) {
  const Case cases[] = {
      {"{.hello", "unclosed action"},
      {"{.a\n}", "unclosed action"},
      {"{*}", "unrecognized character in action: U+002A '*'"},
      {"{\t}", "unrecognized character in action: U+0009"},
      {R"({\\\})", R"(unrecognized character in action: U+005C '\')"},
      {"{+12.3.0}", "cannot parse number +12.3.0"},
      {"{-}", "cannot parse number -"},
      {"{[1}", "unterminated array"},
      {"{[a]}", "invalid array index a"},
      {"{[1:2:3:4]}", "invalid array index 1:2:3:4"},
      {"{[-]}", "array index - is not a number"},
      {"{[99999999999999999999]}", "array index 99999999999999999999 is not a number"},
      {"{[1,x]}", "invalid array index x"},
      {"{[?(.price]}", "unterminated filter"},
      {"{[?(.price)}", "unclosed array expect ]"},
      {"{........}", "invalid multiple recursive descent"},
      {"{\"x}", "unterminated quoted string"},
      {R"({"\q"})", R"(unquote string "\q" error invalid syntax)"},
      {R"({"\'"})", R"(unquote string "\'" error invalid syntax)"},
      {R"({"\ud800"})", R"(unquote string "\ud800" error invalid syntax)"},
      {R"({"\400"})", R"(unquote string "\400" error invalid syntax)"},
  };
  for (const Case& c : cases) {
    const auto path = JsonPath::Parse(c.text);
    ASSERT_FALSE(path.ok()) << c.text;
    EXPECT_EQ(Message(path.status()), c.want) << c.text;
  }
  for (const char* text : {"{", "{[", "{[?(", "{'", "{.", "{..", "{[?()]}", "{[?(=)]}", "{.\\",
                           "{[?(a==)]}", "{[,]}", "{['}']}", "{[?(@}", "}", "{}", ""})
    JsonPath::Parse(text).IgnoreError();  // none of them runs over the end
}

TEST(JsonPath, PrintsAsJson) {
  const auto path = JsonPath::Parse("{.items[*].n}{.none}");
  const auto found = path->Find(*ParseJson(R"({"items":[{"n":"a<b"},{"n":{"x":1}}]})"));
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(JsonPath::Json(*found),
            "[\n    \"a\\u003cb\",\n    {\n        \"x\": 1\n    }\n]\n[]\n");
  EXPECT_EQ(JsonPath::Text(*found), "a<b {\"x\":1}");
}

TEST(GoFormat, ShowsDocumentsInGoSyntaxAndGoJson) {
  const Value v = *ParseJson(R"({"b":[1,"x",null,true,1.5],"a":"<&>\u2028\u2029"})");
  EXPECT_EQ(GoSyntax(v),
            "map[string]interface {}{\"a\":\"<&>\\u2028\\u2029\", \"b\":[]interface {}{1, \"x\", "
            "interface {}(nil), true, 1.5}}");
  EXPECT_EQ(GoJson(v),
            "{\"a\":\"\\u003c\\u0026\\u003e\\u2028\\u2029\",\"b\":[1,\"x\",null,true,1.5]}");
}

}  // namespace
}  // namespace ksim::value
