#include "ksim/apiserver/cacher/watcher_index.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using api::WatchEventType;

class TestHost final : public WatchHost {
 public:
  explicit TestHost(sim::Simulation& s) : WatchHost(s, sim::ActorId::Of("kube-apiserver-0")) {}
  void OnClosed(const ServedWatch&) override {}
};

class IndexTest : public ::testing::Test {
 protected:
  IndexTest() : sim_(sim::SimulationOptions()), host_(sim_), pods_(*kinds_.ByName("pods")) {}

  Predicate Make(std::string_view ns, std::string_view labels, std::string_view fields) {
    api::ListOptions options;
    options.label_selector = labels;
    options.field_selector = fields;
    auto predicate = Predicate::Make(pods_, ns, "", options);
    EXPECT_TRUE(predicate.ok()) << predicate.status().message;
    return *predicate;
  }
  std::unique_ptr<CacheWatcher> Watcher(Predicate predicate) {
    api::Request request;
    request.resource = &pods_;
    streams_.push_back(std::make_unique<ServedWatch>(
        host_, next_id_++, request, "", [](api::Response) {}, std::make_shared<TestWatch>(sim_)));
    return std::make_unique<CacheWatcher>(*streams_.back(), std::move(predicate), 10, false,
                                          VirtualTime::Max(), api::Variants());
  }
  CacheEvent Change(std::string_view ns, std::string_view name, std::string_view old_node,
                    std::string_view node, bool existed, bool exists) {
    CacheEvent event;
    event.revision = 50;
    event.key = fmt::format("{}/{}", ns, name);
    event.type = WatchEventType::kAdded;
    if (existed) {
      event.type = exists ? WatchEventType::kModified : WatchEventType::kDeleted;
      event.previous = api::Object::FromTree(Pod(ns, name, old_node), 40);
    }
    event.object = api::Object::FromTree(Pod(ns, name, exists ? node : old_node), 50);
    return event;
  }
  std::uint32_t Draw(std::uint32_t n) {
    return sim_.decisions().Draw(sim_.decisions().Site("test"), 0, n);
  }
  std::string Pick(std::vector<std::string> from) {
    return from[Draw(static_cast<std::uint32_t>(from.size()))];
  }

  api::Kinds kinds_;
  sim::Simulation sim_;
  TestHost host_;
  const api::ResourceInfo& pods_;
  std::vector<std::unique_ptr<ServedWatch>> streams_;
  std::uint64_t next_id_ = 1;
};

// WATCH-44
TEST_F(IndexTest, IndexedDispatchEqualsLinearFiltering) {
  WatcherIndex index;
  std::vector<CacheWatcher*> all;
  for (int i = 0; i < 300; ++i) {
    const std::string ns = Pick({"", "a", "b"});
    const std::string labels = Pick({"", "app=a", "app=b"});
    const std::string fields =
        Pick({"", "", "spec.nodeName=n1", "spec.nodeName=n2", "spec.nodeName=", "spec.nodeName!=n1",
              "metadata.name=p1", "metadata.namespace=a", "metadata.namespace=b,metadata.name=p2",
              "spec.nodeName=n1,metadata.name=p1"});
    std::unique_ptr<CacheWatcher> watcher = Watcher(Make(ns, labels, fields));
    all.push_back(watcher.get());
    index.Add(std::move(watcher));
  }
  for (int i = 0; i < 60; ++i) {
    const std::size_t gone = Draw(static_cast<std::uint32_t>(all.size()));
    index.Remove(all[gone]->id());
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(gone));
  }
  for (int i = 0; i < 500; ++i) {
    const bool existed = Draw(3) != 0;
    const CacheEvent event =
        Change(Pick({"a", "b", "c"}), Pick({"p1", "p2", "p3"}), Pick({"", "n1", "n2", "n3"}),
               Pick({"", "n1", "n2", "n3"}), existed, !existed || Draw(3) != 0);
    std::vector<std::uint64_t> indexed, linear;
    std::uint64_t last = 0;
    for (CacheWatcher* w : index.Interested(event)) {
      EXPECT_GT(w->id(), last) << "in the order of opening, each once";
      last = w->id();
      if (TypeFor(event, w->predicate())) indexed.push_back(w->id());
    }
    for (const CacheWatcher* w : all) {
      if (TypeFor(event, w->predicate())) linear.push_back(w->id());
    }
    ASSERT_EQ(indexed, linear);
  }
}

struct Transition {
  const char* name;
  const char* fields;
  bool existed, exists;
  const char* old_node;
  const char* node;
  const char* expected;  // type, and what is seen of the node
};

// WATCH-13
// WATCH-14
TEST_F(IndexTest, ShowsAChangeAsTheSelectorSeesIt) {
  const std::vector<Transition> table{
      {"comes in", "spec.nodeName=n1", true, true, "", "n1", "ADDED n1 50"},
      {"created inside", "spec.nodeName=n1", false, true, "", "n1", "ADDED n1 50"},
      {"stays", "spec.nodeName=n1", true, true, "n1", "n1", "MODIFIED n1 50"},
      {"goes out", "spec.nodeName=n1", true, true, "n1", "n2", "DELETED n1 50"},
      {"never in", "spec.nodeName=n1", true, true, "n2", "n3", ""},
      {"deleted inside", "spec.nodeName=n1", true, false, "n1", "", "DELETED n1 50"},
      {"deleted outside", "spec.nodeName=n1", true, false, "n2", "", ""},
      {"unset field", "spec.nodeName=", true, true, "", "n1", "DELETED  50"}};
  for (const Transition& t : table) {
    const CacheEvent event = Change("a", "p1", t.old_node, t.node, t.existed, t.exists);
    ConvertedEvent change(event, pods_, api::Variants::DeleteRV::kDeletionRV);
    const auto& told = change.ConvertFor(Make("", "", t.fields));
    std::string seen;
    if (told != nullptr)
      seen = fmt::format("{} {} {}", api::ToString(told->type), told->object.node_name(),
                         told->object.resource_version());
    EXPECT_EQ(seen, t.expected) << t.name;
  }
}

TEST_F(IndexTest, ForgetsWhatWasTakenOut) {
  WatcherIndex index;
  index.Add(Watcher(Make("a", "", "")));
  index.Remove(999);
  EXPECT_EQ(index.size(), 1u);
  EXPECT_EQ(index.TakeAll().size(), 1u);
  EXPECT_EQ(index.size(), 0u);
  EXPECT_TRUE(index.Interested(Change("a", "p", "", "", false, true)).empty());
}

}  // namespace
}  // namespace ksim::apiserver
