// The deadlines of requests: the client's answer at the deadline, and writes that still happen.
#include "ksim/apiserver/server/open_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "ksim/value/json.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

class OpenRequestsTest : public ::testing::Test {
 protected:
  OpenRequestsTest() : world_(WorldOptions().Servers(2)) {
    world_.Create("configmaps", "default", ConfigMap("default", "a", "old"));
    world_.Advance(Seconds(1));
  }
  void Cut() { world_.network.Cut("kube-apiserver-0", "etcd"); }
  void Mend() {
    world_.network.Mend("kube-apiserver-0", "etcd");
    world_.Advance(Seconds(1));
  }
  api::Request Patch(std::string_view json) {
    api::Request request = world_.Request(api::Verb::kPatch, "configmaps", "default", "a");
    request.patch_type = api::PatchType::kMerge;
    request.body = Json(json);
    return request;
  }
  std::string Data() {
    const api::Response got = world_.Get("configmaps", "default", "a");
    return value::ToJson(got.object.tree().Get("data"));
  }
  World world_;
};

// API-158
TEST_F(OpenRequestsTest, AWriteIsAnswered504After34SecondsAndMayStillHappen) {
  Cut();
  const auto late = world_.Start(Patch(R"({"data":{"late":"yes"}})"));
  world_.Advance(Seconds(34) - Nanoseconds(1));
  EXPECT_EQ(late->code, 0);
  world_.Advance(Nanoseconds(1));
  EXPECT_EQ(late->code, 504);
  EXPECT_EQ(late->status.reason, "Timeout");
  EXPECT_EQ(late->status.message,
            "Timeout: request did not complete within requested timeout - context deadline "
            "exceeded");
  Mend();
  EXPECT_THAT(Data(), testing::HasSubstr("late"));
}

// API-09
TEST_F(OpenRequestsTest, AWriteThatLosesItsRaceAfterItsDeadlineIsNotTriedAgain) {
  for (const Duration wait : {Seconds(30), Seconds(40)}) {
    Cut();
    const auto late = world_.Start(Patch(R"({"data":{"late":"yes"}})"));
    world_.Advance(Milliseconds(10));
    const api::Response other = world_.Do(Patch(R"({"data":{"late":null,"other":"yes"}})"), 1);
    EXPECT_EQ(other.code, 200);
    world_.Advance(wait);
    Mend();
    const bool in_time = wait < OpenRequests::kWriteTimeout;
    EXPECT_EQ(late->code, in_time ? 200 : 504);
    EXPECT_EQ(Data().find("late") != std::string::npos, in_time);
  }
}

TEST_F(OpenRequestsTest, AReadIsAnswered504After60Seconds) {
  Cut();
  const auto late = world_.Start(world_.Request(api::Verb::kGet, "events", "default", "none"));
  world_.Advance(Seconds(60) - Nanoseconds(1));
  EXPECT_EQ(late->code, 0);
  world_.Advance(Nanoseconds(1));
  EXPECT_EQ(late->code, 504);
  EXPECT_EQ(late->status.message, "Timeout: request did not complete within the allotted timeout");
}

// API-158
// The alarm of an earlier read, which has more time, does not hold up the write's.
TEST_F(OpenRequestsTest, AWriteThatComesAfterAReadIsAnswered504BeforeIt) {
  world_.Advance(Minutes(2));
  Cut();
  const auto read = world_.Start(world_.Request(api::Verb::kGet, "events", "default", "none"));
  world_.Advance(Seconds(1));
  const auto write = world_.Start(Patch(R"({"data":{"late":"yes"}})"));
  world_.Advance(Seconds(34));
  EXPECT_EQ(write->code, 504);
  EXPECT_EQ(read->code, 0);
}

// Reads and writes of several ages, some of them answered in time, each with its own deadline.
TEST_F(OpenRequestsTest, EachHasItsOwnDeadline) {
  struct Case {
    int at;  // seconds
    api::Verb verb;
    int answered;
  };
  const std::vector<Case> cases = {{0, api::Verb::kGet, 60},     {5, api::Verb::kPatch, 39},
                                   {20, api::Verb::kGet, 80},    {25, api::Verb::kPatch, 59},
                                   {26, api::Verb::kCreate, 60}, {70, api::Verb::kDelete, 104}};
  Cut();
  std::vector<std::pair<std::shared_ptr<api::Response>, int>> open;
  for (int second = 0; second < 110; ++second) {
    for (const Case& c : cases) {
      if (c.at != second) continue;
      api::Request request = c.verb == api::Verb::kGet
                                 ? world_.Request(c.verb, "events", "default", "none")
                                 : Patch(R"({"data":{"late":"yes"}})");
      request.verb = c.verb;
      if (c.verb == api::Verb::kCreate) request.body = ConfigMap("default", "b");
      open.emplace_back(world_.Start(std::move(request)), c.answered);
      // The watch cache answers this request at once.
      api::Request quick = world_.Request(api::Verb::kGet, "configmaps", "default", "a");
      quick.list.resource_version = "0";
      EXPECT_EQ(world_.Do(std::move(quick)).code, 200);
    }
    for (const auto& [response, answered] : open)
      EXPECT_EQ(response->code, second >= answered ? 504 : 0) << second << " of " << answered;
    world_.Advance(Seconds(1));
  }
  EXPECT_EQ(open.size(), cases.size());
}

TEST_F(OpenRequestsTest, AServerThatGoesDownWritesNothingMore) {
  Cut();
  const auto lost = world_.Start(Patch(R"({"data":{"late":"yes"}})"));
  world_.Advance(Milliseconds(10));
  world_.server().faults().SetDown(true);
  EXPECT_EQ(world_.Do(Patch(R"({"data":{"other":"yes"}})"), 1).code, 200);
  Mend();
  world_.server().faults().SetDown(false);
  EXPECT_EQ(lost->code, 0);
  EXPECT_EQ(Data().find("late"), std::string::npos);
}

}  // namespace
}  // namespace ksim::apiserver
