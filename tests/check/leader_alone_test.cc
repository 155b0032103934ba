// leader.alone, G-LT6: two that lead at a time are a violation, or a remark with its cause.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "recorded.h"
#include "tests/trace/builder.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;

// An election of `a` and `b` in seconds. Each line is one event or a few, in order of time.
class Election {
 public:
  // Writes the Lease as `who` for `holder`.
  Election& Write(double t, const std::string& who, const std::string& holder) {
    const std::string lease = fmt::format(
        R"({{"metadata":{{"name":"cm"}},"spec":{{"holderIdentity":"{}","leaseDurationSeconds":{},)"
        R"("renewTime":"{}"}}}})",
        holder, holder.empty() ? 1 : 15, t);
    builder_.Commit(Ns(t), 0, "leases", "cm", lease, ++revision_, who);
    Record& commit = builder_.trace.events.back();
    commit.Add("key", Value::Of("/registry/leases/default/cm"));
    commit.Add("prevRv", Value::Of(revision_ - 1));
    return *this;
  }
  Election& Request(double t, const std::string& who, const char* verb = "get") {
    builder_.Event(Ns(t), who, Kind::kRequest, 0,
                   fmt::format(R"({{"id":{},"verb":"{}","resource":"leases","namespace":"default",)"
                               R"("name":"cm"}})",
                               ++request_, verb));
    return *this;
  }
  Election& Renew(double t, double answered, const std::string& who) {
    Request(t, who, "update").Write(t, who, who);
    builder_.Event(Ns(answered), who, Kind::kResponse, 0,
                   fmt::format(R"({{"id":{},"code":200}})", request_));
    return *this;
  }
  Election& Lead(double t, const std::string& who) {
    return Write(t, who, who).Actor(t, who, "lead");
  }
  Election& Lose(double t, const std::string& who) { return Actor(t, who, "lose"); }
  Election& Pause(double t, const char* state, const char* before = "") {
    const std::string args = *before == '\0' ? "" : fmt::format(R"("before":"{}")", before);
    builder_.Event(Ns(t), "ksim", Kind::kFault, 0,
                   fmt::format(R"({{"id":"1{}","verb":"pause","target":"a","args":{{{}}},)"
                               R"("state":"{}"}})",
                               before, args, state));
    return *this;
  }
  // A clock runs at that rate from now on, or as the others again.
  Election& Turn(double t, const std::string& who, const char* rate, const char* state = "begin") {
    builder_.Event(Ns(t), "ksim", Kind::kFault, 0,
                   fmt::format(R"({{"id":"clock","verb":"skewClock","target":"{}",)"
                               R"("args":{{"rate":"{}"}},"state":"{}"}})",
                               who, rate, state));
    return *this;
  }
  // The verdict: "ok", "not judged", or what is remarked or violated.
  std::string Verdict() {
    const Trace trace = builder_.Finish("");
    const auto checker = CheckTrace(trace, {"leader.alone"});
    if (!checker.ok()) return std::string(checker.status().message());
    std::string out;
    for (const Finding& f : (*checker)->findings()) out += "violated: " + f.violation.message;
    for (const Remark& r : (*checker)->remarks()) out += r.message;
    if (!out.empty()) return out;
    return (*checker)->judged().empty() ? "not judged" : "ok";
  }

 private:
  static std::int64_t Ns(double t) { return static_cast<std::int64_t>(t * 1000) * 1000000; }
  Election& Actor(double t, const std::string& who, const char* state) {
    builder_.Event(Ns(t), who, Kind::kActor, 0,
                   fmt::format(R"({{"process":"{}","state":"{}"}})", who, state));
    return *this;
  }

  trace::TraceBuilder builder_;
  std::int64_t revision_ = 0;
  int request_ = 0;
};

