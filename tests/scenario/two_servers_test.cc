// Scenarios with several API servers, with denials and with limits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "ksim/apiserver/core/payloads.h"
#include "ksim/client/core/payloads.h"
#include "ksim/scenario/runner.h"
#include "ksim/store/events.h"
#include "ksim/value/json.h"
#include "tests/scenario/from_text.h"

namespace ksim::scenario {
namespace {

constexpr const char* kReplicaSet =
    "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: w}, spec: {replicas: 3, selector: "
    "{matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, "
    "image: nginx}]}}}}";

Scenario WithReplicaSet(const std::string& cluster) {
  return FromSpec("  cluster: {" + cluster +
                  "}\n  steps: [{at: 0s, create: {object: " + kReplicaSet + "}}]\n");
}

std::int64_t RunningPods(World& world) {
  std::int64_t running = 0;
  for (const api::Object& pod : world.Objects(*world.kinds().ByName("pods")))
    running += pod.status().Get("phase").AsString() == "Running" ? 1 : 0;
  return running;
}

// The servers that each client sent requests to, and the answers by code.
struct Traffic {
  explicit Traffic(const Runner& runner) {
    for (const sim::Event& e : runner.events()) {
      if (e.kind == sim::EventKind::kRequest) {
        const auto& p = e.payload.As<client::RequestPayload>();
        servers[p.request.client.str()].insert(p.server.str());
      }
      if (e.kind == sim::EventKind::kResponse)
        ++codes[e.payload.As<client::ResponsePayload>().code];
    }
  }
  std::map<std::string, std::set<std::string>> servers;
  std::map<int, int> codes;
};

class TwoServers : public ::testing::TestWithParam<api::Compat> {};
INSTANTIATE_TEST_SUITE_P(Profiles, TwoServers,
                         ::testing::Values(api::Compat::k1_25, api::Compat::k1_30,
                                           api::Compat::k1_36),
                         [](const auto& info) {
                           std::string name(api::ToString(info.param));
                           name[1] = '_';
                           return name;
                         });

TEST_P(TwoServers, AReplicaSetComesUpWithEverySeed) {
  Scenario scenario = WithReplicaSet("nodes: 2, apiServers: 2");
  scenario.compat = GetParam();
  std::set<std::string> digests;
  for (scenario.seed = 1; scenario.seed <= 34; ++scenario.seed) {
    Runner runner(scenario, RunnerOptions());
    const RunReport report = runner.Run();
    ASSERT_EQ(report.exit_code, 0) << "seed " << scenario.seed;
    ASSERT_EQ(RunningPods(runner.world()), 3) << "seed " << scenario.seed;
    digests.insert(report.end.digest);
  }
  EXPECT_EQ(digests.size(), 34u);
}

// API-260
TEST_P(TwoServers, BothAreBehindTheServiceKubernetes) {
  Scenario scenario = WithReplicaSet("nodes: 1, apiServers: 2, kubernetesService: true");
  scenario.compat = GetParam();
  for (scenario.seed = 1; scenario.seed <= 5; ++scenario.seed) {
    Runner runner(scenario, RunnerOptions());
    ASSERT_EQ(runner.Run().exit_code, 0) << "seed " << scenario.seed;
    World& world = runner.world();
    const auto services = world.Objects(*world.kinds().ByName("services"));
    ASSERT_EQ(services.size(), 1u);
    EXPECT_EQ(services[0].spec().Get("clusterIP").AsString(), "10.96.0.1");
    const auto endpoints = world.Objects(*world.kinds().ByName("endpoints"));
    ASSERT_EQ(endpoints.size(), 1u);
    EXPECT_EQ(value::ToJson(endpoints[0].tree().Get("subsets").at(0).Get("addresses")),
              R"([{"ip":"172.18.0.2"},{"ip":"172.18.0.3"}])");
    const auto slices = world.Objects(*world.kinds().ByName("endpointslices"));
    ASSERT_EQ(slices.size(), 1u) << "the mirroring controller makes none of its own";
    EXPECT_EQ(slices[0].tree().Get("endpoints").size(), 2u);
  }
  const std::string json = value::ToJson(ToTree(scenario));
  EXPECT_NE(json.find(R"("kubernetesService":true)"), std::string::npos);
}

TEST_P(TwoServers, AClientSticksToOne) {
  Scenario scenario = WithReplicaSet("nodes: 3, apiServers: 2");
  scenario.compat = GetParam();
  Runner runner(scenario, RunnerOptions());
  EXPECT_EQ(runner.Run().exit_code, 0);
  using Names = std::set<std::string>;
  const Traffic traffic(runner);
  EXPECT_EQ(traffic.servers.at("kubelet/node-1"), Names{"kube-apiserver-0"});
  EXPECT_EQ(traffic.servers.at("kubelet/node-2"), Names{"kube-apiserver-1"});
  EXPECT_EQ(traffic.servers.at("kubelet/node-3"), Names{"kube-apiserver-0"});
  EXPECT_EQ(traffic.servers.at("kube-scheduler"), Names{"kube-apiserver-0"});
  EXPECT_EQ(traffic.servers.at("kubectl"), Names{"kube-apiserver-0"});
}

// All clients move to the other server in the middle of the run, and back; the end state is the
// same.
TEST_P(TwoServers, ClientsMayBeMoved) {
  std::string faults = "  faults:\n";
  for (const auto& [at, to] : {std::pair("5s", 1), {"5600ms", 0}})
    for (const char* who : {"kube-controller-manager", "kube-scheduler", "kubelet/node-1",
                            "kubelet/node-2", "kubectl"})
      faults += fmt::format("  - {{at: {}, connect: {{client: {}, server: kube-apiserver-{}}}}}\n",
                            at, who, to);
  Scenario scenario = FromSpec(
      fmt::format("  cluster: {{nodes: 2, apiServers: 2}}\n  steps: [{{at: 5s, create: {{object: "
                  "{}}}}}]\n{}",
                  kReplicaSet, faults));
  scenario.compat = GetParam();
  for (scenario.seed = 1; scenario.seed <= 10; ++scenario.seed) {
    Runner runner(scenario, RunnerOptions());
    const RunReport report = runner.Run();
    EXPECT_EQ(report.exit_code, 0) << "seed " << scenario.seed;
    EXPECT_EQ(RunningPods(runner.world()), 3) << "seed " << scenario.seed;
    EXPECT_EQ(Traffic(runner).servers.at("kube-controller-manager").size(), 2u);
  }
}

TEST(Policy, ADeniedVerbIsAnswered403AndTheRunGoesOn) {
  Scenario scenario = WithReplicaSet(
      "nodes: 1, deny: [{user: system:kube-scheduler, verb: create, resource: pods/binding}]");
  Runner runner(scenario, RunnerOptions());
  scenario.until = Seconds(20);
  Runner timed(scenario, RunnerOptions());
  timed.Run();
  EXPECT_EQ(RunningPods(timed.world()), 0);
  EXPECT_GT(Traffic(timed).codes[403], 0);
}

TEST(Policy, AClientComesAgainAfterA429) {
  const Scenario scenario = WithReplicaSet("nodes: 3, maxMutatingRequestsInflight: 1");
  Runner runner(scenario, RunnerOptions());
  EXPECT_EQ(runner.Run().exit_code, 0);
  EXPECT_EQ(RunningPods(runner.world()), 3);
  EXPECT_GT(Traffic(runner).codes[429], 0);
}

// A reader of a trace joins the events of a stream by the stream's number alone.
TEST(Streams, HaveANumberOfTheirOwnWhoeverServesThem) {
  Runner runner(WithReplicaSet("apiServers: 2, nodes: 2"), RunnerOptions());
  EXPECT_EQ(runner.Run().exit_code, 0);
  std::map<std::uint64_t, std::set<std::string>> servers;
  for (const sim::Event& e : runner.events()) {
    if (e.kind != sim::EventKind::kWatch) continue;
    if (const auto* p = dynamic_cast<const store::StoreWatchPayload*>(e.payload.get()))
      servers[p->stream].insert("etcd for " + std::string(p->client));
    if (const auto* p = dynamic_cast<const apiserver::WatchPayload*>(e.payload.get()))
      servers[p->stream].insert(fmt::format("{} for {}", p->server.name(), p->client.name()));
  }
  EXPECT_GT(servers.size(), 80u);
  for (const auto& [number, of] : servers)
    EXPECT_EQ(of.size(), 1u) << number << ": " << fmt::format("{}", fmt::join(of, ", "));
}

TEST(Policy, IsWrittenIntoTheTraceAndReadBack) {
  const Scenario scenario = FromSpec(
      "  cluster: {maxRequestsInflight: 400, maxMutatingRequestsInflight: 200, deny: [{user: u, "
      "verb: list, resource: pods, namespace: n, name: x}, {verb: \"*\"}]}\n");
  const value::Value tree = ToTree(scenario);
  const value::Value cluster = tree.Get("spec").Get("cluster");
  EXPECT_EQ(value::ToJson(cluster.Get("deny")),
            R"([{"name":"x","namespace":"n","resource":"pods","user":"u","verb":"list"},)"
            R"({"verb":"*"}])");
  EXPECT_EQ(cluster.Get("maxRequestsInflight").AsInt(), 400);
  const std::string json = value::ToJson(tree);
  EXPECT_EQ(value::ToJson(ToTree(Only(LoadText(json)))), json);
}

TEST(Policy, MistakesAreShownAtTheirPlace) {
  const Loaded loaded = LoadSpec(
      "  cluster:\n    maxRequestsInflight: -1\n    deny:\n    - {verb: lst, resource: pods}\n"
      "    - {}\n    - {verb: list, ressource: pods}\n");
  const std::string errors = Render(loaded.errors, false);
  for (const char* part :
       {"test.yaml:6:26: error: spec.cluster.maxRequestsInflight must be at least 0, got -1",
        "test.yaml:8:14: error: unknown verb \"lst\"", "did you mean \"list\"?",
        "test.yaml:9:7: error: a rule without fields would forbid everything",
        "unknown field \"ressource\"", "did you mean \"resource\"?"})
    EXPECT_NE(errors.find(part), std::string::npos) << part << "\n" << errors;
}

}  // namespace
}  // namespace ksim::scenario
