#include "ksim/trace/report/report.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ksim/base/os.h"
#include "ksim/trace/delivery_table.h"
#include "ksim/trace/report/events.h"
#include "ksim/trace/schema.h"
#include "tests/trace/builder.h"
#include "tests/trace/cluster.h"

namespace ksim::trace {
namespace {

using value::Value;
using Kind = sim::EventKind;

std::string PageOf(const Excerpt& excerpt, const ReportOptions& options = ReportOptions()) {
  std::string out;
  WriteReport(excerpt, options, [&out](std::string_view text) { out += text; });
  return out;
}
std::string PageOf(const Trace& trace) { return PageOf(Excerpt(trace)); }

std::string DataOf(const Excerpt& excerpt, std::size_t max = 10'000) {
  std::string out;
  WriteEvents(excerpt, ChooseEvents(excerpt, max), [&out](std::string_view text) { out += text; });
  return out;
}

Trace Violated(std::string message, std::uint64_t first) {
  Trace trace = SmallCluster();
  Violation v;
  v.oracle = "watch.reliable";
  v.message = std::move(message);
  v.objects = {"pods/default/a"};
  v.first = first;
  trace.end->result = "violation";
  trace.end->violations = {v};
  trace.end->judged = {"watch.ordered", "watch.reliable"};
  trace.end->not_judged = {{"jobCount", "no job <ran>"}};
  return trace;
}

// Reads the page's data as its script does: texts by number, times and seqs as differences.
class Decoder {
 public:
  explicit Decoder(const Value& data) : data_(data) {}

  std::vector<std::string> Lines() {
    std::vector<std::string> out;
    for (const Value& row : data_.Get("events").items()) {
      const Value& shape = data_.Get("shapes").at(static_cast<std::size_t>(row.at(0).AsInt()));
      Record r;
      r.seq = static_cast<std::uint64_t>(seq_ += row.at(1).AsInt());
      r.t = t_ += row.at(2).AsInt();
      r.actor = data_.Get("actors").at(static_cast<std::size_t>(row.at(3).AsInt())).AsString();
      r.kind = *ParseKind(shape.Get("kind").AsString());
      r.cause = static_cast<std::uint64_t>(row.at(4).AsInt());
      std::size_t i = 5;
      for (const Value& name : shape.Get("fields").items()) {
        const Value& v = row.at(i++);
        const bool changed = name.AsString() == "changed";
        r.Add(name.AsString(), changed ? Changes(v) : Text(v));
      }
      out.push_back(ToJsonLine(r));
    }
    return out;
  }

  Value Changes(const Value& list) const {
    const Value& places = data_.Get("changes").at(static_cast<std::size_t>(list.at(0).AsInt()));
    std::vector<Value> out;
    std::size_t v = 1;
    for (std::size_t i = 0; i < places.size(); i += 2) {
      value::ObjectBuilder one;
      const std::int64_t sides = places.at(i + 1).AsInt();
      if ((sides & 1) != 0) one.Add("old", Text(list.at(v++)));
      if ((sides & 2) != 0) one.Add("new", Text(list.at(v++)));
      one.Add("path", Text(places.at(i)));
      out.push_back(one.Build());
    }
    return Value::Array(std::move(out));
  }

 private:
  Value Text(const Value& v) const {
    if (!v.is_int() || v.AsInt() >= 0) return v;
    return data_.Get("strings").at(static_cast<std::size_t>(-1 - v.AsInt()));
  }

