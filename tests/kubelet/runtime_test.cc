#include "ksim/kubelet/runtime/runtime.h"

#include <gtest/gtest.h>

#include <iterator>
#include <set>

#include "ksim/kubelet/runtime/image.h"
#include "ksim/sim/network.h"
#include "ksim/sim/process.h"
#include "ksim/value/json.h"

namespace ksim::kubelet {
namespace {

struct RuntimeTest : testing::Test {
  RuntimeTest()
      : sim(sim::SimulationOptions()),
        network(sim, {}),
        env(sim, network, kinds, api::Compat::k1_30),
        runtime(env, "n1", "10.244.0"),
        kubelet(sim.AddProcess("kubelet/n1")) {
    kubelet.Start();
    pod = api::Object::FromTree(*value::ParseJson(
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"d","uid":"u"}})"));
  }
  sim::Task<void> Launch(bool init) {
    co_await runtime.CreateSandbox(pod);
    co_await runtime.PullImage("u", "c", "nginx");
    co_await runtime.CreateContainer("u", "c", "nginx", init);
    co_await runtime.StartContainer("u", "c");
  }
  sim::Task<void> Kill(Duration grace) {
    const VirtualTime began = sim.now();
    co_await runtime.KillContainer("u", "c", grace);
    kill_took = sim.now() - began;
  }
  sim::Task<void> Pull(std::string image) {
    const Runtime::Pulled pulled = co_await runtime.PullImage("u", "c", image);
    pulls.push_back(pulled);
  }
  void Run(Duration d) { sim.RunUntil(sim.now() + d); }
  const Container& C() { return runtime.Find("u")->containers.at("c"); }