TEST(LeaderAlone, AnOverlapHasACauseOrIsAViolation) {
  const auto began = [] { return Election().Lead(1, "a").Renew(4, 4, "a"); };
  const auto paused = [&began] { return began().Pause(5, "begin"); };
  const std::string both = "a and b both led from +";
  const std::string beside =
      "violated: b leads since +20.000s beside a, and nothing of CLIENT-120 "
      "explains it: ";
  const std::string too_long = beside +
                               "a had to give up by +16.000s, 12s after the last answer to "
                               "a renewal";
  struct Case {
    const char* what;
    Election election;
    std::string want;
  };
  Case cases[] = {
      {"nobody leads", Election().Request(1, "a"), "not judged"},
      {"one after the other", began().Lose(16, "a").Lead(20, "b"), "ok"},
      {"the old leader died, and no event says so", began().Lead(20, "b"), "ok"},
      {"it leads on, and nothing held it up", began().Lead(20, "b").Request(21, "a"), too_long},
      {"a part of it works on", began().Lead(20, "b").Request(21, "a/replicaset"), too_long},
      {"it says itself that it led till then", began().Lead(20, "b").Lose(25, "a"), too_long},
      {"it renews after its deadline", began().Lead(20, "b").Renew(21, 21, "a").Request(22, "b"),
       too_long},
      {"the new leader ignores who holds the Lease", began().Lead(14, "b").Request(15, "a"),
       "violated: b leads since +14.000s beside a, and nothing of CLIENT-120 explains it: it took "
       "the Lease at +14.000s, which a had renewed at +4.000s for 15s"},
      {"it ignores it before its own first renewal",
       Election().Lead(1, "b").Lead(8, "a").Request(9, "b"),
       "violated: a leads since +8.000s beside b, and nothing of CLIENT-120 explains it: it took "
       "the Lease at +8.000s, which b had renewed at +1.000s for 15s"},
      {"it was paused", paused().Lead(20, "b").Pause(35, "end").Request(35, "a").Lose(45, "a"),
       both + "20.000s to +45.000s, because a was paused from +5.000s to +35.000s"},
      {"it was paused before the other led", paused().Pause(18, "end").Lead(20, "b").Lose(28, "a"),
       both + "20.000s to +28.000s, because a was paused from +5.000s to +18.000s"},
      {"paused, and too long after it", paused().Pause(7, "end").Lead(20, "b").Lose(28, "a"),
       too_long},
      {"only its writes wait: it gives up in time",
       began().Pause(5, "begin", "write").Lead(20, "b").Lose(28, "a"), too_long},
      {"reads and writes wait",
       began().Pause(5, "begin", "write").Pause(6, "begin", "read").Lead(20, "b").Lose(28, "a"),
       both + "20.000s to +28.000s, because a was paused from +6.000s"},
      {"the answer came late", began().Renew(6, 10, "a").Lead(21.5, "b").Lose(22, "a"),
       both + "21.500s to +22.000s, because the answer to its renewal of +6.000s arrived at "
              "+10.000s"},
      {"somebody blanked the record", began().Write(6, "kubectl", "").Lead(7, "b").Lose(14, "a"),
       both + "7.000s to +14.000s, because kubectl wrote over its Lease at +6.000s"},
      {"the clock of the old leader is slow",
       began().Turn(4, "a", "50%").Lead(20, "b").Lose(27, "a"),
       both + "20.000s to +27.000s, because the clock of a ran at 50%"},
      {"it is slow, and it leads on too long",
       began().Turn(4, "a", "50%").Lead(28.5, "b").Request(29, "a"),
       "violated: b leads since +28.500s beside a, and nothing of CLIENT-120 explains it: a had to "
       "give up by +28.000s, 12s after the last answer to a renewal"},
      {"it was slow for too short a time",
       began().Turn(4, "a", "50%").Turn(8, "a", "50%", "end").Lead(20, "b").Request(21, "a"),
       beside + "a had to give up by +18.000s, 12s after the last answer to a renewal"},
      {"the clock of another is slow", began().Turn(4, "c", "50%").Lead(20, "b").Request(21, "a"),
       too_long},
      {"the clock of the new leader is fast",
       began().Turn(1, "b", "200%").Lead(12, "b").Lose(14, "a"),
       both + "12.000s to +14.000s, because the clock of b ran at 200%"},
      {"it is fast, and ignores who holds the Lease",
       began().Turn(1, "b", "200%").Lead(11, "b").Request(12, "a"),
       "violated: b leads since +11.000s beside a, and nothing of CLIENT-120 explains it: it took "
       "the Lease at +11.000s, which a had renewed at +4.000s for 15s"},
      {"it gave the Lease up itself", began().Write(6, "a", "").Lead(7, "b").Lose(7, "a"), "ok"},
  };
  for (Case& c : cases) EXPECT_EQ(c.election.Verdict(), c.want) << c.what;
}