  const Value& data_;
  std::int64_t seq_ = 0, t_ = 0;
};

TEST(ReportEvents, HoldAllThatTheTraceSays) {
  const Trace trace = SmallCluster();
  const absl::StatusOr<Value> data = value::ParseJson(DataOf(Excerpt(trace)));
  ASSERT_TRUE(data.ok()) << data.status();
  std::vector<std::string> expected;
  for (const Record& r : trace.events) expected.push_back(ToJsonLine(r));
  EXPECT_EQ(Decoder(*data).Lines(), expected);
  EXPECT_EQ(data->Get("end").AsInt(), trace.end->time);
}

TEST(ReportEvents, Golden) {
  const std::string path = "tests/trace/golden/small.report.json";
  const std::string text = DataOf(Excerpt(SmallCluster()));
  if (os::Environment("KSIM_UPDATE_GOLDEN").has_value()) {
    ASSERT_TRUE(os::WriteFile(path, text).ok());
  }
  const absl::StatusOr<std::string> golden = os::ReadFile(path);
  ASSERT_TRUE(golden.ok());
  EXPECT_EQ(text, *golden);
}

TEST(ReportEvents, WhatScriptsCannotCountExactlyIsText) {
  TraceBuilder b;
  b.Event(1, "a", Kind::kResponse, 0, R"({"rv":9007199254740993,"code":-1,"items":7})");
  EXPECT_NE(DataOf(Excerpt(b.trace)).find(R"("strings":["-1","9007199254740993"])"),
            std::string::npos)
      << DataOf(Excerpt(b.trace));
}

std::vector<std::uint64_t> SeqsOf(const Trace& trace, const Chosen& chosen) {
  std::vector<std::uint64_t> seqs;
  for (std::size_t i : chosen.events) seqs.push_back(trace.events[i].seq);
  return seqs;
}

TEST(ReportEvents, FewerKeepWhatLedToAViolationAndSayWhatIsMissing) {
  const Trace trace = Violated("lost", 8);
  const Excerpt all(trace);
  const Chosen some = ChooseEvents(all, 12);
  // The page keeps the faults and the violation, event 8 with its causes, and its neighbours 6, 7
  // and 9.
  const std::vector<std::uint64_t> expected = {2, 3, 4, 6, 7, 8, 9, 10, 12, 17, 18, 21};
  EXPECT_EQ(SeqsOf(trace, some), expected);
  EXPECT_EQ(some.left_out, trace.events.size() - 12);
  EXPECT_TRUE(some.part);
  EXPECT_EQ(some.begin, trace.events[5].t);
  EXPECT_EQ(some.end, trace.events[8].t);
  EXPECT_EQ(ChooseEvents(all, 21).left_out, 0u);
  EXPECT_EQ(SeqsOf(trace, ChooseEvents(all, 0)).size(), 9u) << "some are there in any case";
  ReportOptions options;
  options.max_events = 12;
  EXPECT_NE(PageOf(all, options).find("This page has 12 events. Left out are 9: "),
            std::string::npos);
  EXPECT_EQ(PageOf(all).find("This page has"), std::string::npos);
}

TEST(ReportEvents, StagesGoFirst) {
  TraceBuilder b;
  for (int i = 0; i < 9; ++i) {
    b.Event(i, "a", Kind::kStage, 0, R"({"stage":"admit"})");
    b.Event(i, "a", Kind::kRequest, 0, R"({"verb":"get"})");
  }
  const Chosen chosen = ChooseEvents(Excerpt(b.trace), 9);
  EXPECT_EQ(SeqsOf(b.trace, chosen), (std::vector<std::uint64_t>{2, 4, 6, 8, 10, 12, 14, 16, 18}));
  EXPECT_FALSE(chosen.asides);
  EXPECT_FALSE(chosen.part);
}

// Without a violation a page shows the events after the first step.
TEST(ReportEvents, APageBeginsWithTheFirstStep) {
  TraceBuilder b;
  for (int i = 0; i < 100; ++i)
    b.Event(i, "a", i == 50 ? Kind::kStep : Kind::kRequest, 0, R"({"verb":"get"})");
  const std::vector<std::uint64_t> seqs = SeqsOf(b.trace, ChooseEvents(Excerpt(b.trace), 21));
  EXPECT_EQ(seqs.size(), 21u);
  EXPECT_EQ(seqs.front(), 50u) << "one before it";
  EXPECT_EQ(seqs.back(), 70u);
}

TEST(ReportEvents, AWindowBringsTheObjectsAsTheyWere) {
  const Trace trace = SmallCluster();
  Excerpt late(trace);
  ASSERT_TRUE(late.SetWindow("seq:5..").ok());
  const absl::StatusOr<Value> data = value::ParseJson(DataOf(late));
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(data->Get("bases").size(), 1u);
  EXPECT_EQ(value::ToJson(Decoder(*data).Changes(data->Get("bases").Get("6"))),
            value::ToJson(trace.events[2].Get("changed")));
}

TEST(Report, HasTheVerdictWithoutScripts) {
  const std::string ok = PageOf(SmallCluster());
  EXPECT_NE(ok.find("<span class=\"verdict good\">ok</span> run</h1>"), std::string::npos);
  EXPECT_EQ(ok.find("What went wrong"), std::string::npos);
  const Trace trace = Violated("pods/default/a did not come; see event #4, event #99", 7);
  ReportOptions options;
  options.commands = {"ksim replay 'a b.jsonl'"};
  const std::string bad = PageOf(Excerpt(trace), options);
  for (const char* text :
       {"<span class=\"verdict bad\">violation</span>", "ksim replay &#39;a b.jsonl&#39;</pre>",
        "see event <a href=\"#e4\">#4</a>, event #99<br>", "<code>pods/default/a</code>",
        "<a class=\"first\" href=\"#e7\">#7</a>", "1 ok, 1 violated, 1 not judged",
        "no job &lt;ran&gt;", "digest <code>0123456789abcdef0123456789abcdef</code>",
        "<td>+0.004s</td><td>+0.008s</td>"})
    EXPECT_NE(bad.find(text), std::string::npos) << text;
  Trace cut = SmallCluster();
  cut.end.reset();
  EXPECT_NE(PageOf(cut).find("<span class=\"verdict bad\">cut short</span>"), std::string::npos);
}

TEST(Report, NeedsNothingElseAndIsTheSameTwice) {
  const Trace trace = Violated("x", 7);
  const std::string page = PageOf(trace);
  EXPECT_EQ(page, PageOf(trace));
  for (const char* outside : {" src=", "href=\"http", "@import", "url(http", "fetch("})
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
}

TEST(Report, HostileTextStaysText) {
  const std::string hostile = R"(</script><b onclick="x">&'<!--)";
  Trace trace = Violated(hostile, 2);
  trace.end->violations[0].oracle = trace.end->violations[0].objects[0] = hostile;
  trace.end->judged = {hostile};
  trace.header.ksim_version = trace.header.compat = trace.end->digest = hostile;
  trace.header.scenario =
      Json(R"({"metadata":{"name":"</script><b>","description":"</style><b>"}})");
  for (Record& r : trace.events) {
    r.actor = "<b>" + r.actor;
    for (Value::Member& m : r.fields)
      if (m.value.is_string() && m.name.text() != "state") m.value = Value::Of(hostile);
  }
  const std::string page = PageOf(trace);
  EXPECT_EQ(CountIn(page, "</script>"), 2u);
  EXPECT_EQ(CountIn(page, "</style>"), 1u);
  EXPECT_EQ(CountIn(page, "<b onclick"), 0u);
  EXPECT_EQ(CountIn(page, "<!--"), 0u);
  EXPECT_EQ(CountIn(page, "<b>7</b>"), CountIn(page, "<b>") - CountIn(page, "<li><b>"))
      << "the seed";
}

TEST(Report, OddTracesBreakNothing) {
  const Trace trace = OddTrace();
  for (std::size_t max : {0, 10, 1000}) {
    EXPECT_TRUE(value::ParseJson(DataOf(Excerpt(trace), max)).ok()) << max;
    ReportOptions options;
    options.max_events = max;
    EXPECT_TRUE(PageOf(Excerpt(trace), options).ends_with("</html>\n"));
  }
}

TEST(DeliveryRows, CountCallsAboutCommitsAfterTheFirstList) {
  constexpr std::int64_t kMs = 1'000'000;
  TraceBuilder b;
  const auto call = [&b](std::int64_t t, const char* rest) {
    b.Event(t, "c", Kind::kHandler, 0, std::string(R"({"informer":"c pods",)") + rest + "}");
  };
  b.Commit(1 * kMs, 0, "pods", "old", R"({"a":1})", 2);
  b.Event(2 * kMs, "c", Kind::kRelist, 0, R"({"informer":"c pods","gotRv":2,"items":1})");
  call(2 * kMs, R"("type":"add","rv":2,"initial":true)");
  call(2 * kMs, R"("type":"add","rv":2)");
  b.Commit(3 * kMs, 0, "pods", "a", R"({"a":1})", 3);
  b.Commit(4 * kMs, 0, "pods", "a", R"({"a":2})", 4);
  call(5 * kMs, R"("type":"add","rv":3)");
  call(9 * kMs, R"("type":"update","rv":4,"oldRv":3)");
  call(20 * kMs, R"("type":"update","rv":4,"oldRv":4)");
  call(21 * kMs, R"("type":"delete","rv":4,"tombstone":true)");
  const Trace trace = b.Finish("d");
  const std::vector<DeliveryRow> rows = DeliveryRows(Excerpt(trace));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].informer, "c pods");
  EXPECT_EQ(rows[0].calls, 2u);
  EXPECT_EQ(rows[0].p50, 2 * kMs);
  EXPECT_EQ(rows[0].max, 5 * kMs);
  EXPECT_EQ(rows[0].slowest, 8u);
  EXPECT_EQ(rows[0].relists, 1u);
  EXPECT_EQ(rows[0].items, 1);
}

}  // namespace
}  // namespace ksim::trace
