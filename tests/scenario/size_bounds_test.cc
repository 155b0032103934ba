// Clusters that no run comes to the end of, and files without an end, are refused at their place
// with the number that is possible.
#include "ksim/scenario/size_bounds.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <string>

#include "ksim/base/os.h"
#include "tests/scenario/from_text.h"

namespace ksim::scenario {
namespace {

constexpr const char kAnyReplicas[] =
    "apiVersion: apps/v1, kind: ReplicaSet, metadata: {{name: a}}, spec: {{replicas: {}, selector: "
    "{{matchLabels: {{a: b}}}}, template: {{metadata: {{labels: {{a: b}}}}, spec: {{containers: "
    "[{{name: c, image: i}}]}}}}}}";

TEST(SizeBounds, TooLargeIsRefusedWithTheNumberThatIsPossible) {
  struct {
    std::string field;  // {} stands for the number
    std::int64_t most;
    std::string where;
  } const kCases[] = {
      {"cluster: {{nodes: 1, apiServers: {}}}", kMostApiServers, "spec.cluster.apiServers"},
      {"cluster: {{nodes: {}}}", kMostNodes, "spec.cluster.nodes"},
      {"cluster: {{nodes: [{{count: {}}}]}}", kMostNodes, "spec.cluster.nodes[0].count"},
      {"steps: [{{addNode: {{count: {}}}}}]", kMostNodes, "spec.steps[0].addNode.count"},
      {"cluster: {{controllers: [{{name: replicaset, replicas: {}}}]}}", kMostControllerReplicas,
       "spec.cluster.controllers[0].replicas"},
      {"steps: [{{scale: {{resource: rs/a, replicas: {}}}}}]", kMostReplicas,
       "spec.steps[0].scale.replicas"},
      {std::string("steps: [{{create: {{object: {{") + kAnyReplicas + "}}}}}}]", kMostReplicas,
       "spec.replicas"}};
  for (const auto& c : kCases) {
    const auto load = [&c](std::int64_t number) {
      return LoadSpec("  " + fmt::format(fmt::runtime(c.field), number) + "\n");
    };
    EXPECT_EQ(Render(load(c.most).errors, false), "") << c.where;
    const Loaded loaded = load(c.most + 1);
    ASSERT_EQ(loaded.errors.size(), 1u) << c.where;
    EXPECT_EQ(loaded.errors[0].message,
              fmt::format("{} can be {} at most, got {}", c.where, c.most, c.most + 1));
    EXPECT_EQ(loaded.errors[0].span.line, 5);
    EXPECT_NE(loaded.errors[0].hint, "");
  }
}

TEST(SizeBounds, NodesCountTogether) {
  const Loaded loaded = LoadSpec("  cluster: {nodes: [{count: 3000}, {name: b, count: 2001}]}\n");
  ASSERT_EQ(loaded.errors.size(), 1u);
  EXPECT_EQ(loaded.errors[0].message, "spec.cluster.nodes in all can be 5000 at most, got 5001");
}

// Plain manifests have no scenario around them; a number that is no int32 is the API server's to
// refuse.
TEST(SizeBounds, PlainManifestsAreLookedAtToo) {
  const auto load = [](std::int64_t replicas) {
    return LoadText(fmt::format(fmt::runtime(std::string("{{") + kAnyReplicas + "}}\n"), replicas));
  };
  EXPECT_EQ(load(kMostReplicas).errors.size(), 0u);
  ASSERT_EQ(load(kMostReplicas + 1).errors.size(), 1u);
  EXPECT_EQ(load(kMostReplicas + 1).errors[0].span.line, 1);
  EXPECT_EQ(load(3'000'000'000).errors.size(), 0u);
}

TEST(SizeBounds, AFileThatAScenarioNamesIsARegularOne) {
  const std::string folder = testing::TempDir();
  const std::string fifo = folder + "fifo.yaml", scenario = folder + "names.yaml";
  ASSERT_TRUE(os::RemoveFile(fifo).ok());
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string& file : {std::string("/dev/zero"), fifo}) {
    for (const std::string& step : {"create: " + file, "delete: {file: " + file + "}"}) {
      ASSERT_TRUE(os::WriteFile(scenario,
                                "apiVersion: ksim.dev/v1\nkind: Scenario\nspec: {steps: "
                                "[{" +
                                    step + "}]}\n")
                      .ok());
      const Loaded loaded = Load({scenario}, LoadOptions());
      ASSERT_FALSE(loaded.errors.empty()) << step;
      EXPECT_EQ(loaded.errors[0].message,
                fmt::format("cannot read {}: it is no regular file", file));
      EXPECT_EQ(loaded.errors[0].span.line, 3);
    }
  }
}

TEST(SizeBounds, AScenarioWithoutAnEndIsReadNoFurtherThanItsBound) {
  const Loaded loaded = Load({"/dev/zero"}, LoadOptions());
  ASSERT_EQ(loaded.errors.size(), 1u);
  EXPECT_EQ(loaded.errors[0].message,
            "cannot read it: it has more than 32 MiB, the most that is read");
}

}  // namespace
}  // namespace ksim::scenario
