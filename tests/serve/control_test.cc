#include "ksim/serve/control.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/serve/world.h"

namespace ksim::serve {
namespace {

// A server whose clock stands still, without sockets.
class Target final : public ControlTarget {
 public:
  explicit Target(ServedCluster& cluster) : cluster_(cluster) { speed_.kind = Speed::Kind::kStep; }
  ServedCluster& cluster() override { return cluster_; }
  Speed speed() const override { return speed_; }
  void SetSpeed(Speed speed) override { speed_ = speed; }
  void Step(Duration by) override { stepped = by; }
  std::string Inject(Input input) override {
    injected.push_back(std::move(input));
    return meets_nothing;
  }

  Duration stepped;
  std::vector<Input> injected;
  std::string meets_nothing;

 private:
  ServedCluster& cluster_;
  Speed speed_;
};

class ControlTest : public testing::Test {
 protected:
  // The code, and the body as JSON.
  std::pair<int, value::Value> Ask(const std::string& method, const std::string& path,
                                   const std::string& body = "") {
    apiserver::http::HttpRequest request;
    request.method = method;
    request.target = path;
    request.body = body;
    const auto response = control.Serve(request, *apiserver::http::ParseTarget(path));
    return {response.code, Json(response.body)};
  }

  Served served;
  Target target{served.cluster};
  Control control{target, served.scenario};
};

TEST_F(ControlTest, TellsWhereTheClockStands) {
  const auto [code, status] = Ask("GET", "/ksim/v1/status");
  EXPECT_EQ(code, 200);
  EXPECT_EQ(status.Get("speed").AsString(), "step");
  EXPECT_EQ(status.Get("timeNs").AsInt(), served.cluster.now().ns());
  EXPECT_GT(status.Get("events").AsInt(), 0);
}

TEST_F(ControlTest, StepsOnlyAClockThatStandsStill) {
  EXPECT_EQ(Ask("POST", "/ksim/v1/step", R"({"for":"10s"})").first, 200);
  EXPECT_EQ(target.stepped, Seconds(10));
  EXPECT_EQ(Ask("POST", "/ksim/v1/step", R"({"for":"soon"})").first, 400);
  EXPECT_EQ(Ask("POST", "/ksim/v1/step", R"({"for":"-1s"})").first, 400);
  EXPECT_EQ(Ask("POST", "/ksim/v1/run", R"({"speed":"real"})").first, 200);
  EXPECT_EQ(Ask("POST", "/ksim/v1/step", R"({"for":"10s"})").first, 409);
  EXPECT_EQ(Ask("POST", "/ksim/v1/run", R"({"speed":"warp"})").first, 400);
}

TEST_F(ControlTest, AFaultIsAnInputOnceItIsRight) {
  EXPECT_EQ(Ask("POST", "/ksim/v1/inject", "reinitCache: {resource: nothings}").first, 400);
  EXPECT_TRUE(target.injected.empty());
  const std::string drop = "dropWatch: {client: kube-scheduler, resource: pods}";
  EXPECT_EQ(Ask("POST", "/ksim/v1/inject", drop).first, 200);
  EXPECT_EQ(Ask("POST", "/ksim/v1/heal").first, 200);
  ASSERT_EQ(target.injected.size(), 2u);
  EXPECT_EQ(target.injected[0].text, drop);
  EXPECT_EQ(target.injected[1].what, Input::What::kHeal);
  target.meets_nothing = "kube-scheduler has no watch of pods";
  const auto [code, body] = Ask("POST", "/ksim/v1/inject", drop);
  EXPECT_EQ(code, 404);
  EXPECT_EQ(body.Get("error").AsString(), "nothing happens: kube-scheduler has no watch of pods");
}

TEST_F(ControlTest, ShowsObjectsAndVerdict) {
  EXPECT_EQ(Ask("GET", "/ksim/v1/verdict").second.Get("result").AsString(), "ok");
  const value::Value list = Ask("GET", "/ksim/v1/snapshot").second;
  EXPECT_EQ(list.Get("kind").AsString(), "List");
  EXPECT_FALSE(list.Get("items").empty());
}

TEST_F(ControlTest, RefusesWhatThereIsNot) {
  EXPECT_EQ(Ask("GET", "/ksim/v1/other").first, 404);
  EXPECT_EQ(Ask("GET", "/ksim/").first, 404);
  EXPECT_EQ(Ask("GET", "/ksim/v1/step").first, 405);
  EXPECT_EQ(Ask("POST", "/ksim/v1/status").first, 405);
}

}  // namespace
}  // namespace ksim::serve
