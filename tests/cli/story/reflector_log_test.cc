// The log of client-go's reflectors and informers, at each verbosity and in each version: the texts
// and places of tools/cache/reflector.go and shared_informer.go.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "ksim/cli/story/reflector_lines.h"
#include "tests/cli/run_cli.h"

namespace ksim::cli {
namespace {

using client::CacheMoment;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Said = CacheMoment::Kind;

class ReflectorLinesTest : public testing::Test {
 protected:
  // "LEVEL SEVERITY PLACE] TEXT" of each line.
  std::vector<std::string> Lines(const CacheMoment& moment, const char* compat,
                                 const char* process = "kube-scheduler") const {
    std::vector<std::string> out;
    for (const ReflectorLine& line : LinesOfMoment(moment, process, *api::ParseCompat(compat)))
      out.push_back(fmt::format("{} {} {}] {}", line.level, line.severity, line.place, line.text));
    return out;
  }
  CacheMoment Of(Said kind) const { return CacheMoment(kind, kinds_.ByResource("", "pods")); }
  CacheMoment Failed(Said kind, api::Status status) const {
    CacheMoment moment = Of(kind);
    moment.status = std::move(status);
    return moment;
  }
  api::Kinds kinds_;
};

TEST_F(ReflectorLinesTest, OfAReflectorThatStarts) {
  CacheMoment starts = Of(Said::kReflectorStarts);
  starts.period = Seconds(90);
  EXPECT_THAT(Lines(starts, "1.25"),
              ElementsAre("3 I reflector.go:221] Starting reflector *v1.Pod (1m30s) from "
                          "vendor/k8s.io/client-go/informers/factory.go:134"));
  EXPECT_THAT(Lines(starts, "1.30"),
              ElementsAre("3 I reflector.go:296] Starting reflector *v1.Pod (1m30s) from "
                          "k8s.io/client-go/informers/factory.go:160"));
  EXPECT_THAT(Lines(starts, "1.36"),
              ElementsAre("3 I reflector.go:425] \"Starting reflector\" type=\"*v1.Pod\" "
                          "resyncPeriod=\"1m30s\" "
                          "reflector=\"k8s.io/client-go/informers/factory.go:177\""));
  EXPECT_THAT(Lines(Of(Said::kListsAndWatches), "1.30", "kubelet/node-1"),
              ElementsAre("3 I reflector.go:332] Listing and watching *v1.Pod from "
                          "pkg/kubelet/config/apiserver.go:66"))
      << "a kubelet reads its pods by a reflector of its own";
  EXPECT_THAT(Lines(Of(Said::kResync), "1.36", "kubelet/node-1"),
              ElementsAre("4 I reflector.go:527] \"Forcing resync\" "
                          "reflector=\"pkg/kubelet/config/apiserver.go:65\""));
}

TEST_F(ReflectorLinesTest, VersionsHaveDifferentLines) {
  EXPECT_THAT(Lines(Of(Said::kPopulated), "1.25"), IsEmpty());
  EXPECT_THAT(Lines(Of(Said::kPopulated), "1.30"),
              ElementsAre("2 I reflector.go:359] Caches populated for *v1.Pod from "
                          "k8s.io/client-go/informers/factory.go:160"));
  EXPECT_THAT(Lines(Of(Said::kPopulated), "1.36"),
              ElementsAre("2 I reflector.go:507] \"Caches populated\" type=\"*v1.Pod\" "
                          "reflector=\"k8s.io/client-go/informers/factory.go:177\""));
  EXPECT_THAT(Lines(Of(Said::kInitialEventsEnd), "1.30"), IsEmpty());
  CacheMoment end = Of(Said::kInitialEventsEnd);
  end.items = 3;
  end.duration = Milliseconds(5);
  EXPECT_THAT(Lines(end, "1.36"),
              ElementsAre("4 I reflector.go:1080] \"Exiting watch because received the bookmark "
                          "that marks the end of initial events stream\" "
                          "reflector=\"k8s.io/client-go/informers/factory.go:177\" totalItems=3 "
                          "duration=\"5ms\""));
}

TEST_F(ReflectorLinesTest, OfAStreamThatBreaks) {
  const std::string text = "Unexpected EOF during watch stream event decoding";
  for (const char* compat : {"1.25", "1.30"})
    EXPECT_THAT(Lines(Of(Said::kStreamBreaks), compat),
                ElementsAre("1 I streamwatcher.go:111] " + text + ": unexpected EOF"));
  EXPECT_THAT(Lines(Of(Said::kStreamBreaks), "1.36"),
              ElementsAre("1 I streamwatcher.go:120] \"" + text + "\" err=\"unexpected EOF\""));
}

TEST_F(ReflectorLinesTest, OfHowAWatchEnds) {
  const std::string name = "k8s.io/client-go/informers/factory.go:160";
  CacheMoment closes = Of(Said::kWatchCloses);
  closes.items = 7;
  EXPECT_THAT(Lines(closes, "1.30"), ElementsAre("4 I reflector.go:808] " + name +
                                                 ": Watch close - *v1.Pod total 7 items received"));
  const api::Status expired = api::Expired("too old resource version: 1 (9)");
  EXPECT_THAT(Lines(Failed(Said::kWatchExpires, expired), "1.30"),
              ElementsAre("4 I reflector.go:457] " + name +
                          ": watch of *v1.Pod closed with: too old resource version: 1 (9)"));
  EXPECT_THAT(Lines(Failed(Said::kWatchExpires, expired), "1.36"),
              ElementsAre("4 I reflector.go:651] \"Watch closed\" "
                          "reflector=\"k8s.io/client-go/informers/factory.go:177\" "
                          "type=\"*v1.Pod\" err=\"too old resource version: 1 (9)\""));
  CacheMoment very_short = Of(Said::kWatchEnds);
  very_short.very_short = true;
  EXPECT_THAT(Lines(very_short, "1.30"), ElementsAre("0 W reflector.go:470] " + name +
                                                     ": watch of *v1.Pod ended with: very "
                                                     "short watch: " +
                                                     name +
                                                     ": Unexpected watch close - watch lasted less "
                                                     "than a second and no items received"));
  EXPECT_THAT(Lines(Of(Said::kWatchThrottled), "1.25"),
              ElementsAre("2 I reflector.go:340] vendor/k8s.io/client-go/informers/factory.go:134: "
                          "watch of *v1.Pod returned 429 - backing off"));
  EXPECT_THAT(Lines(Failed(Said::kWatchRefused, api::ConnectionRefused()), "1.25"), IsEmpty());
}

// The reflector's own warning, and what DefaultWatchErrorHandler makes of it.
TEST_F(ReflectorLinesTest, OfAListThatFails) {
  const CacheMoment fails = Failed(Said::kListFails, api::InternalError("boom"));
  const std::string why(fails.status.message);
  const std::string name = "k8s.io/client-go/informers/factory.go:160";
  EXPECT_THAT(Lines(fails, "1.30"),
              ElementsAre("0 W reflector.go:547] " + name + ": failed to list *v1.Pod: " + why,
                          "0 E reflector.go:150] " + name +
                              ": Failed to watch *v1.Pod: failed to list *v1.Pod: " + why));
  const std::vector<std::string> structured = Lines(fails, "1.36");
  ASSERT_EQ(structured.size(), 1u) << "1.36 has no warning";
  EXPECT_THAT(
      structured[0],
      HasSubstr("0 E reflector.go:227] \"Failed to watch\" err=\"failed to list *v1.Pod: "));
  EXPECT_THAT(
      structured[0],
      HasSubstr(" logger=\"UnhandledError\" "
                "reflector=\"k8s.io/client-go/informers/factory.go:177\" type=\"*v1.Pod\""));
  EXPECT_THAT(
      Lines(Failed(Said::kWatchFails, api::Expired("too old")), "1.30"),
      ElementsAre("4 I reflector.go:144] " + name + ": watch of *v1.Pod closed with: too old"));
}

TEST_F(ReflectorLinesTest, OfResyncs) {
  EXPECT_THAT(Lines(Of(Said::kResync), "1.30"),
              ElementsAre("4 I reflector.go:385] k8s.io/client-go/informers/factory.go:160: "
                          "forcing resync"));
  CacheMoment raised = Of(Said::kPeriodRaised);
  raised.period = Seconds(5);
  raised.least = Seconds(10);
  EXPECT_THAT(Lines(raised, "1.30"),
              ElementsAre("0 W shared_informer.go:597] resyncPeriod 5s is smaller than "
                          "resyncCheckPeriod 10s and the informer has already started. Changing "
                          "it to 10s"));
  EXPECT_THAT(Lines(raised, "1.36"),
              ElementsAre("0 I shared_informer.go:895] \"Warning: resync period is smaller than "
                          "resync check period and the informer has already started. Changing it "
                          "to the resync check period\" resyncPeriod=\"5s\" "
                          "resyncCheckPeriod=\"10s\""));
}

TEST_F(ReflectorLinesTest, OfAControllerThatWaitsForItsCaches) {
  CacheMoment waits(Said::kWaits, nullptr);
  waits.part = "daemonset";
  EXPECT_THAT(
      Lines(waits, "1.25"),
      ElementsAre("0 I shared_informer.go:252] Waiting for caches to sync for daemon sets"));
  CacheMoment synced(Said::kSynced, nullptr);
  synced.part = "tainteviction";
  EXPECT_THAT(Lines(synced, "1.30"), ElementsAre("0 I shared_informer.go:320] Caches are synced "
                                                 "for taint-eviction-controller"));
  EXPECT_THAT(Lines(synced, "1.36"),
              ElementsAre("0 I shared_informer.go:409] \"Caches are synced\" "
                          "logger=\"taint-eviction-controller\""));
  waits.part = "somebody's";
  EXPECT_THAT(Lines(waits, "1.30"), IsEmpty());
}

TEST(ReflectorLog, ControllersWaitForTheirCaches) {
  const CliResult r = RunCli(
      {"run", "scenarios/replicaset.yaml", "-q", "--log", "kube-controller-manager", "-v", "1"});
  for (const char* name :
       {"ReplicaSet", "garbage collector", "GC", "namespace", "endpoint_slice"}) {
    const std::size_t waits =
        r.err.find(fmt::format("] Waiting for caches to sync for {}\n", name));
    const std::size_t synced = r.err.find(fmt::format("] Caches are synced for {}\n", name));
    ASSERT_NE(waits, std::string::npos) << name << r.err;
    EXPECT_LT(waits, synced) << name;
    EXPECT_EQ(r.err.find(fmt::format("to sync for {}\n", name), waits + 60), std::string::npos);
  }
}

// The lines of a run are those of a process's informers, in their places, and change nothing.
TEST(ReflectorLog, IsThatOfAProcess) {
  const auto run = [](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"run", "scenarios/informers-late-handlers.yaml", "-q"});
    return RunCli(flags);
  };
  const CliResult log = run({"--log", "watcher", "-v", "4"});
  EXPECT_EQ(log.code, 0);
  const std::vector<std::string> lines = absl::StrSplit(log.err, '\n', absl::SkipEmpty());
  ASSERT_GE(lines.size(), 9u) << log.err;
  EXPECT_THAT(lines[0],
              HasSubstr("       1 reflector.go:296] Starting reflector *v1.Pod (10s) from"));
  EXPECT_THAT(lines[1], HasSubstr("reflector.go:332] Listing and watching *v1.Pod from"));
  EXPECT_THAT(lines[2], HasSubstr("reflector.go:359] Caches populated for *v1.Pod from"));
  EXPECT_THAT(lines[3], HasSubstr("reflector.go:385] k8s.io/client-go/informers/factory.go:160: "
                                  "forcing resync"));
  EXPECT_THAT(log.err, HasSubstr("W0101 00:00:30.000000       1 shared_informer.go:597] "
                                 "resyncPeriod 5s is smaller than resyncCheckPeriod 10s"));
  EXPECT_THAT(log.err, Not(HasSubstr("round_trippers.go"))) << "requests come at 6";
  const CliResult less = run({"--log", "watcher", "-v", "2"});
  EXPECT_THAT(less.err, HasSubstr("Caches populated"));
  EXPECT_THAT(less.err, Not(HasSubstr("Listing")));
  const auto last = [](const CliResult& r) { return r.out.substr(r.out.rfind(", digest ")); };
  EXPECT_EQ(last(log), last(run({}))) << "who listens changes nothing";
}

// A process that starts again has new informers, which tell the same log.
TEST(ReflectorLog, GoesOnAfterARestart) {
  const CliResult r = RunCli({"run", "scenarios/controller-restart.yaml", "-q", "--log",
                              "kube-controller-manager", "-v", "3"});
  const std::string_view start = "Starting reflector *v1.ReplicaSet";
  const std::size_t first = r.err.find(start);
  ASSERT_NE(first, std::string::npos);
  EXPECT_NE(r.err.find(start, first + 1), std::string::npos);
}

}  // namespace
}  // namespace ksim::cli
