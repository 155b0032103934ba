#include "ksim/check/given_up.h"

#include <gtest/gtest.h>

#include "ksim/base/time.h"
#include "ksim/check/facts.h"
#include "ksim/value/value.h"

namespace ksim::check {
namespace {

constexpr const char* kController = "kube-controller-manager/deployment";
constexpr std::uint64_t kRequest = 7;
constexpr const char* kDropped = "dropped after error: it went wrong";

// The syncs of one controller, and what its process is told of pods.
class GivenUpTest : public testing::Test {
 protected:
  GivenUpTest() {
    Observation o = At(Duration(), sim::EventKind::kRelist);
    o.informer = "kube-controller-manager pods";
    o.resource = "pods";
    o.rv = 1;
    facts_.Take(o);
  }
  void Sync(Duration at, int code, const char* result, const char* actor = kController) {
    Begin(at, actor);
    Answer(at, code, actor);
    End(at, result, actor);
  }
  void Begin(Duration at, const char* actor = kController) {
    Observation begin = At(at, sim::EventKind::kReconcile);
    begin.actor = actor;
    begin.target = "default/web";
    begin.state = "begin";
    facts_.Take(begin);
  }
  // Its seq.
  std::uint64_t Updates(Duration at, std::uint64_t object) {
    Observation request = At(at, sim::EventKind::kRequest);
    request.actor = kController;
    request.verb = "update";
    request.request = kRequest;
    request.object = object;
    facts_.Take(request);
    return request.seq;
  }
  void Answer(Duration at, int code, const char* actor = kController) {
    Observation answer = At(at, sim::EventKind::kResponse);
    answer.actor = actor;
    answer.request = kRequest;
    answer.code = code;
    answer.lost = code == 0;
    facts_.Take(answer);
  }
  void End(Duration at, const char* result, const char* actor = kController) {
    Observation end = At(at, sim::EventKind::kReconcile);
    end.actor = actor;
    end.target = "default/web";
    end.state = "end";
    end.result = result;
    facts_.Take(end);
  }
  void Written(Duration at, std::uint64_t object, const char* by) {
    Observation o = At(at, sim::EventKind::kCommit);
    o.resource = "endpoints";
    o.ns = "default";
    o.name = "web";
    o.op = CommitOp::kUpdate;
    o.object = object;
    o.rv = ++rv_;
    o.before = &pod_;
    o.after = &pod_;
    o.by = by;
    facts_.Take(o);
  }
  void PodCreated(Duration at) {
    Observation o = At(at, sim::EventKind::kCommit);
    o.resource = "pods";
    o.ns = "default";
    o.name = "web-1";
    o.object = 1;
    o.rv = ++rv_;
    o.before = &none_;
    o.after = &pod_;
    facts_.Take(o);
  }
  Observation At(Duration at, sim::EventKind kind) {
    Observation o;
    o.seq = ++seq_;
    o.t = at.ns();
    o.kind = kind;
    return o;
  }
  bool GaveUp() const { return facts_.given_up().any(); }