  sim::Simulation sim;
  sim::Network network;
  api::Kinds kinds;
  client::Environment env;
  Runtime runtime;
  sim::Process& kubelet;
  api::Object pod;
  Duration kill_took;
  std::vector<Runtime::Pulled> pulls;
};

TEST_F(RuntimeTest, RunsAContainerUntilItIsKilled) {
  kubelet.Spawn(Launch(false));
  Run(Minutes(1));
  EXPECT_EQ(C().state, Container::State::kRunning);
  EXPECT_EQ(runtime.Find("u")->ip, "10.244.0.2");
  kubelet.Spawn(Kill(Seconds(30)));
  Run(Minutes(1));
  EXPECT_EQ(C().state, Container::State::kExited);
  EXPECT_EQ(C().exit_code, kTermExitCode);
  EXPECT_LT(kill_took, Seconds(1));
}

// A node sees more pods in its life than its network has addresses.
TEST_F(RuntimeTest, AddressesGoRound) {
  std::set<std::string> taken;
  const auto create = [&](int number) {
    const std::string uid = "u" + std::to_string(number);
    pod = api::Object::FromTree(*value::ParseJson(
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"d","uid":")" + uid +
        "\"}}"));
    kubelet.Spawn(runtime.CreateSandbox(pod));
    Run(Minutes(1));
    return runtime.Find(uid)->ip;
  };
  EXPECT_EQ(create(0), "10.244.0.2");  // this one stays
  for (int i = 1; i <= 600; ++i) {
    taken.insert(create(i));
    runtime.RemovePod("u" + std::to_string(i));
  }
  EXPECT_EQ(taken.size(), 252u);
  EXPECT_FALSE(taken.contains("10.244.0.2")) << "it is a pod's";
  EXPECT_TRUE(taken.contains("10.244.0.254"));
  EXPECT_FALSE(taken.contains("10.244.0.255")) << "the broadcast address";
}

// KUBELET-15: the runtime sends SIGKILL at the end of the grace period.
TEST_F(RuntimeTest, AShortGraceEndsInAKill) {
  kubelet.Spawn(Launch(false));
  Run(Minutes(1));
  kubelet.Spawn(Kill(Milliseconds(1)));
  Run(Minutes(1));
  EXPECT_EQ(C().exit_code, kKillExitCode);
  EXPECT_EQ(kill_took, Milliseconds(1));
}

TEST_F(RuntimeTest, AnInitContainerEndsByItself) {
  kubelet.Spawn(Launch(true));
  Run(Minutes(1));
  EXPECT_EQ(C().state, Container::State::kExited);
  EXPECT_EQ(C().exit_code, 0);
}

// KUBELET-36: containers outlive their kubelet.
TEST_F(RuntimeTest, OutlivesTheKubeletButNotWhatItHadOnlyBegun) {
  kubelet.Spawn(Launch(false));
  Run(Minutes(1));
  kubelet.Spawn(Kill(Seconds(30)));
  Run(Milliseconds(1));
  kubelet.Kill();
  Run(Minutes(1));
  EXPECT_EQ(C().state, Container::State::kRunning);
}

// KUBELET-13: an image is the same on every node, in every pull and under each of its names.
TEST(Image, ItsNameDecidesItsDigestAndSize) {
  const std::pair<const char*, const char*> names[] = {
      {"nginx", "docker.io/library/nginx:latest"},
      {"nginx:1.25", "docker.io/library/nginx:1.25"},
      {"me/web", "docker.io/me/web:latest"},
      {"localhost/web:1", "localhost/web:1"},
      {"registry:5000/web", "registry:5000/web:latest"},
      {"ghcr.io/me/web:1@sha256:abc", "ghcr.io/me/web:1@sha256:abc"}};
  std::set<std::string> ids;
  for (const auto& [image, full] : names) {
    EXPECT_EQ(FullImageName(image), full);
    EXPECT_EQ(ImageId(image), ImageId(full));
    EXPECT_EQ(ImageBytes(image), ImageBytes(full));
    EXPECT_GE(ImageBytes(image), 20'000'000);
    EXPECT_LT(ImageBytes(image), 200'000'000);
    ids.insert(ImageId(image));
  }
  EXPECT_EQ(ids.size(), std::size(names));
  EXPECT_EQ(ImageId("nginx").substr(0, 31), "docker.io/library/nginx@sha256:");
  EXPECT_EQ(ImageId("nginx").size(), 31u + 64);
  EXPECT_EQ(ImageId("ghcr.io/me/web:1@sha256:abc"), "ghcr.io/me/web@sha256:abc");
}

TEST_F(RuntimeTest, EveryPullOfAnImageFindsTheSameOne) {
  kubelet.Spawn(Launch(false));
  Run(Minutes(1));
  const std::string first = C().image_id;
  kubelet.Spawn(Launch(false));
  Run(Minutes(1));
  EXPECT_EQ(C().image_id, first);
  kubelet.Spawn(Pull("nginx"));
  kubelet.Spawn(Pull("nginx"));
  Run(Minutes(1));
  ASSERT_EQ(pulls.size(), 2u);
  EXPECT_EQ(pulls[0].bytes, pulls[1].bytes);
}

TEST_F(RuntimeTest, PullsOneImageAtATime) {
  kubelet.Spawn(Launch(false));
  Run(Minutes(1));
  kubelet.Spawn(Pull("a"));
  kubelet.Spawn(Pull("b"));
  Run(Minutes(1));
  ASSERT_EQ(pulls.size(), 2u);
  EXPECT_EQ(pulls[0].took, pulls[0].waited);
  EXPECT_EQ(pulls[1].waited, pulls[0].took + pulls[1].took);
}

// A pull that ends with its kubelet's death frees the queue of pulls.
TEST_F(RuntimeTest, AKilledPullIsNotAPull) {
  kubelet.Spawn(Launch(false));
  Run(Minutes(1));
  kubelet.Spawn(Pull("a"));
  Run(Milliseconds(1));
  kubelet.Kill();
  Run(Seconds(10));
  EXPECT_FALSE(runtime.HasImage("a"));
  kubelet.Start();
  kubelet.Spawn(Pull("b"));
  Run(Minutes(1));
  EXPECT_TRUE(runtime.HasImage("b"));
}

}  // namespace
}  // namespace ksim::kubelet
