#include "ksim/trace/export/export.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/trace/actors.h"
#include "ksim/trace/event_text.h"
#include "tests/trace/builder.h"
#include "tests/trace/cluster.h"

namespace ksim::trace {
namespace {

using value::Value;
using Kind = sim::EventKind;

std::string Exported(const Excerpt& excerpt, std::string_view format) {
  std::string out;
  Export(format, excerpt, [&out](std::string_view text) { out += text; });
  return out;
}

std::string Exported(const Trace& trace, std::string_view format, std::string_view window = "",
                     const std::vector<std::string>& actors = {}) {
  Excerpt excerpt(trace);
  if (!window.empty()) {
    EXPECT_TRUE(excerpt.SetWindow(window).ok()) << window;
  }
  if (!actors.empty()) {
    EXPECT_TRUE(excerpt.SetActors(actors).ok());
  }
  return Exported(excerpt, format);
}

TEST(Export, GoldenForEachFormat) {
  const Trace trace = SmallCluster();
  for (const std::string& format : ExportFormats()) {
    const std::string path = "tests/trace/golden/small." + format;
    const std::string text = Exported(trace, format);
    EXPECT_EQ(text, Exported(trace, format)) << "twice the same";
    if (os::Environment("KSIM_UPDATE_GOLDEN").has_value()) {
      ASSERT_TRUE(os::WriteFile(path, text).ok());
    }
    const absl::StatusOr<std::string> golden = os::ReadFile(path);
    ASSERT_TRUE(golden.ok()) << path;
    EXPECT_EQ(text, *golden) << path;
  }
}

TEST(Export, JsonLinesOfAllOfATraceAreTheTrace) {
  const Trace trace = SmallCluster();
  EXPECT_EQ(Exported(trace, "jsonl"), FormatTrace(trace, false));
  EXPECT_EQ(Exported(trace, "jsonl", "seq:3..seq:4"),
            ToJsonLine(trace.events[2]) + "\n" + ToJsonLine(trace.events[3]) + "\n");
}

TEST(Export, CsvQuotesWhatNeedsIt) {
  TraceBuilder b;
  b.Event(1, "a,b", Kind::kStep, 0, R"({"state":"end","result":"say \"no\"\nor , not"})");
  b.Event(2, "c", Kind::kPhase, 1, R"({"name":"x"})");
  EXPECT_EQ(Exported(b.Finish("d"), "csv"),
            "seq,t,actor,kind,cause,text,resource,subresource,namespace,name,uid,rv,fields\r\n"
            "1,1,\"a,b\",step,0,\"say \"\"no\"\"\nor , not\",,,,,,,\"{\"\"result\"\":"
            "\"\"say \\\"\"no\\\"\"\\nor , not\"\",\"\"state\"\":\"\"end\"\"}\"\r\n"
            "2,2,c,phase,1,phase x,,,,x,,,\r\n");
}

// Names that users chose are escaped in the grammars of other tools.
TEST(Export, HostileTextStaysText) {
  TraceBuilder b;
  const char* hostile = R"({"verb":"create","target":"</script><b>;# end %%{x}%% \"q\\\nEND"})";
  b.Event(1, "kubectl", Kind::kStep, 0, hostile);
  const Trace trace = b.Finish("d");
  const std::string mermaid = Exported(trace, "mermaid");
  EXPECT_NE(mermaid.find("create #60;/script#62;#60;b#62;#59;#35; #101;nd #37;#37;#123;x#125;"
                         "#37;#37; #34;q#92; #69;ND\n"),
            std::string::npos)
      << mermaid;
  const std::string dot = Exported(trace, "dot");
  EXPECT_NE(dot.find(R"(create </script><b>;# end %%{x}%% \"q\\ END", shape)"), std::string::npos)
      << dot;
  const auto json = value::ParseJson(Exported(trace, "perfetto"));
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(json->Get("traceEvents").items().first->Get("ph").AsString(), "M");
}

TEST(Export, OddTracesBreakNothing) {
  const Trace trace = OddTrace();
  for (const std::string& format : ExportFormats())
    for (const char* window : {"", "seq:7..seq:30"})
      EXPECT_FALSE(Exported(trace, format, window).empty()) << format;
  EXPECT_TRUE(value::ParseJson(Exported(trace, "perfetto")).ok());
}

// The begin and end of a slice in ns, from exact decimals of microseconds.
std::int64_t Nanoseconds(std::string_view json, std::string_view field, std::size_t from) {
  const std::size_t at = json.find(field, from) + field.size();
  std::int64_t ns = 0;
  for (std::size_t i = at; json[i] != ',' && json[i] != '}'; ++i)
    if (json[i] != '.') ns = ns * 10 + (json[i] - '0');
  return ns;
}

// The slices of one track never overlap.
void ExpectSlicesApart(const std::string& json) {
  std::map<std::int64_t, std::vector<std::pair<std::int64_t, std::int64_t>>> by_track;
  for (std::size_t at = json.find("{\"ph\":\"X\""); at != std::string::npos;
       at = json.find("{\"ph\":\"X\"", at + 1)) {
    const std::int64_t begin = Nanoseconds(json, "\"ts\":", at);
    by_track[Nanoseconds(json, "\"tid\":", at)].emplace_back(
        begin, begin + Nanoseconds(json, "\"dur\":", at));
  }
  EXPECT_FALSE(by_track.empty());
  for (auto& [track, slices] : by_track) {
    std::sort(slices.begin(), slices.end());
    for (std::size_t i = 1; i < slices.size(); ++i)
      EXPECT_LE(slices[i - 1].second, slices[i].first) << "track " << track;
  }
}

void ExpectFlowsHaveBothEnds(const Value& events) {
  std::map<std::int64_t, std::string> flows;
  std::set<std::int64_t> instants;  // tracks that have some
  for (const Value& e : events.items()) {
    if (e.Get("ph").AsString() == "i") instants.insert(e.Get("tid").AsInt());
    if (e.Has("id")) flows[e.Get("id").AsInt()] += e.Get("ph").AsString();
    if (e.Has("id")) {
      EXPECT_TRUE(instants.contains(e.Get("tid").AsInt()));
    }
  }
  EXPECT_FALSE(flows.empty());
  for (const auto& [id, ends] : flows) EXPECT_EQ(ends, "sf") << id;
}

TEST(Perfetto, SlicesNestAndFlowsHaveBothEnds) {
  for (const char* window : {"", "2ms..7ms", "seq:3.."}) {
    const std::string text = Exported(SmallCluster(), "perfetto", window);
    const absl::StatusOr<Value> json = value::ParseJson(text);
    ASSERT_TRUE(json.ok()) << json.status();
    ExpectSlicesApart(text);
    ExpectFlowsHaveBothEnds(json->Get("traceEvents"));
  }
}

TEST(Perfetto, TimesAreExactAndOpenSlicesReachTheEnd) {
  TraceBuilder b;
  b.Event(1'234'567'891, "kubectl", Kind::kRequest, 0, R"({"id":1,"verb":"get"})");
  b.Event(1'234'568'000, "kubectl", Kind::kRequest, 0, R"({"id":2,"verb":"list"})");
  b.Event(1'234'568'002, "kubectl", Kind::kResponse, 1, R"({"id":1,"code":200})");
  b.Event(9'000'000'000'000'000'001, "ksim", Kind::kPhase, 0, R"({"name":"end"})");
  const std::string text = Exported(b.Finish("d"), "perfetto");
  EXPECT_NE(text.find("\"ts\":1234567.891,\"dur\":0.111,"), std::string::npos) << text;
  EXPECT_NE(text.find("\"name\":\"requests 2\""), std::string::npos) << "they overlap";
  EXPECT_NE(text.find("\"ts\":1234568.000,\"dur\":8999999998765432.001,"), std::string::npos);
  EXPECT_NE(text.find("\"open\":true"), std::string::npos);
}

TEST(Perfetto, AProcessThatDiesWaitsForNothing) {
  TraceBuilder b;
  b.Event(1'000, "kube-scheduler", Kind::kRequest, 0, R"({"id":1,"verb":"get"})");
  b.Event(3'000, "kube-scheduler", Kind::kActor, 0,
          R"({"process":"kube-scheduler","state":"kill"})");
  b.Event(9'000, "ksim", Kind::kPhase, 0, R"({"name":"end"})");
  const std::string text = Exported(b.Finish("d"), "perfetto");
  EXPECT_NE(text.find("\"ts\":1.000,\"dur\":2.000,"), std::string::npos) << text;
  EXPECT_NE(text.find("\"died\":true"), std::string::npos);
}

TEST(Perfetto, CountsWhatIsUnderWay) {
  const std::string text = Exported(SmallCluster(), "perfetto");
  EXPECT_NE(text.find(R"("name":"under way: pods","args":{"events":2}})"), std::string::npos);
  EXPECT_NE(text.find(R"("name":"lag: pods","args":{"revisions":1}})"), std::string::npos) << text;
  EXPECT_EQ(CountIn(text, "\"ph\":\"C\""),
            CountIn(text, "\"revisions\":") + CountIn(text, "\"events\":"));
}

TEST(Mermaid, TellsWhatIsLostAndWhenFaultsAreInForce) {
  const std::string text = Exported(SmallCluster(), "mermaid");
  EXPECT_NE(text.find("p2-xp4: MODIFIED pods a rv 3 (lost)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("p2--xp4: reply lost\n"), std::string::npos) << text;
  EXPECT_EQ(CountIn(text, "  rect "), CountIn(text, "\n  end\n")) << text;
  EXPECT_EQ(CountIn(text, "  rect "), 1u) << "overlapping faults are one block";
  EXPECT_NE(text.find("fault over: dropWatch"), std::string::npos);
  // A window that begins and ends in the middle of the faults opens and closes its block.
  const std::string middle = Exported(SmallCluster(), "mermaid", "seq:11..seq:11");
  EXPECT_EQ(CountIn(middle, "  rect "), 1u) << middle;
  EXPECT_EQ(CountIn(middle, "\n  end\n"), 1u);
}

TEST(Dot, EdgesLeadOverWhatIsNotShown) {
  const std::string all = Exported(SmallCluster(), "dot");
  EXPECT_NE(all.find("  e3 -> e4;\n"), std::string::npos) << all;
  const std::string some = Exported(SmallCluster(), "dot", "", {"kubectl", "kube-scheduler"});
  EXPECT_NE(some.find("  e2 -> e8 [style=dashed];\n"), std::string::npos) << some;
  EXPECT_EQ(some.find("etcd\\n"), std::string::npos);
}

TEST(Excerpt, WindowsAreMomentsWithBothEnds) {
  const Trace trace = SmallCluster();
  struct Case {
    std::string window;
    std::size_t first, last;
  };
  const Case cases[] = {
      {"..", 0, trace.events.size()},       {"2ms..3ms", 2, 5},   {"+2ms..seq:3", 2, 3},
      {"seq:4..", 3, trace.events.size()},  {"rv:2..rv:2", 2, 5}, {"..end", 0, trace.events.size()},
      {"seq:2..9h", 1, trace.events.size()}};
  for (const Case& c : cases) {
    Excerpt e(trace);
    ASSERT_TRUE(e.SetWindow(c.window).ok()) << c.window;
    EXPECT_EQ(e.first(), c.first) << c.window;
    EXPECT_EQ(e.last(), c.last) << c.window;
  }
  for (const char* bad : {"", "1s", "1s-2s", "x..2s", "1s..x", "2s..1s", "seq:9..seq:2"})
    EXPECT_EQ(Excerpt(trace).SetWindow(bad).code(), absl::StatusCode::kInvalidArgument) << bad;
  for (const char* empty : {"9h..", "seq:900..seq:901", "rv:99.."})
    EXPECT_EQ(Excerpt(trace).SetWindow(empty).code(), absl::StatusCode::kOutOfRange) << empty;
}

TEST(Excerpt, ActorsAreNamedAloneOrByProcess) {
  const Trace trace = SmallCluster();
  Excerpt e(trace);
  ASSERT_TRUE(e.SetActors({"kube-controller-manager"}).ok());
  EXPECT_TRUE(e.ShowsActor("kube-controller-manager"));
  EXPECT_TRUE(e.ShowsActor("kube-controller-manager/replicaset"));
  EXPECT_FALSE(e.ShowsActor("kube-controller-manager-2"));
  EXPECT_FALSE(e.ShowsActor("etcd"));
  EXPECT_EQ(Message(Excerpt(trace).SetActors({"kube-sheduler"})),
            "no actor \"kube-sheduler\" in the trace; did you mean \"kube-scheduler\"?");
  Excerpt early(trace);
  ASSERT_TRUE(early.SetWindow("seq:1..seq:2").ok());
  EXPECT_EQ(early.SetActors({"kube-scheduler"}).code(), absl::StatusCode::kOutOfRange);
}

TEST(Actors, ProcessesStandInTheOrderOfAPicture) {
  EXPECT_EQ(ProcessOf("kubelet/node-1"), "kubelet/node-1");
  EXPECT_EQ(ProcessOf("kube-controller-manager/replicaset"), "kube-controller-manager");
  EXPECT_EQ(PartOf("kube-controller-manager/replicaset"), "replicaset");
  EXPECT_EQ(PartOf("kubelet/node-1"), "");
  std::vector<std::string> actors = {
      "kubelet/node-10",  "kubelet/node-2", "mine",      "kube-scheduler", "kube-apiserver-10",
      "kube-apiserver-9", "etcd",           "mine/part", "kubectl"};
  std::sort(actors.begin(), actors.end(), StandsAbove);
  const std::vector<std::string> expected = {
      "kubectl", "etcd",      "kube-apiserver-9", "kube-apiserver-10", "kube-scheduler",
      "mine",    "mine/part", "kubelet/node-2",   "kubelet/node-10"};
  EXPECT_EQ(actors, expected);
}

}  // namespace
}  // namespace ksim::trace
