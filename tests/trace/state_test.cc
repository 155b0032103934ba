#include "ksim/trace/state.h"

#include <gtest/gtest.h>

#include "ksim/base/status.h"
#include "tests/trace/builder.h"

namespace ksim::trace {
namespace {

Trace PodLife() {
  TraceBuilder b;
  b.Commit(1'000'000'000, 0, "pods", "a",
           R"({"kind":"Pod","metadata":{"name":"a","uid":"1"},"spec":{"containers":[{"x":[]}]}})",
           2);
  b.Commit(2'000'000'000, 1, "pods", "b", R"({"metadata":{"name":"b"}})", 3);
  b.Commit(3'000'000'000, 1, "pods", "a",
           R"({"kind":"Pod","metadata":{"name":"a","uid":"1"},"status":{"phase":"Running"}})", 4);
  b.Commit(4'000'000'000, 1, "pods", "b", "", 5);
  return b.Finish("d");
}

std::string At(const Trace& trace, std::string_view when) {
  const absl::StatusOr<Moment> moment = ParseMoment(when);
  if (!moment.ok()) return std::string(Message(moment.status()));
  const absl::StatusOr<State> state = StateAt(trace, *moment);
  if (!state.ok()) return std::string(Message(state.status()));
  std::string out;
  for (const api::Object& o : state->List("pods", "default"))
    out += std::string(o.name()) + "@" + std::to_string(o.resource_version()) + " ";
  return out;
}

TEST(State, IsTheFoldOfTheCommitsUpToAMoment) {
  const Trace trace = PodLife();
  EXPECT_EQ(At(trace, "0s"), "");
  EXPECT_EQ(At(trace, "1s"), "a@2 ");
  EXPECT_EQ(At(trace, "2.5s"), "a@2 b@3 ");
  EXPECT_EQ(At(trace, "+3s"), "a@4 b@3 ");
  EXPECT_EQ(At(trace, "seq:2"), "a@2 b@3 ");
  EXPECT_EQ(At(trace, "rv:4"), "a@4 b@3 ");
  EXPECT_EQ(At(trace, "rv:5"), "a@4 ");
  EXPECT_EQ(At(trace, "end"), "a@4 ");
}

TEST(State, MomentsBeyondTheTraceAndNonsenseAreRefused) {
  const Trace trace = PodLife();
  EXPECT_EQ(At(trace, "9s"), "the trace ends before that: at +4.000s, seq 4, rv 5");
  EXPECT_EQ(At(trace, "rv:6"), "the trace ends before that: at +4.000s, seq 4, rv 5");
  Trace cut = Copy(trace);
  cut.end.reset();
  EXPECT_EQ(At(cut, "9s"), "the trace is cut short before that: at +4.000s, seq 4, rv 5");
  EXPECT_EQ(At(trace, "seq:x"),
            "\"seq:x\" is not a moment: want a time such as 1.5s, seq:N, rv:N or end");
  EXPECT_EQ(At(trace, "soon"),
            "\"soon\" is not a moment: want a time such as 1.5s, seq:N, rv:N or end");
}

TEST(State, ObjectsAreExactlyWhatWasCommitted) {
  const Trace trace = PodLife();
  const absl::StatusOr<State> state = StateAt(trace, *ParseMoment("1s"));
  ASSERT_TRUE(state.ok());
  EXPECT_EQ(value::ToJson(state->Get("pods", "default", "a").tree()),
            R"({"kind":"Pod","metadata":{"name":"a","uid":"1"},"spec":{"containers":[{"x":[]}]}})");
}

TEST(Changes, FoldOfWhatIsWrittenGivesTheTreeBack) {
  const char* versions[] = {R"({"a":1})",
                            R"({"a":{"b":[1,2,3],"c.d/e":{"x":"y"}}})",
                            R"({"a":{"b":[1],"c.d/e":{}}})",
                            R"({"a":[{"n":"p","v":1},{"n":"q"}],"z":null})",
                            R"({"a":[{"n":"q"}],"z":""})",
                            R"({})",
                            R"({"x[0]":{"it's":[[],[[1]]]}})"};
  for (const char* from : versions) {
    for (const char* to : versions) {
      const value::Value tree = ChangesToTree(value::Diff(Json(from), Json(to)));
      const auto back = ChangesFromTree(Json(value::ToJson(tree)));
      ASSERT_TRUE(back.ok()) << back.status();
      EXPECT_EQ(value::ToJson(value::Apply(Json(from), *back)), to) << from;
    }
  }
}

TEST(OutcomeDigest, IgnoresUidsAndVersionsOnly) {
  auto digest = [](std::string_view json, std::int64_t rv) {
    return OutcomeDigest({api::Object::FromTree(Json(json), rv)});
  };
  const std::string one = digest(R"({"metadata":{"name":"a","uid":"1"},"spec":{"n":1}})", 5);
  EXPECT_EQ(one, digest(R"({"metadata":{"name":"a","uid":"2"},"spec":{"n":1}})", 9));
  EXPECT_NE(one, digest(R"({"metadata":{"name":"a","uid":"1"},"spec":{"n":2}})", 5));
  EXPECT_NE(one, digest(R"({"metadata":{"name":"b","uid":"1"},"spec":{"n":1}})", 5));
  EXPECT_EQ(one.size(), 32u);
}

}  // namespace
}  // namespace ksim::trace
