// `ksim explain sites` is complete: it has every site that runs ask at, and no other.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "ksim/base/os.h"
#include "ksim/fuzz/run.h"
#include "ksim/scenario/load.h"
#include "ksim/scenario/runner.h"
#include "ksim/scenario/schema.h"
#include "tests/fuzz/worlds.h"

namespace ksim::fuzz {
namespace {

// The sites at which none of the runs below asks, with the reasons.
const std::map<std::string, std::string> kRare = {
    {"eviction/retry", "a pending pod must change between the eviction's read and its delete"},
    {"nodePort", "no Service of these folders has node ports"},
    {"scheduler/preemption", "more than 100 nodes must have pods that could go"},
    {"scheduler/preemptionTie", "nobody preempts in these folders"},
    {"reseed/GUEST", "no scenario of these folders has a guest"}};

// A scenario for the sites that no file of scenarios/ reaches: a leader loses its lease, and a
// container has a probe.
const char kLeadersAndProbes[] = R"(
apiVersion: ksim.dev/v1
kind: Scenario
metadata: {name: leaders-and-probes}
spec:
  cluster: {nodes: 1, controllers: [{name: replicaset, replicas: 2}]}
  until: 90s
  steps:
  - {at: 0s, create: {document: Pod/probed}}
  faults:
  - {at: 5s, partition: {between: [replicaset-0, kube-apiserver-0], for: 30s}}
  - {at: 5s, partition: {between: [replicaset-1, kube-apiserver-0], for: 30s}}
---
apiVersion: v1
kind: Pod
metadata: {name: probed, namespace: default}
spec:
  containers:
  - name: web
    image: nginx
    readinessProbe: {tcpSocket: {port: 80}}
)";

// Two Stages that a pod may enter, and no API server when it does.
const char kStages[] = R"(
apiVersion: ksim.dev/v1
kind: Scenario
metadata: {name: stages}
spec:
  cluster: {nodes: 1}
  steps:
  - {at: 0s, create: {document: Pod/played}}
  faults:
  - {at: 12s, serverDown: {server: kube-apiserver-0, for: 10s}}
---
apiVersion: v1
kind: Pod
metadata: {name: played, namespace: default}
spec: {containers: [{name: web, image: nginx}]}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: one}
spec:
  resourceRef: {kind: Pod}
  selector: {matchExpressions: [{key: .status.phase, operator: In, values: [Pending]}]}
  delay: {durationMilliseconds: 15000}
  next: {statusTemplate: 'phase: Running'}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: other}
spec:
  resourceRef: {kind: Pod}
  selector: {matchExpressions: [{key: .status.phase, operator: In, values: [Pending]}]}
  delay: {durationMilliseconds: 15000}
  next: {statusTemplate: 'phase: Running'}
)";

// Whether the name matches the pattern, in which a word in capitals stands for one or more parts.
bool Matches(std::string_view pattern, std::string_view site) {
  if (pattern.empty()) return site.empty();
  std::size_t word = 0;
  while (word < pattern.size() && pattern[word] >= 'A' && pattern[word] <= 'Z') ++word;
  if (word == 0)
    return !site.empty() && pattern[0] == site[0] && Matches(pattern.substr(1), site.substr(1));
  for (std::size_t n = 1; n <= site.size(); ++n)
    if (Matches(pattern.substr(word), site.substr(n))) return true;
  return false;
}

std::vector<std::string> PatternsOf(const std::string& site) {
  std::vector<std::string> out;
  for (const scenario::Named& n : scenario::Sites())
    if (Matches(n.name, site)) out.emplace_back(n.name);
  return out;
}

// The sites at which all these runs asked.
class Asked {
 public:
  void Run(const scenario::Scenario& scenario, const trace::Header& header) {
    absl::StatusOr<scenario::RunnerOptions> options = OptionsOf(scenario, header);
    ASSERT_TRUE(options.ok()) << options.status();
    options->record = false;
    scenario::Runner runner(scenario, *std::move(options));
    runner.Run();
    for (const std::string& site : runner.world().sim().decisions().asked_sites())
      sites_.insert(site);
  }
  const std::set<std::string>& sites() const { return sites_; }

 private:
  std::set<std::string> sites_;
};

std::vector<scenario::Scenario> AllScenarios(const std::string& folder) {
  std::vector<scenario::Scenario> out;
  const absl::StatusOr<std::vector<std::string>> names = os::ListDirectory(folder, ".yaml");
  EXPECT_TRUE(names.ok());
  for (const std::string& name : *names) {
    scenario::Loaded loaded = scenario::Load({folder + "/" + name}, scenario::LoadOptions());
    EXPECT_TRUE(loaded.errors.empty()) << name;
    for (scenario::Scenario& s : loaded.scenarios) out.push_back(std::move(s));
  }
  return out;
}

TEST(Sites, AreExactlyThoseThatRunsAskAt) {
  Asked asked;
  for (const char* folder : {"scenarios", "scenarios/museum", "scenarios/wrong"})
    for (const scenario::Scenario& s : AllScenarios(folder)) asked.Run(s, trace::Header());
  asked.Run(Parsed(kLeadersAndProbes), trace::Header());
  asked.Run(Parsed(kStages), trace::Header());
  std::uint64_t seed = 0;
  for (scenario::Scenario s : AllScenarios("scenarios"))
    for (const char* strategy : {"swarm", "random", "pct"}) {
      trace::Header header;
      header.mode = "fuzz";
      header.strategy = strategy;
      header.strategy_seed = s.seed = ++seed;
      asked.Run(s, header);
    }
  std::set<std::string> met;
  for (const std::string& site : asked.sites()) {
    const std::vector<std::string> patterns = PatternsOf(site);
    EXPECT_EQ(patterns.size(), 1u) << site << " has no line of its own in `ksim explain sites`";
    met.insert(patterns.begin(), patterns.end());
  }
  for (const scenario::Named& n : scenario::Sites()) {
    const std::string name(n.name);
    EXPECT_EQ(met.contains(name), !kRare.contains(name)) << name;
  }
}

}  // namespace
}  // namespace ksim::fuzz
