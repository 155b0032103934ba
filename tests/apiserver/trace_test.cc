// The events that the API server emits on the bus.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ksim/apiserver/core/payloads.h"
#include "ksim/base/hash.h"
#include "ksim/store/events.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using Lines = std::vector<std::string>;

// Keeps every event of the run.
class Recorder {
 public:
  explicit Recorder(sim::Simulation& sim) {
    sim.bus().Subscribe(sim::Bus::Stage::kOracle,
                        [this, here = std::weak_ptr<bool>(here_)](const sim::Event& e) {
                          if (here.lock()) events.push_back(e);
                        });
  }
  const sim::Event& At(std::uint64_t seq) const {
    for (const sim::Event& e : events)
      if (e.seq == seq) return e;
    ADD_FAILURE() << "no event " << seq;
    return events.front();
  }
  Lines Stages(std::uint64_t request) const {
    Lines stages;
    for (const sim::Event& e : events) {
      if (e.kind != sim::EventKind::kStage) continue;
      const auto& p = e.payload.As<StagePayload>();
      if (p.request == request)
        stages.push_back(fmt::format("{} {}", ToString(p.stage), p.result()));
    }
    return stages;
  }
  // The API server's own of a kind.
  template <class T>
  std::vector<sim::Event> Of(sim::EventKind kind) const {
    std::vector<sim::Event> out;
    for (const sim::Event& e : events)
      if (e.kind == kind && dynamic_cast<const T*>(e.payload.get()) != nullptr) out.push_back(e);
    return out;
  }
  std::vector<sim::Event> events;

 private:
  // The world emits events while it shuts down, after this object is destroyed.
  std::shared_ptr<bool> here_ = std::make_shared<bool>(true);
};

// The slow oracle compares field by field.
TEST(Stages, AreHashedAsHasherDoes) {
  for (const Stage stage : {Stage::kAuthenticate, Stage::kAuthorize, Stage::kDefault, Stage::kAdmit,
                            Stage::kValidate, Stage::kStore}) {
    for (const char* refusal : {"", "no"}) {
      const StagePayload payload(77, stage, refusal);
      Hasher slow;
      slow.Add(payload.request).Add(ToString(stage)).Add(payload.result());
      EXPECT_EQ(payload.ContentHash(), slow.Digest()) << ToString(stage) << " " << refusal;
    }
  }
}

// API-61
TEST(Stages, ARequestTellsEachOne) {
  World world;
  Recorder recorder(world.sim);
  api::Request request = world.Request(api::Verb::kCreate, "configmaps", "default", "");
  request.body = ConfigMap("default", "m");
  world.Do(request);
  ASSERT_FALSE(recorder.events.empty());
  const std::uint64_t id = recorder.events.front().payload.As<StagePayload>().request;
  EXPECT_EQ(recorder.Stages(id), (Lines{"authenticate ok", "authorize ok", "default ok", "admit ok",
                                        "validate ok", "store ok"}));
  world.Do(request);
  EXPECT_EQ(recorder.Stages(id + 1).back(), "store configmaps \"m\" already exists");
  request.body = ConfigMap("default", "Not A Name");
  world.Do(request);
  const Lines refused = recorder.Stages(id + 2);
  EXPECT_EQ(refused.size(), 5u);
  EXPECT_TRUE(refused.back().starts_with("validate ConfigMap \"Not A Name\" is invalid"));
}

TEST(Stages, AWriteIsCausedByItsRequest) {
  World world;
  Recorder recorder(world.sim);
  api::Request request = world.Request(api::Verb::kCreate, "configmaps", "default", "");
  request.body = ConfigMap("default", "m");
  request.event = 77;
  world.Do(request);
  for (const sim::Event& e : recorder.events) {
    if (e.kind != sim::EventKind::kStage && e.kind != sim::EventKind::kCommit) continue;
    EXPECT_EQ(e.cause, 77u);
  }
  const auto commits = recorder.Of<store::CommitPayload>(sim::EventKind::kCommit);
  ASSERT_EQ(commits.size(), 1u);
  EXPECT_EQ(commits[0].payload.As<store::CommitPayload>().by.name(), "test");
}

TEST(WatchEvents, AreCausedByTheCommitThroughTheStorageWatch) {
  World world;
  auto watch = world.Watch("configmaps", "default", Options(std::to_string(world.revision())));
  Recorder recorder(world.sim);
  const api::Object m = world.Create("configmaps", "default", ConfigMap("default", "m")).object;
  world.Advance(Seconds(1));
  const auto events = recorder.Of<EventPayload>(sim::EventKind::kEvent);
  ASSERT_EQ(events.size(), 1u);
  const sim::Event& event = events[0];
  EXPECT_EQ(event.actor.name(), "kube-apiserver-0");
  EXPECT_EQ(event.object, api::ObjectHash("configmaps", "default", "m"));
  EXPECT_EQ(event.revision, m.resource_version());
  EXPECT_EQ(watch->last().event, event.seq);
  // event <- deliver (the server took it in) <- event (etcd put it on the wire) <- commit
  const sim::Event& taken = recorder.At(event.cause);
  EXPECT_EQ(taken.kind, sim::EventKind::kDeliver);
  const sim::Event& sent = recorder.At(taken.cause);
  EXPECT_EQ(sent.kind, sim::EventKind::kEvent);
  EXPECT_EQ(recorder.At(sent.cause).kind, sim::EventKind::kCommit);
}

