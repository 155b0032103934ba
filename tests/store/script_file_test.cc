#include "ksim/store/script_file.h"

#include <gtest/gtest.h>

#include <string>

namespace ksim::store {
namespace {

// The error for a script of one line, without the file's name.
std::string ErrorOf(const std::string& line) {
  const ScriptFile file = ReadScript(line, "ops");
  if (file.errors.empty()) return "";
  const Diagnostic& d = file.errors[0];
  return std::to_string(d.span.line) + ":" + std::to_string(d.span.column) + "-" +
         std::to_string(d.span.end_column) + " " + d.message + (d.hint.empty() ? "" : "; ") +
         d.hint;
}

TEST(ScriptFile, SaysWhatIsWrongWhere) {
  struct Case {
    const char* line;
    const char* error;
  };
  const Case cases[] = {
      {R"({"i":0,"op":"put")", "1:18-18 no JSON: unexpected end, expected ',' or '}'"},
      {R"([1])", "1:1-4 an operation must be an object, got an array"},
      {R"({"i":0})", "1:1-8 an operation has a field \"op\""},
      {R"({"op":"put"})",
       "1:1-13 an operation has a field \"i\"; its number in the script, from 0"},
      {R"({"i":"0","op":"put"})", "1:6-9 \"i\" must be an integer, got the string \"0\""},
      {R"({"i":0,"op":"putt"})", "1:13-19 no operation \"putt\"; did you mean \"put\"?"},
      {R"({"i":0,"op":7})", "1:13-14 \"op\" must be a string, got the integer 7"},
      {R"({"i":0,"op":"put","kee":"a"})", "1:19-24 unknown field \"kee\"; did you mean \"key\"?"},
      {R"({"i":0,"op":"put","key":1})", "1:25-26 \"key\" must be a string, got the integer 1"},
      {R"({"i":0,"op":"put","key":"a","value":"","value_len":2})",
       "1:52-53 \"value\" and \"value_len\" exclude each other"},
      {R"({"i":0,"op":"put","key":"a","value_len":-1})",
       "1:41-43 \"value_len\" must be from 0 to 67108864, got -1"},
      {R"({"i":0,"op":"range","key":"é","limit":1.5})",
       "1:39-42 \"limit\" must be an integer of at most 64 bits, got a number"},
      {R"({"i":0,"op":"range","limit":9223372036854775808})",
       "1:29-48 \"limit\" must be an integer of at most 64 bits, got a number"},
      {R"({"i":0,"op":"range","sort_order":"up"})",
       "1:34-38 no sort_order \"up\"; there are none, ascend, descend"},
      {R"({"i":0,"op":"range","keys_only":1})",
       "1:33-34 \"keys_only\" must be true or false, got the integer 1"},
      {R"({"i":0,"op":"txn","success":[{"op":"put"},{"op":"compact"}]})",
       "1:49-58 no operation \"compact\" in a transaction; there are put, range, delete_range, "
       "txn"},
      {R"({"i":0,"op":"txn","success":[{"op":"txn","failure":{}}]})",
       "1:52-54 \"failure\" must be a list, got an object"},
      {R"({"i":0,"op":"txn","compare":[{"target":"mod","result":"equal","operand":"1"}]})",
       "1:73-76 \"operand\" must be an integer of at most 64 bits, got the string \"1\""},
      {R"({"i":0,"op":"txn","compare":[{"target":"value","result":"equal","operand":1}]})",
       "1:75-76 \"operand\" must be a string, got the integer 1"},
      {R"({"i":0,"op":"txn","compare":[{"target":"mod"}]})", "1:30-46 \"result\" is missing"},
      {R"({"i":0,"op":"watch_open","w":"w","filters":["nope"]})",
       "1:45-51 a filter is \"noput\" or \"nodelete\", got the string \"nope\""},
      {R"({"i":0,"op":"watch_collect","w":"w"})", "1:33-36 no watch \"w\" was opened"},
      {R"({"i":0,"op":"lease_grant","id":0,"ttl":1})",
       "1:32-33 \"id\" must not be 0; with 0 etcd would draw one"},
      {R"({"i":0,"op":"sleep","ms":-5})", "1:26-28 \"ms\" must be from 0 to 31536000000, got -5"},
  };
  for (const Case& c : cases) EXPECT_EQ(ErrorOf(c.line), c.error) << c.line;
}

TEST(ScriptFile, TellsOneProblemALineAndFollowsLabels) {
  const ScriptFile file = ReadScript(
      "{\"i\":0,\"op\":\"watch_open\",\"w\":\"a\"}\n"
      "\n"
      "{\"i\":1,\"op\":\"watch_open\",\"w\":\"a\"}\r\n"
      "{\"i\":2,\"op\":\"watch_close\",\"w\":\"a\"}\n"
      "{\"i\":3,\"op\":\"watch_progress\",\"w\":\"a\"}\n"
      "{\"i\":4,\"op\":\"watch_open\",\"w\":\"b\",\"kee\":1,\"limit\":2}\n"
      "{\"i\":5,\"op\":\"watch_collect\",\"w\":\"b\"}",
      "ops.jsonl");
  std::string text;
  for (const Diagnostic& d : file.errors) text += Render(d, false);
  EXPECT_EQ(text,
            "ops.jsonl:3:30: error: watch \"a\" was opened before\n"
            "    3 | {\"i\":1,\"op\":\"watch_open\",\"w\":\"a\"}\n"
            "      |                              ^~~\n"
            "ops.jsonl:5:34: error: watch \"a\" is closed\n"
            "    5 | {\"i\":3,\"op\":\"watch_progress\",\"w\":\"a\"}\n"
            "      |                                  ^~~\n"
            "ops.jsonl:6:34: error: unknown field \"kee\"\n"
            "    6 | {\"i\":4,\"op\":\"watch_open\",\"w\":\"b\",\"kee\":1,\"limit\":2}\n"
            "      |                                  ^~~~~\n"
            "      hint: did you mean \"key\"?\n");
  EXPECT_EQ(file.ops.size(), 3u);
}

TEST(ScriptFile, ALongLineIsNotShown) {
  const ScriptFile file = ReadScript("{\"i\":0,\"op\":\"put\",\"key\":\"a\",\"value\":\"" +
                                         std::string(5000, 'x') + "\",\"leese\":1}",
                                     "ops");
  ASSERT_EQ(file.errors.size(), 1u);
  EXPECT_EQ(Render(file.errors[0], false),
            "ops:1:5040: error: unknown field \"leese\"\n      hint: did you mean \"lease\"?\n");
}

}  // namespace
}  // namespace ksim::store