// CLIENT-120: the writes of the old leader count, and the run goes on.
TEST(LeaderAlone, ALeaderThatWasPausedIsReportedLiveAndFromTheTrace) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    scenario::LoadOptions options;
    options.set = {fmt::format("compat=\"{}\"", compat)};
    scenario::Runner runner(
        scenario::Load({"tests/regress/two-lead-after-a-pause.yaml"}, options).scenarios.at(0),
        scenario::RunnerOptions());
    const scenario::RunReport report = runner.Run();
    EXPECT_EQ(report.exit_code, 0);
    ASSERT_EQ(report.remarks.size(), 1u) << compat;
    const std::string& message = report.remarks[0].message;
    EXPECT_TRUE(
        message.starts_with("kube-controller-manager-0 and kube-controller-manager-1 both "
                            "led from +"))
        << message;
    EXPECT_NE(message.find("because kube-controller-manager-0 was paused from +5.000s to +35.000s; "
                           "in that time kube-controller-manager-0 wrote pods/default/web-"),
              std::string::npos)
        << message;
    Trace trace = runner.MakeTrace(trace::RenderOptions());
    const auto checker = CheckTrace(trace, {"*"});
    ASSERT_TRUE(checker.ok());
    ASSERT_EQ((*checker)->remarks().size(), 1u);
    EXPECT_EQ((*checker)->remarks()[0].message, message);

    // Without the pause nothing explains that it goes on.
    for (Record& r : trace.events)
      if (r.kind == Kind::kFault) SetField(&r, "verb", Value::Of("skewClock"));
    EXPECT_EQ(Violated(trace), std::set<std::string>{"leader.alone"}) << compat;
  }
}

// CLIENT-121, G-CK2: a slow clock is enough, and no other fault is there.
TEST(LeaderAlone, ALeaderWithASlowClockIsReportedLiveAndFromTheTrace) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    scenario::LoadOptions options;
    options.set = {fmt::format("compat=\"{}\"", compat)};
    scenario::Runner runner(
        scenario::Load({"tests/regress/a-slow-clock-leads-on.yaml"}, options).scenarios.at(0),
        scenario::RunnerOptions());
    const scenario::RunReport report = runner.Run();
    EXPECT_EQ(report.exit_code, 0);
    ASSERT_EQ(report.remarks.size(), 1u) << compat;
    const std::string& message = report.remarks[0].message;
    EXPECT_NE(message.find("because the clock of kube-controller-manager-0 ran at 10%; in that "
                           "time kube-controller-manager-0 wrote pods/default/web-"),
              std::string::npos)
        << message;
    Trace trace = runner.MakeTrace(trace::RenderOptions());
    const auto checker = CheckTrace(trace, {"*"});
    ASSERT_TRUE(checker.ok());
    ASSERT_EQ((*checker)->remarks().size(), 1u);
    EXPECT_EQ((*checker)->remarks()[0].message, message);

    // With a true clock nothing explains that it goes on.
    for (Record& r : trace.events)
      if (r.kind == Kind::kFault) SetField(&r, "verb", Value::Of("restart"));
    EXPECT_EQ(Violated(trace), std::set<std::string>{"leader.alone"}) << compat;
  }
}

}  // namespace
}  // namespace ksim::check