TEST(WatchEvents, OfTheStateAreCausedByTheRequest) {
  World world;
  world.Create("configmaps", "default", ConfigMap("default", "m"));
  Recorder recorder(world.sim);
  world.Watch("configmaps", "default", Options("0"));
  const auto events = recorder.Of<EventPayload>(sim::EventKind::kEvent);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].cause, 0u) << "the test's requests have no event";
}

TEST(WatchEvents, OpeningAndClosingAreTold) {
  World world;
  Recorder recorder(world.sim);
  api::ListOptions options = Options("0");
  options.label_selector = "a=b";
  options.allow_watch_bookmarks = true;
  options.timeout_seconds = 5;
  auto watch = world.Watch("configmaps", "default", options);
  world.Advance(Seconds(6));
  const auto events = recorder.Of<WatchPayload>(sim::EventKind::kWatch);
  ASSERT_EQ(events.size(), 2u);
  const auto& open = events[0].payload.As<WatchPayload>();
  EXPECT_TRUE(open.open);
  EXPECT_EQ(open.stream, watch->response.stream);
  EXPECT_EQ(open.server.name(), "kube-apiserver-0");
  EXPECT_EQ(open.client.name(), "test");
  EXPECT_EQ(open.selectors, "a=b");
  EXPECT_EQ(open.rv, "0");
  EXPECT_EQ(open.options, "bookmarks,timeoutSeconds=5");
  const auto& close = events[1].payload.As<WatchPayload>();
  EXPECT_FALSE(close.open);
  EXPECT_EQ(close.reason, "timeout");
  EXPECT_NE(events[0].content(), events[1].content());
}

TEST(Background, WhatABackgroundWriteLeadsToKeepsNoRunBusy) {
  World world;
  auto watch = world.Watch("configmaps", "default", Options("0"));
  EXPECT_EQ(world.sim.RunUntilQuiet(Seconds(2), sim::Simulation::Limits()),
            sim::Simulation::Stop::kQuiescent);
  api::Request request = world.Request(api::Verb::kCreate, "configmaps", "default", "");
  request.body = ConfigMap("default", "m");
  world.sim.context().background = true;
  const auto answer = world.Start(request);
  world.sim.context().background = false;
  EXPECT_EQ(world.sim.pending_work(), 0u);
  Recorder recorder(world.sim);
  while (!World::Answered(answer)) {
    ASSERT_TRUE(world.sim.Step());
    EXPECT_EQ(world.sim.pending_work(), 0u);
  }
  world.Advance(Seconds(1));
  const auto events = recorder.Of<EventPayload>(sim::EventKind::kEvent);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_TRUE(events[0].background);
}

// The client opens the watch anew, and so on for ever.
TEST(Background, TheEndOfAWatchsTimeKeepsNoRunBusy) {
  World world;
  Recorder recorder(world.sim);
  api::ListOptions options = Options("0");
  options.timeout_seconds = 5;
  auto watch = world.Watch("configmaps", "default", options);
  world.Advance(Seconds(6));
  EXPECT_TRUE(watch->closed);
  const auto events = recorder.Of<WatchPayload>(sim::EventKind::kWatch);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_FALSE(events[0].background) << "it was opened as part of work";
  EXPECT_TRUE(events[1].background);
}

// A change that a client has missed between two watches is work if it was.
TEST(Background, AWatchThatIsOpenedAnewTellsOfWork) {
  for (const bool work : {true, false}) {
    World world;
    const api::Response first = world.Create("configmaps", "default", ConfigMap("default", "a"));
    api::Request request = world.Request(api::Verb::kCreate, "configmaps", "default", "");
    request.body = ConfigMap("default", "b");
    world.sim.context().background = !work;
    const auto answer = world.Start(request);
    world.sim.context().background = false;
    world.RunUntil([&] { return World::Answered(answer); });
    world.Advance(Seconds(1));
    Recorder recorder(world.sim);
    world.sim.context().background = true;
    auto watch = world.StartWatch("configmaps", "default",
                                  Options(std::to_string(first.object.resource_version())));
    world.sim.context().background = false;
    world.Advance(Seconds(1));
    const auto events = recorder.Of<EventPayload>(sim::EventKind::kEvent);
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].background, !work);
  }
}

TEST(Determinism, TheSameSeedGivesTheSameEvents) {
  const auto contents = [] {
    WorldOptions options;
    options.seed = 9;
    World world(options);
    Recorder recorder(world.sim);
    auto watch = world.Watch("pods", "", Options("0"));
    for (int i = 0; i < 5; ++i)
      world.Create("pods", "default",
                   Pod("default", "")
                       .Erase(value::Path{"metadata", "name"})
                       .Set(value::Path{"metadata", "generateName"}, value::Value::Of("p-")));
    world.Advance(Minutes(10));
    std::vector<std::uint64_t> all;
    for (const sim::Event& e : recorder.events) {
      all.push_back(e.content());
      all.push_back(static_cast<std::uint64_t>(e.time.ns()));
    }
    return all;
  };
  const auto first = contents();
  EXPECT_GT(first.size(), 50u);
  EXPECT_EQ(first, contents());
}

}  // namespace
}  // namespace ksim::apiserver
