#include <gtest/gtest.h>

#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/trace/trace.h"
#include "tests/trace/builder.h"

namespace ksim::trace {
namespace {

using sim::EventKind;

Trace Small() {
  TraceBuilder b;
  b.Event(0, "kubectl", EventKind::kPhase, 0, R"({"name":"workload"})");
  b.Commit(5, 1, "pods", "a", R"({"spec":{"x":1}})", 2);
  b.Event(9, "kubectl", EventKind::kPhase, 2, R"({"name":"end"})");
  return b.Finish("abcd");
}

TEST(Record, LineHasCommonFieldsThenThoseOfItsKindInOrder) {
  TraceBuilder b;
  b.Event(12, "kubelet/node-1", EventKind::kRuntime, 0,
          R"({"result":"ok","pod":"default/a","action":"start","uid":"u","node":"node-1",)"
          R"("container":"c"})");
  const absl::StatusOr<Record> r = ParseRecord(Json(ToJsonLine(b.trace.events[0])));
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(ToJsonLine(*r),
            R"({"seq":1,"t":12,"actor":"kubelet/node-1","kind":"runtime","cause":0,)"
            R"("pod":"default/a","uid":"u","node":"node-1","container":"c","action":"start",)"
            R"("result":"ok"})");
}

TEST(TraceFile, LinesComeBackByteForByte) {
  const std::string text = FormatTrace(Small(), false);
  const absl::StatusOr<Trace> trace = ParseTrace(text);
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(FormatTrace(*trace, false), text);
  EXPECT_EQ(trace->missing, "");
  EXPECT_EQ(trace->end->digest, "abcd");
}

TEST(TraceFile, BothFormatsGoThroughFiles) {
  for (const std::string name : {"t.jsonl", "t.ktrace"}) {
    const std::string path = testing::TempDir() + name;
    ASSERT_TRUE(WriteTrace(Small(), path).ok());
    const absl::StatusOr<Trace> trace = ReadTrace(path);
    ASSERT_TRUE(trace.ok()) << trace.status();
    EXPECT_EQ(FormatTrace(*trace, false), FormatTrace(Small(), false));
  }
}

TEST(TraceFile, CutTracesSayWhatIsMissing) {
  const std::string text = FormatTrace(Small(), false);
  std::size_t last = text.rfind('\n', text.size() - 2);
  absl::StatusOr<Trace> trace = ParseTrace(text.substr(0, last + 1));
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(trace->missing,
            "cut after line 4; 3 events can be read, the last line (digest and result) is missing");
  trace = ParseTrace(text.substr(0, last - 10));
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(trace->missing,
            "cut in the middle of line 4; 2 events can be read, the last line (digest and result) "
            "is missing");
}

TEST(TraceFile, TheLastLineHasTheHashOfTheFirst) {
  const std::string text = FormatTrace(Small(), false);
  const absl::StatusOr<Trace> trace = ParseTrace(text);
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(trace->last_line.Get("header").AsString(), HashOfHeader(trace->first_line));
  EXPECT_EQ(ToJsonLine(trace->header), text.substr(0, text.find('\n')));
  const std::string begin = "{\"end\":{\"events\":3,";
  EXPECT_EQ(text.substr(text.rfind('\n', text.size() - 2) + 1, begin.size()), begin);
}

TEST(TraceFile, OnlyTheNewlineAtTheEndIsMissing) {
  const std::string text = FormatTrace(Small(), false);
  const absl::StatusOr<Trace> trace = ParseTrace(text.substr(0, text.size() - 1));
  ASSERT_TRUE(trace.ok());
  EXPECT_TRUE(trace->end.has_value());
  EXPECT_EQ(trace->missing, "the newline at its end is missing");
}

TEST(TraceFile, RejectsWhatIsNoTrace) {
  struct Case {
    std::string text, message;
  };
  const std::string good = FormatTrace(Small(), false);
  const std::string header = good.substr(0, good.find('\n') + 1);
  const Case cases[] = {
      {"", "there is nothing in it"},
      {"hello\n", "line 1 column 1: "},
      {"{}\n", "line 1: the first line is not that of a ksim trace"},
      {header + "{\"seq\":2,\"t\":0,\"actor\":\"a\",\"kind\":\"phase\",\"cause\":0}\n",
       "line 2: seq 2 where 1 was expected"},
      {header + "{\"seq\":1,\"t\":0,\"actor\":\"a\",\"kind\":\"phases\",\"cause\":0}\n",
       "line 2: unknown kind of event \"phases\""},
      {header + "{\"t\":0}\n", "line 2: \"seq\" is missing or no integer"},
      {good + "{}\n", "line 6: text after the last line"},
      {header + "{\"end\":{\"events\":9}}\n",
       "line 2: the last line counts 9 events, there are 0"}};
  for (const Case& c : cases) {
    const absl::StatusOr<Trace> trace = ParseTrace(c.text);
    ASSERT_FALSE(trace.ok()) << c.message;
    EXPECT_EQ(Message(trace.status()).substr(0, c.message.size()), c.message);
  }
}

}  // namespace
}  // namespace ksim::trace
