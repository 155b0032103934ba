#include "ksim/check/facts.h"

#include <gtest/gtest.h>

#include "ksim/base/time.h"

namespace ksim::check {
namespace {

constexpr const char* kInformer = "kube-scheduler pods";

// The lists of one informer, answer by answer.
class FactsTest : public testing::Test {
 protected:
  FactsTest() {
    Observation o = At(Duration(), sim::EventKind::kRelist);
    o.informer = kInformer;
    o.resource = "pods";
    o.rv = 1;
    facts_.Take(o);
  }
  void ListAnswered(Duration at, int code) {
    Observation o = At(at, sim::EventKind::kRequest);
    o.request = ++request_;
    o.actor = "kube-scheduler";
    o.verb = "list";
    o.resource = "pods";
    facts_.Take(o);
    Observation answer = At(at, sim::EventKind::kResponse);
    answer.request = request_;
    answer.code = code;
    answer.lost = code == 0;
    facts_.Take(answer);
  }
  void Phase(Duration at, const char* name) {
    Observation o = At(at, sim::EventKind::kPhase);
    o.state = name;
    facts_.Take(o);
  }
  Duration RefusedSince() { return Duration(facts_.informers().front()->refused_since); }
  Observation At(Duration at, sim::EventKind kind) {
    Observation o;
    o.seq = ++seq_;
    o.t = at.ns();
    o.kind = kind;
    return o;
  }

  Facts facts_;
  std::uint64_t seq_ = 0, request_ = 0;
};

TEST_F(FactsTest, AnInformerIsRefusedSinceTheFirstListInVain) {
  ListAnswered(Seconds(1), 504);
  ListAnswered(Seconds(2), 410);
  EXPECT_EQ(RefusedSince(), Seconds(1));
}

// Found by `ksim fuzz scenarios/watch-expired-relist.yaml`, seed 76: etcd's answers were a quarter
// of an hour late, the first list was answered 504, and the client gave up waiting for the others.
TEST_F(FactsTest, ListsWithoutAnAnswerAreNotRefused) {
  ListAnswered(Seconds(1), 504);
  ListAnswered(Seconds(31), 0);
  EXPECT_EQ(RefusedSince(), Duration());
  ListAnswered(Seconds(62), 504);
  EXPECT_EQ(RefusedSince(), Seconds(62));
}

// Found by the museum's B24, seed 355 of its repaired side: etcd's answer to an API server that
// filled its cache anew was five minutes late, and so long it refused the lists.
TEST_F(FactsTest, AServerWatchesAResourceSinceItsLastWatchOnEtcdOpened) {
  EXPECT_EQ(facts_.watched_since("pods"), 0);
  Observation o = At(Seconds(7), sim::EventKind::kWatch);
  o.level = Level::kStore;
  o.open = true;
  o.server = "kube-apiserver-0";
  o.key = "/registry/pods/";
  facts_.Take(o);
  EXPECT_EQ(facts_.watched_since("pods"), Seconds(7).ns());
  EXPECT_EQ(facts_.watched_since("nodes"), 0);
}

TEST_F(FactsTest, FaultsAreOverWhenTheRunHeals) {
  Phase(Seconds(3), "faults");
  EXPECT_EQ(facts_.last_fault(), 0);
  Phase(Seconds(5), "heal");
  EXPECT_EQ(facts_.last_fault(), Seconds(5).ns());
}

}  // namespace
}  // namespace ksim::check
