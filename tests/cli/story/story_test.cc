// The story's captions: each says what the event was, and not what it would have been on a
// ReplicaSet's way to running pods.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/base/os.h"
#include "tests/cli/run_cli.h"

namespace ksim::cli {
namespace {

std::string StoryOf(std::string_view manifest, const std::vector<std::string>& flags = {}) {
  const std::string file = testing::TempDir() + "story.yaml";
  EXPECT_TRUE(os::WriteFile(file, manifest).ok());
  std::vector<std::string> args{"run", file};
  args.insert(args.end(), flags.begin(), flags.end());
  const CliResult r = RunCli(args);
  EXPECT_EQ(r.err, "");
  return r.out;
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

constexpr const char kPod[] =
    "apiVersion: v1\nkind: Pod\nmetadata: {{name: p, annotations: {{{}}}}}\n"
    "spec:\n  {}\n  containers: [{{name: c, image: nginx, resources: {{requests: {{{}}}}}}}]\n";

TEST(Story, SaysWhatHappenedAndWhy) {
  struct {
    const char *annotations, *spec, *requests;
    std::vector<std::string> has, lacks;
  } const kCases[] = {
      {"",
       "nodeSelector: {a: b}",
       "",
       {"    The scheduler finds no node for a pod, and says so in its status\n",
        "updates pods/p, rv 24 (PodScheduled False, Unschedulable: 0/3 nodes are available: 3 "
        "node(s) didn't match Pod's node affinity/selector."},
       {" 8. ", " 9. ", "10. ", "11. ", "12. "}},
      {"",
       "nodeName: node-1",
       "cpu: 100",
       {"(phase Failed; OutOfcpu: Pod was rejected: Node didn't have enough resource: cpu"},
       {" 8. ", " 9. ", "10. ", "11. ", "12. "}},
      {"pull.ksim.dev/c: fail",
       "",
       "",
       {"pull of c for default/p: failed",
        "c waits, ErrImagePull: rpc error: code = NotFound desc = failed to pull",
        "c waits, ImagePullBackOff: Back-off pulling image \"nginx\")"},
       {"12. "}},
      {"exit.ksim.dev/c: \"1 after 1s\"",
       "",
       "",
       {"exit of c for default/p: exit 1", "c waits, CrashLoopBackOff: back-off 10s restarting"},
       {"kill of c"}},
      {"", "", "", {"12. The pods are running"}, {"no node", "waits"}}};
  for (const auto& c : kCases) {
    const std::string story = StoryOf(fmt::format(kPod, c.annotations, c.spec, c.requests));
    for (const std::string& text : c.has)
      EXPECT_NE(story.find(text), std::string::npos) << text << "\n" << story;
    for (const std::string& text : c.lacks)
      EXPECT_EQ(story.find("\n" + text), std::string::npos) << text << "\n" << story;
  }
}

// The status that tells of a failed pull, the back-off and the next try have that pull as cause.
TEST(Story, AFailedPullIsTheCauseOfWhatFollows) {
  const std::string story = StoryOf(fmt::format(kPod, "pull.ksim.dev/c: \"fail, pull\"", "", ""));
  std::smatch m;
  ASSERT_TRUE(std::regex_search(story, m, std::regex("#([0-9]+) .*pull of c .*: failed")));
  const std::string cause = "<- #" + m[1].str() + "\n";
  std::vector<std::string> caused;
  for (const std::string& line : LinesOf(story))
    if ((line + "\n").ends_with(cause)) caused.push_back(line);
  ASSERT_EQ(caused.size(), 3u) << story;
  EXPECT_NE(caused[0].find("PATCH"), std::string::npos) << story;
  EXPECT_NE(caused[1].find("PATCH"), std::string::npos) << story;
  EXPECT_NE(caused[2].find("pull of c for default/p"), std::string::npos) << story;
}

// A scheduler that makes room deletes a pod and names a node; neither is a binding.
TEST(Story, APreemptionIsNoBinding) {
  const std::string story = StoryOf(
      "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\n"
      "value: 1000\n---\n"
      "apiVersion: v1\nkind: Pod\nmetadata: {name: low}\n"
      "spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 3}}}]}\n---\n"
      "apiVersion: v1\nkind: Pod\nmetadata: {name: top}\n"
      "spec: {priorityClassName: high, containers: [{name: c, image: i, resources: {requests: "
      "{cpu: 3}}}]}\n",
      {"--set", "cluster.nodes=1"});
  EXPECT_NE(story.find("nominatedNodeName node-1"), std::string::npos) << story;
  EXPECT_NE(story.find("DisruptionTarget True, PreemptionByScheduler"), std::string::npos) << story;
  EXPECT_NE(story.find("DELETE /api/v1/namespaces/default/pods/low"), std::string::npos) << story;
}

// An API server that goes down ends dozens of watches: one line tells it, and their number.
TEST(Story, ManyWatchesThatEndTogetherAreOneLine) {
  const std::string story = StoryOf(
      "apiVersion: ksim.dev/v1\nkind: Scenario\nmetadata: {name: down}\nspec:\n"
      "  cluster: {nodes: 3, controllers: [replicaset]}\n  steps: []\n  until: 20s\n"
      "  faults:\n  - {at: 5s, serverDown: {server: kube-apiserver-0, for: 5s}}\n"
      "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n");
  int ends = 0;
  std::smatch m;
  const std::vector<std::string> lines = LinesOf(story);  // `m` refers to them
  for (const std::string& line : lines) {
    if (line.find(" ends ") == std::string::npos) continue;
    ++ends;
    EXPECT_TRUE(std::regex_search(
        line, m, std::regex("ends (\\S+)'s watch of \\S+, .* and ([0-9]+) other watches [(]")))
        << line;
  }
  EXPECT_EQ(ends, 1) << story;
  ASSERT_EQ(m.size(), 3u);
  EXPECT_GT(std::stoi(m[2].str()), 5) << story;
}

TEST(Story, ARolloutIsToldAsKubectlsCommandLine) {
  const std::string story = StoryOf(
      "apiVersion: ksim.dev/v1\nkind: Scenario\nmetadata: {name: told}\nspec:\n  steps:\n"
      "  - {create: {documents: all}}\n"
      "  - {rollout: {command: status, resource: deploy/web}}\n"
      "  - {setImage: {resource: deploy/web, images: {c: 'nginx:2'}}}\n"
      "  - {expose: {resource: deploy/web, port: 80}}\n"
      "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n"
      "spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, "
      "spec: {containers: [{name: c, image: nginx}]}}}\n");
  for (const char* const line :
       {"$ kubectl rollout status deployments.apps/web\n",
        "$ kubectl set image deployments.apps/web c=nginx:2\n",
        "$ kubectl expose deployments.apps/web --port=80\n", "  service/web exposed\n"})
    EXPECT_NE(story.find(line), std::string::npos) << line << story;
}

// Each numbered line of each scenario is what its step's heading says.
TEST(Story, EveryCaptionIsTrue) {
  const std::regex line(R"( *([0-9]+) +\+[0-9.]+s  #[0-9]+ +(\S+) +(.*))");
  const char* const kTexts[] = {
      "",
      "watches .*",
      "(GET|POST|PUT|PATCH|DELETE) .*",
      "(creates|updates|deletes) .*",
      "tells .*",
      "hears: .*",
      "(POST|PUT|PATCH|DELETE) /api/v1/namespaces/[^/]+/pods.*",
      "(creates pods/|tells .*: ADDED pods/).*",
      "POST .*/binding .*",
      "updates pods/.*[(]nodeName .*",
      "(tells|hears): .*|tells .*pods/.*",
      "(sandbox|pull|create|start) .*|PATCH .*/pods/.*/status.*|updates pods/.*|tells .*pods/.*",
      "PATCH .*/pods/.*/status.*|updates pods/.*phase Running.*|tells .*pods/.*"};
  int lines = 0;
  for (const char* folder : {"scenarios", "scenarios/museum"}) {
    const auto files = os::ListDirectory(folder, ".yaml");
    ASSERT_TRUE(files.ok());
    for (const std::string& file : *files) {
      for (const std::string& text :
           LinesOf(RunCli({"run", fmt::format("{}/{}", folder, file)}).out)) {
        std::smatch m;
        if (!std::regex_match(text, m, line)) continue;
        ++lines;
        const std::string what = m[3].str();
        EXPECT_TRUE(std::regex_match(what, std::regex(kTexts[std::stoul(m[1].str())])))
            << file << ": " << text;
      }
    }
  }
  EXPECT_GT(lines, 1000);
}

// An autoscaler of autoscaling/v1 is posted and told at that version; what there is then is of v2.
TEST(Story, TellsTheVersionThatIsAskedFor) {
  const std::string file = testing::TempDir() + "hpa.yaml";
  ASSERT_TRUE(os::WriteFile(file,
                            "apiVersion: autoscaling/v1\nkind: HorizontalPodAutoscaler\n"
                            "metadata: {name: a}\nspec: {maxReplicas: 2, scaleTargetRef: "
                            "{apiVersion: apps/v1, kind: ReplicaSet, name: a}}\n")
                  .ok());
  const std::string story = RunCli({"run", file}).out;
  const std::string path = "/namespaces/default/horizontalpodautoscalers";
  EXPECT_NE(story.find("POST /apis/autoscaling/v1" + path + " (a)"), std::string::npos) << story;
  EXPECT_NE(story.find("PUT /apis/autoscaling/v2" + path + "/a/status"), std::string::npos);
}

}  // namespace
}  // namespace ksim::cli