  const value::Value none_, pod_ = value::Obj({});
  Facts facts_;
  std::uint64_t seq_ = 0;
  std::int64_t rv_ = 1;
};

// FUZZ-08
TEST_F(GivenUpTest, ARequestThatNobodyServesExcusesADrop) {
  for (const int code : {0, 429, 500, 504}) {
    Sync(Seconds(1), code, kDropped);
    EXPECT_TRUE(GaveUp()) << code;
    Sync(Seconds(2), 200, "done");
    EXPECT_FALSE(GaveUp()) << "it was looked at again";
  }
}

// kubernetes#127417 (B21): the controller waits for a version that nobody ever writes.
TEST_F(GivenUpTest, ADropOfItsOwnFaultIsNone) {
  Sync(Seconds(1), 200, kDropped);
  EXPECT_FALSE(GaveUp());
  Sync(Seconds(2), 409, kDropped);
  EXPECT_FALSE(GaveUp()) << "it may have known";
}

// Found by the museum's B21, seed 886 of its repaired side: two rivals beat all fifteen tries.
TEST_F(GivenUpTest, AConflictWithAFaultsWriterExcusesADrop) {
  constexpr std::uint64_t kEndpoints = 5, kOther = 6;
  const auto drops = [this](Duration at, std::uint64_t written, const char* by) {
    Begin(at);
    Updates(at, kEndpoints);
    Written(at, written, by);
    Answer(at, 409);
    End(at, kDropped);
    return GaveUp();
  };
  EXPECT_FALSE(drops(Seconds(1), kEndpoints, "kubectl")) << "no fault wrote it";
  EXPECT_FALSE(drops(Seconds(2), kOther, "ksim")) << "that was no reason";
  Written(Seconds(3), kEndpoints, "ksim");
  EXPECT_FALSE(drops(Seconds(3), kOther, "ksim")) << "it could know by then";
  EXPECT_TRUE(drops(Seconds(4), kEndpoints, "ksim"));
}

// rejectWrite answers 409 to a creation whose name the server makes, and writes nothing.
TEST_F(GivenUpTest, AConflictThatAFaultAnswersExcusesADrop) {
  Begin(Seconds(1));
  Observation fault = At(Seconds(1), sim::EventKind::kFault);
  fault.verb = "rejectWrite";
  fault.state = "begin";
  fault.cause = Updates(Seconds(1), 0);
  facts_.Take(fault);
  Answer(Seconds(1), 409);
  End(Seconds(1), kDropped);
  EXPECT_TRUE(GaveUp());
}

TEST_F(GivenUpTest, OnlyTheLastTryCounts) {
  Sync(Seconds(1), 503, "error: it went wrong");
  EXPECT_FALSE(GaveUp());
  Sync(Seconds(2), 200, kDropped);
  EXPECT_FALSE(GaveUp());
}

// Found by the museum's B21, seed 47 of its repaired side: for five minutes the controller's watch
// of endpoints was away, and it created what was there until it gave up.
TEST_F(GivenUpTest, ACacheThatIsBehindExcusesADrop) {
  PodCreated(Seconds(1));
  Sync(Seconds(2), 409, kDropped);
  EXPECT_FALSE(GaveUp()) << "the event may be on its way";
  Sync(Seconds(60), 409, kDropped);
  EXPECT_TRUE(GaveUp());
}

// An EndpointSlice controller takes its own cache for out of date until its handler is called.
TEST_F(GivenUpTest, AHandlerThatStandsStillExcusesADrop) {
  const auto stall = [this](Duration at, const char* target, const char* state) {
    Observation fault = At(at, sim::EventKind::kFault);
    fault.verb = "stallHandler";
    fault.target = target;
    fault.key = target;
    fault.state = state;
    facts_.Take(fault);
  };
  stall(Seconds(1), "kube-scheduler pods", "begin");
  Sync(Seconds(2), 200, kDropped);
  EXPECT_FALSE(GaveUp()) << "it is another's";
  stall(Seconds(2), "kube-controller-manager-guest pods", "begin");
  Sync(Seconds(2), 200, kDropped);
  EXPECT_FALSE(GaveUp()) << "a guest's name begins with it";
  stall(Seconds(3), "kube-controller-manager endpointslices", "begin");
  Sync(Seconds(4), 200, kDropped);
  EXPECT_TRUE(GaveUp());
  stall(Seconds(5), "kube-controller-manager endpointslices", "end");
  Sync(Seconds(6), 200, kDropped);
  EXPECT_FALSE(GaveUp());
}

TEST_F(GivenUpTest, AControllerOfOnesOwnIsNotExcused) {
  Sync(Seconds(1), 500, kDropped, "sample/wrong-exists");
  EXPECT_FALSE(GaveUp());
}

}  // namespace
}  // namespace ksim::check
